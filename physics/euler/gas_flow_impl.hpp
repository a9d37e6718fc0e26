#pragma once
// make_flow, written once. It only calls declared functions: gas_flow.cpp and gas_flow_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "physics/conservation/scheme_flow.hpp"
#include "physics/conservation/theta_steps.hpp"
#include "physics/euler/gas_flow.hpp"
#include "physics/euler/limiter_field.hpp"
#include "physics/euler/scheme.hpp"

namespace tessera::physics::euler {

template <class Exec>
class GasFlow final : public conservation::SchemeFlow<Exec> {
 public:
  using typename Flow<Exec>::Space;
  using typename Flow<Exec>::Step;

  GasFlow(Exec& exec, const Problem& problem, output::Summary& summary)
      : conservation::SchemeFlow<Exec>(exec, problem.space, *problem.params.time, summary), problem_(problem) {
    if (const auto& steady = problem.params.steady)
      this->march({steady->tolerance, problem.params.limiter == "monolithic" ? steady->damping : 0.0,
                   steady->damping_below, steady->most_cfl, steady->growth});
    for (const BoundaryList& list : problem.boundaries) {
      const bool states = list.kind != BoundaryKind::slip_wall;
      boundaries_.push_back({list.kind, to_space<Space>(list.nodes), to_space<Space>(list.normals), {}});
      if (states) set_values(boundaries_.size() - 1, problem.params.time->start);
    }
  }

  Step step(double t, double most) override {
    const double longest = this->longest_step();
    const Step done = conservation::SchemeFlow<Exec>::step(t, most);
    if (theta_ && problem_.params.limiter == "convex" && done.dt > most_corrected * longest)
      warn_of_correction(done.dt / longest);
    return done;
  }

 private:
  using conservation::SchemeFlow<Exec>::exec_;
  /// Steps, in units of the longest explicit one, up to which convex limits at the end of a step give back what the low
  /// order took: of longer ones an edge would have to bring more than the difference of its ends, each by itself.
  static constexpr double most_corrected = 2;

  void warn_of_correction(double cfl) {
    if (std::exchange(is_warned_, true)) return;
    warn(fmt::format(
        "steps are {:.3g} times the longest explicit one, and limiter = \"convex\" corrects the end of a step: "
        "beyond {:g} times it flows are nearly those of limiter = \"none\"; choose a smaller {}, or "
        "limiter = \"monolithic\" or \"fct\"",
        cfl, most_corrected, problem_.params.time->cfl ? "time.cfl" : "time.step"));
  }

  std::unique_ptr<Scheme<Exec>> create_scheme(const typename Scheme<Exec>::Exchange& exchange) override {
    const SchemeParams params = scheme_params(problem_);
    auto scheme = make_scheme(
        exec_, problem_.space.mesh, problem_.space.dofs, params, this->owned(), exchange,
        [this](View<float> x, int count) { this->update_ghosts(x, count); },
        [this](std::span<double> x) { in_common::add(problem_.space.shared(), x); });
    if (params.in_float) choose_units(*scheme);
    return scheme;
  }

  /// Of the deck's first state, also where a run goes on: what passes in float make does not depend on where it
  /// stopped.
  void choose_units(Scheme<Exec>& scheme) const {
    const std::vector<double> u = first_state(problem_);
    constexpr double none = -std::numeric_limits<double>::infinity();
    double most[4] = {none, none, none, none};  // of log2 rho, -log2 rho, and the same of E / rho
    for (Index node = 0; node < this->owned(); ++node) {
      const double* const own = &u[static_cast<std::size_t>(problem_.space.row(node, 0))];
      const double rho = std::log2(own[density]), specific = std::log2(own[energy] / own[density]);
      const double here[4] = {rho, -rho, specific, -specific};
      for (int k = 0; k < 4; ++k) most[k] = std::max(most[k], here[k]);
    }
    in_common::largest(problem_.space.shared(), most);
    const double of_density = std::exp2(-std::round(0.5 * (most[0] - most[1]))),
                 of_speed = std::exp2(-std::round(0.25 * (most[2] - most[3])));
    std::vector<double> numbers(static_cast<std::size_t>(this->components()), of_density * of_speed);
    numbers[density] = of_density;
    numbers[energy] = of_density * of_speed * of_speed;
    scheme.set_units(numbers, of_speed);
  }

