#pragma once
#include "linalg/operator.hpp"

namespace tessera::solvers {

/// The scalars of a block of the single-reduction CG; `alpha` has one entry more than iterations, `gamma` two.
struct PersistentScalars {
  double *alpha, *gamma, *delta, *pq, *rr;
};

/// The matrix on which `persistent_iterations` can run; nullptr where it cannot.
template <class Exec, class T>
const linalg::Crs<typename Exec::Space, T>* persistent_matrix(Exec&, const linalg::Operator<Exec, T>& A, bool diagonal) {
  if constexpr (std::is_same_v<Exec, Cuda> && std::is_same_v<T, double>) {
    return diagonal ? A.crs() : nullptr;
  } else {
    (void)A, (void)diagonal;
    return nullptr;
  }
}

/// `count` iterations of the single-reduction CG in one cooperative launch: two barriers across the grid each, instead of the
/// ends and beginnings of kernels. For systems that stay in the L2 cache. `inverse_diagonal` empty: u is r. The sums are
/// formed in another order than by separate passes, and repeatably.
void persistent_iterations(Cuda& exec, const linalg::CrsView<const double>& A, View<const double> inverse_diagonal,
                           View<double> x, View<double> r, View<double> p, View<double> s, View<double> w, View<double> u,
                           const PersistentScalars& scalars, int count);
/// Never called: persistent_matrix gives threads and float no matrix.
template <class Exec, class T>
void persistent_iterations(Exec&, const linalg::CrsView<const T>&, View<const T>, View<T>, View<T>, View<T>, View<T>, View<T>,
                           View<T>, const PersistentScalars&, int) {}

}  // namespace tessera::solvers
