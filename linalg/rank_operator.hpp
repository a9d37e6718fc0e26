#pragma once
#include <memory>
#include <utility>

#include "linalg/ghost_product.hpp"
#include "linalg/halo.hpp"
#include "linalg/operator.hpp"
#include "linalg/shared_rows.hpp"

namespace tessera::linalg {

/// A copy in float of the columns of ghosts. What rounding takes from the sums of rows is A_own's matter.
template <class Exec>
class FloatGhosts final : public detail::FormatOperator<Exec, CrsView<const float>, Operator<Exec, float>> {
 public:
  /// Borrows the pattern.
  template <class T>
  FloatGhosts(Exec& exec, const CrsView<const T>& A)
      : values_(A.values.size()), view_(A.with(std::as_const(values_).view())) {
    convert(exec, A.values, values_.view());
  }
  std::optional<CrsView<const float>> entries() const override { return view_; }

 private:
  CrsView<const float> view() const override { return view_; }
  double matrix_bytes() const override { return 8.0 * static_cast<double>(values_.size()); }

  Array<float, typename Exec::Space> values_;
  CrsView<const float> view_;
};

/// The rows that this rank owns of a matrix that ranks share, as an operator on its own part of vectors:
///
///     y = A_own x + A_ghost g
///
/// A_own [rows, rows] has the columns of its own unknowns, in the format that wins, and is what preconditioners of one
/// rank see; A_ghost [boundary rows, ghosts] those of others', for the rows of `Halo::boundary`. The ghosts g are
/// waited for after A_own is multiplied. Sums (apply_dot, residual) are those over all ranks of the execution's link.
template <class Exec, class T = double>
class RankOperator final : public Operator<Exec, T>, public SharesRows<Exec, T> {
 public:
  using Space = typename Exec::Space;
  RankOperator(std::shared_ptr<Halo<Exec>> halo, std::unique_ptr<Operator<Exec, T>> own,
               std::unique_ptr<Operator<Exec, T>> ghost, Offset first_row, Offset global_rows)
      : halo_(std::move(halo)),
        own_(std::move(own)),
        ghost_(std::move(ghost)),
        first_row_(first_row),
        global_rows_(global_rows) {}

  Index rows() const override { return own_->rows(); }
  Index cols() const override { return own_->cols(); }
  Offset first_row() const override { return first_row_; }
  Offset global_rows() const override { return global_rows_; }
  Index block_size() const override { return own_->block_size(); }

  void apply(Exec& exec, View<const T> x, View<T> y) const override {
    halo_->start(exec, x);
    alone(exec, [&] { own_->apply(exec, x, y); });
    add_ghosts(exec, 1, y);
  }
  void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override {
    halo_->start(exec, p);
    alone(exec, [&] { own_->apply_dot(exec, p, q, pq); });
    if (const auto entries = ghost_->entries()) return add_ghost_product_dot(exec, *entries, *halo_, p, q, pq);
    add_to_rows_dot(exec, halo_->boundary(), product_of_ghosts(exec), p, q, pq);
    sum_over_ranks(exec, {{pq}});
  }
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override {
    halo_->start(exec, x);
    alone(exec, [&] { own_->residual(exec, x, b, r, rr); });
    add_ghosts(exec, -1, r);
    dot(exec, r, View<const T>(r), rr);
  }

  void diagonal(Exec& exec, View<T> d) const override { own_->diagonal(exec, d); }
  bool has_diagonal_blocks() const override { return own_->has_diagonal_blocks(); }
  void diagonal_blocks(Exec& exec, View<T> blocks) const override { own_->diagonal_blocks(exec, blocks); }
  double bytes() const override { return own_->bytes() + ghost_->bytes(); }
  std::string format() const override { return own_->format(); }
  /// Those of A_own: the part of the matrix within this rank.
  std::optional<CrsView<const T>> entries() const override { return own_->entries(); }
  std::optional<BlockCrsView<const T>> block_entries() const override { return own_->block_entries(); }
  bool has_entries() const override { return own_->has_entries(); }
  /// A_own, where it has a format of its own; of A_ghost whoever refills it has the values.
  StoredOperator<Exec, T>* stored() override { return own_->stored(); }
  const StoredOperator<Exec, T>* stored() const override { return std::as_const(*own_).stored(); }
  SharedRows<Exec, T> shared_rows() const override { return {ghost_->entries(), ghost_->block_entries(), halo_.get()}; }
  void copy_entries(Exec& exec, Crs<Space, T>& to, bool same_pattern) const override {
    own_->copy_entries(exec, to, same_pattern);
  }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    std::unique_ptr<Operator<Exec, float>> own, ghost;
    alone(exec, [&] { own = own_->to_float(exec); });
    if (const auto entries = ghost_->entries())
      ghost = std::make_unique<FloatGhosts<Exec>>(exec, *entries);
    else
      alone(exec, [&] { ghost = ghost_->to_float(exec); });
    if (!own || !ghost) return nullptr;
    return std::make_unique<RankOperator<Exec, float>>(halo_, std::move(own), std::move(ghost), first_row_,
                                                       global_rows_);
  }

 private:
  template <class Work>
  static void alone(Exec& exec, Work work) {
    const Linked within(exec, nullptr);
    work();
  }
  /// y += factor A_ghost g.
  void add_ghosts(Exec& exec, double factor, View<T> y) const {
    if (const auto entries = ghost_->entries())
      add_ghost_product(exec, factor, *entries, *halo_, y);
    else
      add_to_rows(exec, halo_->boundary(), product_of_ghosts(exec), y, factor);
  }
  /// A_ghost g, where its entries are not at hand.
  View<const T> product_of_ghosts(Exec& exec) const {
    const View<const T> g = halo_->template finish<T>(exec);
    if (product_.empty()) product_ = Array<T, Space>(ghost_->rows());
    ghost_->apply(exec, g, product_.view());
    return std::as_const(product_).view();
  }

  std::shared_ptr<Halo<Exec>> halo_;
  std::unique_ptr<Operator<Exec, T>> own_, ghost_;
  Offset first_row_, global_rows_;
  mutable Array<T, Space> product_;  ///< [boundary rows]
};

}  // namespace tessera::linalg
