#include "base/backend.hpp"

#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera {

Threads::Threads(int count) : count_(count > 0 ? count : default_threads()) {}

std::string resolve_backend(const std::string& asked) {
  if (asked == "threads") return asked;
  if (asked != "auto" && asked != "cuda")
    throw Error(ExitCode::usage, "unknown backend '" + asked + "'", suggest(asked, {"auto", "threads", "cuda"}));
  const CudaInfo info = cuda_info();
  if (info.usable) return "cuda";
  if (asked == "cuda")
    throw Error(ExitCode::usage, "backend cuda was asked for, but " + info.why_not,
                "use --backend threads (or auto); `tessera doctor` says what was found");
  return "threads";
}

}  // namespace tessera
