#pragma once
#include <cstdint>
#include <vector>

#include "assembly/cells/assembler.hpp"
#include "assembly/cells/form.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/array.hpp"

namespace tessera::assembly {

/// Elements with more dofs than this search their rows: n^2 slots of 2 B per cell would outweigh the matrix.
inline constexpr int most_nodes_with_slots = 30;
/// Rows longer than this do not fit 16-bit slots.
inline constexpr Offset longest_row = 65536;

/// Which kernel assembles a block.
enum class Kernel : std::uint8_t {
  linear_simplex,  ///< P1 on straight simplices: closed form, one thread or vector lane per element
  affine_simplex,  ///< straight simplices, k and c constant on regions: sums of reference matrices
  general,         ///< anything: loops over the quadrature points
  convection       ///< with a velocity, by quadrature; the only one whose matrices are not symmetric
};

/// Columns of padded_basis: a multiple of 8 that is 8 more than one of 16, so that four rows of eight meet no bank conflict.
TESSERA_HD constexpr int basis_stride(int nodes) {
  const int whole = (nodes + 7) / 8 * 8;
  return whole % 16 == 8 ? whole : whole + 8;
}

/// What convection needs beside the rest of BlockView. Tables have rows of `width` columns, zeros behind the dofs.
struct ConvectionView {
  CoefficientView velocity, divergence;
  int order = 1;
  int simplex_axes = 0;  ///< of the reference cell: the first axes span a unit simplex, the others run over [-1, 1]
  bool supg = false;
  int width = 0;
  int rows = 0;  ///< of `basis` a point: dim derivatives, the value, and second derivatives where they are needed
  const double* basis = nullptr;  ///< [points, rows, width]; second derivatives packed, mixed ones doubled
  const double* map_second =
      nullptr;  ///< [points, dim (dim+1)/2, geometry_nodes], mixed ones doubled; null: affine cells, or not needed
};

/// One block of cells as kernels see it. "Place" is the position of a cell in the order of processing: the natural one on
/// threads, colour by colour on CUDA. Entry i of cell place c is at dofs[c * cell_stride + i * node_stride].
struct BlockView {
  int nodes = 0;
  int geometry_nodes = 0;
  int points = 0;
  Index cells = 0;
  bool symmetric = true;                          ///< element matrices
  Offset cell_stride = 0, node_stride = 0;        ///< of dofs
  Offset geometry_stride = 0, geometry_step = 0;  ///< of geometry
  Offset slot_stride = 0, slot_step = 0;          ///< of slots, whose entry is i * nodes + j
  const Index* dofs = nullptr;
  const Index* geometry = nullptr;       ///< mesh nodes of the cells
  const std::uint16_t* slots = nullptr;  ///< position of dof j in the row of dof i; null: search the row
  const Index* cell = nullptr;           ///< number in the block of the cell at a place; null: the place itself
  const Index* region = nullptr;         ///< by place; null: all 0
  const double* coordinates = nullptr;   ///< [mesh nodes, 3]
  const double* basis = nullptr;         ///< [points, dim + 1, nodes]: reference derivatives, then values
  const double* map = nullptr;           ///< [points, dim, geometry_nodes]: derivatives of the geometric map
  const double* weights = nullptr;       ///< [points]
  const double* reference = nullptr;     ///< [dim (dim+1)/2 + 1, nodes, nodes]: stiffness by packed pair, then mass
  const double* load = nullptr;          ///< [nodes]: integrals of the basis
  const double* reference_entries = nullptr;  ///< CUDA: [upper entries, dim (dim+1)/2 + 1], reference by entry
  const double* padded_basis =
      nullptr;  ///< CUDA: [points, 4, basis_stride(nodes)]: derivatives, at 3 the values; zeros elsewhere
  const double* map_columns = nullptr;  ///< CUDA: [geometry_nodes, dim, points], map for lanes that take points
  CoefficientView k, c, f;
  ConvectionView convection;

