#pragma once
// The model of one number u with diffusion, reaction and source, whatever else its equation has: poisson,
// convection_diffusion.
#include <list>
#include <memory>

#include "physics/model.hpp"
#include "physics/scalar/problem.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::scalar {

/// u with its flux; [[boundary]] dirichlet, neumann, robin, periodic and contact. A model that derives from it adds
/// [physics], [[material]] and its form.
class ScalarModel : public Model {
 public:
  Params& params() override = 0;
  void check(const deck::Deck& deck) override;
  std::vector<deck::Expression> expressions() override { return expressions_of(params()); }
  void begin_on_mesh() override;
  void add_groups(mesh::Mesh& mesh) override;
  std::vector<Index> joined_vertices(const deck::Deck& deck, const mesh::Mesh& mesh) override;
  DirichletData set_up(const Discretisation& space) override;
  mesh::CoupledCells coupled_cells() override;
  DirichletData move_to(double t) override;
  DirichletData prescribed_rates() override;
  std::unique_ptr<Results> results(const NodalSolution& solution) override;

 protected:
  /// Fields, quantities and what holds without a condition, with the model's own sections. `knows`: see
  /// boundary_section.
  static Traits traits_with(deck::SectionDescription physics, deck::SectionDescription material,
                            deck::Knows knows = deck::Knows::place);
  /// With all that its evaluation needs; borrows from the model. After set_up.
  Solution of(const NodalSolution& solution);
  /// What the rows of the system say.
  virtual WeakForm weak_form() = 0;
  /// v of each material, one component an axis; empty: 0.
  virtual std::vector<std::vector<deck::Expression>> velocity() const { return {}; }
  /// After set_up.
  const Problem& problem() const { return *problem_; }
  /// The same in a space: that of set_up, or one of a lower order on its mesh.
  const Problem& problem_in(const Discretisation& space);
  /// Entries of [[boundary]] that are periodic; from begin_on_mesh on params().boundaries has the others.
  const std::vector<BoundaryParams>& periodic() const { return periodic_; }
  /// The deck; of a run through time as it is at the time that the model was moved to last.
  const Params& now() { return now_ ? *now_ : params(); }
  double time() const { return t_; }

 private:
  DirichletData prescribed(const Discretisation& space, const std::vector<BoundaryParams>& boundaries) const;

  std::unique_ptr<const Problem> problem_;
  std::list<Problem> lower_;  ///< of lower orders
  std::vector<BoundaryParams> periodic_;
  std::unique_ptr<Params> now_;
  std::vector<BoundaryParams> rates_;      ///< the boundaries with du/dt as their values
  std::optional<DirichletData> constant_;  ///< what is prescribed at all times, or was at the last one
  double t_ = 0;
};

}  // namespace tessera::physics::scalar
