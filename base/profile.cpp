#include "base/profile.hpp"

#ifdef TESSERA_HAVE_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace tessera {

Phase& Profile::find(const std::string& name) {
  for (Phase& phase : phases_)
    if (phase.name == name) return phase;
  phases_.push_back({name, 0, 0, 0, open_.empty() ? std::string() : open_.back()});
  return phases_.back();
}

void Profile::begin(const std::string& name) {
  find(name);  // the listener sees which have come
  if (listener_) listener_->begin(name);
  open_.push_back(name);
}

void Profile::end(const std::string& name, double seconds, double bytes) {
  if (!open_.empty()) open_.pop_back();
  Phase& phase = find(name);
  phase.seconds += seconds;
  phase.bytes += bytes;
  ++phase.calls;
  if (listener_) listener_->end(name);
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