  TESSERA_HD Index dof(Offset place, int i) const { return dofs[place * cell_stride + i * node_stride]; }
  TESSERA_HD const double* geometry_point(Offset place, int g) const {
    return coordinates + Offset{3} * geometry[place * geometry_stride + g * geometry_step];
  }
  TESSERA_HD Index region_of(Offset place) const { return region ? region[place] : 0; }
  TESSERA_HD Offset cell_of(Offset place) const { return cell ? cell[place] : place; }
  /// Values that an element contributes: its matrix, the upper half row by row where it is symmetric, then its load.
  TESSERA_HD int entries() const { return entry_count(symmetric, nodes) + nodes; }
  /// Which of them is entry (i, j) of the matrix, or entry i of the load.
  TESSERA_HD int entry(int i, int j) const { return entry_number(symmetric, i, j, nodes); }
  TESSERA_HD int load_entry(int i) const { return entry_count(symmetric, nodes) + i; }
};

/// Coordinates straight from the mesh.
struct GlobalGeometry {
  BlockView block;
  TESSERA_HD const double* point(Offset place, int g) const { return block.geometry_point(place, g); }
};

/// Where a refill goes.
struct Target {
  linalg::RowLayout layout;
  double* values = nullptr;
  double* b = nullptr;
  linalg::CrsView<const double> pattern;  ///< of make_matrix; its values are not read
};

/// A list of lists: those of row i are items[ptr[i] .. ptr[i+1]).
template <class Space>
struct Lists {
  Array<Offset, Space> ptr;
  Array<Index, Space> items;
  std::size_t bytes() const { return ptr.bytes() + items.bytes(); }
};

/// Sums of values of a buffer in a fixed order: target t of a class sums the class's `width` sources
/// sources[first_source + (t / 32 * width + k) * 32 + t % 32], k < width; -1 is padding. So lists are read coalesced, and padded to
/// the width of their class only. A target is a position in CRS, or nnz + row for an entry of the vector.
/// Source: Markall et al. 2013; Goeddeke et al., section 9.4.1 ("reduction lists").
template <class Space>
struct Reduction {
  struct Class {
    int width;
    Offset first_target, count, first_source;
  };
  std::vector<Class> classes;
  Array<Index, Space> targets;
  Array<Index, Space> sources;
  std::size_t bytes() const { return targets.bytes() + sources.bytes(); }
};

/// Partitions of consecutive places. `shared`: the local targets of partition p are first_target[p] .. first_target[p+1); target t
/// sums `width` local values; those of a partition are sorted by width, and lists of 32 targets are stored by columns.
template <class Space>
struct Partitions {
  std::vector<Index> first_place;  ///< [partitions + 1], host copy
  Index largest = 0;               ///< most cells of one
  Offset most_nodes = 0;           ///< most mesh nodes of one
  Array<Index, Space> first;       ///< [partitions + 1]
  // colour_blocks: colours of partitions, and within a partition ranges of places that share no dof
  std::vector<Offset> colour_ptr;
  Array<Index, Space> by_colour;
  Array<Index, Space> step_ptr;    ///< [partitions + 1]: its steps in step_first
  Array<Index, Space> step_first;  ///< first places of the steps; the next one ends it
  // shared
  Array<Offset, Space> first_target;  ///< [partitions + 1]
  Array<Index, Space> targets;  ///< a target as in Reduction; -1 - k: the k-th partial sum, finished in the second pass
  Array<Offset, Space> list_first;     ///< of each 32 targets, in `lists`
  Array<std::uint16_t, Space> lists;   ///< local sources, 65535: padding
  Array<std::uint16_t, Space> widths;  ///< of each 32 targets
  Array<Offset, Space> first_slice;    ///< [partitions + 1]: its first 32 targets in list_first and widths
  Array<Offset, Space> first_node;     ///< [partitions + 1]: its mesh nodes in `nodes`
  Array<Index, Space> nodes;
  Array<std::uint16_t, Space> local;  ///< [geometry nodes, cells], local number of a cell's nodes
  Offset partials = 0;
  Reduction<Space> finish;
  std::size_t bytes() const {
    return first.bytes() + by_colour.bytes() + step_ptr.bytes() + step_first.bytes() + first_target.bytes() +
           targets.bytes() + list_first.bytes() + lists.bytes() + widths.bytes() + first_slice.bytes() +
           first_node.bytes() + nodes.bytes() + local.bytes() + finish.bytes();
  }
};

/// Rows of linear simplices for `nonzeros` on CUDA: one lane a row, the cells around its vertex as a strip (simplex_strip.hpp). Lanes take
/// the rows in an order of their own; 32 lanes are a slice, whose lists are stored by groups of steps that one load brings:
/// [groups, 32, steps of a group].
template <class Space>
struct SimplexRows {
  int capacity = 0;                   ///< longest row of a lane
  Array<Index, Space> order;          ///< row of each lane; -1: none
  Array<Offset, Space> step_ptr;      ///< [slices + 1]
  Array<std::uint16_t, Space> steps;  ///< words of the strips, without their first dim - 1
  Array<Index, Space> nodes;          ///< mesh node that a step pushes
  Array<Index, Space> cells;          ///< place * nodes + local number of the row; -1: the step makes no cell
  Array<Index, Space> first_nodes;  ///< [slices, dim, 32]: mesh node of the row, then those that its strip begins with
  Array<std::uint32_t, Space> first_columns;  ///< of the same in the row, 10 bits each
  Array<Index, Space> long_rows;              ///< rows of a warp each
  std::size_t bytes() const {
    return order.bytes() + step_ptr.bytes() + steps.bytes() + nodes.bytes() + cells.bytes() + first_nodes.bytes() +
           first_columns.bytes() + long_rows.bytes();
  }
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
  bool adds = false;        ///< the strategy adds into the matrix; else element values are stored or gathered
  bool by_columns = false;  ///< CUDA: threads take cells, so arrays are column-major: neighbours read neighbours
  /// CUDA: colour c has the places colour_ptr[c] .. colour_ptr[c+1). Threads: colour c has the chunks
  /// chunks[colour_ptr[c] .. colour_ptr[c+1]), chunk m the places [m chunk_cells, (m+1) chunk_cells).
  std::vector<Offset> colour_ptr;
  std::vector<Index> chunks;
  Index chunk_cells = 0;
  std::vector<Index> order;  ///< CUDA: place -> cell, host copy

