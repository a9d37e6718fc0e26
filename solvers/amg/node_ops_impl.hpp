#pragma once
// Bodies of node_ops.hpp, written once over node_product, which each backend has; instantiated by node_ops_threads.cpp
// and node_ops_cuda.cu.
//
// node_product(exec, A, x, h, w, use) calls use(node, i, sums) for each row i of each node, sums [h] those of A x at
// the node. The shape of blocks comes as constants h and w, of 0 where it is read at run time, so that sums stay in
// registers.
#include <cmath>
#include <utility>

#include "base/link.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/node_ops.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// (D^-1 v)_i of a node.
template <int h, class V>
TESSERA_HD V of_block(const NodeDiagonalView<V>& inverse, Offset node, int i, const V* v) {
  const int n = h > 0 ? h : inverse.block;
  const V* row = inverse.values.data() + (node * n + i) * n;
  V sum = 0;
  for (int j = 0; j < n; ++j) sum += row[j] * v[j];
  return sum;
}
TESSERA_HD inline Offset row_of(Offset node, int i, int block) { return node * block + i; }

/// t = D^-1 A s ; z = (x +) a_0 s + a_1 t, and t is kept where other powers follow.
template <int h, class V, class T>
struct FirstPower {
  NodeDiagonalView<V> inverse;
  V a0, a1;
  bool adds, more;
  View<V> s, t, x;
  View<T> z;
  TESSERA_HD void operator()(Offset node, int i, const V* sums) const {
    const Offset row = row_of(node, i, h > 0 ? h : inverse.block);
    const V power = of_block<h>(inverse, node, i, sums), value = (adds ? x[row] : V{0}) + a0 * s[row] + a1 * power;
    if (more) {
      t[row] = power;
      x[row] = value;
    } else {
      z[row] = static_cast<T>(value);
    }
  }
};
/// s = D^-1 A t ; z = x + a s.
template <int h, class V, class T>
struct NextPower {
  NodeDiagonalView<V> inverse;
  V a;
  bool last;
  View<V> s, x;
  View<T> z;
  TESSERA_HD void operator()(Offset node, int i, const V* sums) const {
    const Offset row = row_of(node, i, h > 0 ? h : inverse.block);
    const V power = of_block<h>(inverse, node, i, sums), value = x[row] + a * power;
    if (last) {
      z[row] = static_cast<T>(value);
    } else {
      s[row] = power;
      x[row] = value;
    }
  }
};
/// z = factor A x + b, b empty: 0, or what was in z where it `adds`.
template <int h, class V>
struct Combined {
  int block;
  V factor;
  bool adds;
  View<const V> b;
  View<V> z;
  TESSERA_HD void operator()(Offset node, int i, const V* sums) const {
    const Offset row = row_of(node, i, h > 0 ? h : block);
    z[row] = factor * sums[i] + (adds ? z[row] : b.empty() ? V{0} : b[row]);
  }
};
/// s = D^-1 (b - A x).
template <int h, class V>
struct ScaledResidual {
  NodeDiagonalView<V> inverse;
  View<const V> b;
  View<V> s;
  TESSERA_HD void operator()(Offset node, int i, const V* sums) const {
    const int n = h > 0 ? h : inverse.block;
    V r[h > 0 ? h : most_unknowns];
    for (int j = 0; j < n; ++j) r[j] = b[row_of(node, j, n)] - sums[j];
    s[row_of(node, i, n)] = of_block<h>(inverse, node, i, r);
  }
};
/// b = A x ; s = D^-1 b.
template <int h, class V>
struct WithScaled {
  NodeDiagonalView<V> inverse;
  View<V> b, s;
  TESSERA_HD void operator()(Offset node, int i, const V* sums) const {
    const Offset row = row_of(node, i, h > 0 ? h : inverse.block);
    b[row] = sums[i];
    s[row] = of_block<h>(inverse, node, i, sums);
  }
};

/// make(h) is what uses the sums, h the number of rows of a block as a constant.
template <class Exec, class V, class Make>
void use_product(Exec& exec, const NodeMatrixView<const V>& A, View<const V> x, Make make) {
  with_node_shape(A.height, A.width, [&](auto h, auto w) { node_product(exec, A, x, h, w, make(h)); });
}

}  // namespace detail

template <class Exec, class T, class V>
void begin_cycle(Exec& exec, double scale, View<const T> r, const NodeDiagonalView<V>& inverse, View<V> b, View<V> s) {
  const NodeDiagonalView<V> D = inverse;
  for_each(exec, r.size(), [=] TESSERA_HD(Offset row) {
    const Offset node = row / D.block, first = node * D.block;
    const V* of_row = D.values.data() + row * D.block;
    V sum = 0;
    for (int j = 0; j < D.block; ++j) sum += of_row[j] * static_cast<V>(scale * r[first + j]);
    b[row] = static_cast<V>(scale * r[row]);
    s[row] = sum;
  });
}

template <class Exec, class V, class T>
void smooth(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, const Smoother<V>& q,
            View<V> s, View<V> t, bool adds, View<V> x, View<T> z, const Bring<V>& bring) {
  const V a0 = q.a[0];
  if (q.degree == 1) {
    for_each(exec, Offset{A.rows} * A.height,
             [=] TESSERA_HD(Offset row) { z[row] = static_cast<T>((adds ? x[row] : V{0}) + a0 * s[row]); });
    return;
  }
  if (bring) bring(s);
  detail::use_product(exec, A, View<const V>(s), [&](auto h) {
    return detail::FirstPower<decltype(h)::value, V, T>{inverse, a0, q.a[1], adds, q.degree > 2, s, t, x, z};
  });
  for (int k = 2; k < q.degree; ++k) {
    if (bring) bring(t);
    detail::use_product(exec, A, View<const V>(t), [&](auto h) {
      return detail::NextPower<decltype(h)::value, V, T>{inverse, q.a[k], k == q.degree - 1, s, x, z};
    });
    std::swap(s, t);
  }
}

