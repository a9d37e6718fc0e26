#pragma once
#include <memory>
#include <vector>

#include "linalg/operator.hpp"

namespace tessera::linalg {

/// P, which takes fields of a lower order to a higher one, and P^T. Corrections vanish where values are prescribed:
/// rows and columns that are fixed have nothing. Queues work only, the same for the same vectors.
template <class Exec>
class OrderTransfer {
 public:
  virtual ~OrderTransfer() = default;
  /// x += P y. x: [rows of the higher order], y: [rows of the lower order].
  virtual void prolong(Exec& exec, View<const double> y, View<double> x) const = 0;
  virtual void prolong(Exec& exec, View<const float> y, View<float> x) const = 0;
  /// y = P^T r. r: [rows of the higher order], y: [rows of the lower order]; overwrites `values` [values()].
  virtual void restrict_to(Exec& exec, View<const double> r, View<double> values, View<double> y) const = 0;
  virtual void restrict_to(Exec& exec, View<const float> r, View<float> values, View<float> y) const = 0;
  /// Numbers that `restrict_to` needs for a while.
  virtual Offset values() const = 0;
};

/// An operator in elements of a lower order on the same mesh, and what takes fields to the next higher one.
template <class Exec>
struct LowerOrder {
  int order = 1;
  std::unique_ptr<Operator<Exec>> A;
  std::unique_ptr<OrderTransfer<Exec>> transfer;
};

/// What multigrid over orders needs: the orders below that of an operator, the highest first, down to 1, which has its
/// entries.
template <class Exec>
struct LowerOrders {
  std::vector<LowerOrder<Exec>> levels;
};

}  // namespace tessera::linalg
