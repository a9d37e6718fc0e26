#pragma once
// Products of small matrices by the warps of a GPU.

namespace tessera {

/// A warp's C += A B in double precision, A 8 x 4, B 4 x 8, on tensor cores where the architecture has them for double
/// (8.0 on): a = A[lane / 4][lane % 4], b = B[lane % 4][lane / 4], c = C[lane / 4][2 (lane % 4) + 0, 1].
__device__ inline void multiply_add_8x8x4(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#else
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 4; ++k) {
    const double row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);
    for (int half = 0; half < 2; ++half) c[half] += row * __shfl_sync(0xffffffffu, b, (2 * (lane % 4) + half) * 4 + k);
  }
#endif
}

}  // namespace tessera