template <class Exec, class V>
void residual(Exec& exec, const NodeMatrixView<const V>& A, View<const V> x, View<const V> b, View<V> s) {
  detail::use_product(exec, A, x, [&](auto h) {
    return detail::Combined<decltype(h)::value, V>{A.height, -1, false, b, s};
  });
}
template <class Exec, class V>
void scaled_residual(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, View<const V> x,
                     View<const V> b, View<V> s) {
  detail::use_product(exec, A, x, [&](auto h) { return detail::ScaledResidual<decltype(h)::value, V>{inverse, b, s}; });
}
template <class Exec, class V>
void restrict_to(Exec& exec, const NodeMatrixView<const V>& R, View<const V> r, const NodeDiagonalView<V>& inverse,
                 View<V> b, View<V> s) {
  detail::use_product(exec, R, r, [&](auto h) { return detail::WithScaled<decltype(h)::value, V>{inverse, b, s}; });
}
template <class Exec, class V>
void prolong(Exec& exec, const NodeMatrixView<const V>& P, View<const V> y, View<V> x) {
  detail::use_product(exec, P, y, [&](auto h) {
    return detail::Combined<decltype(h)::value, V>{P.height, 1, true, {}, x};
  });
}
template <class Exec, class V>
void product(Exec& exec, const NodeMatrixView<const V>& A, View<const V> x, View<V> z) {
  detail::use_product(exec, A, x, [&](auto h) {
    return detail::Combined<decltype(h)::value, V>{A.height, 1, false, {}, z};
  });
}

template <class Exec, class V>
void krylov_residual(Exec& exec, View<const double> sums, View<const V> Ac, const NodeDiagonalView<V>& inverse,
                     View<V> b, View<V> s) {
  const NodeDiagonalView<V> D = inverse;
  for_each(exec, b.size() / D.block, [=] TESSERA_HD(Offset node) {
    const double energy = sums[static_cast<int>(Sum::first_energy)], work = sums[static_cast<int>(Sum::first_work)];
    const V alpha = static_cast<V>(energy > 0 ? work / energy : 0);
    V* of_node = b.data() + node * D.block;
    for (int i = 0; i < D.block; ++i) of_node[i] -= alpha * Ac[node * D.block + i];
    for (int i = 0; i < D.block; ++i) s[node * D.block + i] = detail::of_block<0>(D, node, i, of_node);
  });
}

/// Of y = D^-1 A x the square of the D-norm is (y, A x).
template <class Exec, class V>
double largest_eigenvalue(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, int steps,
                          View<V> x, View<V> y, View<V> z, const Bring<V>& bring, Offset first_row) {
  Array<double, typename Exec::Space> sums(2);
  const Offset rows = Offset{A.rows} * A.height;
  linalg::fill_random(exec, x.part(0, rows), 5, first_row);
  for (int step = 0; step < steps; ++step) {
    if (bring) bring(x);
    detail::use_product(exec, A, View<const V>(x), [&](auto h) {
      return detail::WithScaled<decltype(h)::value, V>{inverse, z, y};
    });
    if (step >= steps - 2) {
      const View<const V> image = z, scaled = y;
      reduce(
          exec, rows, [=] TESSERA_HD(Offset row) { return static_cast<double>(image[row]) * scaled[row]; },
          sums.data() + step - (steps - 2));
    }
    std::swap(x, y);
  }
  if (bring) sum_over_ranks(exec, {{sums.data(), 2}});
  const auto host = to_vector(sums);
  return host[0] > 0 ? std::sqrt(host[1] / host[0]) : 0;
}

/// One line instantiates what a hierarchy of V needs on a backend.
#define TESSERA_INSTANTIATE_NODE_CYCLE(Exec, V)                                                                        \
  template void begin_cycle(Exec&, double, View<const double>, const NodeDiagonalView<V>&, View<V>, View<V>);          \
  template void begin_cycle(Exec&, double, View<const float>, const NodeDiagonalView<V>&, View<V>, View<V>);           \
  template void smooth(Exec&, const NodeMatrixView<const V>&, const NodeDiagonalView<V>&, const Smoother<V>&, View<V>, \
                       View<V>, bool, View<V>, View<double>, const Bring<V>&);                                         \
  template void smooth(Exec&, const NodeMatrixView<const V>&, const NodeDiagonalView<V>&, const Smoother<V>&, View<V>, \
                       View<V>, bool, View<V>, View<float>, const Bring<V>&);                                          \
  template void residual(Exec&, const NodeMatrixView<const V>&, View<const V>, View<const V>, View<V>);                \
  template void scaled_residual(Exec&, const NodeMatrixView<const V>&, const NodeDiagonalView<V>&, View<const V>,      \
                                View<const V>, View<V>);                                                               \
  template void restrict_to(Exec&, const NodeMatrixView<const V>&, View<const V>, const NodeDiagonalView<V>&, View<V>, \
                            View<V>);                                                                                  \
  template void prolong(Exec&, const NodeMatrixView<const V>&, View<const V>, View<V>);                                \
  template void product(Exec&, const NodeMatrixView<const V>&, View<const V>, View<V>);                                \
  template void krylov_residual(Exec&, View<const double>, View<const V>, const NodeDiagonalView<V>&, View<V>,         \
                                View<V>);                                                                              \
  template double largest_eigenvalue(Exec&, const NodeMatrixView<const V>&, const NodeDiagonalView<V>&, int, View<V>,  \
                                     View<V>, View<V>, const Bring<V>&, Offset)

}  // namespace tessera::solvers::amg
