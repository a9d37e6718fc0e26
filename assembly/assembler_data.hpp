#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assemble.hpp"
#include "assembly/sparsity.hpp"
#include "base/array.hpp"

namespace tessera::assembly {

/// Elements with more dofs than this search their rows: n^2 slots of 2 B per cell would outweigh the matrix.
inline constexpr int most_nodes_with_slots = 30;
/// Rows longer than this do not fit 16-bit slots.
inline constexpr Offset longest_row = 65536;

/// Which kernel assembles a block.
enum class Kernel : std::uint8_t {
  linear_simplex,   ///< P1 on straight simplices: closed form, one thread or vector lane per element
  affine_simplex,   ///< straight simplices, k and c constant on regions: sums of reference matrices
  general           ///< anything: loops over the quadrature points
};

/// One block of cells as kernels see it. "Place" is the position of a cell in the order of processing: the natural one on
/// threads, colour by colour on CUDA. Entry i of cell place c is at dofs[c * cell_stride + i * node_stride].
struct BlockView {
  int nodes = 0;
  int geometry_nodes = 0;
  int points = 0;
  Offset cell_stride = 0, node_stride = 0;          ///< of dofs
  Offset geometry_stride = 0, geometry_step = 0;    ///< of geometry
  Offset slot_stride = 0, slot_step = 0;            ///< of slots, whose entry is i * nodes + j
  const Index* dofs = nullptr;
  const Index* geometry = nullptr;     ///< mesh nodes of the cells
  const std::uint16_t* slots = nullptr;  ///< position of dof j in the row of dof i; null: search the row
  const Index* cell = nullptr;         ///< number in the block of the cell at a place; null: the place itself
  const Index* region = nullptr;       ///< by place; null: all 0
  const double* coordinates = nullptr;  ///< [mesh nodes, 3]
  const double* basis = nullptr;       ///< [points, dim + 1, nodes]: reference derivatives, then values
  const double* map = nullptr;         ///< [points, dim, geometry_nodes]: derivatives of the geometric map
  const double* weights = nullptr;     ///< [points]
  const double* reference = nullptr;   ///< [dim (dim+1)/2 + 1, nodes, nodes]: stiffness by packed pair, then mass
  const double* load = nullptr;        ///< [nodes]: integrals of the basis
  CoefficientView k, c, f;

  TESSERA_HD Index dof(Offset place, int i) const { return dofs[place * cell_stride + i * node_stride]; }
  TESSERA_HD const double* geometry_point(Offset place, int g) const {
    return coordinates + Offset{3} * geometry[place * geometry_stride + g * geometry_step];
  }
  TESSERA_HD Index region_of(Offset place) const { return region ? region[place] : 0; }
  TESSERA_HD Offset cell_of(Offset place) const { return cell ? cell[place] : place; }
};

/// One block of cells on the backend, with its order of processing.
template <class Space>
struct BlockData {
  mesh::Shape shape = mesh::Shape::tet;
  int dim = 3;
  Index cells = 0;
  bool straight_simplex = false;
  Kernel kernel = Kernel::general;
  bool geometry_is_dofs = false;
  /// CUDA: colour c has the places colour_ptr[c] .. colour_ptr[c+1). Threads: colour c has the chunks
  /// chunks[colour_ptr[c] .. colour_ptr[c+1]), chunk m the places [m chunk_cells, (m+1) chunk_cells).
  std::vector<Offset> colour_ptr;
  std::vector<Index> chunks;
  Index chunk_cells = 0;
  std::vector<Index> order;  ///< CUDA: place -> cell, host copy

  Array<Index, Space> dofs, geometry, cell, region;
  Array<std::uint16_t, Space> slots;
  Array<double, Space> basis, map, weights, reference, load;
  Array<double, Space> k, c, f;
  BlockView view;  ///< of the arrays above
};

template <class Space>
struct AssemblerState {
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  Array<double, Space> coordinates;
  std::vector<BlockData<Space>> blocks;
  bool has_slots = false;
  AssemblyReport report;
};

/// Numeric refill of one block, colour by colour. A has the sparsity of the space.
void refill_block(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, View<double> b);
void refill_block(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, View<double> b);

/// slots[place, i, j] = position of dof j in the row of dof i; sets *long_row where a row does not fit 16 bits.
void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);
void fill_slots(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);

/// Order of processing: colours of blocks of consecutive cells on threads; of cells on CUDA. Fills dofs and geometry.
void order_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, BlockData<Host>& block);
void order_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, BlockData<Device>& block);

/// Quadrature degree of a block: 2k for straight simplices, and k + 1 Gauss points an axis for quads and hexes.
int quadrature_degree(const mesh::CellBlock& cells, int order);

/// Tables on the host: see BlockView.
struct BlockTables {
  int points = 0;
  std::vector<double> basis, map, weights, reference, load;
};
BlockTables make_tables(const mesh::CellBlock& cells, int order, bool straight_simplex);

/// Physical quadrature points: see Assembler::quadrature_points.
std::vector<double> cell_quadrature_points(const mesh::Mesh& mesh, const DofMap& map);

/// Checks that throw Error(internal) where sizes do not fit together.
void check_map(const mesh::Mesh& mesh, const DofMap& map);
void check_data(const DiffusionData& data, Offset cells);
void check_system(Index dofs, Index rows, Offset entries, bool has_slots);
[[noreturn]] void throw_long_row(Offset longest);

/// A coefficient's values of one block of `points` quadrature points; `first` counts those of the blocks before it.
View<const double> block_values(const Coefficient& coefficient, int dim, Offset points, const char* name, Offset& first);

/// Position in A of dof j in the row of dof i: by slot, or a search in the row where there are no slots.
TESSERA_HD inline Offset entry_position(const BlockView& block, const linalg::CrsView<double>& A, Offset place, int i, int j,
                                        Index row, Index col) {
  const Offset first = A.row_ptr[row];
  if (block.slots) return first + block.slots[place * block.slot_stride + (i * block.nodes + j) * block.slot_step];
  return first + find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), col);
}

}  // namespace tessera::assembly
