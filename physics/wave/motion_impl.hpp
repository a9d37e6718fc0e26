#pragma once
// make_motion, written once. It only calls declared functions: motion.cpp and motion_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assembly/spectral/coarse.hpp"
#include "base/profile.hpp"
#include "forms/attenuation.hpp"
#include "forms/layers.hpp"
#include "forms/spectral.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/wave/layers.hpp"
#include "physics/wave/leapfrog_impl.hpp"
#include "physics/wave/motion.hpp"

namespace tessera::physics::wave {

template <class Exec, class Law, class T>
class WaveMotion final : public Motion<Exec> {
 public:
  using Space = typename Exec::Space;

  /// `layers`: of a medium beside another; of one by itself they are made here.
  WaveMotion(Exec& exec, const Problem& problem, PeakMaps* peaks, output::Summary& summary,
             const assembly::spectral::Layers* layers = nullptr)
      : exec_(exec),
        problem_(problem),
        owned_(problem.space.ranks ? problem.space.index_map.owned() : problem.space.dofs.dofs),
        prescribed_(own(problem.prescribed)),
        absorbing_(own_absorbing()),
        held_(held_nodes(layers)),
        parts_{.problem = problem,
               .force = make_force(exec, problem, owned_, held_, layers),
               .inverse_mass = {},
               .held = {},
               .sources = {},
               .strengths = {},
               .prescribed = prescribed_,
               .rates = derivative_of(prescribed_),
               .fixed = to_space<Space>(prescribed_.rows),
               .varies = prescribed_.varies(),
               .peaks = peaks,
               .damping = {},
               .memory = {}},
        accelerations_(derivative_of(parts_.rates)) {
    const Discretisation& space = problem.space;
    std::vector<double> inverse =
        assembly::spectral::diagonal_mass(problem.mesh(), space.dofs, problem.cells, problem.media.mass);
    inverse.resize(static_cast<std::size_t>(owned_));
    for (double& m : inverse) m = m > 0 ? 1 / m : 1;  // nodes of another medium alone have none: nothing moves them
    if constexpr (damps)
      if (problem.media.alpha.components + problem.media.beta.components > 0)
        parts_.damping.emplace(exec, problem, inverse, held_, nodes_in_layers());
    parts_.inverse_mass = in_numbers(inverse);
    if constexpr (attenuates) parts_.force.set_times(problem.media.times);
    if (problem.media.compliance.components > 0) parts_.memory.emplace(problem, inverse, held_, nodes_in_layers());
    if constexpr (forms::has_layers<Law>) take_rates_of_layers();
    if (attenuates || parts_.memory) summary.set("attenuation.deviation", problem.media.deviation);
    if (attenuates) summary.set("attenuation.memory", forms::has_coarse_memory<Law> ? "coarse" : "nodes");
    if (forms::has_coarse_memory<Law>) summary.set("attenuation.most_relaxed", problem.media.most_relaxed);
    take_held(inverse);
    take_sources(inverse, summary);
    fastest_ = assembly::spectral::highest_frequency(problem.mesh(), problem.cells, problem.media.fast);
    quickest_ = wave::frequency_of_leaps(problem);
    summary.set("assembly.strategy", "spectral");
    summary.set("assembly.operator", parts_.force.description());
    double bytes = parts_.force.bytes();
    if constexpr (damps)
      if (parts_.damping) bytes += parts_.damping->bytes();
    if (parts_.memory) bytes += parts_.memory->bytes();
    summary.set("assembly.bytes", bytes);
  }

  std::unique_ptr<Leapfrog<Exec>> leapfrog(const OverRanks<Exec>& ranks) override {
    return std::make_unique<WaveLeapfrog<Exec, Law, T>>(exec_, parts_, ranks);
  }

  void evaluate(double t, View<const double> u, View<const double> v, View<double> a) override {
    if constexpr (std::is_same_v<T, double>) {
      apply_force(u, v, a);
      for (const Source<Space, T>& source : parts_.sources)
        add_to_entries(exec_, source.all_rows.view(), source.all_weights.view(), (*source.function)(t), a);
      const HeldNodes<double> held = parts_.held.view();
      if (!held_.empty()) damp(exec_, components(), held.dofs, held.damping, v, a);
      const View<const Index> fixed = parts_.fixed.view();
      if (!parts_.varies) return linalg::set_entries(exec_, fixed, 0.0, a);
      const auto values = to_space<Space>(values_at(problem_, accelerations_, t));
      linalg::set_entries(exec_, fixed, View<const double>(values.view()), a);
    } else {
      throw Error(ExitCode::internal, "the right-hand side of waves is in double");
    }
  }

