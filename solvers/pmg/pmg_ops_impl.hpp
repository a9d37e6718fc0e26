#pragma once
// Body of pmg_ops.hpp; instantiated by pmg_ops_threads.cpp and pmg_ops_cuda.cu.
#include "base/parallel.hpp"
#include "solvers/pmg/pmg_ops.hpp"

namespace tessera::solvers::pmg {

template <class Exec, class T>
void step(Exec& exec, double a, double c, View<const T> inverse, View<const T> b, View<const T> q, bool starts,
          View<T> z, View<T> x) {
  const T old = static_cast<T>(a), fresh = static_cast<T>(c);
  const bool reads_z = !starts && a != 0, reads_q = !q.empty();
  for_each(exec, x.size(), [=] TESSERA_HD(Offset row) {
    const T r = reads_q ? b[row] - q[row] : b[row];
    const T direction = (reads_z ? old * z[row] : T{0}) + fresh * inverse[row] * r;
    z[row] = direction;
    x[row] = (starts ? T{0} : x[row]) + direction;
  });
}

#define TESSERA_INSTANTIATE_PMG(Exec, T) \
  template void step(Exec&, double, double, View<const T>, View<const T>, View<const T>, bool, View<T>, View<T>)

}  // namespace tessera::solvers::pmg