  std::unique_ptr<conservation::SchemeSteps<Exec>> create_implicit(conservation::ThetaCalls<Exec> calls) override {
    const Params& params = problem_.params;
    std::vector<Index> bounded;
    for (const BoundaryList& list : problem_.boundaries)
      if (list.kind != BoundaryKind::outflow)
        std::copy_if(list.nodes.begin(), list.nodes.end(), std::back_inserter(bounded),
                     [own = this->owned()](Index node) { return node < own; });
    std::sort(bounded.begin(), bounded.end());
    bounded.erase(std::unique(bounded.begin(), bounded.end()), bounded.end());
    const conservation::ThetaParams theta{.theta = euler::theta_of(*params.time),
                                          .tolerance = params.newton_steps.tolerance,
                                          .max_iterations = params.newton_steps.max_iterations,
                                          .limits = params.limiter == "monolithic",
                                          .solver = solver_of_steps(params, Exec::name)};
    auto steps =
        std::make_unique<conservation::ThetaSteps<Exec>>(exec_, this->scheme(), theta, bounded, std::move(calls));
    theta_ = steps.get();
    return steps;
  }

  /// Inflows overwrite what the scheme makes of their nodes.
  void at_start(double, View<double>, bool) override {
    std::vector<typename Scheme<Exec>::Prescribed> lists;
    for (const BoundaryNodes<Space>& list : boundaries_)
      if (list.kind == BoundaryKind::inflow)
        lists.push_back({list.nodes.view(), list.values.view().part(0, list.nodes.size())});
    this->scheme().set_prescribed(lists);
  }

  void set_values(std::size_t which, double t) {
    boundaries_[which].values = to_space<Space>(values_at(problem_, problem_.boundaries[which], t));
  }

  void constrain(double t, View<double> u) override {
    for (std::size_t b = 0; b < boundaries_.size(); ++b) {
      if (problem_.boundaries[b].varies()) this->on_each([&] { set_values(b, t); });
      euler::constrain(exec_, this->dim(), problem_.gas, boundaries_[b], u);
    }
  }

  bool is_same_at_any_time() const override {
    return std::none_of(problem_.boundaries.begin(), problem_.boundaries.end(),
                        [](const BoundaryList& list) { return list.varies(); });
  }

  void summarise_steps(output::Summary& summary) const override {
    if (!theta_) return;
    const conservation::ThetaWork& work = theta_->work();
    summary.set("time.systems", work.systems);
    summary.set("time.matrices", work.matrices);
    summary.set("time.iterations", work.iterations);
  }
  std::string why_unsolved() const override { return theta_ ? theta_->unsolved() : std::string(); }
  Offset rejected_locally() const override { return theta_ ? theta_->locally_rejected() : 0; }

  const char* what_is_lost() const override { return "the gas a gas"; }
  std::string describe(const double* own) const override {
    double kinetic = 0;
    for (int d = momentum; d < this->components(); ++d) kinetic += 0.5 * own[d] * own[d] / own[density];
    return fmt::format("density {:.6g}, internal energy {:.6g}", own[density], own[energy] - kinetic) +
           (problem_.params.viscosity == "guaranteed"
                ? ""
                : fmt::format("; viscosity = \"{}\" does not keep them positive, \"guaranteed\" does",
                              problem_.params.viscosity));
  }

  const Problem& problem_;
  std::vector<BoundaryNodes<Space>> boundaries_;
  conservation::ThetaSteps<Exec>* theta_ = nullptr;  ///< where steps are implicit
  bool is_warned_ = false;                           ///< of steps that are too long to be corrected
};

template <class Exec>
std::unique_ptr<Flow<Exec>> make_flow(Exec& exec, const Problem& problem, output::Summary& summary) {
  return std::make_unique<GasFlow<Exec>>(exec, problem, summary);
}

}  // namespace tessera::physics::euler
