#include "assembly/space/rank_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <optional>

#include "assembly/space/first_cells.hpp"
#include "assembly/space/longest_way.hpp"
#include "base/collective.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {
namespace {

/// Items that threads go through as one piece.
constexpr Offset chunk = 1 << 16;

/// [dofs] the ranks that own them: the dofs from that of a vertex to that of the next are its own.
std::vector<int> owners_of_dofs(const std::vector<int>& owners, const DofMap& dofs) {
  const int threads = default_threads();
  std::vector<int> result;
  resize_by_all(result, static_cast<std::size_t>(dofs.dofs), threads);
  parallel_for(threads, dofs.dofs, [&](Offset dof) { result[static_cast<std::size_t>(dof)] = -1; });
  parallel_for(threads, static_cast<Offset>(dofs.vertex_dofs.size()), [&](Offset node) {
    const auto at = static_cast<std::size_t>(node);
    if (const Index dof = dofs.vertex_dofs[at]; dof >= 0)  // vertices that are one have one owner
      std::atomic_ref(result[static_cast<std::size_t>(dof)]).store(owners[at], std::memory_order_relaxed);
  });
  // Of each chunk first the owner that the one before ends with: a few dofs before it there is a vertex.
  std::vector<int> before;
  for (Offset first = 0; first < dofs.dofs; first += chunk) {
    Offset at = first;
    while (at > 0 && result[static_cast<std::size_t>(at - 1)] < 0) --at;
    before.push_back(at > 0 ? result[static_cast<std::size_t>(at - 1)] : -1);
  }
  parallel_for(threads, static_cast<Offset>(before.size()), [&](Offset c) {
    int last = before[static_cast<std::size_t>(c)];
    for (Offset dof = c * chunk; dof < std::min<Offset>(dofs.dofs, (c + 1) * chunk); ++dof) {
      int& owner = result[static_cast<std::size_t>(dof)];
      owner = last = owner < 0 ? last : owner;
    }
  });
  return result;
}

template <class T>
Communicator::Bytes bytes_of(const std::vector<T>& items) {
  Communicator::Bytes bytes(items.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> items_of(const Communicator::Bytes& bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

/// The dof of this part at a place.
Index dof_at(const mesh::RankMesh& part, const DofMap& dofs, const DofPlace& place) {
  const auto found = std::lower_bound(part.cell_numbers.begin(), part.cell_numbers.end(), place.cell);
  if (found == part.cell_numbers.end() || *found != place.cell)
    throw Error(ExitCode::internal, fmt::format("a rank was asked for cell {}, which it does not see", place.cell));
  const auto cell = static_cast<Index>(found - part.cell_numbers.begin());
  const DofBlock& block = dofs.block_of(cell);
  return block.cell(cell - block.first_cell)[place.node];
}

/// Gives the dofs new numbers everywhere.
void renumber(const std::vector<Index>& new_number, DofMap& dofs) {
  const int threads = default_threads();
  for (DofBlock& block : dofs.blocks) {
    std::vector<Index> own;
    resize_by_all(own, block.dofs.size(), threads);
    parallel_for(threads, static_cast<Offset>(own.size()), [&](Offset i) {
      const auto at = static_cast<std::size_t>(i);
      own[at] = new_number[static_cast<std::size_t>(block.dofs[at])];
    });
    block.dofs = CellDofs(std::move(own));
  }
  for (Index& dof : dofs.vertex_dofs)
    if (dof >= 0) dof = new_number[dof];
}

/// Numbers the dofs of one rank while the others number theirs.
struct Numbering {
  Communicator& ranks;
  const mesh::RankMesh& part;
  const DofMap& dofs;
  std::vector<int> owners = owners_of_dofs(part.owners, dofs);
  std::vector<Index> cells = first_cells(dofs);
  std::vector<Index> new_number{};

  IndexMap number();
  DofPlace place_of(Index dof) const;

 private:
  std::vector<std::vector<Index>> ghosts_by_owner() const;
  std::vector<std::vector<Index>> asked_of(const std::vector<std::vector<Index>>& ghosts) const;
  Index number_own();
};

std::vector<std::vector<Index>> Numbering::ghosts_by_owner() const {
  std::vector<std::vector<Index>> ghosts(static_cast<std::size_t>(ranks.size()));
  for (Index dof = 0; dof < dofs.dofs; ++dof)
    if (owners[dof] != ranks.rank()) ghosts[static_cast<std::size_t>(owners[dof])].push_back(dof);
  return ghosts;
}

/// [ranks] own dofs that each rank has as ghosts, in the order in which it names them.
std::vector<std::vector<Index>> Numbering::asked_of(const std::vector<std::vector<Index>>& ghosts) const {
  std::vector<Communicator::Bytes> questions;
  for (const std::vector<Index>& of_rank : ghosts) {
    std::vector<DofPlace> at;
    for (const Index dof : of_rank) at.push_back(place_of(dof));
    questions.push_back(bytes_of(at));
  }
  std::vector<std::vector<Index>> asked;
  for (const Communicator::Bytes& question : ranks.exchange(std::move(questions))) {
    asked.emplace_back();
    for (const DofPlace& place : items_of<DofPlace>(question)) asked.back().push_back(dof_at(part, dofs, place));
  }
  return asked;
}

DofPlace Numbering::place_of(Index dof) const {
  const Index cell = cells[static_cast<std::size_t>(dof)];
  const DofBlock& block = dofs.block_of(cell);
  const Index* const of_cell = block.cell(cell - block.first_cell);
  return {part.cell_numbers[static_cast<std::size_t>(cell)], std::find(of_cell, of_cell + block.nodes, dof) - of_cell};
}

/// Numbers what this rank owns, in its order; returns how many.
Index Numbering::number_own() {
  const int threads = default_threads();
  resize_by_all(new_number, static_cast<std::size_t>(dofs.dofs), threads);
  const auto for_chunks = [&](auto&& f) {
    parallel_for(threads, (dofs.dofs + chunk - 1) / chunk, [&](Offset c) {
      f(static_cast<std::size_t>(c), c * chunk, std::min<Offset>(dofs.dofs, (c + 1) * chunk));
    });
  };
  std::vector<Index> next(static_cast<std::size_t>((dofs.dofs + chunk - 1) / chunk) + 1, 0);
  for_chunks([&](std::size_t c, Offset first, Offset last) {
    next[c + 1] = static_cast<Index>(std::count(owners.begin() + first, owners.begin() + last, ranks.rank()));
  });
  std::partial_sum(next.begin(), next.end(), next.begin());
  for_chunks([&](std::size_t c, Offset first, Offset last) {
    Index number = next[c];
    for (Offset dof = first; dof < last; ++dof)
      new_number[static_cast<std::size_t>(dof)] = owners[static_cast<std::size_t>(dof)] == ranks.rank() ? number++ : -1;
  });
  return next.back();
}

IndexMap Numbering::number() {
  const std::vector<std::vector<Index>> ghosts = ghosts_by_owner(), asked = asked_of(ghosts);
  Index next = 0;
  on_each_rank(ranks, [&] { next = number_own(); });
  IndexMap::Parts parts{.rank = ranks.rank(), .owned = next};
  const std::vector<Offset> owned = gathered(ranks, Offset{next});
  parts.global_size = std::accumulate(owned.begin(), owned.end(), Offset{0});
  parts.first_owned = std::accumulate(owned.begin(), owned.begin() + ranks.rank(), Offset{0});
  if (const auto none = std::find(owned.begin(), owned.end(), 0); none != owned.end())
    throw Error(ExitCode::usage,
                fmt::format("rank {} of {} would have nothing to do", none - owned.begin(), ranks.size()),
                "start fewer ranks (mpirun -n), or refine the mesh");
  std::vector<Communicator::Bytes> answers;
  for (const std::vector<Index>& of_rank : asked) {
    std::vector<Offset> numbers;
    for (const Index dof : of_rank) numbers.push_back(parts.first_owned + new_number[dof]);
    answers.push_back(bytes_of(numbers));
  }
  const std::vector<Communicator::Bytes> replies = ranks.exchange(std::move(answers));
  for (std::size_t rank = 0; rank < replies.size(); ++rank) {
    if (ghosts[rank].empty() && asked[rank].empty()) continue;
    const std::vector<Offset> numbers = items_of<Offset>(replies[rank]);
    std::vector<std::pair<Offset, Index>> order;
    for (std::size_t i = 0; i < numbers.size(); ++i) order.emplace_back(numbers[i], ghosts[rank][i]);
    std::sort(order.begin(), order.end());
    parts.ghosts.push_back({.owner = static_cast<int>(rank)});
    IndexMap::Parts::Ghosts& group = parts.ghosts.back();
    for (const auto& [global, dof] : order) {
      group.numbers.push_back(global);
      new_number[dof] = next++;
    }
  }
  return IndexMap(parts);
}

}  // namespace

RankSpace make_rank_space(Communicator& ranks, const mesh::RankMesh& part, DofMap dofs, int components,
                          bool with_places) {
  std::optional<Numbering> numbering;
  on_each_rank(ranks, [&] { numbering.emplace(Numbering{ranks, part, dofs}); });
  IndexMap map = numbering->number();
  RankSpace result;
  on_each_rank(ranks, [&] {
    if (with_places) {
      result.places.resize(static_cast<std::size_t>(map.owned()));
      parallel_for(default_threads(), dofs.dofs, [&](Offset dof) {
        if (const Index number = numbering->new_number[static_cast<std::size_t>(dof)]; number < map.owned())
          result.places[static_cast<std::size_t>(number)] = numbering->place_of(static_cast<Index>(dof));
      });
    }
    renumber(numbering->new_number, dofs);
  });
  result.new_number = std::move(numbering->new_number);
  result.space = Space(std::move(dofs), components, std::move(map));
  return result;
}

namespace {

/// A rank, and a dof that it sees and another owns; sorted. `cells` counts those that each rank sees.
std::vector<std::pair<int, Index>> ghosts_of_ranks(const mesh::Mesh& mesh, const DofMap& dofs,
                                                   const std::vector<int>& owners, const std::vector<int>& of_dofs,
                                                   std::vector<Index>& cells) {
  std::vector<std::pair<int, Index>> ghosts;
  std::vector<int> here;  // ranks that see a cell
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    for (Index c = 0; c < block.cells(); ++c) {
      here.clear();
      for (int v = 0; v < mesh::vertex_count(block.shape); ++v) here.push_back(owners[block.cell(c)[v]]);
      std::sort(here.begin(), here.end());
      here.erase(std::unique(here.begin(), here.end()), here.end());
      for (const int rank : here) {
        ++cells[static_cast<std::size_t>(rank)];
        for (int node = 0; here.size() > 1 && node < dofs.blocks[b].nodes; ++node)
          if (const Index dof = dofs.blocks[b].cell(c)[node]; of_dofs[dof] != rank) ghosts.emplace_back(rank, dof);
      }
    }
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

}  // namespace

RankSizes rank_sizes(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<int>& owners, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  RankSizes sizes{std::vector<Index>(count, 0), std::vector<Index>(count, 0), std::vector<Index>(count, 0)};
  const std::vector<int> of_dofs = owners_of_dofs(owners, dofs);
  for (const int owner : of_dofs) ++sizes.dofs[static_cast<std::size_t>(owner)];
  for (const auto& [rank, dof] : ghosts_of_ranks(mesh, dofs, owners, of_dofs, sizes.cells))
    ++sizes.ghosts[static_cast<std::size_t>(rank)];
  return sizes;
}

Index longest_way(const mesh::Mesh& mesh, const DofMap& dofs, const std::vector<int>& owners, int ranks) {
  std::vector<Index> cells(static_cast<std::size_t>(ranks)), of_owner(cells.size());  // ghosts of the rank at hand
  const std::vector<int> of_dofs = owners_of_dofs(owners, dofs);
  Index longest = 0;
  int last = -1;
  for (const auto& [rank, dof] : ghosts_of_ranks(mesh, dofs, owners, of_dofs, cells)) {
    if (rank != last) std::fill(of_owner.begin(), of_owner.end(), 0);
    last = rank;
    longest = std::max(longest, ++of_owner[static_cast<std::size_t>(of_dofs[dof])]);
  }
  return longest;
}

}  // namespace tessera::assembly
