#pragma once
// Element matrices and loads on CUDA, apart from where they go. An element type computes the values of one cell with `lanes` threads and
// hands them to a sink: entry(place, i, j, value) with i <= j, load(place, i, value).
#include "assembly/assembler_data.hpp"
#include "assembly/form.hpp"
#include "base/tensor_core.cuh"

namespace tessera::assembly::kernels {

/// Threads of a block of the kernels below.
constexpr int cells_block = 128;

/// Coordinates straight from the mesh.
struct GlobalGeometry {
  BlockView block;
  __device__ const double* point(Offset place, int g) const { return block.geometry_point(place, g); }
};

/// Coordinates of a partition in shared memory, [its nodes, 3]; a cell's nodes by local number.
struct LocalGeometry {
  const double* coordinates;
  const std::uint16_t* local;
  Offset step;  ///< between the nodes of a cell
  __device__ const double* point(Offset place, int g) const { return coordinates + 3 * local[place + g * step]; }
};

/// Adds into the matrix: plainly, where cells at work at the same time share no dof, or with atomics, in no fixed order.
struct AddSink {
  static constexpr bool wants_every_value = false;
  BlockView block;
  Target target;
  bool atomic;

  __device__ void add(double* to, double value) const {
    if (atomic)
      atomicAdd(to, value);
    else
      *to += value;
  }
  __device__ void entry(Offset place, int i, int j, double value) const {
    add(target.values + target_position(block, target, place, i, j), value);
    if (i != j) add(target.values + target_position(block, target, place, j, i), value);
  }
  __device__ void load(Offset place, int i, double value) const { add(target.b + block.dof(place, i), value); }
};

/// A whole element of n dofs to a sink.
template <int n, class Sink>
__device__ void hand_over(const Sink& sink, Offset place, const double (&matrix)[n * (n + 1) / 2],
                          const double (&loads)[n], bool has_load) {
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) sink.entry(place, i, j, matrix[packed(i, j, n)]);
  if (has_load || Sink::wants_every_value)
    for (int i = 0; i < n; ++i) sink.load(place, i, loads[i]);
}
/// Plain additions: all reads before all writes, for the entries are distinct, and so the loads overlap.
template <int n>
__device__ void hand_over(const AddSink& sink, Offset place, const double (&matrix)[n * (n + 1) / 2],
                          const double (&loads)[n], bool has_load) {
  double* at[n * n];
  double sum[n * n];
  for (int i = 0; i < n; ++i) {
    double* row = sink.target.values + sink.target.layout.first(sink.block.dof(place, i));
    for (int j = 0; j < n; ++j)
      at[i * n + j] = row + sink.block.slots[place * sink.block.slot_stride + (i * n + j) * sink.block.slot_step] *
                                sink.target.layout.step();
  }
  if (sink.atomic) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) atomicAdd(at[i * n + j], matrix[i <= j ? packed(i, j, n) : packed(j, i, n)]);
  } else {
    for (int e = 0; e < n * n; ++e) sum[e] = *at[e];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum[i * n + j] += matrix[i <= j ? packed(i, j, n) : packed(j, i, n)];
    for (int e = 0; e < n * n; ++e) *at[e] = sum[e];
  }
  if (has_load)
    for (int i = 0; i < n; ++i) sink.load(place, i, loads[i]);
}

/// Writes the upper half, row by row, then the load; in global or shared memory.
struct StoreSink {
  static constexpr bool wants_every_value = true;
  double* buffer;
  Offset place_step, entry_step;
  Offset first;  ///< place at the beginning of the buffer
  int nodes;

  __device__ void entry(Offset place, int i, int j, double value) const {
    buffer[(place - first) * place_step + packed(i, j, nodes) * entry_step] = value;
  }
  __device__ void load(Offset place, int i, double value) const {
    buffer[(place - first) * place_step + (nodes * (nodes + 1) / 2 + i) * entry_step] = value;
  }
};

/// Mean of k over a cell where its gradients are constant: sum_q w_q k_q / sum_q w_q.
template <int dim>
__device__ inline void mean_diffusivity(const BlockView& block, Index region, Offset cell,
                                        double (&k)[symmetric<dim>]) {
  if (block.k.empty()) return;
  const int components = block.k.components;
  if (!block.k.per_point) {
    for (int m = 0; m < symmetric<dim>; ++m)
      if (m < components) k[m] = block.k.values[Offset{region} * components + m];
    return;
  }
  double total = 0;
  for (int q = 0; q < block.points; ++q) {
    const double* value = block.k.at(region, cell, q, block.points);
    total += block.weights[q];
    for (int m = 0; m < symmetric<dim>; ++m)
      if (m < components) k[m] += block.weights[q] * value[m];
  }
  for (int m = 0; m < symmetric<dim>; ++m) k[m] /= total;
}

