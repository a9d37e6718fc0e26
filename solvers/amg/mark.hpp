#pragma once
#include "base/profile.hpp"

namespace tessera::solvers::amg {

/// Names a part of a set-up in the pictures of a profiler (NVTX); waits for nothing.
class Mark {
 public:
  explicit Mark(const char* name) { nvtx_push(name); }
  ~Mark() { nvtx_pop(); }
  Mark(const Mark&) = delete;
};

}  // namespace tessera::solvers::amg
