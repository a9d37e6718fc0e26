#pragma once
#include <cuda_runtime.h>

#include <source_location>

namespace tessera {

/// Throws Error when a CUDA call failed; the message names the call and the place.
void check_cuda(cudaError_t status, const char* call, const char* file, int line);

}  // namespace tessera

#define TESSERA_CUDA_CHECK(call) ::tessera::check_cuda((call), #call, __FILE__, __LINE__)
