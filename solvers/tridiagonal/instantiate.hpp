#pragma once
#include "solvers/tridiagonal/cyclic_reduction_impl.hpp"
#include "solvers/tridiagonal/sequential_impl.hpp"

/// One line instantiates the single-source methods for a backend and a type.
#define TESSERA_INSTANTIATE_TRIDIAGONAL(Exec, T)                                                                   \
  template void thomas(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>, View<T>);             \
  template void lu_pivoting(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>, View<T>);        \
  template void cyclic_reduction(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>, View<T>,    \
                                 Offset);                                                                          \
  template Inspection inspect(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>);               \
  template Residual residual(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>, View<const T>); \
  template Offset first_fault(Exec&, Workspace<Exec::Space>&, const Tridiagonal<T>&, View<const T>, RowFault);     \
  template void to_contiguous(Exec&, Index, Index, View<const T>, View<T>);                                        \
  template void to_interleaved(Exec&, Index, Index, View<const T>, View<T>)
