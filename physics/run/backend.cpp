#include "physics/run/backend.hpp"

namespace tessera::physics {

void summarise_backend(const Threads& exec, output::Summary& summary) {
  summary.set("backend.type", Threads::name);
  summary.set("backend.threads", exec.count());
  summary.set("backend.precision", "double");
  summary.set("backend.deterministic", true);
}

void summarise_backend(const Cuda& exec, output::Summary& summary) {
  summary.set("backend.type", Cuda::name);
  summary.set("backend.device", exec.device_name());
  summary.set("backend.precision", "double");
  summary.set("backend.deterministic", true);
}

}  // namespace tessera::physics
