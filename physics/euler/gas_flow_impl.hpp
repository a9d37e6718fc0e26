#pragma once
// make_flow, written once. It only calls declared functions: gas_flow.cpp and gas_flow_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <map>

#include "base/profile.hpp"
#include "linalg/halo.hpp"
#include "linalg/interleave.hpp"
#include "physics/euler/gas_flow.hpp"
#include "physics/euler/steps.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics::euler {

template <class Exec>
class GasFlow final : public Flow<Exec> {
 public:
  using typename Flow<Exec>::Space;
  using Step = typename Flow<Exec>::Step;

  GasFlow(Exec& exec, const Problem& problem, output::Summary& summary)
      : exec_(exec), problem_(problem), summary_(summary), rows_(problem.space.rows()) {
    for (const BoundaryList& list : problem.boundaries) {
      const bool states = list.kind != BoundaryKind::slip_wall;
      boundaries_.push_back({list.kind, to_space<Space>(list.nodes), to_space<Space>(list.normals), {}});
      if (states) set_values(boundaries_.size() - 1, problem.params.time->start);
    }
  }

  std::string start(const OverRanks<Exec>& ranks, double t, const std::vector<double>& u, bool) override {
    ranks_ = &ranks;
    make_scheme();
    const auto nodes = static_cast<std::size_t>(nodes_seen()), n = static_cast<std::size_t>(components());
    std::vector<double> columns(u.size());
    for (std::size_t node = 0; node < nodes; ++node)
      for (std::size_t c = 0; c < n; ++c) columns[c * nodes + node] = u[node * n + c];
    copy_bytes(Host{}, columns.data(), Space{}, steps_->state().data(), columns.size() * sizeof(double));
    return steps_->begin() ? std::string() : failure(t);
  }

  Step step(double t, double most) override {
    const double cfl = problem_.params.time->cfl.value_or(default_cfl);
    constexpr double shortest = 1e-12;  // of the run
    const TimeParams& time = *problem_.params.time;
    const auto done = steps_->step(t, cfl, most, shortest * (time.end - time.start));
    Step step{done.dt, done.rejected, {}};
    if (done.dt == 0) step.failure = failure(t);
    return step;
  }

  std::vector<double> u() override {
    const auto nodes = static_cast<std::size_t>(nodes_seen()), n = static_cast<std::size_t>(components());
    std::vector<double> columns(nodes * n), u(nodes * n);
    copy_bytes(Space{}, steps_->state().data(), Host{}, columns.data(), columns.size() * sizeof(double));
    for (std::size_t node = 0; node < nodes; ++node)
      for (std::size_t c = 0; c < n; ++c) u[node * n + c] = columns[c * nodes + node];
    return u;
  }
  View<const double> rows() override {
    const Offset nodes = nodes_seen();
    const View<const double> columns = steps_->state();
    for (int c = 0; c < components(); ++c)
      linalg::set_component(exec_, columns.part(c * nodes, nodes), c, components(), rows_.view());
    return rows_.view();
  }
  double longest_step() const override { return steps_->longest(); }
  Offset evaluations() const override { return steps_->evaluations(); }

 private:
  static constexpr double default_cfl = 0.9;  ///< of a fixed step, which is shortened where it is too long

  int components() const { return problem_.space.components; }
  int dim() const { return problem_.space.mesh.dim; }
  Offset nodes_seen() const { return problem_.space.dofs.dofs; }
  Index owned() const { return problem_.space.ranks ? problem_.space.index_map.owned() : problem_.space.dofs.dofs; }

