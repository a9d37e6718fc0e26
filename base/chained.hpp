#pragma once
// Loops in a chain of short kernels, see chained_launch.cuh; on threads the plain ones.
#include "base/parallel.hpp"

#ifdef __CUDACC__
#include "base/chained_launch.cuh"
#endif

namespace tessera {

template <class F>
void for_each_chained(Threads& exec, Offset count, F f) {
  for_each(exec, count, f);
}

}  // namespace tessera
