#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "linalg/block_ops.hpp"
#include "linalg/grid_problem.hpp"
#include "linalg/near_kernel.hpp"
#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {

template <class Exec, class T>
class StoredOperator;
template <class Exec>
struct LowerOrders;

/// A linear operator [rows, cols] as a solver sees it: a stored matrix of any format, or none at all. Virtual, because
/// a deck selects it. Vectors and scalars given by pointer live in the backend's space; nothing waits for the host. T
/// is the type of the vectors, double or float; sums are always double. What not every operator has is asked for:
/// `entries`, `diagonal_blocks`, `grid`, `stored`, `to_float`.
template <class Exec, class T = double>
class Operator {
 public:
  using Space = typename Exec::Space;
  virtual ~Operator() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  /// Global number of its first row, where ranks share rows: what solvers fill by row (fill_random) follows from it.
  virtual Offset first_row() const { return 0; }
  /// Rows of all ranks.
  virtual Offset global_rows() const { return rows(); }
  /// Rows that belong to one node, and stand together.
  virtual Index block_size() const { return 1; }

  /// y = A x; x [cols], y [rows], distinct.
  virtual void apply(Exec& exec, View<const T> x, View<T> y) const = 0;
  /// q = A p and *pq = (p, q), A square. Override where one pass can do both.
  virtual void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const {
    apply(exec, p, q);
    dot(exec, p, View<const T>(q), pq);
  }
  /// r = b - A x and *rr = (r, r). Override where one pass can do both.
  virtual void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const {
    apply(exec, x, r);
    subtract_from_dot(exec, b, r, rr);
  }
  /// d_i = A_ii, 0 where the row has none.
  virtual void diagonal(Exec& exec, View<T> d) const = 0;
  /// Whether `diagonal_blocks` gives them.
  virtual bool has_diagonal_blocks() const { return block_size() == 1; }
  /// The blocks on the diagonal: blocks [rows / block_size, block_size, block_size], row-major, 0 where a block row has
  /// none. A square. Throws Error(usage) where has_diagonal_blocks() denies it.
  virtual void diagonal_blocks(Exec& exec, View<T> blocks) const {
    if (block_size() != 1)
      throw Error(ExitCode::usage, "the format '" + format() + "' does not give the diagonal blocks of its nodes",
                  "choose preconditioner = \"jacobi\"");
    diagonal(exec, blocks);
  }
  /// Least bytes of one apply, x and y included.
  virtual double bytes() const = 0;
  /// "crs", "sliced_ell", "matrix_free" ...: for messages and the summary.
  virtual std::string format() const = 0;

  /// Its entries in CRS, for preconditioners and direct solvers that read them; nothing where it stores none.
  virtual std::optional<CrsView<const T>> entries() const { return std::nullopt; }
  /// The same in block rows of block_size(), where it stores them so.
  virtual std::optional<BlockCrsView<const T>> block_entries() const { return std::nullopt; }
  /// Whether there are entries to read: those of `entries`, or else what `copy_entries` makes.
  virtual bool has_entries() const { return entries().has_value(); }
  /// Writes its entries into `to`. `same_pattern`: `to` holds what this function has made of the same pattern before,
  /// and takes the values alone, without allocation. Only where has_entries() and not entries().
  virtual void copy_entries(Exec& exec, Crs<Space, T>& to, bool same_pattern) const {
    (void)exec, (void)to, (void)same_pattern;
    throw Error(ExitCode::internal, "the format '" + format() + "' does not make a copy in CRS");
  }
  /// What whoever made it knows of its near kernel, in its own rows; nullptr: nothing.
  const NearKernel<Space>* near_kernel() const { return near_kernel_.get(); }
  void set_near_kernel(std::shared_ptr<const NearKernel<Space>> kernel) { near_kernel_ = std::move(kernel); }
  /// The same problem in lower orders (lower_orders.hpp), where somebody has made it; nullptr: nobody.
  const LowerOrders<Exec>* lower_orders() const { return lower_orders_.get(); }
  void set_lower_orders(std::shared_ptr<const LowerOrders<Exec>> orders) { lower_orders_ = std::move(orders); }
  /// The uniform grid with constant coefficients that it stands for; nullptr: none.
  virtual const GridProblem* grid() const { return nullptr; }
  /// Itself, where it keeps a matrix of its own that takes new values; nullptr: it keeps none, or only borrows one.
  virtual StoredOperator<Exec, T>* stored() { return nullptr; }
  virtual const StoredOperator<Exec, T>* stored() const { return nullptr; }
  /// The same operator in single precision; may borrow index arrays from this one, which must outlive it.
  /// nullptr: not available.
  virtual std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const {
    (void)exec;
    return nullptr;
  }

