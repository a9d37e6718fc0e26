#pragma once
// Bodies of ode_systems.hpp, written once; instantiated by whoever has a reaction.
#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/odes/cash_karp.hpp"
#include "solvers/odes/exponential_rosenbrock.hpp"
#include "solvers/odes/node_chebyshev.hpp"
#include "solvers/odes/ode_report.hpp"
#include "solvers/odes/ode_systems.hpp"
#include "solvers/odes/rodas3.hpp"

namespace tessera::solvers {
namespace detail {

/// Nodes that a thread takes at a time: few, since nobody knows which of them are stiff.
inline constexpr Offset nodes_at_a_time = 32;
/// In how many parts outcomes are added up: enough for the threads of a device, few to copy.
inline constexpr Offset report_parts = 4096;
/// Most species of the exponential method: see OdeMethod::most_species.
inline constexpr int most_exponential_species = 16;

template <class F>
void each_node(Threads& exec, Offset count, F f) {
  parallel_chunks(exec.count(), count, nodes_at_a_time, [&f](Offset first, Offset last, int) {
    const F own = f;
    for (Offset i = first; i < last; ++i) own(i);
  });
}
template <class F>
void each_node(Cuda& exec, Offset count, F f) {
  for_each(exec, count, f);
}

/// The reaction of node i, where it is not the same everywhere.
template <class Reaction>
TESSERA_HD auto reaction_at(const Reaction& reaction, [[maybe_unused]] Offset i) {
  if constexpr (requires { reaction.at_node(i); })
    return reaction.at_node(i);
  else
    return reaction;
}

template <class Step, class Reaction, class Exec>
void step_nodes(Exec& exec, const Reaction reaction, double t, double dt, const NodeOptions options, NodeLayout layout,
                View<double> u, View<double> steps, View<NodeOutcome> outcomes) {
  each_node(exec, outcomes.size(), [=] TESSERA_HD(Offset i) {
    const int species = reaction.species();
    double state[Reaction::most_species];
    for (int c = 0; c < species; ++c) state[c] = u[i * layout.node_stride + c * layout.component_stride];
    double step = steps[i];
    outcomes[i] = step_node<Step>(reaction_at(reaction, i), t, dt, options, step, state);
    steps[i] = step;
    for (int c = 0; c < species; ++c) u[i * layout.node_stride + c * layout.component_stride] = state[c];
  });
}

template <class Exec>
OdeReport add_outcomes(Exec& exec, View<const NodeOutcome> outcomes, double end) {
  using Space = typename Exec::Space;
  const Offset count = outcomes.size(), length = (count + report_parts - 1) / report_parts;
  Array<PartOfReport, Space> parts((count + length - 1) / length);
  const View<PartOfReport> part_of = parts;
  for_each(exec, parts.size(), [=] TESSERA_HD(Offset p) {
    PartOfReport part;
    const Offset last = count < (p + 1) * length ? count : (p + 1) * length;
    for (Offset i = p * length; i < last; ++i) part.add(i, outcomes[i]);
    part_of[p] = part;
  });
  OdeReport report = report_of(to_vector(parts));
  if (report.failed == 0) return report;
  NodeOutcome first;
  copy_bytes(Space{}, outcomes.data() + report.first_failed, Host{}, &first, sizeof first);
  describe_failure(report, first, count, end);
  return report;
}

}  // namespace detail

template <class Exec, class Reaction>
OdeSystems<Exec, Reaction>::OdeSystems(Exec& exec, const Reaction& reaction, Offset count, const OdeOptions& options)
    : exec_(exec), reaction_(reaction), options_(options) {
  check_species(options, reaction.species());
  steps_ = Array<double, Space>(count);
  outcomes_ = Array<NodeOutcome, Space>(count);
  forget();
}

template <class Exec, class Reaction>
void OdeSystems<Exec, Reaction>::forget() {
  if (!steps_.empty()) steps_.set_zero();
}

template <class Exec, class Reaction>
Offset OdeSystems<Exec, Reaction>::bytes() const {
  return static_cast<Offset>(steps_.bytes() + outcomes_.bytes());
}

template <class Exec, class Reaction>
OdeReport OdeSystems<Exec, Reaction>::advance(double t, double dt, View<double> u, const NodeLayout& layout) {
  NodeLayout where = layout;
  if (where.component_stride == 0) where.component_stride = std::max<Offset>(count(), 1);
  check_span(t, dt);
  check_state(species(), count(), u.size(), where.node_stride, where.component_stride);
  if (count() == 0 || dt == 0) return {};

  const NodeOptions options{options_.tolerance, options_.first_step, options_.most_steps};
  const auto run = [&]<class Step>(Step*) {
    detail::step_nodes<Step>(exec_, reaction_, t, dt, options, where, u, steps_.view(), outcomes_.view());
  };
  if (options_.method == "cash_karp") run(static_cast<CashKarpStep<Reaction>*>(nullptr));
  if (options_.method == "rkc") run(static_cast<ChebyshevStep<Reaction>*>(nullptr));
  if (options_.method == "rosenbrock") run(static_cast<Rodas3Step<Reaction>*>(nullptr));
  if constexpr (Reaction::most_species <= detail::most_exponential_species)
    if (options_.method == "exponential") run(static_cast<ExponentialStep<Reaction>*>(nullptr));
  return detail::add_outcomes(exec_, View<const NodeOutcome>(outcomes_.view()), t + dt);
}

}  // namespace tessera::solvers
