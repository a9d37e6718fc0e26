#include "physics/step_count.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tessera::physics {

void check_step_count(const TimeParams& params, double step, const std::string& what, const deck::Where& where) {
  constexpr double most = 1e15;
  const double count = (params.end - params.start) / step;
  if (!(count <= most))
    throw Error(ExitCode::usage, fmt::format("{} makes {:.3g} steps, too many to count", what, count),
                "give a longer step", where);
  if (params.start + step == params.start || params.end - step == params.end)
    throw Error(ExitCode::usage, fmt::format("{} is below the last digit of t", what),
                "give a longer step, or count the time from 0", where);
}

void check_chosen_step(const TimeParams& params, double step) {
  if (params.cfl)
    check_step_count(params, step, fmt::format("time.cfl = {:g}, which is steps of {:.3g},", *params.cfl, step),
                     params.where);
}

}  // namespace tessera::physics
