#pragma once
// How much of a multiprocessor's shared memory the elements of CUDA take. Kernels are launched with these numbers, and
// `tessera check` says by them what the GPU of a run has not, so they are functions of the host.
#include <string>

#include "assembly/cells/block_shape.hpp"
#include "assembly/cells/strategy.hpp"

namespace tessera::assembly {

/// Threads of a block for cells, and for the rows that a warp gathers each.
inline constexpr int cells_block = 128;
/// Threads of a block for the rows of linear simplices that a lane gathers each, see SimplexRows.
inline constexpr int rows_block = 64;
/// A lane's column of sums is 32 apart, so that lanes meet in no bank whichever vertices they hold; in the end it
/// becomes odd, so that lanes read across columns without meeting.
inline constexpr int padded_lanes = 33;
/// Most columns of such a row.
inline constexpr int most_strip_columns = 96;
/// More of a basis stays in global memory and the L1 cache.
inline constexpr std::size_t most_shared_basis = 64 * 1024;

/// Bytes of an element: tables once a block of threads, work once each group of lanes.
struct ElementMemory {
  std::size_t tables = 0, work = 0;
};

/// AffineSimplex: reference matrices entry by entry.
TESSERA_HD constexpr ElementMemory affine_memory(const BlockView& block, int dim) {
  return {sizeof(double) * (dim * (dim + 1) / 2 + 1) * block.nodes * (block.nodes + 1) / 2, 0};
}
/// SmallElement: basis and weights.
TESSERA_HD constexpr ElementMemory small_memory(const BlockView& block, int dim) {
  return {sizeof(double) * block.points * ((dim + 1) * block.nodes + 1), 0};
}
/// SmallUnsymmetric and ColumnElement: the wide basis; of a group `point_bytes` a point.
TESSERA_HD constexpr ElementMemory wide_memory(const BlockView& block, std::size_t point_bytes) {
  return {sizeof(double) * block.points * block.wide.size(), point_bytes * block.points};
}
/// TiledElement: the padded basis where it is not too large; the points of a cell.
TESSERA_HD constexpr ElementMemory tiled_memory(const BlockView& block, int doubles_of_points) {
  const std::size_t basis = sizeof(double) * 4 * block.points * basis_stride(block.nodes);
  return {basis <= most_shared_basis ? basis : 0, sizeof(double) * doubles_of_points};
}
/// Numbers that TiledElement keeps of the points of a cell, see SymmetricPoints and UnsymmetricPoints; an even number,
/// for they are read in pairs.
TESSERA_HD constexpr int symmetric_points(const BlockView& block) {
  return 16 * block.points + (block.points + 1) / 2 * 2;
}
/// `second`: those of second derivatives, where the form asks for them and they do not vanish.
TESSERA_HD constexpr int unsymmetric_points(const BlockView& block, int second) { return (20 + second) * block.points; }
TESSERA_HD constexpr bool has_second_derivatives(const BlockView& block, int dim) { return block.wide.rows > dim + 1; }

/// The memory of the element that computes a block.
ElementMemory element_memory(const BlockShape& block, const FormTraits& form);

/// What blocks that may have fewer groups, warps or columns take at most on the process's device: it has more on most,
/// but several blocks are to share a multiprocessor.
std::size_t shared_for_groups();

/// Groups of lanes in a block of at most `cells_block` threads: fewer where they would not fit `most` bytes.
int groups_of_block(const ElementMemory& element, int lanes, std::size_t most);

/// Threads of a partition's block: many, for the sums wait on memory; fewer where the matrix of a cell fills a thread's
/// registers, or the points of large cells the shared memory.
constexpr int partition_threads(ElementKind kind) {
  if (kind == ElementKind::small) return 128;
  return kind == ElementKind::large_unsymmetric ? 64 : 256;
}
/// Shared memory of a partition besides its values; `nodes`: of its geometry.
std::size_t besides_values(const ElementMemory& element, ElementKind kind, Offset nodes);

/// gather_rows: bytes of each warp.
std::size_t gather_bytes(const BlockShape& block, const FormTraits& form);
/// Warps of a block that gathers: as many as fit `most` bytes.
int warps_of_block(std::size_t of_warp, std::size_t most);

/// Linear simplices that a lane gathers each: bytes of a block whose rows have so many columns. Of several unknowns a
/// node a warp takes each of 32 nodes.
constexpr std::size_t strip_bytes(int columns, int components) {
  const int of_column = components == 1 ? rows_block / 32 : components * components;
  return sizeof(double) * padded_lanes * of_column * columns;
}
/// The columns that fit `most` bytes; a longer row is gathered by a warp.
constexpr int strip_columns(std::size_t most, int components) {
  const auto fit = static_cast<int>(most / strip_bytes(1, components));
  return fit < most_strip_columns ? fit : most_strip_columns;
}

/// The least shared memory that a block of threads has with a strategy, with one cell or warp where that may be few.
/// Strips of linear simplices are not among it: they take the columns that fit.
std::size_t least_shared(BlockShape block, const FormTraits& form, Strategy strategy);

/// Throws Error(memory) where a block of threads may have less than the `wanted` bytes; `what` takes them.
void check_shared_memory(const std::string& what, std::size_t wanted, std::size_t most);
/// "a cell (hex, order 4) by the strategy "shared"", for the message.
std::string cell_by_strategy(mesh::Shape shape, int order, const char* strategy);
/// The same of the assembly of a form on a mesh. `at_points`: coefficients of the matrix vary within cells.
void check_shared_memory(const mesh::Mesh& mesh, const DofMap& map, const FormTraits& form, bool at_points,
                         const AssemblyOptions& options, std::size_t most);

}  // namespace tessera::assembly
