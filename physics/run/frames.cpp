#include "physics/run/frames.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/communicator.hpp"
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

Frames::Frames(const CommonParams& params, const Context& context, std::optional<double> t)
    : params_(params), directory_(context.output_directory), series_(directory_ / "solution.pvd") {
  if (context.ranks && !context.ranks->is_root()) return;
  if (t) series_ = output::Series::resume(directory_ / "solution.pvd", *t);
  if (params.quantities.empty()) return;
  std::vector<output::SeriesColumn> columns;
  for (const QuantityParams& quantity : params.quantities) columns.push_back({quantity.name});
  const std::filesystem::path table = directory_ / "quantities.csv";
  quantities_.emplace(t ? output::ProbeSeries::resume(table, columns, *t) : output::ProbeSeries(table, columns));
}

FileNames Frames::names(Offset step) const { return {output::frame_name("solution", step, ""), true}; }

void Frames::add(Offset step, double t, int rank, int pieces) {
  const std::string stem = names(step).stem;
  for (int of = 0; of < pieces; ++of)  // the root lists them all
    if (of == rank || rank == 0) output::make_lasting(directory_ / output::piece_name(of, stem));
  if (rank > 0) return;
  const bool in_pieces = pieces > 0;
  const auto file = [&](const char* extension) { return directory_ / (stem + extension); };
  if (params_.output.has_format("csv")) output::make_lasting(file(".csv"));
  if (in_pieces) output::make_lasting(file(".pvtu"));
  if (!params_.output.has_format("vtu") && !params_.output.has_format("pvtu")) return;
  const bool one_file = !in_pieces || std::filesystem::exists(file(".vtu"));
  series_.add(t, file(one_file ? ".vtu" : ".pvtu"));
}

void Frames::add_quantities(Offset step, double t, const output::Summary& summary) {
  if (!quantities_) return;
  std::vector<double> row;
  for (const QuantityParams& quantity : params_.quantities) {
    const nlohmann::ordered_json& value = summary.json().at("quantities").at(quantity.name);
    row.push_back(value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
  }
  quantities_->add(step, t, row);
}

void Frames::flush() {
  if (quantities_) quantities_->flush();
}

}  // namespace tessera::physics
