#pragma once
// A matrix whose rows ranks share, for tests of what they solve together.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <vector>

#include "linalg/rank_operator.hpp"
#include "linalg/split_ghosts.hpp"
#include "support/backends.hpp"
#include "support/block_matrices.hpp"
#include "support/matrices.hpp"
#include "support/thread_ranks.hpp"

namespace tessera::testing {

/// How the rows of a matrix lie on ranks: those of each one after the other.
struct Partition {
  std::vector<Index> row;      ///< of the matrix, by its number on the ranks
  std::vector<Offset> number;  ///< and the other way round
  std::vector<Offset> firsts;  ///< [ranks + 1]

  /// `owners` [rows].
  Partition(const HostMatrix& A, const std::vector<int>& owners, int ranks) : number(owners.size()), firsts{0} {
    for (int rank = 0; rank < ranks; ++rank) {
      for (Index i = 0; i < A.rows; ++i)
        if (owners[i] == rank) row.push_back(i);
      firsts.push_back(static_cast<Offset>(row.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) number[row[i]] = static_cast<Offset>(i);
  }
  int owner_of(Offset of_ranks) const {
    return static_cast<int>(std::upper_bound(firsts.begin(), firsts.end(), of_ranks) - firsts.begin()) - 1;
  }
  /// The part of a rank of a vector of `numbers` a row.
  std::vector<double> part(const std::vector<double>& x, int rank, int numbers = 1) const {
    std::vector<double> result;
    for (Offset i = firsts[rank]; i < firsts[rank + 1]; ++i)
      for (int c = 0; c < numbers; ++c) result.push_back(x[row[i] * numbers + c]);
    return result;
  }
  void put(const std::vector<double>& of_rank, int rank, std::vector<double>& x, int numbers = 1) const {
    for (std::size_t i = 0; i < of_rank.size(); ++i)
      x[row[firsts[rank] + i / numbers] * numbers + i % numbers] = of_rank[i];
  }
};

/// Consecutive rows for each rank, about as many.
inline std::vector<int> slabs(const HostMatrix& A, int ranks) {
  std::vector<int> owners;
  for (Index row = 0; row < A.rows; ++row) owners.push_back(static_cast<int>(Offset{row} * ranks / A.rows));
  return owners;
}

/// Of the rows that a rank has the entries in the columns that it sees.
inline HostMatrix rows_of_rank(const Partition& partition, const IndexMap& map, const HostMatrix& A) {
  HostMatrix result;
  result.rows = map.owned();
  result.cols = map.size();
  for (Index i = 0; i < map.owned(); ++i) {
    std::map<Index, double> entries;
    const Index row = partition.row[static_cast<std::size_t>(map.first_owned() + i)];
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      entries[map.local_of(partition.number[A.col_ind[k]])] = A.values[k];
    for (const auto& [column, value] : entries) result.add(column, value);
    result.end_row();
  }
  return result;
}
inline HostBlocks rows_of_rank(const Partition& partition, const IndexMap& map, const HostBlocks& A) {
  HostMatrix places = A.pattern;
  places.values.resize(places.col_ind.size());
  for (std::size_t k = 0; k < places.values.size(); ++k) places.values[k] = static_cast<double>(k);
  HostBlocks result{A.block, rows_of_rank(partition, map, places), {}};
  const auto numbers = static_cast<std::size_t>(A.block * A.block);
  for (const double place : result.pattern.values) {
    const auto first = A.values.begin() + static_cast<std::ptrdiff_t>(place) * static_cast<std::ptrdiff_t>(numbers);
    result.values.insert(result.values.end(), first, first + static_cast<std::ptrdiff_t>(numbers));
  }
  return result;
}

/// What a rank has of a matrix of numbers or of blocks: an execution with its link, and the operator of its rows.
template <class Exec, class Matrix = HostMatrix>
struct RankSystem {
  using Space = typename Exec::Space;
  static constexpr bool has_blocks = std::is_same_v<Matrix, HostBlocks>;
  using Stored = std::conditional_t<has_blocks, linalg::BlockCrs<Space>, linalg::Crs<Space>>;
  using Part = std::conditional_t<has_blocks, linalg::BlockCrsOperator<Exec>, linalg::CrsOperator<Exec>>;

  RankSystem(Communicator& ranks, const Partition& partition, const Matrix& A)
      : exec(with_threads<Exec>(1)), link(make_link(exec, ranks)) {
    exec.set_link(link.get());
    const HostMatrix* pattern = nullptr;
    Index block = 1;
    if constexpr (has_blocks) {
      pattern = &A.pattern;
      block = A.block;
    } else {
      pattern = &A;
    }
    map = map_of(partition, ranks.rank(), *pattern);
    rows = map.owned() * block;
    halo = std::make_shared<linalg::Halo<Exec>>(*link, map, block);
    split = parts_of(partition, A);
    op = std::make_unique<linalg::RankOperator<Exec>>(halo, std::make_unique<Part>(split.own),
                                                      std::make_unique<Part>(split.ghost), map.first_owned() * block,
                                                      map.global_size() * block);
  }
  /// Other numbers in the pattern.
  void set_values(const Partition& partition, const Matrix& A) {
    const auto other = parts_of(partition, A);
    copy(other.own.values, split.own.values);
    copy(other.ghost.values, split.ghost.values);
  }

  Exec exec;
  std::unique_ptr<Link> link;
  IndexMap map;
  Index rows = 0;
  std::shared_ptr<linalg::Halo<Exec>> halo;
  linalg::SplitMatrix<Stored> split;
  std::unique_ptr<linalg::Operator<Exec>> op;

 private:
  linalg::SplitMatrix<Stored> parts_of(const Partition& partition, const Matrix& A) {
    const auto block = static_cast<Index>(rows / std::max<Index>(map.owned(), 1));
    std::vector<Index> boundary;
    for (const Index row : to_vector(halo->boundary()))
      if (row % block == 0) boundary.push_back(row / block);
    return linalg::split_ghosts(exec, rows_of_rank(partition, map, A).template to<Space>(), boundary, map.owned());
  }
  static IndexMap map_of(const Partition& partition, int rank, const HostMatrix& A) {
    const Offset first = partition.firsts[rank], last = partition.firsts[rank + 1];
    std::set<Offset> seen;
    for (Offset i = first; i < last; ++i)
      for (Offset k = A.row_ptr[partition.row[i]]; k < A.row_ptr[partition.row[i] + 1]; ++k)
        if (const Offset number = partition.number[A.col_ind[k]]; number < first || number >= last) seen.insert(number);
    IndexMap::Parts parts{.rank = rank,
                          .global_size = partition.firsts.back(),
                          .first_owned = first,
                          .owned = static_cast<Index>(last - first)};
    for (const Offset number : seen) {
      const int owner = partition.owner_of(number);
      if (parts.ghosts.empty() || parts.ghosts.back().owner != owner) parts.ghosts.push_back({owner});
      parts.ghosts.back().numbers.push_back(number);
    }
    return IndexMap(parts);
  }
};

}  // namespace tessera::testing
