#include "physics/run/frames.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/pieces.hpp"
#include "output/results.hpp"

namespace tessera::physics {

bool is_shown(const OutputParams& params, double start, Offset step, double t_before, double t, bool last) {
  if (step == 0 || last) return true;
  if (params.every > 0 && step % params.every == 0) return true;
  if (!params.every_time) return false;
  constexpr double rounding = 1e-9;
  const auto intervals = [&](double to) { return std::floor((to - start) / params.every_time->time + rounding); };
  return intervals(t) > intervals(t_before);
}

Frames::Frames(const OutputParams& params, const std::filesystem::path& directory, std::optional<double> t)
    : params_(params),
      directory_(directory),
      series_(t ? output::Series::resume(directory / "solution.pvd", *t) : output::Series(directory / "solution.pvd")) {
}

FileNames Frames::names(Offset step) const { return {fmt::format("solution_{:06}", step), true}; }

void Frames::add(Offset step, double t, int rank, bool in_pieces) {
  const std::string stem = names(step).stem;
  if (in_pieces) output::make_lasting(directory_ / output::piece_name(rank, stem));
  if (rank > 0) return;
  const auto file = [&](const char* extension) { return directory_ / (stem + extension); };
  if (params_.has_format("csv")) output::make_lasting(file(".csv"));
  if (in_pieces) output::make_lasting(file(".pvtu"));
  if (!params_.has_format("vtu") && !params_.has_format("pvtu")) return;
  const bool one_file = !in_pieces || std::filesystem::exists(file(".vtu"));
  series_.add(t, file(one_file ? ".vtu" : ".pvtu"));
}

}  // namespace tessera::physics
