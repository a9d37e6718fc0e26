#pragma once
// make_lower_orders and ChangingOrders, written once. They only call declared functions: lower_orders.cpp and
// lower_orders_cuda.cpp instantiate them.
#include <limits>
#include <utility>

#include "assembly/matrix_free/order_transfer.hpp"
#include "assembly/space/dirichlet.hpp"
#include "assembly/space/lower_dof_map.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/changing_orders.hpp"
#include "physics/run/lower_orders.hpp"
#include "physics/run/solve.hpp"
#include "physics/run/space.hpp"

namespace tessera::physics {
namespace detail {

/// Says for a while what a deck of a lower order would say.
class OfOrder {
 public:
  OfOrder(CommonParams& params, int order)
      : params_(params),
        order_(params.physics.order),
        strategy_(params.assembly.strategy),
        format_(params.matrix.format),
        solver_(params.solver) {
    params.physics.order = order;
    params.solver.preconditioner = order == 1 ? "amg" : "chebyshev";
    params.solver.preconditioning = {};
    if (order > 1) return;
    if (strategy_ == "matrix_free") params.assembly.strategy = "auto";
    params.matrix.format = "auto";  // amg needs entries
  }
  ~OfOrder() {
    params_.physics.order = order_;
    params_.assembly.strategy = strategy_;
    params_.matrix.format = format_;
    params_.solver = solver_;
  }
  OfOrder(const OfOrder&) = delete;

 private:
  CommonParams& params_;
  int order_;
  std::string strategy_, format_;
  solvers::SolverParams solver_;
};

inline void make_space_of(const Discretisation& higher, int order, Discretisation& space) {
  space.mesh = higher.mesh;
  make_lower_space(higher, order, space);
}

/// From a space to the one above it.
template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> transfer_between(Exec& exec, const Discretisation& space,
                                                              const Discretisation& higher) {
  return assembly::make_order_transfer(exec, space.dofs, higher.dofs, space.components, space.dirichlet.dofs,
                                       higher.dirichlet.dofs);
}

}  // namespace detail

template <class Exec>
std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, CommonParams& params,
                                                                   const AssembleOn<Exec>& assemble,
                                                                   const Discretisation& space,
                                                                   std::list<OrderSystem<Exec>>& kept) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  const auto result = std::make_shared<linalg::LowerOrders<Exec>>();
  const Discretisation* higher = &space;
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    OrderSystem<Exec>& made = kept.emplace_back();
    linalg::LowerOrder<Exec>& level = result->levels.emplace_back();
    level.order = order;
    {
      const Scope part(exec, "lower spaces");
      detail::make_space_of(*higher, order, made.space);
    }
    {
      const Scope part(exec, "lower systems");
      made.system.with_loads = false;
      output::Summary unsaid;
      assemble(made.space, made.system, unsaid);
      complete(exec, params, made.system, unsaid);
      made.system.b = {};
      level.A = std::move(made.system.A);
    }
    const Scope part(exec, "transfers");
    level.transfer = detail::transfer_between(exec, made.space, *higher);
    higher = &made.space;
  }
  return result;
}

template <class Exec>
ChangingOrders<Exec>::ChangingOrders(Exec& exec, CommonParams& params, const Varying& varying,
                                     const Discretisation& space, const MakeEquations<Exec>& make)
    : exec_(exec), params_(params), varying_(varying), space_(space), orders_(std::make_shared<Orders>()) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  const Discretisation* higher = &space;
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    Level& level = levels_.emplace_back();
    {
      const Scope part(exec, "lower spaces");
      detail::make_space_of(*higher, order, level.space);
    }
    {
      const Scope part(exec, "lower systems");
      output::Summary unsaid;
      level.equations = make(level.space, unsaid);
    }
    const Scope part(exec, "transfers");
    orders_->levels.push_back({order, nullptr, detail::transfer_between(exec, level.space, *higher)});
    higher = &level.space;
  }
}

template <class Exec>
void ChangingOrders<Exec>::fill(double t, double sigma, double load, std::span<const double> u) {
  const Scope scope(exec_, "lower orders");
  const Muted again;
  const bool moved = std::exchange(t_, std::numeric_limits<double>::quiet_NaN()) != t;  // also after a failure
  const Discretisation* higher = &space_;
  auto order = orders_->levels.begin();
  for (Level& level : levels_) {
    const Scope part(exec_, "lower systems");
    if (!u.empty()) u = level.u = assembly::at_lower_nodes(higher->dofs, level.space.dofs, u);
    fill(level, t, moved, sigma, load);
    const DirichletData& fixed = level.space.dirichlet;
    assembly::eliminate_dirichlet(exec_, level.system.matrix, level.system.b.view(), fixed.dofs, fixed.values);
    store(level, *order++);
    higher = &level.space;
  }
  t_ = t;
}

template <class Exec>
void ChangingOrders<Exec>::fill(Level& level, double t, bool moved, double sigma, double load) {
  System<Exec>& system = level.system;
  Evolution<Exec>* const evolution = level.equations.evolution.get();
  Nonlinear<Exec>* const nonlinear = level.equations.nonlinear.get();
  const bool first = system.b.empty();
  if (first) system.b = Array<double, typename Exec::Space>(level.space.rows());
  if (evolution) {
    if (first) level.mass = evolution->make_matrix();
    if (first || (varying_.mass && moved) || varying_.mass_of_solution) evolution->fill_mass(t, level.u, level.mass);
  }
  // sigma M + A, or sigma M - R'(u)
  if (nonlinear) {
    if (evolution && (first || moved)) nonlinear->take_data(t);
    nonlinear->move_to(level.u, load);
    nonlinear->tangent(system);
    if (evolution)
      linalg::combine(exec_, system.matrix.values.view(), {1.0}, {{sigma}, std::as_const(level.mass).values.view()});
    return;
  }
  if (first) {
    level.stiffness = evolution->make_matrix();
    system.matrix = evolution->make_matrix();
  }
  if (first || (varying_.stiffness && moved)) evolution->fill(t, level.stiffness, system.b.view());
  linalg::combine(exec_, system.matrix.values.view(), {}, {{1.0}, std::as_const(level.stiffness).values.view()},
                  {{sigma}, std::as_const(level.mass).values.view()});
}

/// In the format that the deck asks for, made the first time.
template <class Exec>
void ChangingOrders<Exec>::store(Level& level, linalg::LowerOrder<Exec>& order) {
  if (order.A) return linalg::refill(exec_, level.system.matrix, *order.A);
  const detail::OfOrder deck(params_, order.order);
  output::Summary unsaid;
  convert(exec_, params_, level.system, unsaid);
  order.A = std::move(level.system.A);
}

#define TESSERA_INSTANTIATE_LOWER_ORDERS(Exec)                                                              \
  template std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders(                              \
      Exec&, CommonParams&, const AssembleOn<Exec>&, const Discretisation&, std::list<OrderSystem<Exec>>&); \
  template class ChangingOrders<Exec>

}  // namespace tessera::physics
