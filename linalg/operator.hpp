#pragma once
#include <memory>
#include <string>
#include <utility>

#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {

/// A linear operator [rows, cols] as a solver sees it: a stored matrix of any format, or none at all. Virtual, because a deck
/// selects it. Vectors and scalars given by pointer live in the backend's space; nothing waits for the host. T is the
/// type of the vectors, double or float; sums are always double.
template <class Exec, class T = double>
class Operator {
 public:
  using Space = typename Exec::Space;
  virtual ~Operator() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;

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
  /// Least bytes of one apply, x and y included.
  virtual double bytes() const = 0;
  /// The entries, for preconditioners and direct solvers that need them; nullptr where they are not stored in CRS.
  virtual const Crs<Space, T>* crs() const { return nullptr; }
  /// "crs", "sliced_ell", "matrix_free" ...: for messages and the summary.
  virtual std::string format() const = 0;
  /// The same operator in single precision; may borrow index arrays from this one, which must outlive it.
  /// nullptr: not available.
  virtual std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const {
    (void)exec;
    return nullptr;
  }
};

/// A matrix in CRS as an operator. Borrows it.
template <class Exec, class T = double>
class CrsOperator final : public Operator<Exec, T> {
 public:
  using Space = typename Exec::Space;
  explicit CrsOperator(const Crs<Space, T>& A) : A_(A) {}

  Index rows() const override { return A_.rows; }
  Index cols() const override { return A_.cols; }
  void apply(Exec& exec, View<const T> x, View<T> y) const override { spmv(exec, A_.view(), x, y); }
  void apply_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override {
    spmv_dot(exec, A_.view(), p, q, pq);
  }
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override {
    linalg::residual(exec, A_.view(), x, b, r, rr);
  }
  void diagonal(Exec& exec, View<T> d) const override { extract_diagonal(exec, A_.view(), d); }
  double bytes() const override { return crs_bytes<T>(A_.rows, A_.cols, A_.nnz()); }
  const Crs<Space, T>* crs() const override { return &A_; }
  std::string format() const override { return "crs"; }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override;

 private:
  const Crs<Space, T>& A_;
};

/// The entries of a matrix in single precision, and beside them what rounding them took from the sum of each row of a square
/// matrix. Products add it as a diagonal, so that smooth vectors, which differ from constants by little, see the matrix itself.
/// Entries alone would not do: where all rows are alike, as on a regular grid, they are rounded alike, which amounts to another
/// reaction term: on P1 tets of a cube with 1 M rows mixed CG took 991 iterations to 1e-8 with them, 774 with the sums, 666 in double.
template <class Exec>
struct RoundedValues {
  using Space = typename Exec::Space;
  Array<float, Space> values;
  Array<float, Space> lost;  ///< [rows]; empty where A is not square

  /// `multiply(values, x, y)`: y = A x with these values in the pattern of A.
  template <class T, class Multiply>
  RoundedValues(Exec& exec, Index rows, Index cols, View<T> exact, Multiply multiply) : values(exact.size()) {
    if (rows == cols) {
      Array<float, Space> ones(cols);
      lost = Array<float, Space>(rows);
      fill(exec, ones.view(), 1);
      convert_remainder(exec, View<const T>(exact), values.view());
      multiply(std::as_const(values).view(), std::as_const(ones).view(), lost.view());
    }
    convert(exec, exact, values.view());
  }
};

/// A matrix in CRS with rounded values of its own and borrowed row_ptr and col_ind: 4 B a non-zero, 4 B a row.
template <class Exec>
class CrsFloatOperator final : public Operator<Exec, float> {
 public:
  using Space = typename Exec::Space;
  template <class T>
  CrsFloatOperator(Exec& exec, CrsView<const T> A)
      : rounded_(exec, A.rows, A.cols, A.values,
                 [&](View<const float> values, View<const float> x, View<float> y) {
                   spmv(exec, {A.rows, A.cols, A.row_ptr, A.col_ind, values}, x, y);
                 }),
        A_{A.rows, A.cols, A.row_ptr, A.col_ind, rounded_.values} {}

  Index rows() const override { return A_.rows; }
  Index cols() const override { return A_.cols; }
  void apply(Exec& exec, View<const float> x, View<float> y) const override { spmv(exec, A_, x, y, lost()); }
  void apply_dot(Exec& exec, View<const float> p, View<float> q, double* pq) const override {
    spmv_dot(exec, A_, p, q, pq, lost());
  }
  void residual(Exec& exec, View<const float> x, View<const float> b, View<float> r, double* rr) const override {
    linalg::residual(exec, A_, x, b, r, rr, lost());
  }
  void diagonal(Exec& exec, View<float> d) const override { extract_diagonal(exec, A_, d); }
  double bytes() const override {
    return crs_bytes<float>(A_.rows, A_.cols, A_.values.size()) + static_cast<double>(rounded_.lost.bytes());
  }
  std::string format() const override { return "crs"; }

 private:
  View<const float> lost() const { return rounded_.lost; }

  RoundedValues<Exec> rounded_;
  CrsView<const float> A_;
};

template <class Exec, class T>
std::unique_ptr<Operator<Exec, float>> CrsOperator<Exec, T>::to_float(Exec& exec) const {
  return std::make_unique<CrsFloatOperator<Exec>>(exec, A_.view());
}

}  // namespace tessera::linalg
