#include "physics/reaction_diffusion/reaction_diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "physics/reaction_diffusion/fields_evolution.hpp"
#include "physics/reaction_diffusion/reactions.hpp"
#include "physics/reaction_diffusion/results.hpp"
#include "physics/rest.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/at_time.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/lumped.hpp"
#include "physics/scalar/periodic.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics {

namespace {

using namespace reaction_diffusion;

/// Rows are those of all fields; their diffusion is one system without entries between them.
class ReactionDiffusion final : public Model {
 public:
  ReactionDiffusion() { params_.setup = default_setup(); }

  Traits traits() const override {
    Traits traits;
    traits.fields = {
        {.name = "all", .components = params_.setup.fields, .measured = true, .written = false, .own_names = true}};
    for (const std::string& name : params_.setup.fields) traits.fields.push_back({.name = name});
    traits.sections = sections(params_.setup);
    traits.axis = true;
    traits.transient = true;
    traits.sources = true;
    traits.scheme = "sdirk2";
    traits.natural = "D du/dn = 0";
    return traits;
  }

  void begin(const deck::Deck& deck) override { params_.setup = read_setup(deck); }
  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { reaction_diffusion::read(deck, params_); }
  void check(const deck::Deck&) override { reaction_diffusion::check(params_); }
  std::vector<deck::Expression> expressions() override { return expressions_of(params_); }

  void add_groups(mesh::Mesh& mesh) override {
    std::vector<Place> boundaries;
    for (const scalar::Params& field : params_.of_field)
      for (const scalar::BoundaryParams& boundary : field.boundaries)
        boundaries.push_back({boundary.on, boundary.where});
    add_rest({.materials = places(params_.of_field.front().materials),
              .boundaries = boundaries,
              .periodic = places(params_.periodic),
              .quantities = params_.quantities},
             mesh);
  }

  std::vector<Index> joined_vertices(const deck::Deck& deck, const mesh::Mesh& mesh) override {
    scalar::Params all;
    static_cast<CommonParams&>(all) = params_;
    for (const scalar::Params& field : params_.of_field)
      all.boundaries.insert(all.boundaries.end(), field.boundaries.begin(), field.boundaries.end());
    std::vector<scalar::BoundaryParams> sides = params_.periodic;
    sides = scalar::take_periodic(sides);  // for its checks
    std::vector<Index> same = scalar::periodic_vertices(deck, all, sides, mesh);
    scalar::check_periodic_distances(sides, mesh, same);
    return same;
  }

  DirichletData set_up(const Discretisation& space) override {
    storage_ = {std::vector<deck::Expression>(params_.of_field.front().materials.size(), deck::Expression(1.0)),
                params_.lumped};
    if (now_.empty())
      for (scalar::Params& field : params_.of_field) {
        static_cast<CommonParams&>(field) = params_;
        still_.push_back(is_still(field));
        if (still_.back())  // assembled with 1, for its mass, and taken as 0
          for (scalar::MaterialParams& material : field.materials) material.diffusivity = {deck::Expression(1.0)};
        now_.push_back(field);
        scalar::set_time(field, params_.time->start, now_.back());
      }
    scalar::check_lumped(params_.physics, params_.lumped, space.mesh);
    problems_.clear();
    for (const scalar::Params& field : now_) {
      problems_.push_back(std::make_unique<const scalar::Problem>(
          scalar::Problem{.params = field,
                          .space = space,
                          .mesh = space.mesh,
                          .dofs = space.dofs,
                          .dirichlet = space.dirichlet,
                          .material = material_of_cells(places(field.materials), space.mesh),
                          .facets = scalar::facet_terms(field.boundaries, space.mesh)}));
      if (!space.ranks) scalar::check_on_axis(*problems_.back());
    }
    return prescribed(now_);
  }

  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary&) override {
    AtPoints all{.form = assembly::traits_of(forms::Diffusion(), space.mesh.dim)};
    for (std::size_t c = 0; c < problems_.size(); ++c) {
      if (still_[c]) continue;
      const AtPoints own = scalar::at_points(
          {scalar::diffusion_data(now_[c].materials, problems_[c]->material, space.mesh, space.dofs, space.threads),
           {},
           {}});
      all.bytes += own.bytes;
      all.tangent |= own.tangent;
      all.varies |= own.varies;
      scalar::boundary_data(*problems_[c], space.threads);
    }
    Threads exec(space.threads);
    (void)node_systems(exec, space);
    return all;
  }

