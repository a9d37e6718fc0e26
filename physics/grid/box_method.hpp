#pragma once
// What all methods on the nodes of a box share: names are checked against its outline, and errors, quantities and
// files come from its mesh, whose nodes are those of the grid.
#include "physics/grid/box_grid.hpp"
#include "physics/grid_method.hpp"
#include "physics/run/solve.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::grid {

/// A problem of one number u on a BoxGrid.
class BoxMethod : public GridMethod {
 public:
  const Params& params() const override { return params_; }
  bool report(const solvers::Report& report, Context& context) override;

 protected:
  /// `deck`: a mesh is made from it where results want one. `params` outlives the method.
  BoxMethod(const deck::Deck& deck, const Params& params) : deck_(deck), params_(params) {}

  /// Quantities, lines and [exact] against the outline of the grid.
  void check_names(const BoxGrid& grid) const;
  /// Evaluates [exact] where a report does, for its checks.
  void check_exact_values(const Context& context) const;
  /// Whether errors, quantities or files are wanted, which stand on a mesh.
  bool needs_mesh() const;
  /// Bytes of that mesh and what is made of it.
  double mesh_bytes(const BoxGrid& grid) const;
  int threads() const { return Threads(params_.run.threads).count(); }

  /// u at all nodes of the grid.
  virtual std::vector<double> at_nodes() const = 0;
  /// The form whose balance and fluxes are reported.
  virtual WeakForm weak_form() const = 0;

  const deck::Deck& deck_;
  const Params& params_;
};

/// Where u - level starts among the unknowns: nothing is fixed there.
Start start_of(const Params& params, const BoxGrid& grid, const NodeRange& unknowns, double level);

/// "7 x 7": numbers of nodes along the axes.
std::string sizes(const std::array<Index, 3>& counts, int dim);

}  // namespace tessera::physics::grid