  Array<Index, Space> dofs, geometry, cell, region;
  Array<std::uint16_t, Space> slots;
  Array<double, Space> basis, map, weights, reference, load, reference_entries, padded_basis, map_columns;
  Array<double, Space> k, c, f;
  Array<double, Space> convection_basis, map_second, velocity, divergence;
  BlockView view;  ///< of the arrays above

  // By strategy, made with the first matrix.
  Lists<Space> around;                       ///< nonzeros: around a row, place * nodes + local number, ascending
  SimplexRows<Space> rows;                   ///< nonzeros, linear simplices
  std::vector<Index> range_first;            ///< two_pass: ranges of places, one after the other through the buffer
  std::vector<Reduction<Space>> reductions;  ///< of each range
  Partitions<Space> partitions;

  // Made by the first refill_vector.
  Lists<Space> load_lists;           ///< as `around`, where that is not kept
  Array<double, Space> point_loads;  ///< [places, points]: w |J| f; not for straight simplices

  bool is_linear_simplex() const { return straight_simplex && view.nodes == dim + 1; }
  std::size_t list_bytes() const {
    std::size_t bytes = around.bytes() + rows.bytes() + partitions.bytes() + load_lists.bytes() + point_loads.bytes();
    for (const Reduction<Space>& reduction : reductions) bytes += reduction.bytes();
    return bytes;
  }
};

template <class Space>
struct AssemblerState {
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  Array<double, Space> coordinates;
  std::vector<BlockData<Space>> blocks;
  AssemblyOptions options;
  Strategy strategy = Strategy::colour;
  bool has_slots = false;
  Array<double, Space> buffer;  ///< two_pass: element values; shared: partial sums
  Array<Index, Space> row_of;   ///< row of each non-zero, for reductions into other formats than CRS
  AssemblyReport report;
};

/// Numeric steps of the strategies, one launch each (a colour each). Whatever adds does so to values that were zeroed before.
/// colour, colour_blocks, atomic: adds all cells of the block.
void add_cells(Threads& exec, Strategy strategy, const BlockData<Host>& block, const Target& target);
void add_cells(Cuda& exec, Strategy strategy, const BlockData<Device>& block, const Target& target);
/// nonzeros: every row gathers; `add`: to what is there, else it overwrites.
void gather_rows(Threads& exec, const BlockData<Host>& block, const Target& target, bool add);
void gather_rows(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add);
/// The same for linear straight simplices: all rows but those in SimplexRows::long_rows; and their lists.
void gather_simplex_rows(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add);
void make_simplex_rows(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern);
/// two_pass, first pass: values e < entries() of places first .. first + count to buffer[(place - first) * place_step + e * entry_step],
/// steps by value_steps().
void store_cells(Threads& exec, const BlockData<Host>& block, Index first, Index count, double* buffer);
void store_cells(Cuda& exec, const BlockData<Device>& block, Index first, Index count, double* buffer);
struct ValueSteps {
  Offset place, entry;
};
template <class Space>
ValueSteps value_steps(const BlockData<Space>& block, Index count) {
  if (block.by_columns) return {1, count};
  return {block.view.entries(), 1};
}
/// two_pass and shared, second pass: the sums of a reduction; `add`: to what is there. `row_of` serves layouts other than CRS.
void reduce_values(Threads& exec, const Reduction<Host>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
void reduce_values(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add);
/// nonzeros where there is a velocity.
void gather_convection(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add);
/// Reduction of the values of places first .. first + count, in the order of the places.
Reduction<Host> make_reduction(Threads& exec, const BlockData<Host>& block,
                               const linalg::CrsView<const double>& pattern, Index first, Index count);
Reduction<Device> make_reduction(Cuda& exec, const BlockData<Device>& block,
                                 const linalg::CrsView<const double>& pattern, Index first, Index count);
/// shared, first pass: sums within partitions; what partitions share goes to `partials`.
void sum_partitions(Threads& exec, const BlockData<Host>& block, const Target& target, const Index* row_of,
                    double* partials, bool add);
void sum_partitions(Cuda& exec, const BlockData<Device>& block, const Target& target, const Index* row_of,
                    double* partials, bool add);

/// slots[place, i, j] = position of dof j in the row of dof i; sets *long_row where a row does not fit 16 bits.
void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);
void fill_slots(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);

/// Order of processing: colours of blocks of consecutive cells on threads; of cells on CUDA. Fills dofs and geometry.
void order_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Host>& block);
void order_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Device>& block);