  void restore_force(View<const double> u, View<double> a, double rates) override {
    // Nodes of the other medium have no cells here, and no force.
    if constexpr (std::is_same_v<T, double>) {
      if (problem_.part) linalg::fill(exec_, a, 0);
      restore(u, a, rates);
    } else {
      Array<T, Space> x(u.size()), f(a.size());
      if (problem_.part) linalg::fill(exec_, f.view(), 0);
      linalg::convert(exec_, u, x.view());
      restore(View<const T>(x.view()), f.view(), rates);
      linalg::convert(exec_, f.view(), a);
    }
    linalg::set_entries(exec_, View<const Index>(parts_.fixed.view()), 0.0, a);
  }
  void weigh(View<double> x) override { divide_by(exec_, components(), std::as_const(parts_.inverse_mass).view(), x); }

  bool prescribes() const override { return parts_.varies; }
  void prescribe(double t, View<double> u, View<double> v) override {
    set_fixed(values_at(problem_, parts_.prescribed, t), u);
    set_fixed(values_at(problem_, parts_.rates, t), v);
  }

  double highest_frequency() const override { return beside_layers(fastest_.value); }
  double frequency_of_leaps() const override {
    return beside_layers(damps_stiffness() ? quickest_.value : fastest_.value);
  }
  std::array<double, 2> lags() const override {
    if constexpr (damps)
      if (parts_.damping) return {parts_.damping->beta().least, parts_.damping->beta().greatest};
    return {0, 0};
  }
  double strongest_damping() const override { return strongest_; }
  std::string place_of_highest() const override {
    const assembly::spectral::Most& most = damps_stiffness() ? quickest_ : fastest_;
    return fmt::format("at ({:.4g}, {:.4g}, {:.4g}){}", most.at[0], most.at[1], most.at[2],
                       damps_stiffness() ? ", with its rayleigh_beta" : "");
  }

  /// Of a medium beside another: what steps it.
  Parts<Exec, Law, T>& parts() { return parts_; }
  const std::vector<Index>& held() const { return held_; }

 private:
  using Force = assembly::ForceOfLaw<Exec, Law, T>;
  static constexpr bool attenuates = Force::attenuates, has_layers = forms::has_layers<Law>,
                        damps = can_damp<Exec, Law, T>;
  static typename Force::Type make_force(Exec& exec, const Problem& problem, Index owned,
                                         const std::vector<Index>& held, const assembly::spectral::Layers* layers) {
    const assembly::SpectralOptions options{.owned = owned, .held = held};
    const assembly::spectral::Cells& cells = problem.cells;
    if constexpr (has_layers)
      return {exec,   problem.mesh(),           problem.space.dofs,
              cells,  material_of_law(problem), layers ? *layers : make_layers(problem),
              options};
    else
      return {exec, problem.mesh(), problem.space.dofs, cells, material_of_law(problem), options};
  }
  static const assembly::spectral::Coefficients& material_of_law(const Problem& problem) {
    return attenuates ? problem.media.attenuated : problem.media.stiffness;
  }
  static double beside_layers(double frequency) { return has_layers ? frequency / part_of_step_in_layers : frequency; }
  int components() const { return problem_.components(); }
  bool damps_stiffness() const { return lags()[1] > 0; }

  /// a = -M^-1 (K u + C v) but for the damping of held nodes; of v all rows are there that are seen.
  void apply_force(View<const double> u, View<const double> v, View<double> a) {
    const View<const double> scale = std::as_const(parts_.inverse_mass).view();
    if constexpr (damps) {
      if (parts_.damping) {
        RayleighDamping<Exec, Law, double>& damping = *parts_.damping;
        parts_.force.apply(exec_, damping.is_combined() ? damping.combined(exec_, u, v) : u, scale, a);
        return damping.add_rest(exec_, scale, v, a);
      }
    }
    parts_.force.apply(exec_, u, scale, a);
  }
  void restore(View<const T> u, View<T> a, double rates) {
    const View<const T> scale = std::as_const(parts_.inverse_mass).view();
    parts_.force.apply(exec_, u, scale, a);
    if constexpr (damps)
      if (parts_.damping && rates > 0) parts_.damping->add_stiffness(exec_, rates, scale, u, a);
  }
  static Array<T, Space> in_numbers(const std::vector<double>& values) {
    return to_space<Space>(std::vector<T>(values.begin(), values.end()));
  }

