// lower_dof_map on CUDA: a thread for each part of each cell, and sums before each dof in the place of bits.
#include <future>

#include "assembly/space/lower_dof_map.hpp"
#include "assembly/space/lower_parts.hpp"
#include "assembly/space/places.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/signals_held.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {
namespace {

/// The parts of the cells of a block on the device.
struct PartsView {
  const CellPart* parts;
  const int* positions;
  const Index* dofs;  ///< [cells, high_nodes]
  int count, high_nodes, low_nodes;
};

/// counts[first dof of a part] = its dofs of the lower order. Cells that share a part write the same number.
struct CountParts {
  PartsView of;
  Index* counts;
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = i / of.count;
    const CellPart& part = of.parts[i - cell * of.count];
    counts[first_dof(part, of.dofs + cell * of.high_nodes)] = part.low_count;
  }
};

/// The dofs of cells in the lower order. `before`: how many of these are before each dof of the higher one.
struct WriteParts {
  PartsView of;
  const Index* before;
  Index* out;  ///< [cells, low_nodes]
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = i / of.count;
    const CellPart& part = of.parts[i - cell * of.count];
    const Index* const dofs = of.dofs + cell * of.high_nodes;
    write_part(part, of.positions, dofs, before[first_dof(part, dofs)], out + cell * of.low_nodes);
  }
};

struct DeviceParts {
  LowerParts host;
  Array<CellPart, Device> parts;
  Array<int, Device> positions;
  Index cells;

  DeviceParts(LowerParts of, Index of_cells)
      : host(std::move(of)),
        parts(to_space<Device>(host.parts)),
        positions(to_space<Device>(host.positions)),
        cells(of_cells) {}
  Offset items() const { return Offset{cells} * parts.size(); }
  PartsView view(const Index* dofs) const {
    return {parts.data(), positions.data(), dofs, static_cast<int>(parts.size()), host.high_nodes, host.low_nodes};
  }
};

/// before[dof + shift] of dofs of the host; -1 of those that are.
std::vector<Index> at(Cuda& exec, const Array<Index, Device>& before, const std::vector<Index>& dofs, Index shift = 0) {
  Array<Index, Device> list = to_space<Device>(dofs);
  Index* which = list.data();
  const Index* from = before.data();
  for_each(exec, list.size(), [=] TESSERA_HD(Offset i) { which[i] = which[i] < 0 ? -1 : from[which[i] + shift]; });
  exec.synchronize();
  return to_vector(list);
}

}  // namespace

MapOnBackend<Device> lower_dof_map_on(Cuda& exec, const DofMap& higher, CellLists<Device>& cells, int order,
                                      int threads, int components, std::vector<Index>& fixed, const mesh::Mesh* mesh) {
  check_lower_order(higher, order);
  if (threads <= 0) threads = default_threads();
  if (mesh && order == 1)
    if (std::optional<DofMap> of_nodes = map_of_nodes(higher, *mesh, threads, components, fixed))
      return {std::move(*of_nodes), {}};
  std::vector<DeviceParts> parts;
  std::vector<int> counts;
  Offset entries = 0;
  // Room on the host is cleared beside: its pages are brought in here, by all threads.
  std::vector<std::vector<Index>> lists(higher.blocks.size());
  std::vector<std::future<void>> clearing;
  for (const DofBlock& block : higher.blocks) {
    parts.emplace_back(lower_parts(higher, block, order, counts), block.cells());
    const Offset count = Offset{block.cells()} * parts.back().host.low_nodes;
    std::vector<Index>& list = lists[clearing.size()];
    require_host_memory(static_cast<std::size_t>(count) * sizeof(Index));
    list.reserve(static_cast<std::size_t>(count));
    touch_pages(list.data(), static_cast<std::size_t>(count) * sizeof(Index), threads);
    const SignalsHeld held;
    clearing.push_back(std::async(std::launch::async | std::launch::deferred,
                                  [&list, count] { list.resize(static_cast<std::size_t>(count)); }));
    entries += count;
  }
  const Index* const dofs = cells.view().data();
  Array<Index, Device> before(Offset{higher.dofs} + 1);
  before.set_zero();
  Offset first = 0;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    for_each(exec, parts[b].items(), CountParts{parts[b].view(dofs + first), before.data()});
    first += static_cast<Offset>(higher.blocks[b].dofs.size());
  }
  sum_before(exec, before.view());

  MapOnBackend<Device> result{{}, Array<Index, Device>(entries)};
  DofMap& map = result.map;
  map.order = order;
  map.nodes = higher.nodes;
  copy_bytes(Device{}, before.data() + higher.dofs, Host{}, &map.dofs, sizeof map.dofs);
  first = 0;
  Index* to = result.cells.data();
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const DofBlock& block = higher.blocks[b];
    const int nodes = parts[b].host.low_nodes;
    for_each(exec, parts[b].items(), WriteParts{parts[b].view(dofs + first), before.data(), to});
    exec.synchronize();
    clearing[b].get();
    copy_bytes(Device{}, to, Host{}, lists[b].data(), lists[b].size() * sizeof(Index));
    to += lists[b].size();
    map.blocks.push_back({block.shape, block.geometry_order, nodes, CellDofs(std::move(lists[b])), block.first_cell});
    first += static_cast<Offset>(block.dofs.size());
  }
  map.vertex_dofs = at(exec, before, higher.vertex_dofs);
  std::vector<Index> of_fixed(fixed);
  for (Index& row : of_fixed) row /= components;
  fixed = lower_rows(fixed, components, at(exec, before, of_fixed), at(exec, before, of_fixed, 1));
  return result;
}

}  // namespace tessera::assembly
