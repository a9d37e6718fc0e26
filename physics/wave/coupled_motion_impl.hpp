#pragma once
// make_coupled_motion, written once; coupled_motion.cpp and coupled_motion_cuda.cpp instantiate it.
#include "physics/run/rough_start.hpp"
#include "physics/wave/coupled_leapfrog.hpp"
#include "physics/wave/coupled_motion.hpp"
#include "physics/wave/motion_impl.hpp"

namespace tessera::physics::wave {

template <class Exec, class Law, class T>
class CoupledMotion final : public Motion<Exec> {
 public:
  using Space = typename Exec::Space;
  using Both = CoupledParts<Exec, Law, T>;

  CoupledMotion(Exec& exec, const CoupledProblem& problem, FluidState& state, PeakMaps& peaks, output::Summary& summary)
      : CoupledMotion(exec, problem, layers_of(problem), state, peaks, summary) {}
  CoupledMotion(Exec& exec, const CoupledProblem& problem, const std::array<assembly::spectral::Layers, 2>& layers,
                FluidState& state, PeakMaps& peaks, output::Summary& summary)
      : exec_(exec),
        problem_(problem),
        owned_(problem.space.ranks ? problem.space.index_map.owned() : problem.space.dofs.dofs),
        fluid_(exec, problem.fluid, nullptr, summary, has_layers ? &layers[0] : nullptr),
        solid_(exec, problem.solid, nullptr, summary, has_layers ? &layers[1] : nullptr),
        parts_{problem,           fluid_.parts(), solid_.parts(), nodes_between(layers[1]),
               nodes_in_layers(), state,          owned_,         peaks} {
    summary.set("assembly.operator",
                "fluids: " + parts_.fluid.force.description() + ", solids: " + parts_.solid.force.description());
    summary.set("assembly.bytes", parts_.fluid.force.bytes() + parts_.solid.force.bytes());
    if (problem.params.attenuates())
      summary.set("attenuation.deviation", std::max(problem.fluid.media.deviation, problem.solid.media.deviation));
    if (problem.space.ranks) return;
    summary.set("interface.sides", problem.interface.sides);
    summary.set("interface.nodes", static_cast<Offset>(problem.interface.dofs.size()));
    summary.set("interface.area", problem.interface.area);
  }

  std::unique_ptr<Leapfrog<Exec>> leapfrog(const OverRanks<Exec>& ranks) override {
    return std::make_unique<CoupledLeapfrog<Exec, Law, T>>(exec_, parts_, ranks);
  }

  void evaluate(double, View<const double>, View<const double>, View<double>) override {
    throw Error(ExitCode::internal, "coupled waves step by the leapfrog alone");
  }
  void restore_force(View<const double> u, View<double> a, double rates) override { solid_.restore_force(u, a, rates); }
  void weigh(View<double> x) override { solid_.weigh(x); }
  bool prescribes() const override { return solid_.prescribes(); }
  void prescribe(double t, View<double> u, View<double> v) override { solid_.prescribe(t, u, v); }

  double highest_frequency() const override { return std::max(fluid_.highest_frequency(), solid_.highest_frequency()); }
  double frequency_of_leaps() const override {
    return std::max(fluid_.frequency_of_leaps(), solid_.frequency_of_leaps());
  }
  std::array<double, 2> lags() const override { return {0, solid_.lags()[1]}; }
  double strongest_damping() const override { return std::max(fluid_.strongest_damping(), solid_.strongest_damping()); }
  std::string place_of_highest() const override { return fastest().place_of_highest(); }

