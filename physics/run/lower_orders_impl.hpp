#pragma once
// make_lower_orders, written once. It only calls declared functions: lower_orders.cpp and lower_orders_cuda.cpp
// instantiate it.
#include "assembly/matrix_free/order_transfer.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "physics/run/lower_orders.hpp"
#include "physics/run/solve.hpp"
#include "physics/run/space.hpp"

namespace tessera::physics {
namespace detail {

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

template <class Exec>
std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, Model& model,
                                                                   const AssembleOn<Exec>& assemble,
                                                                   const Discretisation& space,
                                                                   std::list<OrderSystem<Exec>>& kept) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  CommonParams& params = model.params();
  const auto result = std::make_shared<linalg::LowerOrders<Exec>>();
  const Discretisation* higher = &space;
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    OrderSystem<Exec>& made = kept.emplace_back();
    linalg::LowerOrder<Exec>& level = result->levels.emplace_back();
    level.order = order;
    {
      const Scope part(exec, "lower spaces");
      made.space.mesh = space.mesh;
      make_lower_space(*higher, order, made.space);
    }
    {
      const Scope part(exec, "lower systems");
      made.space.dirichlet = model.set_up(made.space);
      output::Summary unsaid;
      assemble(made.space, made.system, unsaid);
      complete(exec, params, made.system, unsaid);
      made.system.b = {};
      level.A = std::move(made.system.A);
    }
    const Scope part(exec, "transfers");
    level.transfer = assembly::make_order_transfer(exec, made.space.dofs, higher->dofs, space.components,
                                                   made.space.dirichlet.dofs, higher->dirichlet.dofs);
    higher = &made.space;
  }
  model.set_up(space);
  return result;
}

#define TESSERA_INSTANTIATE_LOWER_ORDERS(Exec)                                 \
  template std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders( \
      Exec&, Model&, const AssembleOn<Exec>&, const Discretisation&, std::list<OrderSystem<Exec>>&)

}  // namespace tessera::physics