 private:
  std::shared_ptr<const NearKernel<Space>> near_kernel_;
  std::shared_ptr<const LowerOrders<Exec>> lower_orders_;
};

/// The entries of a matrix in single precision, and beside them what rounding them took from the sum of each row of a
/// square matrix. Products add it as a diagonal, so that smooth vectors, which differ from constants by little, see the
/// matrix itself. Entries alone would not do: where all rows are alike, as on a regular grid, they are rounded alike,
/// which amounts to another reaction term: on P1 tets of a cube with 1 M rows mixed CG took 991 iterations to 1e-8 with
/// them, 774 with the sums, 666 in double. In formats of block rows, whose components are constant each for itself, a
/// row has a sum over the columns of each unknown, and products add blocks on the diagonal.
template <class Exec>
struct RoundedValues {
  using Space = typename Exec::Space;
  Array<float, Space> values;
  Array<float, Space> lost;  ///< [rows, unknowns of a node]; empty where A is not square

  /// `block`: unknowns of a node. `multiply(values, x, y)`: y = A x with these values in the pattern of A.
  template <class T, class Multiply>
  RoundedValues(Exec& exec, Index rows, Index cols, Index block, View<T> exact, Multiply multiply)
      : values(exact.size()) {
    if (rows == cols) {
      lost = Array<float, Space>(Offset{rows} * block);
      convert_remainder(exec, View<const T>(exact), values.view());
      sum_rows(exec, rows, block, multiply);
    }
    convert(exec, exact, values.view());
  }

 private:
  /// lost_ic = (A e_c)_i for each unknown c, e_c being 1 in its rows.
  template <class Multiply>
  void sum_rows(Exec& exec, Index rows, Index block, Multiply multiply) {
    Array<float, Space> e(rows), ones(rows / block), sums(block > 1 ? rows : 0);
    fill(exec, ones.view(), 1);
    for (Index c = 0; c < block; ++c) {
      fill(exec, e.view(), 0);
      set_column(exec, ones, c, e.view());
      multiply(std::as_const(values).view(), std::as_const(e).view(), block > 1 ? sums.view() : lost.view());
      if (block > 1) set_column(exec, sums, c, lost.view());
    }
  }
};

namespace detail {

/// The free function, where a member of that name hides it.
template <class Exec, class A, class T>
void residual_of(Exec& exec, const A& a, View<const T> x, View<const T> b, View<T> r, double* rr, View<const T> added) {
  residual(exec, a, x, b, r, rr, added);
}

/// What operators of a stored matrix do, given its view: CRS and every other format.
template <class Exec, class A, class Base>
class FormatOperator : public Base {
  using T = typename A::Scalar;

 public:
  Index rows() const override { return view().rows; }
  Index cols() const override { return view().cols; }
  void apply(Exec& exec, View<const T> x, View<T> y) const override { spmv(exec, view(), x, y, added()); }
  void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override {
    spmv_dot(exec, view(), p, q, pq, added());
  }
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override {
    residual_of(exec, view(), x, b, r, rr, added());
  }
  void diagonal(Exec& exec, View<T> d) const override { extract_diagonal(exec, view(), d); }
  double bytes() const override { return matrix_bytes() + sizeof(T) * (static_cast<double>(rows()) + cols()); }
  std::string format() const override { return A::format; }
  Index block_size() const override {
    if constexpr (BlockFormatView<A>) return view().block;
    return 1;
  }
  bool has_diagonal_blocks() const override { return true; }
  void diagonal_blocks(Exec& exec, View<T> blocks) const override {
    if constexpr (BlockFormatView<A>)
      extract_diagonal_blocks(exec, view(), blocks);
    else
      diagonal(exec, blocks);
  }