/// sum_q w_q f_q phi_i(q).
template <int dim>
__device__ inline double load_at_points(const BlockView& block, Offset cell, int i) {
  const double* f = block.f.at(0, cell, 0, block.points);
  double sum = 0;
  for (int q = 0; q < block.points; ++q)
    sum += block.weights[q] * f[q] * block.basis[(static_cast<Offset>(q) * (dim + 1) + dim) * block.nodes + i];
  return sum;
}

/// Jacobian of a straight simplex from its reference cell.
template <int dim, class Geometry>
__device__ inline void affine_jacobian(const Geometry& geometry, Offset place, double (&J)[dim][dim]) {
  const double* origin = geometry.point(place, 0);
  for (int a = 0; a < dim; ++a) {
    const double* x = geometry.point(place, a + 1);
    for (int d = 0; d < dim; ++d) J[d][a] = reference_factor<dim> * (x[d] - origin[d]);
  }
}

/// Linear straight simplices in closed form, a thread each. Coefficients at points count by their weighted mean where the gradients
/// are constant.
template <int dim>
struct LinearSimplex {
  static constexpr int lanes = 1;
  static constexpr int n = dim + 1;
  BlockView block;

  __host__ __device__ std::size_t table_bytes() const { return 0; }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double*) const {}

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double*, double*, const Geometry& geometry, const Sink& sink) const {
    double x[n][dim], grad[n][dim], matrix[n * (n + 1) / 2], loads[n] = {};
    for (int i = 0; i < n; ++i) {
      const double* point = geometry.point(place, i);
      for (int d = 0; d < dim; ++d) x[i][d] = point[d];
    }
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    const double jacobian = simplex_gradients<dim, double>(x, grad);
    double k[symmetric<dim>] = {};
    mean_diffusivity<dim>(block, region, cell, k);
    const double c = block.c.empty() || block.c.per_point ? 0.0 : block.c.values[region];
    simplex_matrix<dim, double>(grad, jacobian, k, block.k.components,
                                block.c.empty() || block.c.per_point ? nullptr : &c, matrix);
    const double scale = reference_factor<dim> * jacobian;
    if (block.c.per_point) add_mass_at_points(cell, scale, matrix);
    if (!block.f.empty()) {
      const double mean = block.f.per_point ? 0.0 : block.f.values[region] * scale * block.load[0];
      for (int i = 0; i < n; ++i) loads[i] = block.f.per_point ? scale * load_at_points<dim>(block, cell, i) : mean;
    }
    hand_over<n>(sink, place, matrix, loads, !block.f.empty());
  }

  __device__ void add_mass_at_points(Offset cell, double scale, double (&matrix)[n * (n + 1) / 2]) const {
    for (int q = 0; q < block.points; ++q) {
      const double* phi = block.basis + (q * (dim + 1) + dim) * n;
      const double w = scale * block.weights[q] * *block.c.at(0, cell, q, block.points);
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) matrix[packed(i, j, n)] += w * phi[i] * phi[j];
    }
  }
};

/// Straight simplices of any order with coefficients constant on the cell, a thread each: the entries are sums over pairs of
/// G_ab R_ab, and c times the mass; the reference matrices stand entry by entry in shared memory.
template <int dim>
struct AffineSimplex {
  static constexpr int lanes = 1;
  static constexpr int terms = symmetric<dim> + 1;
  BlockView block;

  __host__ __device__ std::size_t table_bytes() const {
    return sizeof(double) * terms * block.nodes * (block.nodes + 1) / 2;
  }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < terms * block.nodes * (block.nodes + 1) / 2; e += blockDim.x)
      tables[e] = block.reference_entries[e];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double* tables, double*, const Geometry& geometry,
                      const Sink& sink) const {
    double J[dim][dim], inverse[dim][dim], G[terms] = {};
    affine_jacobian<dim>(geometry, place, J);
    const double scale = absolute(invert<dim, double>(J, inverse));
    const Index region = block.region_of(place);
    if (!block.k.empty()) pull_back<dim>(block.k.at(region, 0, 0, 1), block.k.components, inverse, scale, G);
    if (!block.c.empty()) G[symmetric<dim>] = scale * block.c.values[region];
    const int n = block.nodes;
    const double* reference = tables;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j, reference += terms) {
        double sum = G[0] * reference[0];
        for (int m = 1; m < terms; ++m) sum += G[m] * reference[m];
        sink.entry(place, i, j, sum);
      }
    if (block.f.empty() && !Sink::wants_every_value) return;
    const Offset cell = block.cell_of(place);
    for (int i = 0; i < n; ++i) {
      double value = 0;
      if (block.f.per_point)
        value = scale * load_at_points<dim>(block, cell, i);
      else if (!block.f.empty())
        value = scale * block.f.values[region] * block.load[i];
      sink.load(place, i, value);
    }
  }
};

