#pragma once
// What all runs through time do beside their steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/collective.hpp"
#include "base/team.hpp"
#include "linalg/halo.hpp"
#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/model.hpp"
#include "physics/module.hpp"
#include "physics/run/state.hpp"
#include "physics/run/time_report.hpp"

namespace tessera::physics {

/// While it lives, phases do not end a run that is to stop.
class StopsBetweenSteps {
 public:
  explicit StopsBetweenSteps(const Context& context) : context_(context) {
    if (context_.ends_at_phases) context_.ends_at_phases(false);
  }
  ~StopsBetweenSteps() {
    if (context_.ends_at_phases) context_.ends_at_phases(true);
  }
  StopsBetweenSteps(const StopsBetweenSteps&) = delete;

 private:
  const Context& context_;
};

/// Counts the steps of a run and shows its states to a visitor.
template <class Exec>
class Walk {
 public:
  using Space = typename Exec::Space;

 protected:
  Walk(Exec& exec, const Discretisation& space, Context& context) : exec_(exec), context_(context), space_(space) {}

  static bool begins(const State& state, const StateVisitor& visitor) {
    return state.step == 0 && visitor.shows(0, state.t, state.t, false);
  }

  /// Keeps the visitor's values at points, of u and, where they are looked at, its rates, of all rows that are seen.
  void sample(const State& state, const StateVisitor& visitor, View<const double> u, View<const double> rate = {}) {
    const View<double> values = next_sample(state, visitor);
    linalg::spmv(exec_, std::as_const(weights_).view(), u, values);
    if (!looks_at_rates(visitor)) return;
    linalg::spmv(exec_, std::as_const(rate_weights_).view(), rate, rates_.view());
    linalg::axpy(exec_, 1, rates_.view(), values);
  }
  /// Where the values of this state go, before the next call. Many come to the host at once.
  View<double> next_sample(const State& state, const StateVisitor& visitor) {
    take_weights(visitor.weights, weights_);
    if (looks_at_rates(visitor)) {
      take_weights(visitor.rate_weights, rate_weights_);
      if (rates_.empty()) rates_ = Array<double, Space>(weights_.rows);
    }
    if (looks_at_accelerations(visitor)) take_weights(visitor.acceleration_weights, acceleration_weights_);
    if (samples_.empty()) samples_ = Array<double, Space>(Offset{samples_at_once} * weights_.rows);
    if (sampled_.size() == samples_at_once) give_samples(visitor);
    sampled_.push_back({state.step, state.t});
    return samples_.view().part(Offset{static_cast<Index>(sampled_.size()) - 1} * weights_.rows, weights_.rows);
  }
  /// Before a state is saved, and at the end: those that are kept go to the visitor.
  void give_samples(const StateVisitor& visitor) {
    if (sampled_.empty()) return;
    const std::vector<double> values = to_vector(samples_);
    const auto points = static_cast<std::ptrdiff_t>(weights_.rows);
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i) * points;
      visitor.sample(sampled_[i].step, sampled_[i].t, {first, first + points});
    }
    sampled_.clear();
  }
  const linalg::Crs<Space>& weights() const { return weights_; }
  const linalg::Crs<Space>& rate_weights() const { return rate_weights_; }
  const linalg::Crs<Space>& acceleration_weights() const { return acceleration_weights_; }
  static bool looks_at_rates(const StateVisitor& visitor) {
    return visitor.rate_weights && visitor.rate_weights->rows > 0;
  }
  static bool looks_at_accelerations(const StateVisitor& visitor) {
    return visitor.acceleration_weights && visitor.acceleration_weights->rows > 0;
  }

  /// After a step: `take` brings the state to the host, where the visitor may keep it, `keep` what the scheme needs
  /// beside it.
  template <class Take, class Keep>
  void look(State& state, const StateVisitor& visitor, double before, bool last, Take take, Keep keep) {
    const bool shown = visitor.shows(state.step, before, state.t, last), saved = !last && visitor.saves(state.step);
    if (shown || saved) take();
    if ((shown || saved) && !is_finite(state)) return;  // what follows says so; a good state stays
    if (shown) visitor.visit(state, !saved);
    if (!saved) return;
    keep();
    save(state, visitor);
  }
  /// A vector of the backend, in the memory of the last one.
  static void bring(const Array<double, Space>& from, std::vector<double>& to) {
    to.resize(static_cast<std::size_t>(from.size()));
    if (!to.empty()) copy_bytes(Space{}, from.data(), Host{}, to.data(), from.bytes());
  }
  /// Where it has values: those that were saved before are good, and stay otherwise.
  void save(const State& state, const StateVisitor& visitor) {
    if (!is_finite(state)) return;
    give_samples(visitor);
    visitor.save(state);
  }

  void count(const State& state, double dt, double fraction, const std::string& how) {
    report_.dt_min = report_.dt_max == 0 ? dt : std::min(report_.dt_min, dt);
    report_.dt_max = std::max(report_.dt_max, dt);
    report_.step = state.step;
    report_.t = state.t;
    if (context_.progress)
      context_.progress(fraction, fmt::format("t = {:.6g}, step {}, {}", state.t, state.step, how));
  }

  /// Of all rows that this rank sees, from its own.
  std::vector<double> seen(std::vector<double> all) const {
    if (!space_.ranks) return all;
    all.resize(static_cast<std::size_t>(space_.rows()));
    linalg::update_ghosts(*space_.ranks, space_.index_map, space_.components, all);
    return all;
  }
  /// Of the rows that this rank owns.
  std::vector<double> own(const std::vector<double>& seen) const {
    return {seen.begin(), seen.begin() + (space_.ranks ? space_.owned_rows() : space_.rows())};
  }

  /// Rows of this rank, or of all that it sees, where ranks share them.
  void bring_seen(const Array<double, Space>& from, std::vector<double>& to) const {
    if (space_.ranks)
      to = seen(to_vector(from));
    else
      bring(from, to);
  }

  bool is_finite(const State& state) const { return are_finite(state.u); }
  bool are_finite(const std::vector<double>& values) const {
    const auto in_range = [&](Offset first, Offset last) {
      return std::all_of(values.begin() + first, values.begin() + last,
                         [](double value) { return std::isfinite(value); });
    };
    const bool finite = parallel_reduce(space_.threads, static_cast<Offset>(values.size()), true, in_range,
                                        [](bool a, bool b) { return a && b; });
    return space_.ranks ? !any(*space_.ranks, !finite) : finite;
  }

  Exec& exec_;
  Context& context_;
  TimeReport report_;

 private:
  static constexpr std::size_t samples_at_once = 256;
  struct Sampled {
    Offset step;
    double t;
  };

  static void take_weights(const linalg::Crs<Host>* from, linalg::Crs<Space>& to) {
    if (to.rows > 0) return;
    to.rows = from->rows;
    to.cols = from->cols;
    to.row_ptr = to_space<Space>(std::span<const Offset>(from->row_ptr.data(), from->rows + 1));
    to.col_ind = to_space<Space>(std::span<const Index>(from->col_ind.data(), from->nnz()));
    to.values = to_space<Space>(std::span<const double>(from->values.data(), from->nnz()));
  }

  const Discretisation& space_;
  linalg::Crs<Space> weights_, rate_weights_, acceleration_weights_;  ///< of the visitor's points
  Array<double, Space> samples_, rates_;
  std::vector<Sampled> sampled_;
};

}  // namespace tessera::physics
