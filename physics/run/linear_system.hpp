#pragma once
// The system of a linear problem, assembled as its deck and its ranks ask for.
#include <list>
#include <memory>
#include <utility>

#include "base/collective.hpp"
#include "base/muted.hpp"
#include "base/reused_memory.hpp"
#include "linalg/lower_orders.hpp"
#include "physics/run/lower_orders.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/solve_linear_system.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics {

/// The cells that operators without a matrix over ranks look at as long as they live.
struct BorrowedCells {
  CellsOfPart inner, outer;
};

/// Of the rows that a rank owns, with lower orders where the solver wants them. Not movable.
template <class Exec>
struct LinearSystemOf {
  /// What one part of a run has freed serves the next, until all of this is gone.
  ReusedMemory<typename Exec::Space> reused;
  BorrowedCells cells;
  std::list<OrderSystem<Exec>> orders;
  System<Exec> system;

  /// As if nothing had been assembled.
  void clear() {
    std::destroy_at(&system);  // it cannot be assigned
    std::construct_at(&system);
    cells = {};
    orders.clear();
  }
  /// Their memory goes back.
  void let_go_of_orders() {
    system.A->set_lower_orders(nullptr);
    orders.clear();
  }
};

/// An operator without a matrix over ranks: cells without ghosts and cells with them, each set up by the model as a
/// mesh of its own; `on_cells(inner)` does more on them. Collective.
template <class Exec, class M, class OnCells>
void assemble_cells(Exec& exec, M& model, const OverRanks<Exec>& ranks, BorrowedCells& borrowed, System<Exec>& system,
                    output::Summary& summary, OnCells on_cells) {
  System<Exec> of_inner, of_outer;
  on_each_rank(ranks.ranks(), [&] {
    borrowed.inner = cells_without_ghosts(ranks.space());
    borrowed.outer = cells_with_ghosts(ranks.space());
    const auto assemble = [&](Discretisation& cells, System<Exec>& to, bool inner) {
      if (cells.mesh.cells() == 0) return;
      {
        const Muted again;
        model.set_up(cells);
      }
      model.assemble(exec, cells, to, summary);
      on_cells(inner);
    };
    assemble(borrowed.inner.space, of_inner, true);
    assemble(borrowed.outer.space, of_outer, false);
  });
  ranks.join(of_inner, of_outer, borrowed.outer.own, system);
}

/// Collective.
template <class Exec, class M>
void assemble_linear_system(Exec& exec, M& model, const OverRanks<Exec>& ranks, LinearSystemOf<Exec>& to,
                            output::Summary& summary) {
  CommonParams& params = model.params();
  const Discretisation& space = ranks.space();
  const AssembleOn<Exec> assemble = [&](const Discretisation& of_order, System<Exec>& system, output::Summary& says) {
    model.assemble(exec, of_order, system, says);
  };
  std::shared_ptr<linalg::LowerOrders<Exec>> lower;
  const bool in_parts = ranks && !space.why_without_matrix.empty();
  const auto assemble_highest = [&] {
    if (in_parts) {
      assemble_cells(exec, model, ranks, to.cells, to.system, summary,
                     [&](bool inner) { assemble_lower_cells(exec, params, assemble, inner, to.orders); });
      if (lower) join_lower_cells(to.orders, *lower);
    } else {
      ranks.each([&] { model.assemble(exec, space, to.system, summary); });
      ranks.complete(params, to.system, summary);
    }
  };
  // Lower orders find on the backend what the highest has there, and their arrays the memory that it has left; in parts
  // they are assembled with it.
  const auto assemble_all = [&] {
    if (!in_parts) assemble_highest();
    lower = make_lower_orders(exec, params, assemble, ranks, std::as_const(to.system.A).get(), to.orders);
    if (in_parts) assemble_highest();
  };
  if (!solvers::wants_lower_orders(params.solver)) {
    assemble_highest();
  } else if (!prepare_preconditioner(params, space, assemble_all, summary)) {
    lower = nullptr;
    to.clear();
    assemble_highest();
  }
  to.system.A->set_lower_orders(std::move(lower));
}

}  // namespace tessera::physics
