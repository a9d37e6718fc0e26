#pragma once
#include <memory>
#include <vector>

#include "linalg/operator.hpp"

namespace tessera::linalg {

/// An operator in elements of a lower order on the same mesh, and what takes fields to it from the next higher one.
template <class Exec>
struct LowerOrder {
  using Space = typename Exec::Space;
  int order = 1;
  std::unique_ptr<Operator<Exec>> A;
  Crs<Space, float>
      P;  ///< [rows of the higher order, rows]: values at its nodes; nothing in rows and columns that are fixed
  Crs<Space, float> R;  ///< P^T
};

/// What multigrid over orders needs: the orders below that of an operator, the highest first, down to 1, which has its
/// entries.
template <class Exec>
struct LowerOrders {
  std::vector<LowerOrder<Exec>> levels;
};

}  // namespace tessera::linalg
