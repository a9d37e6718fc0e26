#pragma once
// The operators of lower order that multigrid over orders asks for.
#include <list>
#include <memory>

#include "assembly/space/interpolation.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "linalg/lower_orders.hpp"
#include "physics/run/solve.hpp"
#include "physics/run/space.hpp"
#include "solvers/amg/prolongation.hpp"

namespace tessera::physics {

/// Throws Error(usage) where a deck asks for a preconditioner over orders that there are none for: of order 1, through
/// time, of coefficients that depend on the solution, over ranks.
void check_lower_orders(const CommonParams& params, bool nonlinear);

/// What an operator of lower order borrows from.
template <class Exec>
struct OrderSystem {
  Discretisation space;
  System<Exec> system;
};

namespace detail {

template <class Space>
linalg::Crs<Space, float> on_backend(const linalg::Crs<Host, float>& A) {
  linalg::Crs<Space, float> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.row_ptr = to_space<Space>(to_vector(A.row_ptr));
  result.col_ind = to_space<Space>(to_vector(A.col_ind));
  result.values = to_space<Space>(to_vector(A.values));
  return result;
}

/// Says for a while what a deck of a lower order would say.
class OfOrder {
 public:
  OfOrder(CommonParams& params, int order)
      : params_(params), order_(params.physics.order), strategy_(params.assembly.strategy), solver_(params.solver) {
    params.physics.order = order;
    params.solver.preconditioner = order == 1 ? "amg" : "chebyshev";
    params.solver.preconditioning = {};
    if (order == 1 && strategy_ == "matrix_free") params.assembly.strategy = "auto";
  }
  ~OfOrder() {
    params_.physics.order = order_;
    params_.assembly.strategy = strategy_;
    params_.solver = solver_;
  }
  OfOrder(const OfOrder&) = delete;

 private:
  CommonParams& params_;
  int order_;
  std::string strategy_;
  solvers::SolverParams solver_;
};

}  // namespace detail

/// The problem of a model in orders halved down to 1, each set up by the model as if the deck asked for it; `kept`
/// holds what the operators borrow. The model has `space` set up again at the end. Phase: lower orders.
template <class Exec, class M>
std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, M& model, const Context& context,
                                                                   const Discretisation& space,
                                                                   std::list<OrderSystem<Exec>>& kept) {
  using Space = typename Exec::Space;
  const Scope scope(exec, "lower orders");
  const Muted again;
  CommonParams& params = model.params();
  const auto result = std::make_shared<linalg::LowerOrders<Exec>>();
  const Discretisation* finer = &space;
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    OrderSystem<Exec>& made = kept.emplace_back();
    made.space.threads = space.threads;
    made.space.mesh = space.mesh;
    make_space(context.deck, params.physics, space.components, model.joined_vertices(context.deck, made.space.mesh),
               made.space);
    made.space.dirichlet = model.set_up(made.space);
    output::Summary unsaid;
    model.assemble(exec, made.space, made.system, unsaid);
    complete(exec, params, made.system, unsaid);
    made.system.b = {};
    linalg::LowerOrder<Exec>& level = result->levels.emplace_back();
    level.order = order;
    level.A = std::move(made.system.A);
    level.P = detail::on_backend<Space>(assembly::interpolation(made.space.dofs, finer->dofs, space.components,
                                                                made.space.dirichlet.dofs, finer->dirichlet.dofs));
    level.R = solvers::amg::transpose(exec, std::as_const(level.P).view());
    finer = &made.space;
  }
  model.set_up(space);
  return result;
}

}  // namespace tessera::physics