  Prescribed own(Prescribed of) const {
    const Index rows = owned_ * components();
    const auto count =
        static_cast<std::size_t>(std::lower_bound(of.rows.begin(), of.rows.end(), rows) - of.rows.begin());
    of.rows.resize(count);
    of.values.resize(count);
    return of;
  }
  Absorbing own_absorbing() const {
    Absorbing nodes = absorbing_nodes(problem_);
    const auto count =
        static_cast<std::size_t>(std::lower_bound(nodes.dofs.begin(), nodes.dofs.end(), owned_) - nodes.dofs.begin());
    nodes.dofs.resize(count);
    nodes.blocks.resize(count * block_size());
    return nodes;
  }
  std::size_t block_size() const { return static_cast<std::size_t>(components() * components()); }
  std::vector<Index> held_nodes(const assembly::spectral::Layers* layers) const {
    std::vector<Index> nodes = absorbing_.dofs;
    for (const Index row : prescribed_.rows) nodes.push_back(problem_.dof_of(row));
    for (const Index dof : problem_.interface)
      if (dof < owned_ && !(layers && layers->has(dof, problem_.cells.dim))) nodes.push_back(dof);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }
  std::size_t number_of_held(Index dof) const {
    return static_cast<std::size_t>(std::lower_bound(held_.begin(), held_.end(), dof) - held_.begin());
  }

  void set_fixed(const std::vector<double>& values, View<double> x) {
    if (values.empty()) return;
    const auto here = to_space<Space>(values);
    linalg::set_entries(exec_, View<const Index>(parts_.fixed.view()), View<const double>(here.view()), x);
  }

  /// What damps at each of the dofs that are owned but for absorbing sides, over the mass; or nothing.
  const std::vector<double>& rates_of_nodes() const {
    static const std::vector<double> none;
    if (parts_.memory) return parts_.memory->rate_of_nodes();
    if constexpr (damps)
      if (parts_.damping) return parts_.damping->alpha_of_nodes();
    return none;
  }
  const std::vector<Index>& nodes_in_layers() const {
    static const std::vector<Index> none;
    if constexpr (forms::has_layers<Law>) return parts_.force.nodes();
    return none;
  }
  /// What damps nodes in layers.
  void take_rates_of_layers() {
    if (parts_.memory) {
      const std::vector<double> times = parts_.memory->times();
      return parts_.force.set_rates(parts_.memory->rates_of_layers(), times.size(), times);
    }
    if constexpr (damps)
      if (parts_.damping) parts_.force.set_rates(parts_.damping->rates_of_layers(nodes_in_layers()), 1, {});
  }
  void take_held(const std::vector<double>& inverse_mass) {
    const std::size_t size = block_size();
    std::vector<double> damping(held_.size() * size, 0.0);
    const std::vector<double>& rates = rates_of_nodes();
    for (std::size_t i = 0; i < held_.size() && !rates.empty(); ++i)
      for (std::size_t c = 0; c < static_cast<std::size_t>(components()); ++c)
        damping[i * size + c * static_cast<std::size_t>(components() + 1)] = rates[static_cast<std::size_t>(held_[i])];
    for (std::size_t i = 0; i < absorbing_.dofs.size(); ++i) {
      const Index dof = absorbing_.dofs[i];
      const double by = inverse_mass[static_cast<std::size_t>(dof)];
      double trace = 0;  // not below the largest eigenvalue
      for (std::size_t e = 0; e < size; ++e) {
        const double entry = by * absorbing_.blocks[i * size + e];
        damping[number_of_held(dof) * size + e] += entry;
        if (e % static_cast<std::size_t>(components() + 1) == 0) trace += entry;
      }
      strongest_ = std::max(strongest_, trace);
    }
    if (!rates.empty()) strongest_ += *std::max_element(rates.begin(), rates.end());
    std::vector<unsigned char> fixed(held_.size(), 0);
    for (const Index row : prescribed_.rows) {
      const Index dof = problem_.dof_of(row);
      for (int c = 0; c < components(); ++c)
        if (problem_.row(dof, c) == row) fixed[number_of_held(dof)] |= static_cast<unsigned char>(1 << c);
    }
    parts_.held = {held_, to_space<Space>(held_), in_numbers(damping), to_space<Space>(fixed)};
  }