 protected:
  virtual A view() const = 0;
  /// What products add: see spmv.hpp; empty: nothing.
  virtual View<const T> added() const { return {}; }
  virtual double matrix_bytes() const = 0;
};

/// What copy_entries of a matrix of block rows does.
template <class Exec, class A>
void copy_block_entries(Exec& exec, const A& a, Crs<typename Exec::Space, typename A::Scalar>& to, bool same_pattern) {
  if (!same_pattern) expand_pattern(exec, a, to);
  expand_values(exec, a, to);
}

/// Rounded values of its own beside the pattern of another operator, whose nodes have `block` unknowns: 4 B an entry,
/// 4 block B a row.
template <class Exec, class A>
class FloatOperator final : public FormatOperator<Exec, A, Operator<Exec, float>> {
 public:
  template <class Wide>
  FloatOperator(Exec& exec, const Wide& wide, Index block, double pattern_bytes)
      : rounded_(
            exec, wide.rows, wide.cols, block, wide.values,
            [&](View<const float> values, View<const float> x, View<float> y) { spmv(exec, wide.with(values), x, y); }),
        view_(wide.with(std::as_const(rounded_.values).view())),
        pattern_bytes_(pattern_bytes) {}

 private:
  A view() const override { return view_; }
  View<const float> added() const override { return rounded_.lost; }
  double matrix_bytes() const override {
    return pattern_bytes_ + static_cast<double>(rounded_.values.bytes() + rounded_.lost.bytes());
  }

  RoundedValues<Exec> rounded_;
  A view_;
  double pattern_bytes_;
};

}  // namespace detail

/// A matrix in CRS as an operator. Borrows it.
template <class Exec, class T = double>
class CrsOperator final : public detail::FormatOperator<Exec, CrsView<const T>, Operator<Exec, T>> {
 public:
  using Space = typename Exec::Space;
  explicit CrsOperator(const Crs<Space, T>& A) : A_(A) {}

  std::optional<CrsView<const T>> entries() const override { return A_.view(); }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    const double pattern =
        sizeof(Index) * static_cast<double>(A_.nnz()) + sizeof(Offset) * static_cast<double>(A_.rows);
    return std::make_unique<detail::FloatOperator<Exec, CrsView<const float>>>(exec, A_.view(), 1, pattern);
  }

 private:
  CrsView<const T> view() const override { return A_.view(); }
  double matrix_bytes() const override {
    return crs_bytes<T>(A_.rows, A_.cols, A_.nnz()) - sizeof(T) * (static_cast<double>(A_.rows) + A_.cols);
  }

  const Crs<Space, T>& A_;
};

/// A matrix of block rows as an operator. Borrows it.
template <class Exec, class T = double>
class BlockCrsOperator final : public detail::FormatOperator<Exec, BlockCrsView<const T>, Operator<Exec, T>> {
 public:
  using Space = typename Exec::Space;
  explicit BlockCrsOperator(const BlockCrs<Space, T>& A) : A_(A) {}

  std::optional<BlockCrsView<const T>> block_entries() const override { return A_.view(); }
  bool has_entries() const override { return true; }
  void copy_entries(Exec& exec, Crs<Space, T>& to, bool same_pattern) const override {
    detail::copy_block_entries(exec, A_.view(), to, same_pattern);
  }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    return std::make_unique<detail::FloatOperator<Exec, BlockCrsView<const float>>>(exec, A_.view(), A_.block,
                                                                                    pattern_bytes());
  }

 private:
  BlockCrsView<const T> view() const override { return A_.view(); }
  double pattern_bytes() const { return static_cast<double>(A_.row_ptr.bytes() + A_.col_ind.bytes()); }
  double matrix_bytes() const override { return pattern_bytes() + static_cast<double>(A_.values.bytes()); }

  const BlockCrs<Space, T>& A_;
};

}  // namespace tessera::linalg
