#pragma once
#include "base/memory.hpp"

namespace tessera {

/// The device part of memory_use(): zero on builds without CUDA.
MemoryUse device_memory_use();

}  // namespace tessera
