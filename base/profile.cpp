#include "base/profile.hpp"

#ifdef TESSERA_HAVE_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace tessera {

void Profile::add(const std::string& name, double seconds, double bytes) {
  for (Phase& phase : phases_)
    if (phase.name == name) {
      phase.seconds += seconds;
      phase.bytes += bytes;
      ++phase.calls;
      return;
    }
  phases_.push_back({name, seconds, bytes, 1});
}

Profile& profile() {
  static Profile instance;
  return instance;
}

#ifdef TESSERA_HAVE_CUDA
void nvtx_push(const char* name) { nvtxRangePushA(name); }
void nvtx_pop() { nvtxRangePop(); }
#else
void nvtx_push(const char*) {}
void nvtx_pop() {}
#endif

}  // namespace tessera
