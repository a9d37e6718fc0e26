// Rows of ghosts as multigrid brings them: pattern and values are those of their owners, sorted as this rank sees them.
#include <algorithm>
#include <map>
#include <set>

#include "solvers/amg/shared_level.hpp"
#include "solvers/systems.hpp"
#include "support/rank_systems.hpp"

namespace tessera {
namespace {

using solvers::amg::RowExchange;
using solvers::amg::SharedLevel;
using testing::HostMatrix;
using testing::Partition;

/// Owners without any order, so that each rank has ghosts of all others, below its own numbers and above.
std::vector<int> scattered(Index rows, int ranks) {
  std::vector<int> owners;
  for (Index row = 0; row < rows; ++row) owners.push_back(static_cast<int>((row * 7919u + row / 5u * 104729u) % ranks));
  return owners;
}

/// What a rank receives, to be compared with the matrix.
struct Received {
  std::vector<Offset> row_ptr;
  std::vector<Index> col_ind;
  std::vector<double> values;
};

template <class Exec>
struct RowsOfGhosts : ::testing::Test {
  using Space = typename Exec::Space;

  /// The row of a ghost in local columns of `level`, those that it sees alone.
  static std::map<Index, double> expected(const HostMatrix& A, const Partition& partition, const IndexMap& nodes,
                                          Offset ghost) {
    std::map<Index, double> entries;
    const Index row = partition.row[static_cast<std::size_t>(ghost)];
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (const Index local = nodes.local_of(partition.number[A.col_ind[k]]); local >= 0) entries[local] = A.values[k];
    return entries;
  }
  /// Numbers [entries, 2] of a matrix: a value, and its negative.
  static Array<double, Space> twice(const std::vector<double>& values) {
    std::vector<double> both;
    for (const double value : values) both.insert(both.end(), {value, -value});
    return to_space<Space>(both);
  }
  static Received bring(Exec& exec, RowExchange<Exec>& exchange, const typename RowExchange<Exec>::Rows& rows,
                        const Array<double, Space>& from, Offset block) {
    Array<double, Space> values(rows.col_ind.size() * block);
    exchange.bring(exec, from.view(), values.view(), block);
    return {to_vector(rows.row_ptr), to_vector(rows.col_ind), to_vector(values)};
  }
  static void compare(const Received& received, const HostMatrix& A, const Partition& partition, const IndexMap& nodes,
                      std::span<const Offset> ghosts, const std::vector<Index>& used, Offset block) {
    ASSERT_EQ(received.row_ptr.size(), ghosts.size() + 1);
    for (std::size_t row = 0; row < ghosts.size(); ++row) {
      const auto entries = used[row] ? expected(A, partition, nodes, ghosts[row]) : std::map<Index, double>();
      auto at = static_cast<std::size_t>(received.row_ptr[row]);
      ASSERT_EQ(static_cast<std::size_t>(received.row_ptr[row + 1]) - at, entries.size()) << row;
      for (const auto& [column, value] : entries) {
        EXPECT_EQ(received.col_ind[at], column) << row;
        for (Offset b = 0; b < block; ++b)
          EXPECT_EQ(received.values[at * static_cast<std::size_t>(block) + static_cast<std::size_t>(b)],
                    b == 0 ? value : -value);
        ++at;
      }
    }
  }
};
TYPED_TEST_SUITE(RowsOfGhosts, testing::Backends);

TYPED_TEST(RowsOfGhosts, AreThoseOfTheirOwnersWhateverTheOrderOfRanks) {
  TESSERA_REQUIRE(TypeParam);
  using Fixture = RowsOfGhosts<TypeParam>;
  using Space = typename Fixture::Space;
  const HostMatrix A = testing::laplacian(7, 3);
  for (const int ranks : {2, 3, 5}) {
    const Partition partition(A, scattered(A.rows, ranks), ranks);
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      testing::RankSystem<TypeParam> system(mine, partition, A);
      TypeParam& exec = system.exec;
      const std::vector<Offset> ghosts(system.map.ghosts().begin(), system.map.ghosts().end());
      SharedLevel<TypeParam> level;
      level.number(partition.firsts, mine.rank(), ghosts);
      const HostMatrix own = testing::rows_of_rank(partition, system.map, A);
      const auto matrix = own.template to<Space>();
      const auto values = to_space<Space>(own.values);
      RowExchange<TypeParam> exchange(exec, *system.link, level.rows_of_ghosts(*system.link), matrix.row_ptr.view(),
                                      matrix.col_ind.view(), level.numbering());
      // Of two rows one; what they have beyond what this rank sees becomes ghosts, too.
      std::vector<Index> used(ghosts.size());
      for (std::size_t row = 0; row < used.size(); ++row) used[row] = static_cast<Index>(row % 2);
      const auto flags = to_space<Space>(used);
      std::set<Offset> unseen;
      for (std::size_t row = 1; row < ghosts.size(); row += 2) {
        const Index of = partition.row[static_cast<std::size_t>(ghosts[row])];
        for (Offset k = A.row_ptr[of]; k < A.row_ptr[of + 1]; ++k)
          if (system.map.local_of(partition.number[A.col_ind[k]]) < 0) unseen.insert(partition.number[A.col_ind[k]]);
      }
      const std::vector<Offset> found = exchange.unseen(exec, level.numbering(), flags.view());
      EXPECT_EQ(found, std::vector<Offset>(unseen.begin(), unseen.end()));
      std::vector<Offset> all(ghosts);
      all.insert(all.end(), found.begin(), found.end());
      std::sort(all.begin(), all.end());
      SharedLevel<TypeParam> more;
      more.number(partition.firsts, mine.rank(), all);
      const auto rows = exchange.arrange(exec, more.numbering(), flags.view());
      const auto both = Fixture::twice(own.values);
      Fixture::compare(Fixture::bring(exec, exchange, rows, values, 1), A, partition, more.nodes, ghosts, used, 1);
      Fixture::compare(Fixture::bring(exec, exchange, rows, both, 2), A, partition, more.nodes, ghosts, used, 2);
      // Without these ghosts their entries are left out.
      RowExchange<TypeParam> seen(exec, *system.link, level.rows_of_ghosts(*system.link), matrix.row_ptr.view(),
                                  matrix.col_ind.view(), level.numbering());
      const auto of_seen = seen.arrange(exec, level.numbering());
      Fixture::compare(Fixture::bring(exec, seen, of_seen, values, 1), A, partition, level.nodes, ghosts,
                       std::vector<Index>(ghosts.size(), 1), 1);
    });
  }
}

}  // namespace
}  // namespace tessera
