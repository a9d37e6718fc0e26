#include <omp.h>

#include <algorithm>

#include "assembly/assemble_impl.hpp"
#include "assembly/dirichlet_impl.hpp"
#include "assembly/form.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace {

/// Consecutive cells that one thread assembles in a row. Cells are sorted for locality, so their values stay in the cache;
/// fewer on small meshes so that there are chunks to share. Independent of the number of threads: results do not change with it.
constexpr Index most_cells_per_chunk = 512;
constexpr Index least_cells_per_chunk = 8;
constexpr Index chunks_wanted = 256;

/// Elements that share one vector register.
constexpr int lanes = 8;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

/// Element matrices of up to `lanes` linear simplices at a time, then their entries one by one in the order of the cells.
template <int dim>
void simplex_chunk(const BlockView& block, const linalg::CrsView<double>& A, double* b, Offset first, Offset last) {
  constexpr int n = dim + 1;
  constexpr int entries = n * (n + 1) / 2;
  alignas(64) double x[n][dim][lanes];
  alignas(64) double coefficient[symmetric<dim> + 2][lanes] = {};
  alignas(64) double matrix[entries][lanes];
  alignas(64) double load[n][lanes];
  const int components = block.k.components;
  for (Offset batch = first; batch < last; batch += lanes) {
    const int count = static_cast<int>(std::min<Offset>(lanes, last - batch));
    for (int lane = 0; lane < lanes; ++lane) {
      const Offset cell = batch + std::min(lane, count - 1);
      for (int i = 0; i < n; ++i) {
        const double* point = block.coordinates + Offset{3} * block.geometry[cell * n + i];
        for (int d = 0; d < dim; ++d) x[i][d][lane] = point[d];
      }
      const Index region = block.region_of(cell);
      if (!block.k.empty())
        for (int m = 0; m < components; ++m) coefficient[m][lane] = block.k.values[region * components + m];
      if (!block.c.empty()) coefficient[symmetric<dim>][lane] = block.c.values[region];
      if (!block.f.empty() && !block.f.per_point) coefficient[symmetric<dim> + 1][lane] = block.f.values[region];
    }
    Lanes vx[n][dim], grad[n][dim], k[symmetric<dim>], c, packed_matrix[entries];
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < dim; ++d) vx[i][d] = *reinterpret_cast<const Lanes*>(x[i][d]);
    for (int m = 0; m < symmetric<dim>; ++m) k[m] = *reinterpret_cast<const Lanes*>(coefficient[m]);
    c = *reinterpret_cast<const Lanes*>(coefficient[symmetric<dim>]);
    const Lanes jacobian = simplex_gradients<dim, Lanes>(vx, grad);
    simplex_matrix<dim, Lanes>(grad, jacobian, k, components, block.c.empty() ? nullptr : &c, packed_matrix);
    for (int e = 0; e < entries; ++e) *reinterpret_cast<Lanes*>(matrix[e]) = packed_matrix[e];
    for (int i = 0; i < n; ++i)
      *reinterpret_cast<Lanes*>(load[i]) = jacobian * (reference_factor<dim> * block.load[i]);
    for (int lane = 0; lane < count; ++lane) {
      const Offset cell = batch + lane;
      const Index* dofs = block.dofs + cell * n;
      const std::uint16_t* slots = block.slots + cell * n * n;
      for (int i = 0; i < n; ++i) {
        double* row = A.values.data() + A.row_ptr[dofs[i]];
        for (int j = 0; j < n; ++j) row[slots[i * n + j]] += matrix[i <= j ? packed(i, j, n) : packed(j, i, n)][lane];
      }
      if (block.f.empty()) continue;
      if (!block.f.per_point) {
        for (int i = 0; i < n; ++i) b[dofs[i]] += coefficient[symmetric<dim> + 1][lane] * load[i][lane];
        continue;
      }
      const double scale = load[0][lane] / block.load[0];  // |det J| of the reference cell
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int q = 0; q < block.points; ++q)
          sum += block.weights[q] * block.f.values[cell * block.points + q] * block.basis[(q * (dim + 1) + dim) * n + i];
        b[dofs[i]] += scale * sum;
      }
    }
  }
}

/// Jacobian of a cell at a point.
template <int dim>
void cell_jacobian(const BlockView& block, Offset cell, int point, double (&J)[dim][dim]) {
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = 0;
  const double* map = block.map + static_cast<Offset>(point) * dim * block.geometry_nodes;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = block.geometry_point(cell, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * block.geometry_nodes + g];
  }
}

/// Workspace of one thread.
struct Workspace {
  std::vector<double> matrix, load, flux;
  explicit Workspace(const BlockView& block, int dim)
      : matrix(static_cast<std::size_t>(block.nodes) * block.nodes), load(block.nodes),
        flux(static_cast<std::size_t>(dim + 1) * block.nodes) {}
};

