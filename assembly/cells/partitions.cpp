// Partitions of cells for colour_blocks and shared: made on the host, once.
#include <algorithm>
#include <limits>
#include <numeric>

#include "assembly/cells/block.hpp"
#include "assembly/cells/checks.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/colouring.hpp"
#include "mesh/partition.hpp"

namespace tessera::assembly {
namespace {

/// METIS takes about 10 microseconds a cell; beyond this many cells the curve is used, whose partitions have a fifth
/// more boundary.
constexpr Index most_cells_for_metis = 400'000;

/// Partitions that a thread plans in a row.
constexpr int partitions_at_a_time = 16;

/// The lowest 21 bits of a number, two zeros after each.
std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

/// Numbers of all cells along Morton's curve through their middles.
std::vector<Index> along_curve(const mesh::Mesh& mesh) {
  double low[3] = {1e300, 1e300, 1e300}, extent = 0;
  for (Index node = 0; node < mesh.nodes(); ++node)
    for (int d = 0; d < 3; ++d) low[d] = std::min(low[d], mesh.point(node)[d]);
  for (Index node = 0; node < mesh.nodes(); ++node)
    for (int d = 0; d < 3; ++d) extent = std::max(extent, mesh.point(node)[d] - low[d]);
  const double scale = extent > 0 ? 0x1fffff / extent : 0;
  std::vector<std::pair<std::uint64_t, Index>> keys(static_cast<std::size_t>(mesh.cells()));
  for (const mesh::CellBlock& block : mesh.blocks)
    parallel_for(default_threads(), block.cells(), [&](Index cell) {
      const int vertices = mesh::vertex_count(block.shape);
      std::uint64_t key = 0;
      for (int d = 0; d < 3; ++d) {
        double middle = 0;
        for (int v = 0; v < vertices; ++v) middle += mesh.point(block.cell(cell)[v])[d];
        key |= spread_bits(static_cast<std::uint64_t>(std::max(0.0, (middle / vertices - low[d]) * scale))) << d;
      }
      keys[block.first_cell + cell] = {key, block.first_cell + cell};
    });
  std::sort(keys.begin(), keys.end());
  std::vector<Index> number(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) number[keys[k].second] = static_cast<Index>(k);
  return number;
}

/// Sorted, unique dofs of places first .. last.
std::vector<Index> dofs_of(const DofBlock& dofs, const PartitionPlan& plan, Index partition) {
  std::vector<Index> result;
  for (Index place = plan.first_place[partition]; place < plan.first_place[partition + 1]; ++place)
    result.insert(result.end(), dofs.cell(plan.order[place]), dofs.cell(plan.order[place]) + dofs.nodes);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Sorts the cells of a partition by colour, first fit; returns where the colours begin, and the end.
std::vector<Index> colour_within(const DofBlock& dofs, PartitionPlan& plan, Index partition) {
  const std::vector<Index> own = dofs_of(dofs, plan, partition);
  const Index first = plan.first_place[partition], count = plan.first_place[partition + 1] - first;
  std::vector<Index> local;
  for (Index place = first; place < first + count; ++place)
    for (int i = 0; i < dofs.nodes; ++i)
      local.push_back(
          static_cast<Index>(std::lower_bound(own.begin(), own.end(), dofs.cell(plan.order[place])[i]) - own.begin()));
  const mesh::Colouring colouring = mesh::colour_cells(local, dofs.nodes, static_cast<Index>(own.size()));
  const std::vector<Index> before(plan.order.begin() + first, plan.order.begin() + first + count);
  for (Index k = 0; k < count; ++k) plan.order[first + k] = before[colouring.cells[k]];
  std::vector<Index> steps;
  for (const Offset ptr : colouring.ptr) steps.push_back(first + static_cast<Index>(ptr));
  return steps;
}

void colour_partitions(PartitionPlan& plan, const DofBlock& dofs, Index all_dofs, int threads) {
  const auto partitions = static_cast<Index>(plan.first_place.size()) - 1;
  std::vector<std::vector<Index>> steps(partitions), keys(partitions);
  parallel_chunks(threads, partitions, partitions_at_a_time, [&](Offset first, Offset last, int) {
    for (auto p = static_cast<Index>(first); p < last; ++p) {
      keys[p] = dofs_of(dofs, plan, p);
      steps[p] = colour_within(dofs, plan, p);
    }
  });
  std::vector<Offset> ptr{0};
  std::vector<Index> all_keys;
  plan.step_ptr = {0};
  for (Index p = 0; p < partitions; ++p) {
    all_keys.insert(all_keys.end(), keys[p].begin(), keys[p].end());
    ptr.push_back(static_cast<Offset>(all_keys.size()));
    plan.step_first.insert(plan.step_first.end(), steps[p].begin(), steps[p].end());
    plan.step_ptr.push_back(static_cast<Index>(plan.step_first.size()));
  }
  mesh::Colouring colouring = mesh::colour_cells(partitions, all_dofs, ptr.data(), all_keys.data());
  plan.colour_ptr = std::move(colouring.ptr);
  plan.by_colour = std::move(colouring.cells);
}

/// One local target: its sources are pairs[first .. last).
struct LocalTarget {
  Index target;
  bool complete;
  Offset first, last;
};

/// What plan_shared finds in one partition, before partitions are laid one after the other.
struct SharedPart {
  std::vector<Index> targets, nodes;  ///< targets: -1 - target where others contribute too
  std::vector<std::uint16_t> widths, lists;
};

/// A dof whose cells all lie in one partition: its number; -1: shared.
std::vector<Index> partition_of_dofs(const DofBlock& dofs, Index all_dofs, const PartitionPlan& plan) {
  constexpr Index unseen = -2;
  std::vector<Index> result(static_cast<std::size_t>(all_dofs), unseen);
  for (Index p = 0; p + 1 < static_cast<Index>(plan.first_place.size()); ++p)
    for (Index place = plan.first_place[p]; place < plan.first_place[p + 1]; ++place)
      for (int i = 0; i < dofs.nodes; ++i) {
        Index& of = result[dofs.cell(plan.order[place])[i]];
        of = of == unseen || of == p ? p : -1;
      }
  return result;
}

struct SharedInput {
  const mesh::CellBlock& cells;
  const DofBlock& dofs;
  const PartitionPlan& plan;
  const std::vector<Offset>& row_ptr;
  const std::vector<Index>& col_ind;
  const BlockView& view;
  bool by_columns;
  std::vector<Index> owner;
};

/// (target << 16 | local source) of everything that a partition contributes, sorted.
std::vector<std::uint64_t> contributions(const SharedInput& in, Index partition) {
  const int n = in.dofs.nodes, of_matrix = entry_count(in.view.symmetric, n), entries = of_matrix + n;
  const Index first = in.plan.first_place[partition], count = in.plan.first_place[partition + 1] - first;
  const std::uint64_t nnz = in.col_ind.size();
  std::vector<std::uint64_t> pairs;
  pairs.reserve(static_cast<std::size_t>(count) * n * (n + 1));
  for (Index local = 0; local < count; ++local) {
    const Index* cell = in.dofs.cell(in.plan.order[first + local]);
    const auto source = [&](int e, bool transposed) {
      const Offset entry = in.by_columns ? e * count + local : local * entries + e;
      return static_cast<std::uint64_t>(source_of(in.view, entry, transposed));
    };
    for (int i = 0; i < n; ++i) {
      const Offset row = in.row_ptr[cell[i]];
      const auto length = static_cast<Index>(in.row_ptr[cell[i] + 1] - row);
      for (int j = 0; j < n; ++j) {
        const auto target = static_cast<std::uint64_t>(row + find_in_row(in.col_ind.data() + row, length, cell[j]));
        pairs.push_back(target << 16 | source(entry_number(in.view.symmetric, i, j, n), in.view.symmetric && i > j));
      }
      pairs.push_back((nnz + cell[i]) << 16 | source(of_matrix + i, false));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

SharedPart plan_partition(const SharedInput& in, Index partition) {
  const std::vector<std::uint64_t> pairs = contributions(in, partition);
  const auto nnz = static_cast<Offset>(in.col_ind.size());
  std::vector<LocalTarget> targets;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto target = static_cast<Index>(pairs[k] >> 16);
    if (targets.empty() || targets.back().target != target) {
      bool complete;
      if (target >= nnz) {
        complete = in.owner[target - nnz] == partition;
      } else {
        const auto row =
            std::upper_bound(in.row_ptr.begin(), in.row_ptr.end(), Offset{target}) - in.row_ptr.begin() - 1;
        complete = in.owner[row] == partition || in.owner[in.col_ind[target]] == partition;
      }
      targets.push_back({target, complete, static_cast<Offset>(k), 0});
    }
    targets.back().last = static_cast<Offset>(k) + 1;
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const LocalTarget& a, const LocalTarget& b) { return a.last - a.first > b.last - b.first; });
  SharedPart part;
  for (std::size_t begin = 0; begin < targets.size(); begin += 32) {
    const Offset width = targets[begin].last - targets[begin].first;
    part.widths.push_back(static_cast<std::uint16_t>(width));
    const std::size_t at = part.lists.size();
    part.lists.resize(at + static_cast<std::size_t>(width) * 32, 65535);
    for (std::size_t t = begin; t < std::min(begin + 32, targets.size()); ++t) {
      part.targets.push_back(targets[t].complete ? targets[t].target : -1 - targets[t].target);
      for (Offset k = targets[t].first; k < targets[t].last; ++k)
        part.lists[at + (k - targets[t].first) * 32 + (t - begin)] = static_cast<std::uint16_t>(pairs[k]);
    }
  }
  for (Index place = in.plan.first_place[partition]; place < in.plan.first_place[partition + 1]; ++place)
    part.nodes.insert(part.nodes.end(), in.cells.cell(in.plan.order[place]),
                      in.cells.cell(in.plan.order[place]) + in.cells.nodes_per_cell);
  std::sort(part.nodes.begin(), part.nodes.end());
  part.nodes.erase(std::unique(part.nodes.begin(), part.nodes.end()), part.nodes.end());
  return part;
}

/// Lays the partitions one after the other, and numbers the partial sums.
SharedPlan join(const std::vector<SharedPart>& parts) {
  SharedPlan result;
  result.first_target = result.first_slice = result.first_node = {0};
  for (const SharedPart& part : parts) {
    for (const Index target : part.targets) {
      if (target >= 0) {
        result.targets.push_back(target);
        continue;
      }
      result.targets.push_back(-1 - static_cast<Index>(result.target_of_partial.size()));
      result.target_of_partial.push_back(-1 - target);
    }
    Offset list = static_cast<Offset>(result.lists.size());
    for (const std::uint16_t width : part.widths) {
      result.list_first.push_back(list);
      list += Offset{32} * width;
    }
    result.widths.insert(result.widths.end(), part.widths.begin(), part.widths.end());
    result.lists.insert(result.lists.end(), part.lists.begin(), part.lists.end());
    result.nodes.insert(result.nodes.end(), part.nodes.begin(), part.nodes.end());
    result.first_target.push_back(static_cast<Offset>(result.targets.size()));
    result.first_slice.push_back(static_cast<Offset>(result.widths.size()));
    result.first_node.push_back(static_cast<Offset>(result.nodes.size()));
  }
  return result;
}

}  // namespace

Index PartitionPlan::largest() const {
  Index most = 0;
  for (std::size_t p = 0; p + 1 < first_place.size(); ++p) most = std::max(most, first_place[p + 1] - first_place[p]);
  return most;
}

std::vector<Index> part_of_cells(const mesh::Mesh& mesh, const AssemblyOptions& options, Index size) {
  if (options.partition != "auto" && options.partition != "metis" && options.partition != "geometric")
    throw Error(ExitCode::usage, "no partition \"" + options.partition + "\"", "choose one of auto, metis, geometric");
  const bool metis =
      options.partition == "metis" || (options.partition == "auto" && mesh.cells() <= most_cells_for_metis);
  if (metis && mesh.cells() > size) return mesh::partition_cells(mesh, size);
  std::vector<Index> part = along_curve(mesh);
  for (Index& p : part) p /= size;
  return part;
}

PartitionPlan plan_partitions(const std::vector<Index>& part, const DofBlock& dofs, Index all_dofs, Index size,
                              bool colours, int threads) {
  PartitionPlan plan;
  const Index count = dofs.cells();
  plan.order.resize(count);
  std::iota(plan.order.begin(), plan.order.end(), 0);
  const Index* of = part.data() + dofs.first_cell;
  std::stable_sort(plan.order.begin(), plan.order.end(), [&](Index a, Index b) { return of[a] < of[b]; });
  // METIS keeps its sizes nearly, not strictly: what is too large is cut.
  for (Index place = 0; place < count; ++place)
    if (place == 0 || of[plan.order[place]] != of[plan.order[place - 1]] || place - plan.first_place.back() == size)
      plan.first_place.push_back(place);
  plan.first_place.push_back(count);
  if (colours) colour_partitions(plan, dofs, all_dofs, threads);
  return plan;
}

SharedPlan plan_shared(const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, const PartitionPlan& plan,
                       const std::vector<Offset>& row_ptr, const std::vector<Index>& col_ind, const BlockView& view,
                       bool by_columns, int threads) {
  check_reduction(static_cast<Offset>(col_ind.size()) + all_dofs, 0);
  const SharedInput in{cells, dofs, plan, row_ptr, col_ind, view, by_columns, partition_of_dofs(dofs, all_dofs, plan)};
  const auto partitions = static_cast<Index>(plan.first_place.size()) - 1;
  std::vector<SharedPart> parts(partitions);
  parallel_chunks(threads, partitions, partitions_at_a_time, [&](Offset first, Offset last, int) {
    for (auto p = static_cast<Index>(first); p < last; ++p) parts[p] = plan_partition(in, p);
  });
  SharedPlan result = join(parts);
  const Index count = cells.cells();
  result.local.resize(static_cast<std::size_t>(count) * cells.nodes_per_cell);
  parallel_for(threads, partitions, [&](Index p) {
    const std::vector<Index>& nodes = parts[p].nodes;
    for (Index place = plan.first_place[p]; place < plan.first_place[p + 1]; ++place)
      for (int g = 0; g < cells.nodes_per_cell; ++g)
        result.local[static_cast<std::size_t>(g) * count + place] = static_cast<std::uint16_t>(
            std::lower_bound(nodes.begin(), nodes.end(), cells.cell(plan.order[place])[g]) - nodes.begin());
  });
  return result;
}

}  // namespace tessera::assembly