  /// x'' = -A x of x = (chi, u) is symmetric with the products of K_fluid and M_solid, so that a power method comes
  /// from below:  |x|^2 = chi.K chi + u.M u.
  double frequency_from_below(const OverRanks<Exec>& ranks) override {
    constexpr int iterations = 60;
    const std::vector<std::size_t> all = own_nodes([](Index) { return true; });
    const std::vector<Index> dofs = dofs_of(all);
    const auto interface = make_nodes<double>(all, dofs, dofs, dofs);
    const Offset rows = Offset{owned_} * dim();
    Array<double, Space> chi(problem_.space.dofs.dofs), u(problem_.space.rows()), f(owned_), a(rows), weighed(rows),
        weighed_f(owned_);
    chi.set_zero(), u.set_zero();
    const std::vector<double> of_chi = rough_start(problem_.space, 1, 1);
    copy_bytes(Host{}, of_chi.data(), Space{}, chi.data(), of_chi.size() * sizeof(double));
    start_roughly<Space>(problem_.space, u.view().part(0, rows));
    keep_own_nodes(chi, u);
    std::unique_ptr<linalg::Halo<Exec>> halo;
    if (ranks) halo = std::make_unique<linalg::Halo<Exec>>(*ranks.link(), problem_.space.index_map, 1);
    double eigenvalue = 0;
    for (int i = 0; i < iterations; ++i) {
      if (ranks) {
        ranks.update_ghosts(u.view());
        halo->start(exec_, View<const double>(chi.view()).part(0, owned_));
        linalg::copy(exec_, halo->template finish<double>(exec_), chi.view().part(owned_, halo->ghosts()));
      }
      {
        const Linked alone(exec_, nullptr);
        fluid_.restore_force(View<const double>(chi.view()), f.view(), 0);
        solid_.restore_force(View<const double>(u.view()), a.view(), 0);
      }
      // |x|^2 before the media push each other: f is -M^-1 K chi, but where chi is fixed and 0.
      linalg::copy(exec_, View<const double>(f.view()), weighed_f.view());
      fluid_.weigh(weighed_f.view());
      linalg::copy(exec_, View<const double>(u.view()).part(0, rows), weighed.view());
      solid_.weigh(weighed.view());
      const double square = dot(View<const double>(u.view()).part(0, rows), View<const double>(weighed.view())) -
                            dot(View<const double>(chi.view()).part(0, owned_), View<const double>(weighed_f.view()));
      const double size = std::sqrt(std::max(square, 0.0));
      if (!(size > 0)) break;
      if (i > 0) eigenvalue = size;  // that of A times a vector of size 1
      {
        const Linked alone(exec_, nullptr);
        push_fluid(exec_, dim(), interface.view(), View<const double>(u.view()), f.view());
        set_zero_where_fixed(f, a, false);
        push_solid(exec_, dim(), interface.view(), View<const double>(f.view()), a.view());
        set_zero_where_fixed(f, a, true);
      }
      linalg::scale(exec_, 1 / size, f.view());
      linalg::scale(exec_, 1 / size, a.view());
      linalg::copy(exec_, View<const double>(f.view()), chi.view().part(0, owned_));
      linalg::copy(exec_, View<const double>(a.view()), u.view().part(0, rows));
    }
    return std::max(std::sqrt(eigenvalue), 1e-300);
  }

 private:
  static constexpr bool has_layers = forms::has_layers<Law>;
  /// Of fluids and solids; empty where the law has none.
  static std::array<assembly::spectral::Layers, 2> layers_of(const CoupledProblem& problem) {
    if constexpr (has_layers) return make_layers(problem);
    return {};
  }
  int dim() const { return problem_.solid.cells.dim; }
  const Motion<Exec>& fastest() const {
    if (fluid_.frequency_of_leaps() > solid_.frequency_of_leaps()) return fluid_;
    return solid_;
  }
  double dot(View<const double> x, View<const double> y) {
    Array<double, Space> sum(1);
    linalg::dot(exec_, x, y, sum.data());
    return to_vector(sum)[0];
  }
  void set_zero_where_fixed(Array<double, Space>& f, Array<double, Space>& a, bool of_solid) {
    if (of_solid)
      linalg::set_entries(exec_, View<const Index>(parts_.solid.fixed.view()), 0.0, a.view());
    else
      linalg::set_entries(exec_, View<const Index>(parts_.fluid.fixed.view()), 0.0, f.view());
  }
  /// Entries of nodes that a medium has not got become 0, and what is fixed.
  void keep_own_nodes(Array<double, Space>& chi, Array<double, Space>& u) {
    std::vector<double> of_chi = to_vector(chi), of_u = to_vector(u);
    std::vector<double> fluid(of_chi.size(), 0.0), solid(of_u.size(), 0.0);
    for (const Index dof : problem_.fluid.cells.dofs)
      fluid[static_cast<std::size_t>(dof)] = of_chi[static_cast<std::size_t>(dof)];
    for (const Index dof : problem_.solid.cells.dofs)
      for (int d = 0; d < dim(); ++d) {
        const auto row = static_cast<std::size_t>(problem_.solid.row(dof, d));
        solid[row] = of_u[row];
      }
    chi = to_space<Space>(fluid);
    u = to_space<Space>(solid);
    linalg::set_entries(exec_, View<const Index>(parts_.solid.fixed.view()), 0.0, u.view());
    linalg::set_entries(exec_, View<const Index>(parts_.fluid.fixed.view()), 0.0, chi.view());
  }

