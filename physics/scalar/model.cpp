#include "physics/scalar/model.hpp"

#include <algorithm>

#include "physics/at_time.hpp"
#include "physics/rest.hpp"
#include "physics/scalar/at_time.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/contact.hpp"
#include "physics/scalar/manufactured.hpp"
#include "physics/scalar/parts.hpp"
#include "physics/scalar/periodic.hpp"
#include "physics/scalar/results.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics::scalar {

Traits ScalarModel::traits_with(deck::SectionDescription physics, deck::SectionDescription material,
                                deck::Knows knows) {
  return {.fields = scalar_fields(),
          .sections = {std::move(physics), std::move(material), boundary_section(knows).description()},
          .precisions = all_precisions,
          .axis = true,
          .derives_source = true,
          .quantities = flux_quantities(),
          .natural = "k du/dn = 0"};
}

void ScalarModel::check(const deck::Deck&) {
  check_boundaries(params().boundaries);
  derive_sources(params(), velocity());
}

void ScalarModel::begin_on_mesh() {
  periodic_ = take_periodic(params().boundaries);
  take_contacts(params());
}

void ScalarModel::add_groups(mesh::Mesh& mesh) {
  const std::vector<Place> materials = places(params().materials);
  for (const BoundaryParams& contact : params().contacts)
    if (std::find(contact.on.begin(), contact.on.end(), "rest") != contact.on.end()) add_rest_of_cells(materials, mesh);
  split_contacts(params().contacts, mesh);
  std::vector<Place> taken = places(periodic_);
  for (const BoundaryParams& contact : params().contacts) {
    const std::array<std::string, 2> sides = contact_sides(contact, mesh);
    taken.push_back({{sides.begin(), sides.end()}, contact.where});
  }
  add_rest({.materials = materials,
            .boundaries = places(params().boundaries),
            .periodic = taken,
            .quantities = params().quantities},
           mesh);
}

std::vector<Index> ScalarModel::joined_vertices(const deck::Deck& deck, const mesh::Mesh& mesh) {
  std::vector<Index> same = periodic_vertices(deck, params(), periodic_, mesh);
  check_periodic_distances(periodic_, mesh, same);
  return same;
}

DirichletData ScalarModel::set_up(const Discretisation& space) {
  if (params().time && !now_) {
    t_ = params().time->start;
    now_ = std::make_unique<Params>(params());
    set_time(params(), t_, *now_);
  }
  const Params& of_deck = now();
  constant_.reset();
  lower_.clear();
  std::vector<ContactTerm> contacts = contact_terms(of_deck, periodic_, space.mesh, space.dofs, space.ranks == nullptr);
  std::vector<assembly::DofBlock> couplings = contact_couplings(contacts, space.mesh, space.dofs);
  problem_ = std::make_unique<const Problem>(Problem{
      .params = of_deck,
      .space = space,
      .mesh = space.mesh,
      .dofs = space.dofs,
      .dirichlet = space.dirichlet,
      .material = material_of_cells(places(of_deck.materials), space.mesh),
      .facets = facet_terms(of_deck.boundaries, space.mesh),
      .contacts = std::move(contacts),
      .couplings = std::move(couplings),
  });
  DirichletData dirichlet = prescribed(space, of_deck.boundaries);
  if (!space.ranks) check_on_axis(*problem_);
  if (!space.ranks && !now_ && solvers::shift_of(params().solver) == 0)
    check_parts(*problem_, dirichlet);  // what is stored fixes u
  return dirichlet;
}

const Problem& ScalarModel::problem_in(const Discretisation& space) {
  if (&space == &problem_->space) return *problem_;
  for (const Problem& known : lower_)
    if (&known.space == &space) return known;
  const Params& of_deck = problem_->params;
  std::vector<ContactTerm> contacts = contact_terms(of_deck, periodic_, space.mesh, space.dofs, space.ranks == nullptr);
  std::vector<assembly::DofBlock> couplings = contact_couplings(contacts, space.mesh, space.dofs);
  lower_.push_back({.params = of_deck,
                    .space = space,
                    .mesh = space.mesh,
                    .dofs = space.dofs,
                    .dirichlet = space.dirichlet,
                    .material = problem_->material,
                    .facets = problem_->facets,
                    .contacts = std::move(contacts),
                    .couplings = std::move(couplings)});
  return lower_.back();
}

DirichletData ScalarModel::prescribed(const Discretisation& space,
                                      const std::vector<BoundaryParams>& boundaries) const {
  DirichletData dirichlet = dirichlet_data(boundaries, space.mesh, space.unfolded ? space.unfolded->dofs : space.dofs,
                                           space.unfolded ? space.unfolded->dof_points : space.dof_points);
  if (space.unfolded) dirichlet = fold(*space.unfolded, space.dofs.dofs, dirichlet, boundaries);
  return dirichlet;
}

DirichletData ScalarModel::move_to(double t) {
  t_ = t;
  set_time(params(), t, *now_);
  if (!constant_ || time_dependence(params()).prescribed) constant_ = prescribed(problem_->space, now_->boundaries);
  return *constant_;
}

DirichletData ScalarModel::prescribed_rates() {
  if (rates_.empty()) {
    rates_ = params().boundaries;
    for (BoundaryParams& boundary : rates_) boundary.value = derivative(boundary.value, deck::Variable::t);
  }
  std::vector<BoundaryParams> now = rates_;
  for (BoundaryParams& boundary : now) boundary.value = at_time(boundary.value, t_);
  return prescribed(problem_->space, now);
}

std::unique_ptr<Results> ScalarModel::results(const NodalSolution& solution) {
  return std::make_unique<ScalarResults>(of(solution));
}

Solution ScalarModel::of(const NodalSolution& solution) {
  return {solution,         problem_->material, now().materials, now().boundaries,
          problem_->facets, periodic_,          weak_form(),     problem_->contacts};
}

mesh::CoupledCells ScalarModel::coupled_cells() { return scalar::coupled_cells(problem_->contacts, problem_->mesh); }

}  // namespace tessera::physics::scalar
