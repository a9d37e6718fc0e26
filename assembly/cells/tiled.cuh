#pragma once
// Elements of any shape and order on CUDA, a warp each, on tensor cores.
#include "assembly/cells/elements.cuh"
#include "assembly/cells/elements_unsymmetric.cuh"
#include "base/tensor_core.cuh"

namespace tessera::assembly::kernels {

/// A symmetric form at the points of a cell: the matrices w |J| (J^-1 C_gg J^-T, and C_vv at (3, 3)), [points, 4, 4],
/// then w |J| l.
template <int dim, class Form>
struct SymmetricPoints {
  static constexpr bool is_symmetric = true;
  static constexpr bool has_second = false;

  __host__ __device__ static int size(const BlockView& block) { return symmetric_points(block); }

  template <class Geometry>
  __device__ static void make(const BlockView& block, const Form& form, Offset place, int lane, double* work,
                              const Geometry& geometry) {
    forms::Place at = block.at(place, 0);
    for (int q = lane; q < block.points; q += 32) {
      at.point = q;
      double J[dim][dim], inverse[dim][dim], G[tensor_size<dim>] = {};
      jacobian_at_point<dim>(block, geometry, place, q, J);
      const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
      forms::pull_back_tangent<dim>(form, at, inverse, scale, G);
      double* to = work + 16 * q;
      for (int a = 0; a < 3; ++a)
        for (int e = 0; e < 4; ++e) to[4 * a + e] = a < dim && e < dim ? G[packed_symmetric(a, e, dim)] : 0.0;
      to[12] = to[13] = to[14] = 0;
      to[15] = forms::scaled_value<dim>(form, at, scale);
      work[16 * block.points + q] = forms::scaled_load<dim>(form, at, scale);
    }
  }

  __device__ static double load(const BlockView& block, const double* work, const double* basis, int i) {
    double value = 0;
    for (int q = 0; q < block.points; ++q)
      value += work[16 * block.points + q] * basis[(q * 4 + 3) * basis_stride(block.nodes) + i];
    return value;
  }
};

/// A form that is not symmetric at the points of a cell: its matrices [points, 4, 4], the factors of the load [points,
/// 4], and what second derivatives need.
template <int dim, class Form>
struct UnsymmetricPoints {
  using Point = forms::AtPoint<Form, dim>;
  static constexpr bool is_symmetric = false;
  static constexpr bool has_second = Point::has_second;

  __host__ __device__ static bool needs_second(const BlockView& block) {
    return has_second && has_second_derivatives(block, dim);
  }
  __host__ __device__ static int size(const BlockView& block) {
    if constexpr (has_second) return unsymmetric_points(block, needs_second(block) ? Point::second_size : 0);
    return unsymmetric_points(block, 0);
  }

  template <class Geometry>
  __device__ static void make(const BlockView& block, const Form& form, Offset place, int lane, double* work,
                              const Geometry& geometry) {
    for (int q = lane; q < block.points; q += 32) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, geometry, place, q, J);
      Point p;
      make_point<dim>(block, form, geometry, place, q, J, block.weights[q], p);
      p.write(work + 16 * q, work + 16 * block.points + 4 * q);
      if constexpr (has_second)
        if (needs_second(block)) p.write_second(work + 20 * block.points + Point::second_size * q);
    }
  }

  /// What the second derivatives of column j add to component a of C B_j.
  __device__ static double second(const BlockView& block, const double* work, int q, int a, int j) {
    if constexpr (has_second) {
      if (!needs_second(block)) return 0;
      const WideBasis& wide = block.wide;
      return Point::second(work + 20 * block.points + Point::second_size * q, a,
                           wide.basis + (static_cast<Offset>(q) * wide.rows + dim + 1) * wide.width + j, wide.width);
    }
    return 0;
  }

  __device__ static double load(const BlockView& block, const double* work, const double* basis, int i) {
    const int stride = basis_stride(block.nodes);
    double value = 0;
    for (int q = 0; q < block.points; ++q)
      for (int a = 0; a < 4; ++a) value += work[16 * block.points + 4 * q + a] * basis[(q * 4 + a) * stride + i];
    return value;
  }
};

/// Any element by quadrature, a warp each. First the lanes take the points: a 4 x 4 matrix G each to shared memory, and
/// what the load needs. Then K = sum_q B_q^T (G_q B_q), with B_q the derivatives and the value as four rows, is a
/// product of 8 x 4 by 4 x 8 tiles for each point: the shape of the tensor cores in double precision. `tiles` rows of
/// tiles at a time; only upper ones where K is symmetric. Where the sums of all tiles fit the registers (at most 8
/// `tiles` dofs, `tiles` <= 4), each point is read once.
template <int dim, int tiles, class Form>
struct TiledElement {
  using Points = std::conditional_t<Form::symmetric, SymmetricPoints<dim, Form>, UnsymmetricPoints<dim, Form>>;
  static constexpr bool is_symmetric = Points::is_symmetric;
  static constexpr ElementKind kind = tiles < 16     ? ElementKind::tiled
                                      : is_symmetric ? ElementKind::large
                                                     : ElementKind::large_unsymmetric;
  static constexpr int lanes = lanes_of(kind);
  static constexpr int columns = tiles <= 4 ? tiles : 1;  ///< columns of tiles at a time
  BlockView block;
  Form form;
  bool basis_in_shared;

  TiledElement(const BlockView& view, const Form& of)
      : block(view), form(of), basis_in_shared(tiled_memory(view, 0).tables > 0) {}

  __host__ __device__ ElementMemory memory() const { return tiled_memory(block, Points::size(block)); }
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
        if constexpr (Points::has_second) flux[c] += Points::second(block, work, q, a, (first + c) * 8 + row);
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
    add_form(form, place, lane, tables, work, geometry, sink);
  }

  /// The same of another form of this type.
  template <class Geometry, class Sink>
  __device__ void add_form(const Form& of, Offset place, int lane, const double* tables, double* work,
                           const Geometry& geometry, const Sink& sink) const {
    Points::make(block, of, place, lane, work, geometry);
    __syncwarp();
    const double* basis = basis_in_shared ? tables : block.padded_basis;
    const int n = block.nodes, rows = (n + 7) / 8;
    // `columns == tiles` holds the whole matrix at once: constants then.
    for (int first = 0; first < rows; first += columns)
      for (int base = 0; base < (columns == tiles ? 1 : is_symmetric ? first + 1 : rows); base += tiles)
        add_columns(place, lane, basis, work, columns == tiles ? 0 : base, columns == tiles ? 0 : first, sink);
    if (forms::has(of, load_value) || Sink::wants_every_value)
      for (int i = lane; i < n; i += 32) sink.load(place, i, Points::load(block, work, basis, i));
    __syncwarp();
  }
};

}  // namespace tessera::assembly::kernels