  void make_scheme() {
    Scope scope(exec_, "assemble");
    const Params& params = problem_.params;
    SchemeParams scheme{.gas = problem_.gas,
                        .limiter = limiter_named(params.limiter),
                        .consistent_mass = params.mass == "consistent",
                        .relaxed = params.relaxed_bounds};
    typename Scheme<Exec>::Exchange exchange;
    if (*ranks_) exchange = [this](View<double> x, int count) { update_ghosts(x, count); };
    scheme_ = euler::make_scheme(exec_, problem_.space.mesh, problem_.space.dofs, scheme, owned(), exchange);
    scheme_->set_measure(measure());
    typename SspSteps<Exec>::Least least;
    if (*ranks_)
      least = [this](std::vector<double>& numbers) {
        Communicator& ranks = ranks_->ranks();
        const std::size_t count = numbers.size();
        std::vector<double> all(count * static_cast<std::size_t>(ranks.size()));
        ranks.all_gather(numbers.data(), count * sizeof(double), all.data());
        for (std::size_t i = 0; i < all.size(); ++i) numbers[i % count] = std::min(numbers[i % count], all[i]);
      };
    steps_ = std::make_unique<SspSteps<Exec>>(
        exec_, *scheme_, ssp_stages(params.time->scheme), [this](double t, View<double> u) { constrain_all(t, u); },
        least);
    summary_.set("assembly.strategy", "rows");
    summary_.set("assembly.bytes_per_stage", scheme_->bytes_per_stage());
  }

  double measure() const {
    std::vector<double> masses(static_cast<std::size_t>(owned()));
    copy_bytes(Space{}, scheme_->lumped_mass().data(), Host{}, masses.data(), masses.size() * sizeof(double));
    double total = 0;
    for (const double mass : masses) total += mass;
    in_common::add(problem_.space.shared(), {&total, 1});
    return total;
  }

  void set_values(std::size_t which, double t) {
    boundaries_[which].values = to_space<Space>(values_at(problem_, problem_.boundaries[which], t));
  }

  void constrain_all(double t, View<double> u) {
    for (std::size_t b = 0; b < boundaries_.size(); ++b) {
      if (problem_.boundaries[b].varies()) {
        if (ranks_ && *ranks_)
          ranks_->each([&] { set_values(b, t); });
        else
          set_values(b, t);
      }
      euler::constrain(exec_, dim(), problem_.gas, boundaries_[b], u);
    }
    update_ghosts(u, components());
  }

  /// x [count, nodes seen]. Collective.
  void update_ghosts(View<double> x, int count) {
    if (!*ranks_) return;
    auto& halo = halos_[count];
    if (!halo) halo = std::make_unique<linalg::Halo<Exec>>(*ranks_->link(), problem_.space.index_map, count);
    halo->update_columns(exec_, x);
  }

  /// Which node has lost its gas, and what is there.
  std::string failure(double t) {
    Index bad = steps_->bad();
    const bool lost = bad >= 0;
    const bool elsewhere = *ranks_ && any(ranks_->ranks(), lost) && !lost;
    if (!lost) bad = elsewhere ? -1 : steps_->slowest();
    std::string text;
    if (bad >= 0) {
      const double* const x = &problem_.space.dof_points[3 * static_cast<std::size_t>(bad)];
      const std::vector<double> state = u();
      const auto n = static_cast<std::size_t>(components());
      const double* const own = &state[static_cast<std::size_t>(bad) * n];
      double kinetic = 0;
      for (std::size_t d = momentum; d < n; ++d) kinetic += 0.5 * own[d] * own[d] / own[density];
      text = fmt::format(
          "after t = {:.6g} {} at node {}, ({:.6g}, {:.6g}, {:.6g}): density {:.6g}, internal energy {:.6g}", t,
          lost ? "no step keeps the gas a gas" : "steps become shorter than any that is worth it", bad, x[0], x[1],
          x[2], own[density], own[energy] - kinetic);
    }
    if (*ranks_) text = first_text(ranks_->ranks(), text);
    return text.empty() ? fmt::format("after t = {:.6g} steps become shorter than any that is worth it", t) : text;
  }

  Exec& exec_;
  const Problem& problem_;
  output::Summary& summary_;
  const OverRanks<Exec>* ranks_ = nullptr;
  std::vector<BoundaryNodes<Space>> boundaries_;
  std::unique_ptr<Scheme<Exec>> scheme_;
  std::unique_ptr<SspSteps<Exec>> steps_;
  std::map<int, std::unique_ptr<linalg::Halo<Exec>>> halos_;  ///< by components
  Array<double, Space> rows_;
};

template <class Exec>
std::unique_ptr<Flow<Exec>> make_flow(Exec& exec, const Problem& problem, output::Summary& summary) {
  return std::make_unique<GasFlow<Exec>>(exec, problem, summary);
}

}  // namespace tessera::physics::euler
