#pragma once
// Elements of forms with several unknowns a node on threads, and the sinks that take them. The workspace has the
// matrices of pairs of components one after the other, [components, components, nodes, nodes], of symmetric forms those
// with c <= d; then the loads [components, nodes].
#include "assembly/cells/elements_threads.hpp"
#include "forms/components.hpp"

namespace tessera::assembly {

/// By quadrature: sum_q B_i^T C_cd B_j with B the physical gradients and the value.
template <int dim, class Form>
struct ComponentElement {
  static constexpr int components = forms::components_of<Form>(dim);
  const BlockView& block;
  const Form& form;

  void values(Offset place, Workspace& work) const {
    if (block.nodes == 4) return sum<4>(place, 0, 4, Form::symmetric, work, work.matrix.data(), work.load.data());
    if (dim == 3 && block.nodes == 8)
      return sum<8>(place, 0, 8, Form::symmetric, work, work.matrix.data(), work.load.data());
    sum<0>(place, 0, block.nodes, Form::symmetric, work, work.matrix.data(), work.load.data());
  }

  /// Row i of every pair, [components, components, nodes], and its loads [components].
  void row(Offset place, int i, Workspace& work, double* row, double* load) const {
    sum<0>(place, i, i + 1, false, work, row, load);
  }

 private:
  /// The middle stands for all points where gradients and coefficients are constant.
  bool one_point() const {
    return block.nodes == dim + 1 && block.geometry_nodes == dim + 1 && form.constant() && !form.tests_values();
  }

  /// Rows first .. last. `fixed` is the number of nodes where the compiler shall know it, else 0.
  template <int fixed>
  void sum(Offset place, int first, int last, bool upper, Workspace& work, double* __restrict__ matrix,
           double* __restrict__ load) const {
    const int n = fixed > 0 ? fixed : block.nodes, rows = last - first;
    const int tested = form.tests_values() ? dim + 1 : dim;
    double* __restrict__ const B = work.basis.data();
    double* __restrict__ const flux = work.flux.data();
    std::fill_n(matrix, components * components * rows * n, 0.0);
    std::fill_n(load, components * rows, 0.0);
    const bool once = one_point(), loaded = forms::has(form, load_value);
    forms::Place x = block.at(place, 0);
    for (int q = 0; q < (once ? 1 : block.points); ++q) {
      x.point = q;
      const double scale = gradients(place, q, n, B) * (once ? n * block.load[0] : block.weights[q]);
      if (once) std::fill_n(B + dim * n, n, 1.0 / n);
      if (loaded) add_loads(x, scale, B, n, first, last, load);
      for (int c = 0; c < components; ++c)
        for (int d = upper ? c : 0; d < components; ++d) {
          double C[dim + 1][dim + 1];
          form.template tangent<dim>(x, c, d, C);
          for (int a = 0; a < tested; ++a)
#pragma omp simd
            for (int j = 0; j < n; ++j) {
              double of = 0;
              for (int b = 0; b < tested; ++b) of += C[a][b] * B[b * n + j];
              flux[a * n + j] = scale * of;
            }
          double* __restrict__ to = matrix + (c * components + d) * rows * n;
          for (int i = first; i < last; ++i, to += n)
            for (int a = 0; a < tested; ++a) {
              const double test = B[a * n + i];
#pragma omp simd
              for (int j = 0; j < n; ++j) to[j] += test * flux[a * n + j];
            }
        }
    }
  }

  /// The physical gradients and the values at a point to B [dim + 1, n]; returns |det J|.
  double gradients(Offset place, int q, int n, double* __restrict__ B) const {
    double J[dim][dim], inverse[dim][dim];
    cell_jacobian<dim>(block, place, q, J);
    const double measure = absolute(invert<dim, double>(J, inverse));
    const double* __restrict__ of = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
    for (int d = 0; d < dim; ++d)
#pragma omp simd
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int a = 0; a < dim; ++a) sum += inverse[a][d] * of[a * n + j];
        B[d * n + j] = sum;
      }
    std::copy_n(of + dim * n, n, B + dim * n);
    return measure;
  }

  void add_loads(const forms::Place& x, double weight, const double* B, int n, int first, int last,
                 double* load) const {
    for (int c = 0; c < components; ++c) {
      double l[dim + 1];
      form.template load<dim>(x, c, l);
      for (int i = first; i < last; ++i)
        for (int a = 0; a <= dim; ++a) load[c * (last - first) + i - first] += weight * l[a] * B[a * n + i];
    }
  }
};

/// Entry (i, j) of the pair (c, d).
inline double component_entry(const BlockView& block, const Workspace& work, int c, int d, int i, int j) {
  const bool mirrored = block.symmetric && c > d;
  const int n = block.nodes, pair = mirrored ? d * block.components + c : c * block.components + d;
  return work.matrix[(pair * n + (mirrored ? j : i)) * n + (mirrored ? i : j)];
}

/// Adds into block rows, and the load into b.
template <class Add>
struct AddBlocks {
  const BlockView& block;
  const Target& target;
  bool has_load;
  Add add = {};

  void take(Offset place, const Workspace& work) const {
    const int n = block.nodes, m = block.components;
    for (int i = 0; i < n; ++i) {
      const Index node = block.dof(place, i);
      for (int j = 0; j < n; ++j) {
        double* to = target.values + target_position(block, target, place, i, j) * m * m;
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < m; ++d) add(*to++, component_entry(block, work, c, d, i, j));
      }
      if (!has_load) continue;
      for (int c = 0; c < m; ++c) add(target.b[Offset{node} * m + c], work.load[c * n + i]);
    }
  }
};

/// Writes the blocks in the order of BlockView::entry(), row-major, then the loads of each node; those of place `first`
/// at the beginning of the buffer.
struct StoreBlocks {
  const BlockView& block;
  double* buffer;
  Offset first;
  bool has_load;

  void take(Offset place, const Workspace& work) const {
    const int n = block.nodes, m = block.components;
    double* to = buffer + (place - first) * block.values();
    for (int i = 0; i < n; ++i)
      for (int j = block.symmetric ? i : 0; j < n; ++j)
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < m; ++d) *to++ = component_entry(block, work, c, d, i, j);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < m; ++c) *to++ = has_load ? work.load[c * n + i] : 0.0;
  }
};

}  // namespace tessera::assembly