/// Element matrix of a straight simplex: sum over pairs of G_ab R_ab, plus c times the mass.
template <int dim>
void affine_element(const BlockView& block, Offset cell, Workspace& work) {
  double J[dim][dim], inverse[dim][dim];
  cell_jacobian<dim>(block, cell, 0, J);
  const double scale = absolute(invert<dim, double>(J, inverse));
  const Index region = block.region_of(cell);
  double G[symmetric<dim> + 1] = {};
  if (!block.k.empty()) pull_back<dim>(block.k.at(region, cell, 0, 1), block.k.components, inverse, scale, G);
  const int terms = symmetric<dim> + (block.c.empty() ? 0 : 1);
  if (!block.c.empty()) G[symmetric<dim>] = scale * *block.c.at(region, cell, 0, 1);
  const int count = block.nodes * block.nodes;
  double* matrix = work.matrix.data();
#pragma omp simd
  for (int e = 0; e < count; ++e) matrix[e] = G[0] * block.reference[e];
  for (int m = 1; m < terms; ++m) {
    const double factor = G[m];
    const double* reference = block.reference + static_cast<Offset>(m) * count;
#pragma omp simd
    for (int e = 0; e < count; ++e) matrix[e] += factor * reference[e];
  }
  if (block.f.empty()) return;
  for (int i = 0; i < block.nodes; ++i) {
    double sum = 0;
    if (!block.f.per_point)
      sum = *block.f.at(region, cell, 0, 1) * block.load[i];
    else
      for (int q = 0; q < block.points; ++q)
        sum += block.weights[q] * *block.f.at(region, cell, q, block.points) * block.basis[(q * (dim + 1) + dim) * block.nodes + i];
    work.load[i] = scale * sum;
  }
}

/// Element matrix by quadrature: sum_q B_i . (G B_j) with B the reference gradients and the value; the upper half and what
/// shares its vector registers. `fixed` is the number of dofs where the compiler shall know it, else 0.
template <int dim, int fixed>
void general_element(const BlockView& block, Offset cell, Workspace& work) {
  const int n = fixed > 0 ? fixed : block.nodes;
  const Index region = block.region_of(cell);
  double* __restrict__ matrix = work.matrix.data();
  double* __restrict__ load = work.load.data();
  double* __restrict__ flux = work.flux.data();
  std::fill_n(matrix, n * n, 0.0);
  std::fill_n(load, n, 0.0);
  for (int q = 0; q < block.points; ++q) {
    double J[dim][dim], inverse[dim][dim], G[symmetric<dim>] = {};
    cell_jacobian<dim>(block, cell, q, J);
    const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
    if (!block.k.empty())
      pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
    const double* __restrict__ B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
    const double* __restrict__ phi = B + dim * n;
    const double mass = block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points);
    for (int a = 0; a < dim; ++a) {
#pragma omp simd
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int e = 0; e < dim; ++e) sum += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + j];
        flux[a * n + j] = sum;
      }
    }
#pragma omp simd
    for (int j = 0; j < n; ++j) flux[dim * n + j] = mass * phi[j];
    for (int i = 0; i < n; ++i) {
      double* __restrict__ row = matrix + i * n;
#pragma omp simd
      for (int j = i / lanes * lanes; j < n; ++j) {
        double sum = row[j];
        for (int a = 0; a <= dim; ++a) sum += B[a * n + i] * flux[a * n + j];
        row[j] = sum;
      }
    }
    if (block.f.empty()) continue;
    const double source = scale * *block.f.at(region, cell, q, block.points);
#pragma omp simd
    for (int i = 0; i < n; ++i) load[i] += source * phi[i];
  }
}

template <int dim>
void general_element(const BlockView& block, Offset cell, Workspace& work) {
  if (dim == 3 && block.nodes == 8) return general_element<dim, 8>(block, cell, work);
  if (dim == 3 && block.nodes == 27) return general_element<dim, 27>(block, cell, work);
  if (block.nodes == 4) return general_element<dim, 4>(block, cell, work);
  if (dim == 2 && block.nodes == 9) return general_element<dim, 9>(block, cell, work);
  general_element<dim, 0>(block, cell, work);
}

/// Adds an element's upper half into both halves of A, and its load into b.
void scatter(const BlockView& block, const linalg::CrsView<double>& A, double* b, Offset cell, const Workspace& work) {
  const int n = block.nodes;
  const Index* dofs = block.dofs + cell * n;
  for (int i = 0; i < n; ++i) {
    double* row = A.values.data() + A.row_ptr[dofs[i]];
    if (block.slots) {
      const std::uint16_t* slots = block.slots + (cell * n + i) * n;
      for (int j = 0; j < n; ++j) row[slots[j]] += work.matrix[i <= j ? i * n + j : j * n + i];
    } else {
      const Index* cols = A.col_ind.data() + A.row_ptr[dofs[i]];
      const Index count = static_cast<Index>(A.row_ptr[dofs[i] + 1] - A.row_ptr[dofs[i]]);
      for (int j = 0; j < n; ++j) row[find_in_row(cols, count, dofs[j])] += work.matrix[i <= j ? i * n + j : j * n + i];
    }
    if (!block.f.empty()) b[dofs[i]] += work.load[i];
  }
}