  void take_sources(const std::vector<double>& inverse_mass, output::Summary& summary) {
    nlohmann::ordered_json found = nlohmann::ordered_json::array();
    for (const PointLoad& load : point_loads(problem_)) {
      std::vector<Index> rows, held_rows, all_rows;
      std::vector<double> weights, held_weights, all_weights;
      for (std::size_t i = 0; i < load.rows.size(); ++i) {
        const Index row = load.rows[i], dof = problem_.dof_of(row);
        if (dof >= owned_) continue;
        const double weight = load.weights[i] * inverse_mass[static_cast<std::size_t>(dof)];
        all_rows.push_back(row);
        all_weights.push_back(weight);
        const std::size_t number = number_of_held(dof);
        const bool held = number < held_.size() && held_[number] == dof;
        const Index first = problem_.row(dof, 0);
        (held ? held_rows : rows).push_back(held ? static_cast<Index>(number) * components() + (row - first) : row);
        (held ? held_weights : weights).push_back(weight);
      }
      if (!all_rows.empty())
        parts_.sources.push_back({to_space<Space>(rows), to_space<Space>(held_rows), to_space<Space>(all_rows),
                                  in_numbers(weights), in_numbers(held_weights), in_numbers(all_weights),
                                  load.function});
      found.push_back({{"misplaced", load.distance}});
    }
    if (!found.empty() && !problem_.space.ranks) summary.set_json("sources", found);
  }

  Exec& exec_;
  const Problem& problem_;
  Index owned_;
  Prescribed prescribed_;    ///< of the rows that this rank owns
  Absorbing absorbing_;      ///< of its nodes
  std::vector<Index> held_;  ///< nodes of both
  Parts<Exec, Law, T> parts_;
  Prescribed accelerations_;
  assembly::spectral::Most fastest_, quickest_;  ///< of waves, and of steps
  double strongest_ = 0;
};

/// Calls run with the law of solids that remember at coarse points.
template <class Run>
auto of_coarse_law(const Problem& solids, Run run) {
  if (solids.medium != Medium::elastic) return run(forms::CoarseMemory<forms::AttenuatedGradient>());
  if (solids.media.anisotropic) return run(forms::CoarseMemory<forms::AttenuatedAnisotropicStress>());
  return run(forms::CoarseMemory<forms::AttenuatedStress>());
}

template <class Exec, class T>
std::unique_ptr<Motion<Exec>> make_motion_in(Exec& exec, const Problem& problem, PeakMaps& peaks,
                                             output::Summary& summary) {
  const auto of_law = [&](auto law) -> std::unique_ptr<Motion<Exec>> {
    using Law = decltype(law);
    if constexpr (!forms::has_coarse_memory<Law>)
      if (problem.params.has_layers())
        return std::make_unique<WaveMotion<Exec, forms::InLayers<Law>, T>>(exec, problem, &peaks, summary);
    return std::make_unique<WaveMotion<Exec, Law, T>>(exec, problem, &peaks, summary);
  };
  const bool attenuates = problem.media.attenuated.components > 0;
  if (problem.media.coarse) return of_coarse_law(problem, of_law);
  if (problem.medium != Medium::elastic)
    return attenuates ? of_law(forms::AttenuatedGradient()) : of_law(forms::GradientFlux());
  if (problem.media.anisotropic)
    return attenuates ? of_law(forms::AttenuatedAnisotropicStress()) : of_law(forms::AnisotropicStress());
  return attenuates ? of_law(forms::AttenuatedStress()) : of_law(forms::IsotropicStress());
}

template <class Exec>
std::unique_ptr<Motion<Exec>> make_motion(Exec& exec, const Problem& problem, PeakMaps& peaks,
                                          output::Summary& summary) {
  Scope scope(exec, "assemble");
  if (problem.params.run.precision == "float") return make_motion_in<Exec, float>(exec, problem, peaks, summary);
  return make_motion_in<Exec, double>(exec, problem, peaks, summary);
}

}  // namespace tessera::physics::wave
