#pragma once
// Operators over the formats; instantiated by formats_threads.cpp and formats_cuda.cpp.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/formats.hpp"
#include "linalg/formats_blocks.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::linalg {
namespace detail {

/// Owns a matrix in a format.
template <class Exec, class M, class A>
class MatrixOperator final : public FormatOperator<Exec, A, StoredOperator<Exec, typename M::Scalar>> {
  using T = typename M::Scalar;

 public:
  explicit MatrixOperator(M matrix) : matrix_(std::move(matrix)) {}

  using StoredOperator<Exec, T>::assign_values;
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
  Offset stored_entries() const override { return matrix_.entries(); }
  double stored_bytes() const override { return matrix_.stored_bytes(); }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    using FloatView = decltype(matrix_.view().with(View<const float>{}));
    const double pattern = matrix_.stored_bytes() - static_cast<double>(matrix_.values.bytes());
    return std::make_unique<FloatOperator<Exec, FloatView>>(exec, matrix_.view(), 1, pattern);
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

// What the table of formats names.

template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_crs_operator(Exec&, const Crs<typename Exec::Space, T>& A) {
  return std::make_unique<CrsOperator<Exec, T>>(A);
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_ell_operator(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  return detail::own<Exec>(ell_from_crs(exec, A));
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_sliced_ell_operator(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  return detail::own<Exec>(sliced_ell_from_crs(exec, A));
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_packed_ell_operator(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  return detail::own<Exec>(packed_ell_from_crs(exec, A));
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_cmrs_operator(Exec& exec, const Crs<typename Exec::Space, T>& A) {
  return detail::own<Exec>(cmrs_from_crs(exec, A, usual_cmrs<Exec>()));
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_block_crs_operator(Exec&, const BlockCrs<typename Exec::Space, T>& A) {
  return std::make_unique<BlockCrsOperator<Exec, T>>(A);
}
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_block_sliced_ell_operator(Exec& exec,
                                                                  const BlockCrs<typename Exec::Space, T>& A) {
  return std::make_unique<detail::BlockSlicedEllOperator<Exec, T>>(block_sliced_ell_from_blocks(exec, A));
}

/// One line instantiates the makers for a backend and a type.
#define TESSERA_MAKERS_OF_OPERATORS(what, Exec, T)                                                                  \
  what std::unique_ptr<Operator<Exec, T>> make_crs_operator(Exec&, const Crs<typename Exec::Space, T>&);            \
  what std::unique_ptr<Operator<Exec, T>> make_ell_operator(Exec&, const Crs<typename Exec::Space, T>&);            \
  what std::unique_ptr<Operator<Exec, T>> make_sliced_ell_operator(Exec&, const Crs<typename Exec::Space, T>&);     \
  what std::unique_ptr<Operator<Exec, T>> make_packed_ell_operator(Exec&, const Crs<typename Exec::Space, T>&);     \
  what std::unique_ptr<Operator<Exec, T>> make_cmrs_operator(Exec&, const Crs<typename Exec::Space, T>&);           \
  what std::unique_ptr<Operator<Exec, T>> make_block_crs_operator(Exec&, const BlockCrs<typename Exec::Space, T>&); \
  what std::unique_ptr<Operator<Exec, T>> make_block_sliced_ell_operator(Exec&,                                     \
                                                                         const BlockCrs<typename Exec::Space, T>&)

namespace detail {

/// Its row of the table. Throws Error(usage) for an unknown name, and for a format of block rows where there are none.
const FormatInfo& find_format(const std::string& name, bool block_rows);

template <class Exec, class T>
MakeOperator<Exec, T> column(const FormatInfo& format) {
  if constexpr (std::is_same_v<Exec, Threads>) {
    if constexpr (std::is_same_v<T, double>)
      return format.threads;
    else
      return format.threads_float;
  } else {
    if constexpr (std::is_same_v<T, double>)
      return format.cuda;
    else
      return format.cuda_float;
  }
}

template <class Exec, class T>
MakeBlockOperator<Exec, T> block_column(const FormatInfo& format) {
  if constexpr (std::is_same_v<Exec, Threads>) {
    if constexpr (std::is_same_v<T, double>)
      return format.block_threads;
    else
      return format.block_threads_float;
  } else {
    if constexpr (std::is_same_v<T, double>)
      return format.block_cuda;
    else
      return format.block_cuda_float;
  }
}

}  // namespace detail

template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_operator(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                 const std::string& format, std::string* reason) {
  FormatChoice choice{format, "asked for"};
  if (format == "auto") choice = choose_format(row_lengths(exec, A.cols, A.row_ptr), Exec::name);
  if (reason) *reason = choice.reason;
  const FormatInfo& entry = detail::find_format(choice.name, false);
  return detail::column<Exec, T>(entry)(exec, A);
}

template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_operator(Exec& exec, const BlockCrs<typename Exec::Space, T>& A,
                                                 const std::string& format, std::string* reason) {
  FormatChoice choice{format, "asked for"};
  if (format == "auto") choice = choose_block_format(row_lengths(exec, A.cols / A.block, A.row_ptr), Exec::name);
  if (reason) *reason = choice.reason;
  const FormatInfo& entry = detail::find_format(choice.name, true);
  if (entry.only_blocks()) return detail::block_column<Exec, T>(entry)(exec, A);
  return std::make_unique<detail::ExpandedOperator<Exec, T>>(exec, A, detail::column<Exec, T>(entry));
}

}  // namespace tessera::linalg
