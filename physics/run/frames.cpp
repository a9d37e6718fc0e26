#include "physics/run/frames.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/results.hpp"

namespace tessera::physics {

Frames::Frames(const OutputParams& params, const TimeParams& time)
    : params_(params), steps_(time.start, time.end, *time.step), start_(time.start) {}

bool Frames::shows(Offset step, double t) const {
  if (step == 0 || step == steps_.count()) return true;
  if (params_.every > 0 && step % params_.every == 0) return true;
  if (!params_.every_time) return false;
  // Of an interval that ends between two steps the later one is shown.
  constexpr double rounding = 1e-9;
  const auto intervals = [&](double to) { return std::floor((to - start_) / params_.every_time->time + rounding); };
  return intervals(t) > intervals(steps_.time(step - 1));
}

Series::Series(const OutputParams& params, std::filesystem::path directory)
    : params_(params), directory_(std::move(directory)) {}

FileNames Series::names(Offset step) const { return {fmt::format("solution_{:06}", step), true}; }

void Series::add(Offset step, double t, bool pieces) {
  if (params_.has_format("vtu") || params_.has_format("pvtu")) {
    const bool in_pieces = pieces && !params_.has_format("vtu");
    entries_.push_back({t, directory_ / (names(step).stem + (in_pieces ? ".pvtu" : ".vtu"))});
    output::write_pvd(directory_ / "solution.pvd", entries_);
  }
  output::settle_results();
}

}  // namespace tessera::physics
