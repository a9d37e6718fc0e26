#pragma once
#include <memory>
#include <utility>

#include "linalg/ghost_product.hpp"
#include "linalg/halo.hpp"
#include "linalg/operator.hpp"
#include "linalg/split_ghosts.hpp"

namespace tessera::linalg {

/// The rows that this rank owns of a matrix that ranks share, as RankOperator has them, for what forms no sums over
/// ranks: A_own, and A_ghost [boundary rows of the halo, ghosts], whose ghosts travel beside the product with A_own.
/// Collective.
template <class Exec>
class RankRows {
 public:
  using Space = typename Exec::Space;
  RankRows(std::shared_ptr<Halo<Exec>> halo, SplitMatrix<Crs<Space>> split)
      : halo_(std::move(halo)), split_(std::move(split)) {}
  RankRows(const RankRows&) = delete;

  /// For who makes an operator of it, which may borrow it, and gives that back.
  const Crs<Space>& own() const { return split_.own; }
  void take(std::unique_ptr<Operator<Exec>> own) {
    own_ = std::move(own);
    if (!own_->entries()) split_.own = {};
  }

  /// y = A x.
  void apply(Exec& exec, View<const double> x, View<double> y) const {
    halo_->start(exec, x);
    own_->apply(exec, x, y);
    add_ghost_product(exec, 1, std::as_const(split_.ghost).view(), *halo_, y);
  }
  /// r = b - A x; `scratch`: one number, whatever it holds afterwards.
  void residual(Exec& exec, View<const double> x, View<const double> b, View<double> r, double* scratch) const {
    halo_->start(exec, x);
    own_->residual(exec, x, b, r, scratch);
    add_ghost_product(exec, -1, std::as_const(split_.ghost).view(), *halo_, r);
  }

 private:
  std::shared_ptr<Halo<Exec>> halo_;
  SplitMatrix<Crs<Space>> split_;
  std::unique_ptr<Operator<Exec>> own_;
};

}  // namespace tessera::linalg
