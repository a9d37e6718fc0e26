#pragma once
// make_lower_orders and ChangingOrders, written once. They only call declared functions: lower_orders.cpp and
// lower_orders_cuda.cpp instantiate them.
#include <deque>
#include <future>
#include <limits>
#include <utility>

#include "assembly/matrix_free/order_transfer.hpp"
#include "assembly/space/dirichlet.hpp"
#include "assembly/space/lower_dof_map.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "base/reused_memory.hpp"
#include "base/signals_held.hpp"
#include "linalg/shift_ops.hpp"
#include "mesh/copy.hpp"
#include "physics/run/changing_orders.hpp"
#include "physics/run/lower_orders.hpp"
#include "physics/run/solve.hpp"
#include "physics/run/space.hpp"

namespace tessera::physics {
namespace detail {

template <class Exec>
using CellLists = assembly::CellLists<typename Exec::Space>;

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

/// A copy of a mesh that a thread makes beside whoever asks for it.
using MeshAside = std::future<mesh::Mesh>;
/// One for each of the orders of make_lower_orders, in their order. Who asks for the first waits for it at once, and
/// makes it by all threads.
inline std::deque<MeshAside> copies_of(const Discretisation& space, int highest) {
  std::deque<MeshAside> result;
  const SignalsHeld held;
  for (int order = highest / 2; order >= 1; order /= 2) {
    const bool first = result.empty();
    result.push_back(
        std::async(first ? std::launch::deferred : std::launch::async | std::launch::deferred,
                   [&mesh = space.mesh, threads = first ? space.threads : 1] { return mesh::copy(mesh, threads); }));
  }
  return result;
}

/// The lists of the cells of a space, from its operator where that has them on the backend.
template <class Exec>
CellLists<Exec> lists_of(Exec& exec, const Discretisation& space, const linalg::Operator<Exec>* of) {
  using Space = typename Exec::Space;
  if constexpr (!std::is_same_v<Space, Host>) {
    if (const auto* there = dynamic_cast<const assembly::HasCellDofs<Exec>*>(of)) {
      Offset count = 0;
      for (const assembly::DofBlock& block : space.dofs.blocks) count += static_cast<Offset>(block.dofs.size());
      Array<Index, Space> dofs(count);
      there->copy_cell_dofs(exec, dofs.view());
      return CellLists<Exec>(std::move(dofs));
    }
  }
  (void)exec, (void)of;
  return CellLists<Exec>(space.dofs);
}

/// `cells`: the lists of the higher order. Returns those of `space`; `meshes` loses its first.
template <class Exec>
CellLists<Exec> make_space_of(Exec& exec, const Discretisation& higher, CellLists<Exec>& cells, int order,
                              std::deque<MeshAside>& meshes, Discretisation& space) {
  const auto take_mesh = [&] {
    space.mesh = meshes.front().get();
    meshes.pop_front();
  };
  if (order == 1) take_mesh();  // whose nodes may be the dofs
  Array<Index, typename Exec::Space> made;
  make_lower_space(higher, order, space, [&](std::vector<Index>& fixed) {
    auto map = assembly::lower_dof_map_on(exec, higher.dofs, cells, order, higher.threads, higher.components, fixed,
                                          &space.mesh);
    made = std::move(map.cells);
    return std::move(map.map);
  });
  if (order > 1) take_mesh();
  return made.empty() ? CellLists<Exec>(space.dofs) : CellLists<Exec>(std::move(made));
}

/// From a space to the one above it. Collective.
template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> transfer_between(Exec& exec, const OverRanks<Exec>& of_lower,
                                                              const OverRanks<Exec>& of_higher,
                                                              CellLists<Exec>& lower_cells,
                                                              CellLists<Exec>& higher_cells) {
  const Discretisation &lower = of_lower.space(), &higher = of_higher.space();
  std::unique_ptr<linalg::OrderTransfer<Exec>> transfer;
  of_lower.each([&] {
    transfer = assembly::make_order_transfer<Exec>(exec, lower.dofs, higher.dofs, lower.components,
                                                   lower.dirichlet.dofs, higher.dirichlet.dofs, lower_cells,
                                                   higher_cells, {of_lower.halo(), of_higher.halo()});
  });
  return transfer;
}

}  // namespace detail

template <class Exec>
std::shared_ptr<linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, CommonParams& params,
                                                             const AssembleOn<Exec>& assemble,
                                                             const OverRanks<Exec>& ranks,
                                                             const linalg::Operator<Exec>* highest,
                                                             std::list<OrderSystem<Exec>>& kept) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  const ReusedMemory<typename Exec::Space> reused;
  const auto result = std::make_shared<linalg::LowerOrders<Exec>>();
  const OverRanks<Exec>* higher = &ranks;
  auto meshes = detail::copies_of(ranks.space(), params.physics.order);
  detail::CellLists<Exec> cells = detail::lists_of(exec, ranks.space(), highest);  // of the higher order
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    detail::CellLists<Exec> lower_cells;
    OrderSystem<Exec>& made = kept.emplace_back();
    linalg::LowerOrder<Exec>& level = result->levels.emplace_back();
    made.order = level.order = order;
    {
      const Scope part(exec, "lower spaces");
      lower_cells = detail::make_space_of(exec, higher->space(), cells, order, meshes, made.space);
      if (ranks && !ranks.space().why_without_matrix.empty())  // else the model may not be able to do without
        made.space.why_without_matrix = why_without_matrix_of_all(params, made.space);
      made.ranks.emplace(ranks, made.space);
    }
    made.system.with_loads = false;
    if (made.space.why_without_matrix.empty()) {
      const Scope part(exec, "lower systems");
      output::Summary unsaid;
      ranks.each([&] { assemble(made.space, made.system, unsaid); });
      made.ranks->complete(params, made.system, unsaid);
      made.system.b = {};
      level.A = std::move(made.system.A);
    }
    const Scope part(exec, "transfers");
    level.transfer = detail::transfer_between(exec, *made.ranks, *higher, lower_cells, cells);
    cells = std::move(lower_cells);
    higher = &*made.ranks;
  }
  return result;
}

