#pragma once
// Operators over the formats; instantiated by formats_threads.cpp and formats_cuda.cpp.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/formats.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::linalg {
namespace detail {

/// What operators of a format do, given its view.
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
    linalg::residual(exec, view(), x, b, r, rr, added());
  }
  void diagonal(Exec& exec, View<T> d) const override { extract_diagonal(exec, view(), d); }
  double bytes() const override { return matrix_bytes() + sizeof(T) * (static_cast<double>(rows()) + cols()); }
  std::string format() const override { return A::format; }

 protected:
  virtual A view() const = 0;
  /// A diagonal that products add; empty: none.
  virtual View<const T> added() const { return {}; }
  virtual double matrix_bytes() const = 0;
};

/// Rounded values of its own beside the pattern of another operator.
template <class Exec, class A>
class FloatOperator final : public FormatOperator<Exec, A, Operator<Exec, float>> {
 public:
  template <class Wide>
  FloatOperator(Exec& exec, const Wide& wide, double pattern_bytes)
      : rounded_(
            exec, wide.rows, wide.cols, wide.values,
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

/// Owns a matrix in a format.
template <class Exec, class M, class A>
class MatrixOperator final : public FormatOperator<Exec, A, StoredOperator<Exec, typename M::Scalar>> {
  using T = typename M::Scalar;

 public:
  explicit MatrixOperator(M matrix) : matrix_(std::move(matrix)) {}

  void assign_values(Exec& exec, const Crs<typename Exec::Space, T>& from) override {
    linalg::assign_values(exec, from, matrix_);
  }
  std::optional<RowLayout> layout() const override {
    if constexpr (requires { matrix_.layout(); })
      return matrix_.layout();
    else
      return {};
  }
  View<T> values() override { return matrix_.values; }
  Offset entries() const override { return matrix_.entries(); }
  double stored_bytes() const override { return matrix_.stored_bytes(); }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    using FloatView = decltype(matrix_.view().with(View<const float>{}));
    const double pattern = matrix_.stored_bytes() - static_cast<double>(matrix_.values.bytes());
    return std::make_unique<FloatOperator<Exec, FloatView>>(exec, matrix_.view(), pattern);
  }

 private:
  A view() const override { return matrix_.view(); }
  double matrix_bytes() const override { return matrix_.stored_bytes(); }

  M matrix_;
};

template <class Exec, class M>
auto own(M matrix) -> std::unique_ptr<Operator<Exec, typename M::Scalar>> {
  using A = decltype(matrix.view());
  return std::make_unique<MatrixOperator<Exec, M, A>>(std::move(matrix));
}

}  // namespace detail

template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_operator(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                 const std::string& format, std::string* reason) {
  FormatChoice choice{format, "asked for"};
  if (format == "auto") choice = choose_format(row_lengths(exec, A.cols, A.row_ptr), Exec::name);
  if (reason) *reason = choice.reason;
  if (choice.name == "crs") return std::make_unique<CrsOperator<Exec, T>>(A);
  if (choice.name == "ell") return detail::own<Exec>(ell_from_crs(exec, A));
  if (choice.name == "sliced_ell") return detail::own<Exec>(sliced_ell_from_crs(exec, A));
  if (choice.name == "packed_ell") return detail::own<Exec>(packed_ell_from_crs(exec, A));
  if (choice.name == "cmrs") return detail::own<Exec>(cmrs_from_crs(exec, A, usual_cmrs<Exec>()));
  std::vector<std::string> names;
  for (const FormatInfo& entry : format_table()) names.push_back(entry.name);
  throw Error(ExitCode::usage, "unknown matrix format '" + format + "'", suggest(format, names));
}

}  // namespace tessera::linalg