/// Cells of few dofs whose geometry has the same nodes (bilinear quads, trilinear hexes, linear prisms), a thread each, the matrix in
/// registers; basis and weights in shared memory.
template <int dim, int n>
struct SmallElement {
  static constexpr int lanes = 1;
  BlockView block;

  __host__ __device__ int table_size() const { return block.points * ((dim + 1) * n + 1); }
  __host__ __device__ std::size_t table_bytes() const { return sizeof(double) * table_size(); }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double* tables) const {
    const int basis = block.points * (dim + 1) * n;
    for (int e = threadIdx.x; e < basis; e += blockDim.x) tables[e] = block.basis[e];
    for (int q = threadIdx.x; q < block.points; q += blockDim.x) tables[basis + q] = block.weights[q];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double* tables, double*, const Geometry& geometry,
                      const Sink& sink) const {
    double x[n][dim], matrix[n * (n + 1) / 2] = {}, loads[n] = {};
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const double* point = geometry.point(place, i);
#pragma unroll
      for (int d = 0; d < dim; ++d) x[i][d] = point[d];
    }
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      const double* B = tables + q * (dim + 1) * n;
      double J[dim][dim] = {}, inverse[dim][dim], G[symmetric<dim>] = {};
#pragma unroll
      for (int g = 0; g < n; ++g)
        for (int d = 0; d < dim; ++d)
          for (int a = 0; a < dim; ++a) J[d][a] += x[g][d] * B[a * n + g];
      const double scale = absolute(invert<dim, double>(J, inverse)) * tables[block.points * (dim + 1) * n + q];
      if (!block.k.empty())
        pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
#pragma unroll
      for (int j = 0; j < n; ++j) {
        double flux[dim];
        for (int a = 0; a < dim; ++a) {
          flux[a] = 0;
          for (int e = 0; e < dim; ++e) flux[a] += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + j];
        }
#pragma unroll
        for (int i = 0; i <= j; ++i)
          for (int a = 0; a < dim; ++a) matrix[packed(i, j, n)] += flux[a] * B[a * n + i];
      }
      const double* phi = B + dim * n;
      if (!block.c.empty()) {
        const double mass = scale * *block.c.at(region, cell, q, block.points);
#pragma unroll
        for (int j = 0; j < n; ++j)
          for (int i = 0; i <= j; ++i) matrix[packed(i, j, n)] += mass * phi[j] * phi[i];
      }
      if (!block.f.empty()) {
        const double source = scale * *block.f.at(region, cell, q, block.points);
        for (int i = 0; i < n; ++i) loads[i] += source * phi[i];
      }
    }
#pragma unroll
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int j = i; j < n; ++j) sink.entry(place, i, j, matrix[packed(i, j, n)]);
    if (!block.f.empty() || Sink::wants_every_value)
      for (int i = 0; i < n; ++i) sink.load(place, i, loads[i]);
  }
};

/// Jacobian at a quadrature point; neighbouring lanes take neighbouring points.
template <int dim, class Geometry>
__device__ inline void jacobian_at_point(const BlockView& block, const Geometry& geometry, Offset place, int q,
                                         double (&J)[dim][dim]) {
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = 0;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = geometry.point(place, g);
    for (int a = 0; a < dim; ++a) {
      const double derivative = block.map_columns[(g * dim + a) * block.points + q];
      for (int d = 0; d < dim; ++d) J[d][a] += x[d] * derivative;
    }
  }
}

/// Any element by quadrature, a warp each. First the lanes take the points: the 4 x 4 matrix G = w |J| (J^-1 k J^-T, and c at (3, 3)) to
/// shared memory, and w |J| f. Then K = sum_q B_q^T (G_q B_q), with B_q the derivatives and the value as four rows, is a product of 8 x 4
/// by 4 x 8 tiles for each point: the shape of the tensor cores in double precision. Upper tiles only, `tiles` rows of them at a time.
/// Where the sums of all tiles fit the registers (at most 8 `tiles` dofs, `tiles` <= 4), each point is read once.
template <int dim, int tiles>
struct TiledElement {
  static constexpr int lanes = 32;
  static constexpr int columns = tiles <= 4 ? tiles : 1;  ///< columns of tiles at a time
  BlockView block;
  bool basis_in_shared;

  explicit TiledElement(const BlockView& view) : block(view), basis_in_shared(basis_bytes() <= most_shared_basis) {}

