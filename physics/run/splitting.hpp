#pragma once
// Steps in two parts: what each node does by itself, and M u' = b - A u.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "linalg/shift_ops.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/evolving.hpp"
#include "physics/run/time_report.hpp"
#include "solvers/odes/ode_systems.hpp"
#include "solvers/time/stepper.hpp"

namespace tessera::physics {

/// How a step of u' = R(u) + D(u) is put together of those of its parts. G. Strang, SIAM J. Numer. Anal. 5 (1968)
/// 506-517; why the stiff part comes last: B. Sportisse, J. Comput. Phys. 161 (2000) 140-168.
enum class SplitScheme {
  lie,    ///< R(dt), then D(dt): order 1
  strang  ///< R(dt/2), D(dt), R(dt/2): order 2
};

/// What a model says of R: a small system of ordinary differential equations at each node that this rank owns, whose
/// unknowns are those of the node, [own nodes, components].
template <class Exec>
struct NodeSystems {
  std::unique_ptr<solvers::ReactionStep<Exec>> steps;
  SplitScheme scheme = SplitScheme::strang;
  std::string method;  ///< of the systems, for the report
};

/// R before and behind steps of D. Vectors are of the rows that this rank owns, or of all that it sees. Keeps 8 B a row
/// and 8 B a node beside what the systems keep. All functions are collective.
template <class Exec>
class Splitting {
 public:
  using Space = typename Exec::Space;

  Splitting(Exec& exec, NodeSystems<Exec> nodes, Evolving<Exec>& problem)
      : exec_(exec),
        nodes_(std::move(nodes)),
        problem_(problem),
        u_before_(problem.ranks().rows()),
        steps_before_(nodes_.steps->count()) {
    report_.scheme = nodes_.scheme == SplitScheme::strang ? "strang" : "lie";
    report_.method = nodes_.method;
  }

  /// What stands before D in a step from t by dt. False where a node does not come to the end: u is then what it was,
  /// and `failure` says why.
  bool before(double t, double dt, View<double> u) {
    linalg::copy(exec_, View<const double>(u.part(0, rows())), u_before_.view());
    linalg::copy(exec_, View<const double>(nodes_.steps->next_steps()), steps_before_.view());
    if (!advance(t, nodes_.scheme == SplitScheme::strang ? dt / 2 : dt, u)) return false;
    update_ghosts(u);
    return true;
  }
  /// What stands behind it; then u has its prescribed values of `end`, which is t + dt but for rounding.
  bool after(double t, double dt, double end, View<double> u) {
    if (nodes_.scheme == SplitScheme::strang && !advance(t + dt / 2, dt / 2, u)) return false;
    prescribe(end, u);
    update_ghosts(u);
    return true;
  }
  /// u and what the nodes remember as they were when the last step began.
  void take_back(View<double> u) {
    linalg::copy(exec_, View<const double>(u_before_.view()), u.part(0, rows()));
    linalg::copy(exec_, View<const double>(steps_before_.view()), nodes_.steps->next_steps());
    update_ghosts(u);
  }

  /// Empty, or why a node did not come to the end; on all ranks.
  const std::string& failure() const { return failure_; }
  /// What was done on all ranks.
  SplitReport report() const {
    if (!problem_.ranks()) return report_;
    Communicator& ranks = problem_.ranks().ranks();
    SplitReport all = report_;
    all.steps = sum(ranks, report_.steps);
    all.rejected = sum(ranks, report_.rejected);
    all.most_steps = static_cast<Index>(maximum(ranks, report_.most_steps));
    return all;
  }

  /// The steps with which the nodes go on, as a vector of the own rows: that of a node stands at its first unknown.
  std::vector<double> kept() const {
    const View<const double> there = nodes_.steps->next_steps();
    std::vector<double> steps(static_cast<std::size_t>(there.size())), all(static_cast<std::size_t>(rows()), 0.0);
    copy_bytes(Space{}, there.data(), Host{}, steps.data(), steps.size() * sizeof(double));
    const auto width = static_cast<std::size_t>(nodes_.steps->species());
    for (std::size_t node = 0; node < steps.size(); ++node) all[node * width] = steps[node];
    return all;
  }
  void restore(const std::vector<double>& all) {
    std::vector<double> steps(static_cast<std::size_t>(nodes_.steps->count()));
    const auto width = static_cast<std::size_t>(nodes_.steps->species());
    for (std::size_t node = 0; node < steps.size(); ++node) steps[node] = all[node * width];
    const auto there = to_space<Space>(steps);
    linalg::copy(exec_, View<const double>(there.view()), nodes_.steps->next_steps());
  }

 private:
  Index rows() const { return problem_.ranks().rows(); }

  bool advance(double t, double dt, View<double> u) {
    Scope scope(exec_, "react");
    const solvers::OdeReport done = nodes_.steps->advance(
        t, dt, u.part(0, rows()), {.node_stride = nodes_.steps->species(), .component_stride = 1});
    report_.steps += done.steps;
    report_.rejected += done.rejected;
    report_.most_steps = std::max(report_.most_steps, done.most_steps);
    failure_ = done.failure;
    if (!failure_.empty()) {
      const double* const x = &problem_.space().dof_points[3 * static_cast<std::size_t>(done.first_failed)];
      failure_ += fmt::format("; that node is at ({:g}, {:g}, {:g})", x[0], x[1], x[2]);
    }
    if (problem_.ranks()) failure_ = first_text(problem_.ranks().ranks(), failure_);
    if (!failure_.empty()) take_back(u);
    return failure_.empty();
  }

  void prescribe(double t, View<double> u) {
    if (problem_.varying().prescribed) problem_.move_to(t);
    linalg::set_entries(exec_, problem_.own_fixed(), problem_.own_values(), u);
  }

  void update_ghosts(View<double> u) {
    if (problem_.ranks() && u.size() > rows()) problem_.ranks().update_ghosts(u);
  }

  Exec& exec_;
  NodeSystems<Exec> nodes_;
  Evolving<Exec>& problem_;
  Array<double, Space> u_before_, steps_before_;  ///< at the beginning of the step
  SplitReport report_;                            ///< of this rank
  std::string failure_;
};

/// An explicit stepper of D, with R before and behind each of its steps.
template <class Exec>
class SplitStepper final : public solvers::Stepper<Exec> {
 public:
  using Base = solvers::Stepper<Exec>;

  SplitStepper(Exec& exec, Offset rows, std::unique_ptr<Base> stepper, Splitting<Exec>& splitting)
      : Base(exec, rows, false), stepper_(std::move(stepper)), splitting_(splitting) {}

  /// Where a node fails u stays what it was; Splitting::failure says so.
  void step(solvers::RightHandSide<Exec>& f, double t, double dt, View<double> u, double* not_finite) override {
    linalg::fill(this->exec_, View<double>(not_finite, 1), 0);
    if (!splitting_.before(t, dt, u)) return;
    stepper_->forget();
    stepper_->step(f, t, dt, u, not_finite);
    stepper_->forget();
    this->evaluations_ = stepper_->evaluations();
    (void)splitting_.after(t, dt, t + dt, u);
  }
  void forget() override { stepper_->forget(); }
  typename Base::Kept kept() const override { return stepper_->kept(); }
  void restore(const typename Base::Kept& kept) override { stepper_->restore(kept); }
  int vectors() const override { return stepper_->vectors(); }
  double bytes_per_step(Offset rows) const override { return stepper_->bytes_per_step(rows); }

 private:
  std::unique_ptr<Base> stepper_;
  Splitting<Exec>& splitting_;
};

}  // namespace tessera::physics
