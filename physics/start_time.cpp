#include "physics/start_time.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tessera::physics {

void check_start(const std::vector<deck::Expression>& first, const TimeParams& time) {
  if (time.start != 0) return;
  for (const deck::Expression& e : first)
    if (e.depends_on_time())
      throw Error(
          ExitCode::usage,
          fmt::format("[[initial]] is the state at t = 0 alone, and the expression '{}' depends on t", e.text()),
          "write what it is at t = 0, or where it starts: time.start", e.where());
}

}  // namespace tessera::physics