template <int dim>
void refill_chunk(const BlockData<Host>& block, const linalg::CrsView<double>& A, double* b, Index chunk, Workspace& work) {
  const Offset first = Offset{chunk} * block.chunk_cells;
  const Offset last = std::min<Offset>(block.cells, first + block.chunk_cells);
  if (block.kernel == Kernel::linear_simplex) {
    simplex_chunk<dim>(block.view, A, b, first, last);
    return;
  }
  for (Offset cell = first; cell < last; ++cell) {
    if (block.kernel == Kernel::affine_simplex)
      affine_element<dim>(block.view, cell, work);
    else
      general_element<dim>(block.view, cell, work);
    scatter(block.view, A, b, cell, work);
  }
}

}  // namespace

void order_cells(Threads&, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, BlockData<Host>& block) {
  const Index count = block.cells;
  BlockView& view = block.view;
  view.dofs = dofs.dofs.data();  // mesh and map outlive the assembler, so neither is copied
  view.geometry = block.geometry_is_dofs ? view.dofs : cells.nodes.data();
  view.cell_stride = dofs.nodes, view.node_stride = 1;
  view.geometry_stride = cells.nodes_per_cell, view.geometry_step = 1;
  view.slot_stride = Offset{dofs.nodes} * dofs.nodes, view.slot_step = 1;
  block.chunk_cells = std::clamp(count / chunks_wanted, least_cells_per_chunk, most_cells_per_chunk);
  const Index chunks = (count + block.chunk_cells - 1) / block.chunk_cells;

  // Two chunks that share a dof get different colours.
  std::vector<Offset> ptr{0};
  std::vector<Index> keys;
  std::vector<Index> seen(all_dofs, -1);
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    const std::size_t first = static_cast<std::size_t>(chunk) * block.chunk_cells * dofs.nodes;
    const std::size_t last = std::min(dofs.dofs.size(), first + static_cast<std::size_t>(block.chunk_cells) * dofs.nodes);
    for (std::size_t k = first; k < last; ++k) {
      if (seen[dofs.dofs[k]] == chunk) continue;
      seen[dofs.dofs[k]] = chunk;
      keys.push_back(dofs.dofs[k]);
    }
    ptr.push_back(static_cast<Offset>(keys.size()));
  }
  mesh::Colouring colouring = mesh::colour_cells(chunks, all_dofs, ptr.data(), keys.data());
  block.colour_ptr = std::move(colouring.ptr);
  block.chunks = std::move(colouring.cells);
}

void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row) {
  const int n = block.view.nodes;
  const Index* dofs = block.view.dofs;
#pragma omp parallel for schedule(static) num_threads(exec.count())
  for (Index cell = 0; cell < block.cells; ++cell) {
    const Index* mine = dofs + static_cast<Offset>(cell) * n;
    std::uint16_t* slot = slots + static_cast<Offset>(cell) * n * n;
    for (int i = 0; i < n; ++i) {
      const Index* cols = A.col_ind.data() + A.row_ptr[mine[i]];
      const Offset length = A.row_ptr[mine[i] + 1] - A.row_ptr[mine[i]];
      if (length > longest_row) *long_row = 1;  // every writer writes the same
      for (int j = 0; j < n; ++j, ++slot) {
        if (length > 64) {
          *slot = static_cast<std::uint16_t>(find_in_row(cols, static_cast<Index>(length), mine[j]));
          continue;
        }
        int below = 0;  // a short row: counting the smaller columns has no branches and fills vectors
        for (int k = 0; k < static_cast<int>(length); ++k) below += cols[k] < mine[j];
        *slot = static_cast<std::uint16_t>(below);
      }
    }
  }
}

void refill_block(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, View<double> b) {
#pragma omp parallel num_threads(exec.count())
  {
    Workspace work(block.view, block.dim);
    for (std::size_t colour = 0; colour + 1 < block.colour_ptr.size(); ++colour) {
#pragma omp for schedule(dynamic)
      for (Offset k = block.colour_ptr[colour]; k < block.colour_ptr[colour + 1]; ++k) {
        if (block.dim == 1) refill_chunk<1>(block, A, b.data(), block.chunks[k], work);
        if (block.dim == 2) refill_chunk<2>(block, A, b.data(), block.chunks[k], work);
        if (block.dim == 3) refill_chunk<3>(block, A, b.data(), block.chunks[k], work);
      }
    }
  }
}

template class Assembler<Threads>;
template void eliminate_dirichlet<Threads>(Threads&, linalg::Crs<Host>&, View<double>, const std::vector<Index>&,
                                           const std::vector<double>&);

}  // namespace tessera::assembly