/// Order of processing of the other strategies: the cells in `order` (empty: the natural one).
void place_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Host>& block);
void place_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Device>& block);

/// Elements with a velocity that a thread of CUDA computes alone.
template <class Space>
bool is_thread_a_cell(const BlockData<Space>& block) {
  return block.view.nodes <= 4 && block.view.nodes == mesh::vertex_count(block.shape);
}

/// Whether threads take cells (BlockData::by_columns); never on the host.
void decide_columns(Threads& exec, BlockData<Host>& block);
void decide_columns(Cuda& exec, BlockData<Device>& block);
/// two_pass: bytes of element values kept at a time.
double default_buffer_bytes(Threads& exec);
double default_buffer_bytes(Cuda& exec);

/// Sets up the lists of `nonzeros` once the pattern is known.
void make_row_lists(Threads& exec, BlockData<Host>& block, const linalg::CrsView<const double>& pattern);
void make_row_lists(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern);
/// The cells around each row: see BlockData::around.
Lists<Host> cells_around(Threads& exec, const BlockData<Host>& block, Index rows);
Lists<Device> cells_around(Cuda& exec, const BlockData<Device>& block, Index rows);

/// Part of every cell of a mesh, for plan_partitions: by METIS, or by the place of the cell's middle on a space-filling curve.
std::vector<Index> part_of_cells(const mesh::Mesh& mesh, const AssemblyOptions& options, Index size);

/// The partitions of a block and the order of its cells by them.
struct PartitionPlan {
  std::vector<Index> order;        ///< place -> cell
  std::vector<Index> first_place;  ///< [partitions + 1]
  std::vector<Offset> colour_ptr;  ///< colour_blocks: see Partitions
  std::vector<Index> by_colour, step_ptr, step_first;
  Index largest() const;
};
/// Partitions of at most `size` cells from the parts of part_of_cells; `colours`: coloured, and cells within sorted by colour.
PartitionPlan plan_partitions(const std::vector<Index>& part, const DofBlock& dofs, Index all_dofs, Index size,
                              bool colours, int threads);