  /// Which nodes of the interface, of those that this rank owns.
  template <class Takes>
  std::vector<std::size_t> own_nodes(Takes takes) const {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < problem_.interface.dofs.size(); ++i)
      if (problem_.interface.dofs[i] < owned_ && takes(problem_.interface.dofs[i])) which.push_back(i);
    return which;
  }
  std::vector<Index> dofs_of(const std::vector<std::size_t>& which) const {
    std::vector<Index> dofs;
    for (const std::size_t i : which) dofs.push_back(problem_.interface.dofs[i]);
    return dofs;
  }
  /// Of dofs their numbers among those of `list`, which is ascending, behind `first` others.
  static std::vector<Index> numbers_in(const std::vector<Index>& list, std::vector<Index> dofs, std::size_t first = 0) {
    for (Index& dof : dofs)
      dof = static_cast<Index>(first) +
            static_cast<Index>(std::lower_bound(list.begin(), list.end(), dof) - list.begin());
    return dofs;
  }
  template <class Number>
  InterfaceNodes<Space, Number> make_nodes(const std::vector<std::size_t>& which, const std::vector<Index>& dofs,
                                           const std::vector<Index>& in_fluid, const std::vector<Index>& in_solid) {
    const auto over = [&](const Problem& medium) {
      const std::vector<double> mass =
          assembly::spectral::diagonal_mass(medium.mesh(), medium.space.dofs, medium.cells, medium.media.mass);
      const auto axes = static_cast<std::size_t>(dim());
      std::vector<Number> result;
      for (const std::size_t i : which)
        for (std::size_t d = 0; d < axes; ++d)
          result.push_back(static_cast<Number>(problem_.interface.normals[i * axes + d] /
                                               mass[static_cast<std::size_t>(problem_.interface.dofs[i])]));
      return result;
    };
    return {to_space<Space>(dofs), to_space<Space>(in_fluid), to_space<Space>(in_solid),
            to_space<Space>(over(problem_.fluid)), to_space<Space>(over(problem_.solid))};
  }
  /// Where nothing is stretched.
  InterfaceNodes<Space, T> nodes_between(const assembly::spectral::Layers& layers) {
    const std::vector<std::size_t> which = own_nodes([&](Index dof) { return !has_layers || !layers.has(dof, dim()); });
    const std::vector<Index> dofs = dofs_of(which);
    return make_nodes<T>(which, dofs, numbers_in(fluid_.held(), dofs), numbers_in(solid_.held(), dofs));
  }
  /// In layers, where neither is fixed: of a fixed solid no force comes, of a fixed potential no pressure. Their dofs
  /// are numbers of the nodes that the solid stretches, and accelerations stand behind those of nodes that are held.
  InterfaceNodes<Space, T> nodes_in_layers() {
    if constexpr (!has_layers) {
      return {};
    } else {
      const std::vector<Index>&of_fluid = fluid_.parts().force.nodes(), &of_solid = solid_.parts().force.nodes();
      const std::vector<std::size_t> which = own_nodes([&](Index dof) {
        return std::binary_search(of_fluid.begin(), of_fluid.end(), dof) &&
               std::binary_search(of_solid.begin(), of_solid.end(), dof);
      });
      const std::vector<Index> dofs = dofs_of(which);
      return make_nodes<T>(which, numbers_in(of_solid, dofs), numbers_in(of_fluid, dofs, fluid_.held().size()),
                           numbers_in(of_solid, dofs, solid_.held().size()));
    }
  }

  Exec& exec_;
  const CoupledProblem& problem_;
  Index owned_;  ///< dofs
  WaveMotion<Exec, typename Both::FluidLaw, T> fluid_;
  WaveMotion<Exec, Law, T> solid_;
  Both parts_;
};

template <class Exec, class T>
std::unique_ptr<Motion<Exec>> make_coupled_motion_in(Exec& exec, const CoupledProblem& problem, FluidState& state,
                                                     PeakMaps& peaks, output::Summary& summary) {
  const auto of_law = [&](auto law) -> std::unique_ptr<Motion<Exec>> {
    using Law = decltype(law);
    if constexpr (!forms::has_coarse_memory<Law>)
      if (problem.params.has_layers())
        return std::make_unique<CoupledMotion<Exec, forms::InLayers<Law>, T>>(exec, problem, state, peaks, summary);
    return std::make_unique<CoupledMotion<Exec, Law, T>>(exec, problem, state, peaks, summary);
  };
  const Media& solids = problem.solid.media;
  const bool attenuates = solids.attenuated.components > 0;
  if (solids.coarse && solids.anisotropic) return of_law(forms::CoarseMemory<forms::AttenuatedAnisotropicStress>());
  if (solids.coarse) return of_law(forms::CoarseMemory<forms::AttenuatedStress>());
  if (solids.anisotropic)
    return attenuates ? of_law(forms::AttenuatedAnisotropicStress()) : of_law(forms::AnisotropicStress());
  return attenuates ? of_law(forms::AttenuatedStress()) : of_law(forms::IsotropicStress());
}

template <class Exec>
std::unique_ptr<Motion<Exec>> make_coupled_motion(Exec& exec, const CoupledProblem& problem, FluidState& state,
                                                  PeakMaps& peaks, output::Summary& summary) {
  Scope scope(exec, "assemble");
  if (problem.params.run.precision == "float")
    return make_coupled_motion_in<Exec, float>(exec, problem, state, peaks, summary);
  return make_coupled_motion_in<Exec, double>(exec, problem, state, peaks, summary);
}

}  // namespace tessera::physics::wave
