#pragma once
// Operators of block rows that keep a matrix of their own; part of formats_operator.hpp.
#include <memory>
#include <optional>
#include <utility>

#include "linalg/block_sliced_ell.hpp"
#include "linalg/formats.hpp"

namespace tessera::linalg::detail {

/// Owns block sliced ELL.
template <class Exec, class T>
class BlockSlicedEllOperator final : public FormatOperator<Exec, BlockSlicedEllView<T>, StoredOperator<Exec, T>> {
  using Space = typename Exec::Space;

 public:
  explicit BlockSlicedEllOperator(BlockSlicedEll<Space, T> matrix) : matrix_(std::move(matrix)) {}

  using StoredOperator<Exec, T>::assign_values;
  void assign_values(Exec& exec, const BlockCrs<Space, T>& from) override {
    linalg::assign_values(exec, from, matrix_);
  }
  std::optional<RowLayout> layout() const override { return {}; }
  View<T> values() override { return matrix_.values; }
  Offset stored_entries() const override { return matrix_.entries(); }
  double stored_bytes() const override { return matrix_.stored_bytes(); }
  bool has_entries() const override { return true; }
  void copy_entries(Exec& exec, Crs<Space, T>& to, bool same_pattern) const override {
    copy_block_entries(exec, matrix_.view(), to, same_pattern);
  }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    const double pattern = matrix_.stored_bytes() - static_cast<double>(matrix_.values.bytes());
    return std::make_unique<FloatOperator<Exec, BlockSlicedEllView<float>>>(exec, matrix_.view(), matrix_.block,
                                                                            pattern);
  }

 private:
  BlockSlicedEllView<T> view() const override { return matrix_.view(); }
  double matrix_bytes() const override { return matrix_.stored_bytes(); }

  BlockSlicedEll<Space, T> matrix_;
};

/// An operator that stores the numbers of a matrix of block rows one by one: all but the blocks is that of another.
template <class Exec, class T, class Base>
class BlockedOperator : public Base {
 public:
  Index rows() const override { return inner_->rows(); }
  Index cols() const override { return inner_->cols(); }
  Index block_size() const override { return block_; }
  void apply(Exec& exec, View<const T> x, View<T> y) const override { inner_->apply(exec, x, y); }
  void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override {
    inner_->apply_dot(exec, p, q, pq);
  }
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override {
    inner_->residual(exec, x, b, r, rr);
  }
  void diagonal(Exec& exec, View<T> d) const override { inner_->diagonal(exec, d); }
  bool has_diagonal_blocks() const override { return true; }
  double bytes() const override { return inner_->bytes(); }
  std::string format() const override { return inner_->format(); }
  std::optional<CrsView<const T>> entries() const override { return inner_->entries(); }

 protected:
  std::unique_ptr<Operator<Exec, T>> inner_;
  Index block_ = 1;
};

/// A matrix of block rows in float in a format of scalars; the blocks on the diagonal are those in double.
template <class Exec>
class ExpandedFloat final : public BlockedOperator<Exec, float, Operator<Exec, float>> {
 public:
  ExpandedFloat(std::unique_ptr<Operator<Exec, float>> inner, Index block, View<const double> blocks)
      : blocks_(blocks) {
    this->inner_ = std::move(inner);
    this->block_ = block;
  }
  void diagonal_blocks(Exec& exec, View<float> blocks) const override { convert(exec, blocks_, blocks); }

 private:
  View<const double> blocks_;
};

/// A matrix of block rows in a format of scalars, with a copy of the blocks on its diagonal where it is square:
/// `block` values a row beside the matrix.
template <class Exec, class T>
class ExpandedOperator final : public BlockedOperator<Exec, T, StoredOperator<Exec, T>> {
  using Space = typename Exec::Space;

 public:
  ExpandedOperator(Exec& exec, const BlockCrs<Space, T>& A, MakeOperator<Exec, T> make)
      : matrix_(to_crs(exec, A)), blocks_(A.rows == A.cols ? Offset{A.rows} * A.block : 0) {
    this->inner_ = make(exec, matrix_);
    this->block_ = A.block;
    if (this->inner_->stored()) matrix_ = {};  // it has a copy
    if (!blocks_.empty()) extract_diagonal_blocks(exec, A.view(), blocks_.view());
  }

  using StoredOperator<Exec, T>::assign_values;
  /// Where the format has a copy of its own, one in CRS is made for a moment.
  void assign_values(Exec& exec, const BlockCrs<Space, T>& A) override {
    if (StoredOperator<Exec, T>* stored = this->inner_->stored()) {
      stored->assign_values(exec, to_crs(exec, A));
    } else {
      require_same_sizes(A.rows, A.cols, A.nnz(), matrix_.rows, matrix_.cols, matrix_.nnz());
      expand_values(exec, A.view(), matrix_);
    }
    if (!blocks_.empty()) extract_diagonal_blocks(exec, A.view(), blocks_.view());
  }
  void diagonal_blocks(Exec& exec, View<T> blocks) const override { linalg::copy(exec, blocks_, blocks); }
  std::optional<RowLayout> layout() const override { return {}; }
  View<T> values() override {
    return this->inner_->stored() ? this->inner_->stored()->values() : matrix_.values.view();
  }
  Offset stored_entries() const override {
    const auto* stored = std::as_const(*this->inner_).stored();
    return stored ? stored->stored_entries() : matrix_.nnz();
  }
  double stored_bytes() const override {
    const auto* stored = std::as_const(*this->inner_).stored();
    const double matrix =
        static_cast<double>(matrix_.row_ptr.bytes() + matrix_.col_ind.bytes() + matrix_.values.bytes());
    return (stored ? stored->stored_bytes() : matrix) + static_cast<double>(blocks_.bytes());
  }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    if constexpr (std::is_same_v<T, double>)
      if (auto inner = this->inner_->to_float(exec))
        return std::make_unique<ExpandedFloat<Exec>>(std::move(inner), this->block_, blocks_.view());
    (void)exec;
    return nullptr;
  }

 private:
  Crs<Space, T> matrix_;    ///< where the format borrows it
  Array<T, Space> blocks_;  ///< [rows / block, block, block]
};

}  // namespace tessera::linalg::detail
