#pragma once
// What GridOperator does the same way on every backend.
#include <cmath>

#include "solvers/grid/grid_operator.hpp"

namespace tessera::solvers::grid {

/// What is done with (A x)_i; returns the summand of the sum that is formed on the way. `reads`: another vector, b.
template <class T>
struct StoreProduct {
  static constexpr bool sums = false, reads = false;
  T* y;
  TESSERA_HD double operator()(Offset i, T, T product) const {
    y[i] = product;
    return 0;
  }
};
template <class T>
struct StoreDot {
  static constexpr bool sums = true, reads = false;
  T* y;
  TESSERA_HD double operator()(Offset i, T x, T product) const {
    y[i] = product;
    return static_cast<double>(x) * static_cast<double>(product);
  }
};
template <class T>
struct StoreResidual {
  static constexpr bool sums = true, reads = true;
  T* r;
  const T* b;
  TESSERA_HD double operator()(Offset i, T, T product) const {
    const T difference = b[i] - product;
    r[i] = difference;
    return static_cast<double>(difference) * static_cast<double>(difference);
  }
};

/// Calls store(i, x_i, (A x)_i) for every node; *result = the sum of what it returns, where it sums.
template <class T, class Store>
void apply_stencil(Threads& exec, const PlaneStencil<T>& stencil, bool star, const T* x, Store store, double* result);
template <class T, class Store>
void apply_stencil(Cuda& exec, const PlaneStencil<T>& stencil, bool star, const T* x, Store store, double* result);

template <class T>
PlaneStencil<T> plane_stencil(const GridProblem& problem) {
  const std::array<double, 8> w = stencil_weights(problem);
  const auto cast = [](double value) { return static_cast<T>(value); };
  if (problem.dim == 3)
    return {problem.n[0],
            problem.n[1],
            problem.n[2],
            {cast(w[0]), cast(w[1]), cast(w[2]), cast(w[3])},
            {cast(w[4]), cast(w[5]), cast(w[6]), cast(w[7])}};
  return {problem.n[0],
          1,
          problem.dim == 2 ? problem.n[1] : 1,
          {cast(w[0]), cast(w[1]), 0, 0},
          {cast(w[2]), cast(w[3]), 0, 0}};
}

template <class Exec, class T>
GridOperator<Exec, T>::GridOperator(const GridProblem& problem) : problem_(problem) {
  check_grid_problem(problem);
  stencil_ = plane_stencil<T>(problem);
}

template <class Exec, class T>
void GridOperator<Exec, T>::apply(Exec& exec, View<const T> x, View<T> y) const {
  apply_stencil(exec, stencil_, problem_.stencil == Stencil::star, x.data(), StoreProduct<T>{y.data()}, nullptr);
}

template <class Exec, class T>
void GridOperator<Exec, T>::apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const {
  apply_stencil(exec, stencil_, problem_.stencil == Stencil::star, p.data(), StoreDot<T>{q.data()}, pq);
}

template <class Exec, class T>
void GridOperator<Exec, T>::residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const {
  apply_stencil(exec, stencil_, problem_.stencil == Stencil::star, x.data(), StoreResidual<T>{r.data(), b.data()}, rr);
}

}  // namespace tessera::solvers::grid
