#pragma once
// The operators of lower order that multigrid over orders asks for.
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "linalg/lower_orders.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// Throws Error(usage) where a deck asks for a preconditioner over orders that there are none for: of order 1.
void check_lower_orders(const CommonParams& params);

/// What an operator of lower order borrows from.
template <class Exec>
struct OrderSystem {
  Discretisation space;
  System<Exec> system;
};

/// M::assemble of a model M.
template <class Exec>
using AssembleOn = std::function<void(const Discretisation& space, System<Exec>& system, output::Summary& summary)>;

/// The operators of a model in orders halved down to 1, each made as if the deck asked for it, in spaces that follow
/// from `space`, which the model has set up; `kept` holds what the operators borrow. Phase: lower orders; its parts:
/// lower spaces, lower systems, transfers.
template <class Exec>
std::shared_ptr<const linalg::LowerOrders<Exec>> make_lower_orders(Exec& exec, CommonParams& params,
                                                                   const AssembleOn<Exec>& assemble,
                                                                   const Discretisation& space,
                                                                   std::list<OrderSystem<Exec>>& kept);

}  // namespace tessera::physics
