#pragma once
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define TESSERA_HD __host__ __device__
#else
#define TESSERA_HD
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
