#pragma once
// make_rate_systems, written once: rate_systems_threads.cpp and rate_systems_cuda.cu instantiate it.
#include "physics/reaction_diffusion/rate_systems.hpp"
#include "solvers/odes/ode_systems_impl.hpp"

namespace tessera::physics::reaction_diffusion {

/// A program where the nodes are.
template <class Space>
struct StoredProgram {
  explicit StoredProgram(const deck::expressions::NodeProgram& program)
      : steps(to_space<Space>(program.steps)), numbers(to_space<Space>(program.numbers)) {}
  deck::expressions::NodeProgramView view() const {
    return {steps.data(), numbers.data(), static_cast<std::int32_t>(steps.size())};
  }
  Array<deck::expressions::Step, Space> steps;
  Array<double, Space> numbers;
};

template <class Exec>
class RateSystems final : public solvers::ReactionStep<Exec> {
 public:
  using Space = typename Exec::Space;

  RateSystems(Exec& exec, const RatePrograms& programs, int fields, const std::vector<double>& points,
              const solvers::OdeOptions& options)
      : rates_(programs.rates),
        jacobian_(programs.jacobian),
        in_time_(programs.in_time),
        points_(to_space<Space>(points)) {
    const auto make = [&]<int bound>(RateReaction<bound> reaction) {
      reaction.fields = fields;
      reaction.of_rates = rates_.view();
      reaction.of_jacobian = jacobian_.view();
      reaction.of_time = in_time_.view();
      reaction.points = points_.data();
      systems_ = std::make_unique<solvers::OdeSystems<Exec, RateReaction<bound>>>(
          exec, reaction, static_cast<Offset>(points.size() / 3), options);
    };
    if (fields <= 4)
      make(RateReaction<4>());
    else
      make(RateReaction<most_fields_of_rates>());
  }

  using solvers::ReactionStep<Exec>::advance;
  solvers::OdeReport advance(double t, double dt, View<double> u, const solvers::NodeLayout& layout) override {
    return systems_->advance(t, dt, u, layout);
  }
  void forget() override { systems_->forget(); }
  View<double> next_steps() override { return systems_->next_steps(); }
  int species() const override { return systems_->species(); }
  Offset count() const override { return systems_->count(); }
  Offset bytes() const override { return systems_->bytes() + static_cast<Offset>(points_.bytes()); }

 private:
  StoredProgram<Space> rates_, jacobian_, in_time_;
  Array<double, Space> points_;
  std::unique_ptr<solvers::ReactionStep<Exec>> systems_;
};

template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_rate_systems(Exec& exec, const Rates& rates,
                                                               const std::vector<double>& points,
                                                               const solvers::OdeOptions& options) {
  return std::make_unique<RateSystems<Exec>>(exec, rates.compile(), rates.fields(), points, options);
}

}  // namespace tessera::physics::reaction_diffusion
