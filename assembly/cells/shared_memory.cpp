#include "assembly/cells/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/strategies.hpp"
#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::assembly {

ElementMemory element_memory(const BlockShape& block, const FormTraits& form) {
  const BlockView& view = block.view;
  switch (element_kind(block)) {
    case ElementKind::linear_simplex: return {};
    case ElementKind::affine_simplex: return affine_memory(view, block.dim);
    case ElementKind::small: return small_memory(view, block.dim);
    case ElementKind::thread_a_cell: return wide_memory(view, 0);
    case ElementKind::columns: return wide_memory(view, form.point_bytes);
    case ElementKind::tiled:
    case ElementKind::large:
    case ElementKind::large_unsymmetric: break;
  }
  if (form.symmetric && !block.block_rows) return tiled_memory(view, symmetric_points(view));
  const int second = has_second_derivatives(view, block.dim) ? form.second_doubles : 0;
  return tiled_memory(view, unsymmetric_points(view, second));
}

std::size_t shared_for_groups() {
  constexpr std::size_t most = 99 * 1024;  // what the architectures have that have least
  return std::min(most, shared_of_block());
}

int groups_of_block(const ElementMemory& element, int lanes, std::size_t most) {
  int groups = cells_block / lanes;
  while (groups > 1 && element.tables + groups * element.work > most) groups /= 2;
  return groups;
}

std::size_t besides_values(const ElementMemory& element, ElementKind kind, Offset nodes) {
  return element.tables + partition_threads(kind) / lanes_of(kind) * element.work +
         3 * sizeof(double) * static_cast<std::size_t>(nodes);
}

std::size_t gather_bytes(const BlockShape& block, const FormTraits& form) {
  const auto points = static_cast<std::size_t>(block.view.points);
  return form.symmetric || block.block_rows ? sizeof(double) * points * (block.dim + 2) : points * form.point_bytes;
}

int warps_of_block(std::size_t of_warp, std::size_t most) {
  int warps = cells_block / 32;
  while (warps > 1 && warps * of_warp > most) warps /= 2;
  return warps;
}

std::size_t least_shared(BlockShape block, const FormTraits& form, Strategy strategy) {
  with_strategy(strategy, [&](auto chosen) { block.adds = chosen.adds; });
  block.by_columns = threads_take_cells(block);
  if (strategy == Strategy::nonzeros) {
    if (!form.symmetric || block.block_rows) return gather_bytes(block, form);
    return block.kernel == Kernel::general ? cells_block / 32 * gather_bytes(block, form) : 0;
  }
  const ElementMemory element = element_memory(block, form);
  if (strategy != Strategy::shared) return element.tables + element.work;
  return besides_values(element, element_kind(block), block.view.geometry_nodes) +
         sizeof(double) * static_cast<std::size_t>(block.view.values());
}

void check_shared_memory(const std::string& what, std::size_t wanted, std::size_t most) {
  if (wanted > most)
    throw Error(ExitCode::memory,
                fmt::format("{} takes {} of shared memory, the GPU has {}", what,
                            human_bytes(static_cast<double>(wanted)), human_bytes(static_cast<double>(most))),
                "choose another assembly.strategy (two_pass and colour take least), a lower order, or backend threads");
}

std::string cell_by_strategy(mesh::Shape shape, int order, const char* strategy) {
  return fmt::format("a cell ({}, order {}) by the strategy \"{}\"", mesh::name(shape), order, strategy);
}

void check_shared_memory(const mesh::Mesh& mesh, const DofMap& map, const FormTraits& form, bool at_points,
                         const AssemblyOptions& options, std::size_t most) {
  const Strategy strategy = choose_strategy(options, true, mesh, map.order).strategy;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    if (mesh.blocks[b].cells() == 0) continue;
    BlockShape block = shape_of(mesh.blocks[b], map.blocks[b], map.order, form);
    if (at_points && map.order > 1) block.kernel = Kernel::general;
    check_shared_memory(cell_by_strategy(block.shape, map.order, strategy_entry(strategy).name),
                        least_shared(block, form, strategy), most);
  }
}

}  // namespace tessera::assembly
