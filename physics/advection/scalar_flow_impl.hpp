#pragma once
// make_flow, written once. It only calls declared functions: scalar_flow.cpp and scalar_flow_cuda.cpp instantiate it.
#include "physics/advection/flux_program.hpp"
#include "physics/advection/scalar_flow.hpp"
#include "physics/advection/scheme.hpp"
#include "physics/conservation/scheme_flow.hpp"

namespace tessera::physics::advection {

template <class Exec>
class ScalarFlow final : public conservation::SchemeFlow<Exec> {
 public:
  using typename Flow<Exec>::Space;

  ScalarFlow(Exec& exec, const Problem& problem, FirstIntegral& start, output::Summary& summary)
      : conservation::SchemeFlow<Exec>(exec, problem.space, *problem.params.time, summary),
        problem_(problem),
        start_(start) {
    for (const InflowList& list : problem.inflows) inflows_.push_back({to_space<Space>(list.nodes), {}});
    law_.range = range_.data();
    if (problem.params.flux.function.empty()) return;
    const FluxPrograms programs = programs_of(problem.params.flux);
    flux_ = Program(programs.flux);
    slopes_ = Program(programs.slopes);
    law_.flux = flux_.view();
    law_.slopes = slopes_.view();
  }

 private:
  using conservation::SchemeFlow<Exec>::exec_, conservation::SchemeFlow<Exec>::space_;

  struct Inflow {
    Array<Index, Space> nodes;
    Array<double, Space> values;
  };
  struct Program {
    Program() = default;
    explicit Program(const deck::expressions::NodeProgram& program)
        : steps(to_space<Space>(program.steps)), numbers(to_space<Space>(program.numbers)) {}
    deck::expressions::NodeProgramView view() const {
      return {steps.data(), numbers.data(), static_cast<std::int32_t>(steps.size())};
    }
    Array<deck::expressions::Step, Space> steps;
    Array<double, Space> numbers;
  };

  std::unique_ptr<conservation::Scheme<Exec>> create_scheme(
      const typename conservation::Scheme<Exec>::Exchange& exchange) override {
    const Params& params = problem_.params;
    const conservation::LimitParams limits{.limiter = conservation::limiter_named(params.limiter),
                                           .consistent_mass = params.mass == "consistent",
                                           .relaxed = params.relaxed_bounds};
    auto made =
        make_scheme(exec_, space_.mesh, space_.dofs, !params.flux.function.empty(), limits, this->owned(), exchange);
    made.set_law(law_);
    return std::move(made.scheme);
  }

  void before_start(double t) override {
    this->on_each([&] {
      take_velocity(t);
      for (std::size_t b = 0; b < inflows_.size(); ++b) set_values(b, t);
    });
    values_time_ = t;
  }
  void at_start(double t, View<double> u, bool first) override {
    prescribe_in_scheme();
    if (!first) return;
    constrain(t, u);
    this->update_ghosts(u, 1);
    const std::vector<double> seen = this->u();
    this->on_each([&] { check_jumps(problem_, seen, t); });
    const Offset owned = this->owned();
    std::vector<double> values(static_cast<std::size_t>(owned)), masses(values.size());
    copy_bytes(Space{}, u.data(), Host{}, values.data(), values.size() * sizeof(double));
    copy_bytes(Space{}, this->scheme().lumped_mass().data(), Host{}, masses.data(), masses.size() * sizeof(double));
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) total += masses[i] * values[i];
    in_common::add(space_.shared(), {&total, 1});
    start_ = total;
  }

  /// The velocity and the inflows of the time, and the range of the state.
  void prepare(double t, View<const double> u) override {
    take_values(t);
    if (problem_.velocity_varies() && t != velocity_time_) this->on_each([&] { take_velocity(t); });
    find_range(exec_, u.part(0, this->owned()), scratch_.view(), range_.view());
    if (!space_.shared()) return;
    double both[2];
    copy_bytes(Space{}, range_.data(), Host{}, both, sizeof both);
    both[0] = -both[0];
    in_common::largest(space_.shared(), both);
    both[0] = -both[0];
    copy_bytes(Host{}, both, Space{}, range_.data(), sizeof both);
  }
  void take_velocity(double t) {
    const std::vector<double> v = velocity_at(problem_, t);
    velocity_time_ = t;
    if (v.empty()) return;
    if (velocity_.size() == 0) velocity_ = Array<double, Space>(static_cast<Offset>(v.size()));
    copy_bytes(Host{}, v.data(), Space{}, velocity_.data(), v.size() * sizeof(double));
    law_.velocity = velocity_.data();
  }

  void set_values(std::size_t which, double t) {
    inflows_[which].values = to_space<Space>(values_at(problem_, problem_.inflows[which], t));
  }
  void take_values(double t) {
    if (t == values_time_) return;
    values_time_ = t;
    bool any_varies = false;
    for (std::size_t b = 0; b < inflows_.size(); ++b) {
      if (!problem_.inflows[b].varies) continue;
      any_varies = true;
      this->on_each([&] { set_values(b, t); });
    }
    if (any_varies) prescribe_in_scheme();
  }
  void prescribe_in_scheme() {
    std::vector<typename conservation::Scheme<Exec>::Prescribed> lists;
    for (const Inflow& inflow : inflows_) lists.push_back({inflow.nodes.view(), inflow.values.view()});
    this->scheme().set_prescribed(lists);
  }
  void constrain(double t, View<double> u) override {
    take_values(t);
    for (const Inflow& inflow : inflows_) prescribe(exec_, inflow.nodes.view(), inflow.values.view(), u);
  }

  bool is_same_at_any_time() const override {
    return !problem_.velocity_varies() && std::none_of(problem_.inflows.begin(), problem_.inflows.end(),
                                                       [](const InflowList& list) { return list.varies; });
  }

  void refuse(const std::vector<double>& u) const override { check_slopes(problem_, u); }
  const char* what_is_lost() const override { return "u finite"; }
  std::string describe(const double* own) const override { return fmt::format("u = {:.6g}", own[0]); }

  const Problem& problem_;
  FirstIntegral& start_;
  std::vector<Inflow> inflows_;
  Program flux_, slopes_;
  Array<double, Space> velocity_, range_{2}, scratch_{range_scratch};
  double velocity_time_ = 0, values_time_ = 0;
  LawView law_;
};

template <class Exec>
std::unique_ptr<Flow<Exec>> make_flow(Exec& exec, const Problem& problem, FirstIntegral& start,
                                      output::Summary& summary) {
  return std::make_unique<ScalarFlow<Exec>>(exec, problem, start, summary);
}

}  // namespace tessera::physics::advection
