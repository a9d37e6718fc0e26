#include "physics/run/frames.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/communicator.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "output/pieces.hpp"
#include "output/results.hpp"
#include "physics/later_fields.hpp"
#include "physics/run/report.hpp"

namespace tessera::physics {

bool is_shown(const OutputParams& params, double start, Offset step, double t_before, double t, bool last) {
  if (step == 0 || last) return true;
  if (params.every > 0 && step % params.every == 0) return true;
  if (!params.every_time) return false;
  constexpr double rounding = 1e-9;
  const auto intervals = [&](double to) { return std::floor((to - start) / params.every_time->time + rounding); };
  return intervals(t) > intervals(t_before);
}

namespace {

/// Of each of the two threads; so two states wait.
constexpr std::size_t most_waiting = 1;
/// Vectors of the solution that are kept for others: of those that wait and of the two that are worked on.
constexpr std::size_t most_spares = 2 * most_waiting + 2;

std::string stem_of(Offset step) { return output::frame_name("solution", step, ""); }

}  // namespace

Frames::Frames(const CommonParams& params, const Context& context, std::optional<double> t, bool free_team)
    : params_(params),
      directory_(context.output_directory),
      series_(directory_ / "solution.pvd"),
      writer_(most_waiting, free_team),
      maker_(most_waiting, free_team) {
  if (context.ranks && !context.ranks->is_root()) return;
  if (t) series_ = output::Series::resume(directory_ / "solution.pvd", *t);
  if (params.output.write && params.output.has_format("vtkhdf")) {
    const std::filesystem::path path = directory_ / "solution.vtkhdf";
    const output::VtkhdfOptions options{params.output.compression, free_team ? default_threads() : 1,
                                        precision_of(params.output)};
    hdf_.emplace(t ? output::VtkhdfSeries::resume(path, *t, options) : output::VtkhdfSeries(path, options));
  }
  if (params.quantities.empty()) return;
  std::vector<output::SeriesColumn> columns;
  for (const QuantityParams& quantity : params.quantities) columns.push_back({quantity.name});
  const std::filesystem::path table = directory_ / "quantities.csv";
  quantities_.emplace(t ? output::ProbeSeries::resume(table, columns, *t) : output::ProbeSeries(table, columns));
}

FileNames Frames::begin(Offset step, double t) {
  const std::string when = params_.time ? fmt::format("t = {:g}", t) : fmt::format("mode {}", step);
  return {stem_of(step), true, std::exchange(has_begun_, true), when};
}

std::filesystem::path Frames::file(Offset step, const char* extension) const {
  return directory_ / (stem_of(step) + extension);
}

void Frames::has_derived_from(const Results& results) {
  may_need_rates_ = dynamic_cast<const LaterFields*>(&results) == nullptr;
}

std::vector<double> Frames::spare(std::size_t length) {
  {
    const std::lock_guard lock(mutex_);
    if (!spares_.empty() && spares_.back().size() == length) {
      std::vector<double> result = std::move(spares_.back());
      spares_.pop_back();
      return result;
    }
  }
  return std::vector<double>(length);
}

/// Of fields that are written.
void Frames::keep(std::vector<output::Field>& fields, std::size_t length) {
  const std::lock_guard lock(mutex_);
  for (output::Field& field : fields)
    (field.values.size() == length && spares_.size() < most_spares ? spares_ : memory_)
        .push_back(std::move(field.values));
  fields.clear();
}

void Frames::write(Offset step, double t, const FileNames& names, MakeSolution make, std::vector<double> u) {
  wait([&] {
    // What is handed over can be copied, which a vector that it holds would be.
    const auto of_state = std::make_shared<std::vector<double>>(std::move(u));
    maker_.hand_over([this, step, t, names, make = std::move(make), of_state] {
      const std::size_t length = of_state->size();
      {
        const std::lock_guard lock(mutex_);
        state_.memory = std::exchange(memory_, {});
      }
      make(state_, std::move(*of_state));
      {
        const std::lock_guard lock(mutex_);
        not_finite_.insert(not_finite_.end(), state_.not_finite.begin(), state_.not_finite.end());
        state_.not_finite.clear();
      }
      const auto made = std::make_shared<output::VtkData>(std::exchange(state_.shown.data, {}));
      const double waited = writer_.seconds_waited();
      writer_.hand_over(
          [this, step, t, names, length, made] { write_files(step, t, names, std::move(*made), length); });
      held_up_ += writer_.seconds_waited() - waited;
    });
  });
}

/// Of a state, which has no grid where it goes on.
void Frames::write_files(Offset step, double t, const FileNames& names, output::VtkData made, std::size_t length) {
  if (names.goes_on)
    data_.point_fields = std::move(made.point_fields);
  else
    data_ = std::move(made);
  write_solution_files(params_.output, data_, directory_, names);
  if (hdf_) hdf_->add(t, data_, names.goes_on);
  keep(data_.point_fields, length);
  if (params_.output.has_format("csv")) output::make_lasting(file(step, ".csv"));
  if (params_.output.has_format("vtu") || params_.output.has_format("pvtu")) series_.add(t, file(step, ".vtu"));
}

void Frames::finish() {
  maker_.finish();
  writer_.finish();
}

void Frames::add_pieces(Offset step, double t, int rank, int pieces) {
  const std::string stem = stem_of(step);
  for (int of = 0; of < pieces; ++of)  // the root lists them all
    if (of == rank || rank == 0) output::make_lasting(directory_ / output::piece_name(of, stem));
  if (rank > 0) return;
  output::make_lasting(file(step, ".pvtu"));
  wait([&] { finish(); });
  if (!std::filesystem::exists(file(step, ".vtu"))) series_.add(t, file(step, ".pvtu"));
}

/// Of the main thread, for the profile.
void Frames::wait(const std::function<void()>& call) {
  Threads exec(1);
  Scope scope(exec, "output.wait");
  try {
    call();
  } catch (...) {
    warn_of_what_was_found();
    throw;
  }
  warn_of_what_was_found();
}

void Frames::warn_of_what_was_found() {
  std::vector<NotFinite> found;
  {
    const std::lock_guard lock(mutex_);
    found.swap(not_finite_);
  }
  for (const NotFinite& one : found) warn_once(one);
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
  Threads exec(1);
  Scope scope(exec, "output");
  wait([&] { finish(); });
  if (quantities_) quantities_->flush();
}

void Frames::summarise(output::Summary& summary) const {
  summary.set("output.seconds_making", maker_.seconds_worked() - held_up_);
  summary.set("output.seconds_writing", writer_.seconds_worked());
  summary.set("output.seconds_waiting", maker_.seconds_waited() + writer_.seconds_waited() - held_up_);
}

}  // namespace tessera::physics
