#pragma once
#include <cstddef>
#include <cstdint>

// TESSERA_HD_INLINE: of small functions in inner loops, which GCC leaves as calls once there are many of them.
#ifdef __CUDACC__
#define TESSERA_HD __host__ __device__
#define TESSERA_HD_INLINE TESSERA_HD
#else
#define TESSERA_HD
#define TESSERA_HD_INLINE __attribute__((always_inline))
#endif

namespace tessera {

/// Local index of a node, dof, cell or row. Overflow is checked where a mesh or a sparsity is built.
using Index = std::int32_t;
/// Anything that counts non-zeros or bytes.
using Offset = std::int64_t;

/// Memory spaces: the second argument of Array.
struct Host {};
struct Device {};

}  // namespace tessera