  __host__ __device__ std::size_t basis_bytes() const {
    return sizeof(double) * 4 * block.points * basis_stride(block.nodes);
  }
  __host__ __device__ std::size_t table_bytes() const { return basis_in_shared ? basis_bytes() : 0; }
  __host__ __device__ std::size_t work_bytes() const {
    return sizeof(double) * (16 * block.points + (block.points + 1) / 2 * 2);
  }
  __device__ void prepare(double* tables) const {
    if (!basis_in_shared) return;
    for (int e = threadIdx.x; e < 4 * block.points * basis_stride(block.nodes); e += blockDim.x)
      tables[e] = block.padded_basis[e];
  }

  template <class Geometry>
  __device__ void factors_at_points(Offset place, int lane, double* work, const Geometry& geometry) const {
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    for (int q = lane; q < block.points; q += 32) {
      double J[dim][dim], inverse[dim][dim], G[symmetric<dim>] = {};
      jacobian_at_point<dim>(block, geometry, place, q, J);
      const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
      if (!block.k.empty())
        pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
      double* to = work + 16 * q;
      for (int a = 0; a < 3; ++a)
        for (int e = 0; e < 4; ++e)
          to[4 * a + e] = a < dim && e < dim ? G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] : 0.0;
      to[12] = to[13] = to[14] = 0;
      to[15] = block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points);
      work[16 * block.points + q] = block.f.empty() ? 0.0 : scale * *block.f.at(region, cell, q, block.points);
    }
  }

  /// Tiles (base + i, j) of the columns of tiles j = first .. first + columns, base + i <= j.
  __device__ void sum_columns(const double* basis, const double* work, int lane, int base, int first,
                              double (&sum)[columns][tiles][2]) const {
    const int stride = basis_stride(block.nodes), rows = (block.nodes + 7) / 8;
    const int row = lane / 4, a = lane % 4;
    for (int q = 0; q < block.points; ++q) {
      const double* B = basis + q * 4 * stride + row;
      const double2* g = reinterpret_cast<const double2*>(work + 16 * q + 4 * a);
      const double2 left = g[0], right = g[1];
      double flux[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (first + c >= rows) continue;
        const double* column = B + (first + c) * 8;
        flux[c] =
            left.x * column[0] + left.y * column[stride] + right.x * column[2 * stride] + right.y * column[3 * stride];
      }
#pragma unroll
      for (int i = 0; i < tiles; ++i) {
        if (base + i >= rows || base + i > first + columns - 1) continue;
        const double left_factor = B[a * stride + (base + i) * 8];
#pragma unroll
        for (int c = 0; c < columns; ++c)
          if (base + i <= first + c && first + c < rows) multiply_add_8x8x4(sum[c][i], left_factor, flux[c]);
      }
    }
  }

  template <class Sink>
  __device__ void add_columns(Offset place, int lane, const double* basis, const double* work, int base, int first,
                              const Sink& sink) const {
    double sum[columns][tiles][2] = {};
    sum_columns(basis, work, lane, base, first, sum);
    const int row = lane / 4, a = lane % 4;
#pragma unroll
    for (int c = 0; c < columns; ++c)
#pragma unroll
      for (int tile_i = 0; tile_i < tiles; ++tile_i)
        for (int half = 0; half < 2; ++half) {
          const int i = (base + tile_i) * 8 + row, j = (first + c) * 8 + 2 * a + half;
          if (i <= j && j < block.nodes) sink.entry(place, i, j, sum[c][tile_i][half]);
        }
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int lane, const double* tables, double* work, const Geometry& geometry,
                      const Sink& sink) const {
    factors_at_points(place, lane, work, geometry);
    __syncwarp();
    const double* basis = basis_in_shared ? tables : block.padded_basis;
    const int n = block.nodes, rows = (n + 7) / 8;
    // `columns == tiles` holds the whole matrix at once: constants then.
    for (int first = 0; first < rows; first += columns)
      for (int base = 0; base < (columns == tiles ? 1 : first + 1); base += tiles)
        add_columns(place, lane, basis, work, columns == tiles ? 0 : base, columns == tiles ? 0 : first, sink);
    if (!block.f.empty() || Sink::wants_every_value)
      for (int i = lane; i < n; i += 32) {
        double value = 0;
        for (int q = 0; q < block.points; ++q)
          value += work[16 * block.points + q] * basis[(q * 4 + 3) * basis_stride(n) + i];
        sink.load(place, i, value);
      }
    __syncwarp();
  }

  /// More stays in global memory and the L1 cache.
  static constexpr std::size_t most_shared_basis = 64 * 1024;
};

}  // namespace tessera::assembly::kernels
