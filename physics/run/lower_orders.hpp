#pragma once
// The operators of lower order that multigrid over orders asks for.
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linalg/lower_orders.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rank_run.hpp"

namespace tessera::physics {

/// Throws Error(usage) where a deck asks for a preconditioner over orders that there are none for: of order 1.
void check_lower_orders(const CommonParams& params);

/// Cells of a part, and the system on them, whose operator borrows from them.
template <class Exec>
struct SystemOfCells {
  CellsOfPart cells;
  System<Exec> system;
};

/// What an operator of lower order borrows from.
template <class Exec>
struct OrderSystem {
  int order = 1;
  Discretisation space;
  System<Exec> system;
  std::optional<OverRanks<Exec>> ranks;        ///< of the space
  SystemOfCells<Exec> inner = {}, outer = {};  ///< of an operator without a matrix over ranks
};

/// Plan::why of a space of which each rank has a part; empty: a matrix is assembled. Collective.
std::string why_without_matrix_of_all(const CommonParams& params, Discretisation& part);

/// M::assemble of a model M.
template <class Exec>
using AssembleOn = std::function<void(const Discretisation& space, System<Exec>& system, output::Summary& summary)>;

/// The operators of a model in orders halved down to 1, each made as if the deck asked for it, in spaces that follow
/// from that of `ranks`, which the model has set up; `kept` holds what the operators borrow. Over ranks those without a
/// matrix wait for assemble_lower_cells and join_lower_cells. `highest`: the operator of that space, where it is made
/// already; what it has on the backend is not copied there again. Phase: lower orders; its parts: lower spaces, lower
/// systems, transfers. Collective.
template <class Exec>
std::shared_ptr<linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, CommonParams& params,
                                                             const AssembleOn<Exec>& assemble,
                                                             const OverRanks<Exec>& ranks,
                                                             const linalg::Operator<Exec>* highest,
                                                             std::list<OrderSystem<Exec>>& kept);

/// The operators without a matrix of lower orders over ranks, on the cells without ghosts (`inner`) or on those with
/// them, which the model has set up.
template <class Exec>
void assemble_lower_cells(Exec& exec, CommonParams& params, const AssembleOn<Exec>& assemble, bool inner,
                          std::list<OrderSystem<Exec>>& kept);
/// Both as operators of the rows that this rank owns.
template <class Exec>
void join_lower_cells(std::list<OrderSystem<Exec>>& kept, linalg::LowerOrders<Exec>& orders);

}  // namespace tessera::physics
