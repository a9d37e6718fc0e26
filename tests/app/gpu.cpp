#include "app/gpu.hpp"

#include "base/backend.hpp"

namespace app_test {

bool has_gpu() {
  static const bool usable = tessera::cuda_info().usable;
  return usable;
}

}  // namespace app_test
