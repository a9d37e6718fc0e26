#pragma once
// Elements of any shape and order on CUDA, a warp each, on tensor cores. What stands at the points of a cell is a type: AtPoints<dim>.
#include "assembly/cells/form.hpp"
#include "assembly/cells/sinks.cuh"
#include "base/tensor_core.cuh"

namespace tessera::assembly::kernels {

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

/// The diffusion at the points of a cell: the matrices w |J| (J^-1 k J^-T, and c at (3, 3)), [points, 4, 4], then w |J| f.
template <int dim>
struct DiffusionAtPoints {
  static constexpr bool is_symmetric = true;
  static constexpr bool has_second = false;

  __host__ __device__ static int size(const BlockView& block) { return 16 * block.points + (block.points + 1) / 2 * 2; }

  template <class Geometry>
  __device__ static void make(const BlockView& block, Offset place, int lane, double* work, const Geometry& geometry) {
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

  __device__ static double load(const BlockView& block, const double* work, const double* basis, int i) {
    double value = 0;
    for (int q = 0; q < block.points; ++q)
      value += work[16 * block.points + q] * basis[(q * 4 + 3) * basis_stride(block.nodes) + i];
    return value;
  }
};

/// Any element by quadrature, a warp each. First the lanes take the points: a 4 x 4 matrix G each to shared memory, and what the load
/// needs. Then K = sum_q B_q^T (G_q B_q), with B_q the derivatives and the value as four rows, is a product of 8 x 4 by 4 x 8 tiles for
/// each point: the shape of the tensor cores in double precision. `tiles` rows of tiles at a time; only upper ones where K is symmetric.
/// Where the sums of all tiles fit the registers (at most 8 `tiles` dofs, `tiles` <= 4), each point is read once.
template <int dim, int tiles, template <int> class AtPoints = DiffusionAtPoints>
struct TiledElement {
  static constexpr int lanes = 32;
  static constexpr bool is_symmetric = AtPoints<dim>::is_symmetric;
  static constexpr int columns = tiles <= 4 ? tiles : 1;  ///< columns of tiles at a time
  BlockView block;
  bool basis_in_shared;

  explicit TiledElement(const BlockView& view) : block(view), basis_in_shared(basis_bytes() <= most_shared_basis) {}

  __host__ __device__ std::size_t basis_bytes() const {
    return sizeof(double) * 4 * block.points * basis_stride(block.nodes);
  }
  __host__ __device__ std::size_t table_bytes() const { return basis_in_shared ? basis_bytes() : 0; }
  __host__ __device__ std::size_t work_bytes() const { return sizeof(double) * AtPoints<dim>::size(block); }
  __device__ void prepare(double* tables) const {
    if (!basis_in_shared) return;
    for (int e = threadIdx.x; e < 4 * block.points * basis_stride(block.nodes); e += blockDim.x)
      tables[e] = block.padded_basis[e];
  }

  /// Tiles (base + i, j) of the columns of tiles j = first .. first + columns.
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
        if constexpr (AtPoints<dim>::has_second)
          flux[c] += AtPoints<dim>::second(block, work, q, a, (first + c) * 8 + row);
      }
#pragma unroll
      for (int i = 0; i < tiles; ++i) {
        if (base + i >= rows || (is_symmetric && base + i > first + columns - 1)) continue;
        const double left_factor = B[a * stride + (base + i) * 8];
#pragma unroll
        for (int c = 0; c < columns; ++c)
          if ((!is_symmetric || base + i <= first + c) && first + c < rows)
            multiply_add_8x8x4(sum[c][i], left_factor, flux[c]);
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
          if ((is_symmetric ? i <= j : i < block.nodes) && j < block.nodes)
            sink.entry(place, i, j, sum[c][tile_i][half]);
        }
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int lane, const double* tables, double* work, const Geometry& geometry,
                      const Sink& sink) const {
    AtPoints<dim>::make(block, place, lane, work, geometry);
    __syncwarp();
    const double* basis = basis_in_shared ? tables : block.padded_basis;
    const int n = block.nodes, rows = (n + 7) / 8;
    // `columns == tiles` holds the whole matrix at once: constants then.
    for (int first = 0; first < rows; first += columns)
      for (int base = 0; base < (columns == tiles ? 1 : is_symmetric ? first + 1 : rows); base += tiles)
        add_columns(place, lane, basis, work, columns == tiles ? 0 : base, columns == tiles ? 0 : first, sink);
    if (!block.f.empty() || Sink::wants_every_value)
      for (int i = lane; i < n; i += 32) sink.load(place, i, AtPoints<dim>::load(block, work, basis, i));
    __syncwarp();
  }

  /// More stays in global memory and the L1 cache.
  static constexpr std::size_t most_shared_basis = 64 * 1024;
};

}  // namespace tessera::assembly::kernels
