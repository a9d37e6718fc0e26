#pragma once
// exp(A) of many small matrices by libraries.
#include "bench/support/peers.hpp"

namespace tessera::bench {

/// exp(A) of `count` matrices, entry (i, j) of matrix k at [(i n + j) count + k] of `a` and of our `result`. Threads:
/// Eigen's MatrixFunctions, matrix by matrix on all threads. CUDA: scaling, Padé's approximant of order 13 and squaring
/// as a loop of cuBLAS's batched products and batched LU.
Peer exponential_peer(Threads& exec, int n, Offset count, const Array<double>& a, const Array<double>& result);
Peer exponential_peer(Cuda& exec, int n, Offset count, const Array<double, Device>& a,
                      const Array<double, Device>& result);

}  // namespace tessera::bench