template <class Exec>
void assemble_lower_cells(Exec& exec, CommonParams& params, const AssembleOn<Exec>& assemble, bool inner,
                          std::list<OrderSystem<Exec>>& kept) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  for (OrderSystem<Exec>& made : kept) {
    if (made.space.why_without_matrix.empty()) continue;
    const detail::OfOrder deck(params, made.order);
    SystemOfCells<Exec>& to = inner ? made.inner : made.outer;
    {
      const Scope part(exec, "lower spaces");
      to.cells = inner ? cells_without_ghosts(made.space) : cells_with_ghosts(made.space);
    }
    if (to.cells.space.mesh.cells() == 0) continue;
    const Scope part(exec, "lower systems");
    to.system.with_loads = false;
    output::Summary unsaid;
    assemble(to.cells.space, to.system, unsaid);
  }
}

template <class Exec>
void join_lower_cells(std::list<OrderSystem<Exec>>& kept, linalg::LowerOrders<Exec>& orders) {
  auto level = orders.levels.begin();
  for (OrderSystem<Exec>& made : kept) {
    linalg::LowerOrder<Exec>& to = *level++;
    if (to.A) continue;
    made.ranks->join(made.inner.system, made.outer.system, made.outer.cells.own, made.system);
    to.A = std::move(made.system.A);
  }
}

template <class Exec>
ChangingOrders<Exec>::ChangingOrders(Exec& exec, CommonParams& params, const Varying& varying,
                                     const OverRanks<Exec>& ranks, const MakeEquations<Exec>& make)
    : exec_(exec), params_(params), varying_(varying), ranks_(ranks), orders_(std::make_shared<Orders>()) {
  const Scope scope(exec, "lower orders");
  const Muted again;
  const OverRanks<Exec>* higher = &ranks;
  detail::CellLists<Exec> cells(ranks.space().dofs);  // of the higher order
  auto meshes = detail::copies_of(ranks.space(), params.physics.order);
  for (int order = params.physics.order / 2; order >= 1; order /= 2) {
    const detail::OfOrder deck(params, order);
    detail::CellLists<Exec> lower_cells;
    Level& level = levels_.emplace_back();
    {
      const Scope part(exec, "lower spaces");
      lower_cells = detail::make_space_of(exec, higher->space(), cells, order, meshes, level.space);
      level.ranks.emplace(ranks, level.space);
    }
    {
      const Scope part(exec, "lower systems");
      output::Summary unsaid;
      ranks.each([&] { level.equations = make(level.space, unsaid); });
    }
    const Scope part(exec, "transfers");
    orders_->levels.push_back(
        {order, nullptr, detail::transfer_between(exec, *level.ranks, *higher, lower_cells, cells)});
    cells = std::move(lower_cells);
    higher = &*level.ranks;
  }
}

template <class Exec>
void ChangingOrders<Exec>::fill(double t, double sigma, double load, std::span<const double> u) {
  const Scope scope(exec_, "lower orders");
  const Muted again;
  const bool moved = std::exchange(t_, std::numeric_limits<double>::quiet_NaN()) != t;  // also after a failure
  const Discretisation* higher = &ranks_.space();
  auto order = orders_->levels.begin();
  for (Level& level : levels_) {
    const Scope part(exec_, "lower systems");
    ranks_.each([&] {
      if (!u.empty()) u = level.u = assembly::at_lower_nodes(higher->dofs, level.space.dofs, u);
      fill(level, t, moved, sigma, load);
      const DirichletData& fixed = level.space.dirichlet;
      assembly::eliminate_dirichlet(exec_, level.system.matrix, level.system.b.view(), fixed.dofs, fixed.values);
    });
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
  System<Exec>& stored = ranks_ ? level.own : level.system;
  stored.A = std::move(order.A);  // whoever has made it fills it anew
  const detail::OfOrder deck(params_, order.order);
  output::Summary unsaid;
  level.ranks->store(params_, level.system, level.own, unsaid);
  order.A = std::move(stored.A);
}

#define TESSERA_INSTANTIATE_LOWER_ORDERS(Exec)                                                              \
  template std::shared_ptr<linalg::LowerOrders<Exec>> make_lower_orders(                                    \
      Exec&, CommonParams&, const AssembleOn<Exec>&, const OverRanks<Exec>&, const linalg::Operator<Exec>*, \
      std::list<OrderSystem<Exec>>&);                                                                       \
  template void assemble_lower_cells(Exec&, CommonParams&, const AssembleOn<Exec>&, bool,                   \
                                     std::list<OrderSystem<Exec>>&);                                        \
  template void join_lower_cells(std::list<OrderSystem<Exec>>&, linalg::LowerOrders<Exec>&);                \
  template class ChangingOrders<Exec>

}  // namespace tessera::physics