  Varying varying() override {
    Varying result;
    for (const scalar::Params& field : params_.of_field) {
      const scalar::TimeDependence of = scalar::time_dependence(field);
      result.stiffness |= of.coefficients || of.alphas;
      result.loads |= of.sources || of.flows;
      result.prescribed |= of.prescribed;
    }
    return result;
  }

  DirichletData move_to(double t) override {
    t_ = t;
    for (std::size_t c = 0; c < now_.size(); ++c) scalar::set_time(params_.of_field[c], t, now_[c]);
    return prescribed(now_);
  }

  DirichletData prescribed_rates() override {
    std::vector<scalar::Params> rates = params_.of_field;
    for (scalar::Params& field : rates) {
      for (scalar::BoundaryParams& boundary : field.boundaries)
        boundary.value = derivative(boundary.value, deck::Variable::t);
      const scalar::Params with_t = field;
      scalar::set_time(with_t, t_, field);
    }
    return prescribed(rates);
  }

  template <class Exec>
  void assemble(Exec&, const Discretisation&, System<Exec>&, output::Summary&) {
    throw Error(ExitCode::usage, "reaction_diffusion solves a system of each step, and has none to export",
                "export a deck of heat with the diffusion of a field and no [time]", params_.physics.where);
  }

  template <class Exec>
  std::unique_ptr<Evolution<Exec>> evolution(Exec& exec, const Discretisation&, output::Summary& summary) {
    std::vector<FieldProblem> fields;
    for (std::size_t c = 0; c < now_.size(); ++c)
      fields.push_back({*problems_[c], params_.of_field[c], still_[c] != 0});
    const Varying of = varying();
    return make_evolution(exec, std::move(fields), storage_, of.stiffness || of.loads, summary);
  }

  template <class Exec>
  NodeSystems<Exec> node_systems(Exec& exec, const Discretisation& space) {
    return {make_reactions(exec, params_, space), params_.splitting, params_.odes.method};
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    return std::make_unique<FieldResults>(solution, params_.setup.fields);
  }

 private:
  /// Of all fields, by rows.
  DirichletData prescribed(const std::vector<scalar::Params>& fields) const {
    const Discretisation& space = problems_.front()->space;
    std::vector<std::pair<Index, double>> all;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const std::vector<scalar::BoundaryParams>& boundaries = fields[c].boundaries;
      DirichletData own =
          scalar::dirichlet_data(boundaries, space.mesh, space.unfolded ? space.unfolded->dofs : space.dofs,
                                 space.unfolded ? space.unfolded->dof_points : space.dof_points);
      if (space.unfolded) own = scalar::fold(*space.unfolded, space.dofs.dofs, own, boundaries);
      for (std::size_t i = 0; i < own.dofs.size(); ++i)
        all.emplace_back(space.row(own.dofs[i], static_cast<int>(c)), own.values[i]);
    }
    std::sort(all.begin(), all.end());
    DirichletData data;
    for (const auto& [row, value] : all) {
      data.dofs.push_back(row);
      data.values.push_back(value);
    }
    return data;
  }

  Params params_;
  std::vector<char> still_;          ///< [fields] whether it does not diffuse
  std::vector<scalar::Params> now_;  ///< the fields at the time that the model was moved to
  scalar::Storage storage_;
  std::vector<std::unique_ptr<const scalar::Problem>> problems_;  ///< [fields]
  double t_ = 0;
};

}  // namespace

std::unique_ptr<Module> make_reaction_diffusion() { return run_stationary<ReactionDiffusion>(); }

}  // namespace tessera::physics