/// The lists of `shared`, on the host.
struct SharedPlan {
  std::vector<Offset> first_target, list_first, first_slice, first_node;
  std::vector<Index> targets, nodes;
  std::vector<std::uint16_t> lists, widths, local;
  std::vector<Index> target_of_partial;
};
SharedPlan plan_shared(const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, const PartitionPlan& plan,
                       const std::vector<Offset>& row_ptr, const std::vector<Index>& col_ind, bool symmetric,
                       bool by_columns, int threads);
Reduction<Host> make_partial_reduction(Threads& exec, const std::vector<Index>& target_of_partial, Offset targets);
Reduction<Device> make_partial_reduction(Cuda& exec, const std::vector<Index>& target_of_partial, Offset targets);
/// Bytes of fast memory that the values of a partition may take.
std::size_t partition_bytes(Threads& exec, const BlockData<Host>& block);
std::size_t partition_bytes(Cuda& exec, const BlockData<Device>& block);

/// Quadrature degree of a block: 2k for straight simplices, and k + 1 Gauss points an axis for quads and hexes.
int quadrature_degree(const mesh::CellBlock& cells, int order);

/// Tables on the host: see BlockView.
struct BlockTables {
  int points = 0;
  std::vector<double> basis, map, weights, reference, load, reference_entries, padded_basis, map_columns;
};
BlockTables make_tables(const mesh::CellBlock& cells, int order, bool straight_simplex);

/// Physical quadrature points: see Assembler::quadrature_points.
std::vector<double> cell_quadrature_points(const mesh::Mesh& mesh, const DofMap& map);

/// Checks that throw Error(internal) where sizes do not fit together.
void check_map(const mesh::Mesh& mesh, const DofMap& map);
void check_data(const DiffusionData& data, Offset cells);
void check_system(Index dofs, Index rows, Offset entries, bool has_slots);
/// Throws Error(memory) where the targets or sources of a reduction exceed 32-bit numbers.
void check_reduction(Offset targets, Offset sources);
[[noreturn]] void throw_long_row(Offset longest);

/// A coefficient's values of one block of `points` quadrature points; `first` counts those of the blocks before it.
View<const double> block_values(const Coefficient& coefficient, int dim, Offset points, const char* name,
                                Offset& first);

/// Place of dof j in the row of dof i: by slot, or a search in the row where there are no slots.
TESSERA_HD inline Index entry_slot(const BlockView& block, const linalg::CrsView<const double>& A, Offset place, int i,
                                   int j) {
  if (block.slots) return block.slots[place * block.slot_stride + (i * block.nodes + j) * block.slot_step];
  const Index row = block.dof(place, i);
  const Offset first = A.row_ptr[row];
  return find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), block.dof(place, j));
}

/// Where entry (i, j) of the element at `place` goes.
TESSERA_HD inline Offset target_position(const BlockView& block, const Target& target, Offset place, int i, int j) {
  return target.layout.first(block.dof(place, i)) +
         entry_slot(block, target.pattern, place, i, j) * target.layout.step();
}

/// Where target t of a Reduction stands. row_of is null where the layout is that of the pattern.
TESSERA_HD inline double* target_of(const Target& target, const Index* row_of, Offset nnz, Index t) {
  if (t >= nnz) return target.b + (t - nnz);
  if (!row_of) return target.values + t;
  const Index row = row_of[t];
  return target.values + target.layout.first(row) + (t - target.pattern.row_ptr[row]) * target.layout.step();
}

/// Position in A of dof j in the row of dof i: by slot, or a search in the row where there are no slots.
TESSERA_HD inline Offset entry_position(const BlockView& block, const linalg::CrsView<double>& A, Offset place, int i,
                                        int j, Index row, Index col) {
  const Offset first = A.row_ptr[row];
  if (block.slots) return first + block.slots[place * block.slot_stride + (i * block.nodes + j) * block.slot_step];
  return first + find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), col);
}

}  // namespace tessera::assembly
