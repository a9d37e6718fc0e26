#pragma once
// make_motion, written once. It only calls declared functions: motion.cpp and motion_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assembly/spectral/operator.hpp"
#include "base/profile.hpp"
#include "forms/spectral.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/wave/motion.hpp"
#include "physics/wave/node_ops.hpp"

namespace tessera::physics::wave {

template <class Exec, class Law>
class WaveMotion final : public Motion<Exec> {
 public:
  using Space = typename Exec::Space;

  WaveMotion(Exec& exec, const Problem& problem, output::Summary& summary)
      : exec_(exec),
        problem_(problem),
        owned_(problem.space.ranks ? problem.space.index_map.owned() : problem.space.dofs.dofs),
        force_(exec, problem.space.mesh, problem.space.dofs, problem.cells, problem.media.stiffness, {.owned = owned_}),
        prescribed_{problem.prescribed},
        varies_(problem.prescribed.varies()) {
    const Discretisation& space = problem.space;
    std::vector<double> inverse =
        assembly::spectral::diagonal_mass(space.mesh, space.dofs, problem.cells, problem.media.mass);
    inverse.resize(static_cast<std::size_t>(owned_));
    for (double& m : inverse) m = 1 / m;
    inverse_mass_ = to_space<Space>(inverse);
    keep_own(prescribed_, owned_ * space.components);
    rates_ = derivative_of(prescribed_);
    accelerations_ = derivative_of(rates_);
    fixed_ = to_space<Space>(prescribed_.rows);
    take_absorbing(inverse);
    take_sources(inverse, summary);
    fastest_ = assembly::spectral::highest_frequency(space.mesh, problem.cells, problem.media.fast);
    summary.set("assembly.strategy", "spectral");
    summary.set("assembly.operator", force_.description());
    summary.set("assembly.bytes", force_.bytes());
  }

  bool needs_velocity() const override { return !absorbing_.empty(); }
  bool solves_damping() const override { return !absorbing_.empty(); }
  void evaluate(double t, View<const double> u, View<const double> v, View<double> a) override { solve(t, 0, u, v, a); }
  // a = M^-1 (f(t) - K u - C (v + h a))
  void solve(double t, double h, View<const double> u, View<const double> v, View<double> a) override {
    force_.apply(exec_, u, inverse_mass_.view(), a);
    for (const Source& source : sources_)
      add_to_entries(exec_, source.rows.view(), source.weights.view(), (*source.function)(t), a);
    if (!absorbing_.empty())
      solve_damping(exec_, problem_.components(), View<const Index>(absorbing_.view()),
                    View<const double>(damping_.view()), h, v, a);
    if (varies_)
      set_fixed(values_at(problem_, accelerations_, t), a);
    else
      linalg::set_entries(exec_, View<const Index>(fixed_.view()), 0.0, a);
  }

  void restore_force(View<const double> u, View<double> a) override {
    force_.apply(exec_, u, inverse_mass_.view(), a);
    linalg::set_entries(exec_, View<const Index>(fixed_.view()), 0.0, a);
  }

  bool prescribes() const override { return varies_; }
  void prescribe(double t, View<double> u, View<double> v) override {
    set_fixed(values_at(problem_, prescribed_, t), u);
    set_fixed(values_at(problem_, rates_, t), v);
  }

  double highest_frequency() const override { return fastest_.value; }
  double strongest_damping() const override { return strongest_; }
  std::string place_of_highest() const override {
    return fmt::format("at ({:.4g}, {:.4g}, {:.4g})", fastest_.at[0], fastest_.at[1], fastest_.at[2]);
  }

 private:
  struct Source {
    Array<Index, Space> rows;
    Array<double, Space> weights;  ///< over the mass
    const deck::TimeFunction* function;
  };

  static void keep_own(Prescribed& of, Index rows) {
    const auto own = static_cast<std::size_t>(std::lower_bound(of.rows.begin(), of.rows.end(), rows) - of.rows.begin());
    of.rows.resize(own);
    of.values.resize(own);
  }

  void set_fixed(const std::vector<double>& values, View<double> x) {
    if (values.empty()) return;
    const auto here = to_space<Space>(values);
    linalg::set_entries(exec_, View<const Index>(fixed_.view()), View<const double>(here.view()), x);
  }

  void take_absorbing(const std::vector<double>& inverse_mass) {
    Absorbing nodes = absorbing_nodes(problem_);
    const int C = problem_.components();
    const auto own =
        static_cast<std::size_t>(std::lower_bound(nodes.dofs.begin(), nodes.dofs.end(), owned_) - nodes.dofs.begin());
    nodes.dofs.resize(own);
    nodes.blocks.resize(own * static_cast<std::size_t>(C * C));
    for (std::size_t i = 0; i < nodes.blocks.size(); ++i)
      nodes.blocks[i] *= inverse_mass[static_cast<std::size_t>(nodes.dofs[i / static_cast<std::size_t>(C * C)])];
    for (std::size_t i = 0; i < own; ++i) {
      double trace = 0;  // not below the largest eigenvalue
      for (int c = 0; c < C; ++c)
        trace += nodes.blocks[i * static_cast<std::size_t>(C * C) + static_cast<std::size_t>(c * C + c)];
      strongest_ = std::max(strongest_, trace);
    }
    absorbing_ = to_space<Space>(nodes.dofs);
    damping_ = to_space<Space>(nodes.blocks);
  }

  void take_sources(const std::vector<double>& inverse_mass, output::Summary& summary) {
    nlohmann::ordered_json found = nlohmann::ordered_json::array();
    for (const PointLoad& load : point_loads(problem_)) {
      std::vector<Index> rows;
      std::vector<double> weights;
      for (std::size_t i = 0; i < load.rows.size(); ++i) {
        const Index dof = problem_.space.dof_of(load.rows[i]);
        if (dof >= owned_) continue;
        rows.push_back(load.rows[i]);
        weights.push_back(load.weights[i] * inverse_mass[static_cast<std::size_t>(dof)]);
      }
      if (!rows.empty()) sources_.push_back({to_space<Space>(rows), to_space<Space>(weights), load.function});
      found.push_back({{"misplaced", load.distance}});
    }
    if (!found.empty() && !problem_.space.ranks) summary.set_json("sources", found);
  }

  Exec& exec_;
  const Problem& problem_;
  Index owned_;
  assembly::SpectralOperator<Exec, Law> force_;
  Prescribed prescribed_, rates_, accelerations_;  ///< of the rows that this rank owns
  bool varies_;
  Array<double, Space> inverse_mass_;
  Array<Index, Space> fixed_, absorbing_;  ///< rows; nodes
  Array<double, Space> damping_;
  std::vector<Source> sources_;
  assembly::spectral::Most fastest_;
  double strongest_ = 0;
};

template <class Exec>
std::unique_ptr<Motion<Exec>> make_motion(Exec& exec, const Problem& problem, output::Summary& summary) {
  Scope scope(exec, "assemble");
  if (problem.params.medium == Medium::elastic)
    return std::make_unique<WaveMotion<Exec, forms::IsotropicStress>>(exec, problem, summary);
  return std::make_unique<WaveMotion<Exec, forms::GradientFlux>>(exec, problem, summary);
}

}  // namespace tessera::physics::wave
