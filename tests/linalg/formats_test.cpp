// Every format x precision x backend against the plain product of the same matrix.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"
#include "linalg/vector_ops.hpp"
#include "support/precisions.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera {
namespace {

using linalg::Crs;
using testing::HostMatrix;

/// A matrix in some format: what the tests ask of all formats.
template <class Exec, class T>
struct Made {
  using Space = typename Exec::Space;
  virtual ~Made() = default;
  virtual void spmv(Exec&, View<const T> x, View<T> y) const = 0;
  virtual void spmv_dot(Exec&, View<const T> p, View<T> q, double* pq) const = 0;
  virtual void residual(Exec&, View<const T> x, View<const T> b, View<T> r, double* rr) const = 0;
  virtual void diagonal(Exec&, View<T> d) const = 0;
  virtual void assign(Exec&, const Crs<Space, T>& from) = 0;
  virtual Crs<Space, T> to_crs(Exec&) const = 0;
  virtual std::vector<T> values() const = 0;
};

template <class Exec, class M>
struct MadeOf final : Made<Exec, typename M::Scalar> {
  using T = typename M::Scalar;
  M matrix;
  explicit MadeOf(M made) : matrix(std::move(made)) {}
  void spmv(Exec& exec, View<const T> x, View<T> y) const override { linalg::spmv(exec, matrix.view(), x, y); }
  void spmv_dot(Exec& exec, View<const T> p, View<T> q, double* pq) const override {
    linalg::spmv_dot(exec, matrix.view(), p, q, pq);
  }
  void residual(Exec& exec, View<const T> x, View<const T> b, View<T> r, double* rr) const override {
    linalg::residual(exec, matrix.view(), x, b, r, rr);
  }
  void diagonal(Exec& exec, View<T> d) const override { linalg::extract_diagonal(exec, matrix.view(), d); }
  void assign(Exec& exec, const Crs<typename Exec::Space, T>& from) override {
    linalg::assign_values(exec, from, matrix);
  }
  Crs<typename Exec::Space, T> to_crs(Exec& exec) const override { return linalg::to_crs(exec, matrix); }
  std::vector<T> values() const override { return to_vector(matrix.values); }
};

template <class Exec, class T>
struct Format {
  std::string name;
  std::function<std::unique_ptr<Made<Exec, T>>(Exec&, const Crs<typename Exec::Space, T>&)> make;
};

template <class Exec, class T>
std::vector<Format<Exec, T>> formats() {
  using A = Crs<typename Exec::Space, T>;
  auto made = [](auto matrix) -> std::unique_ptr<Made<Exec, T>> {
    return std::make_unique<MadeOf<Exec, decltype(matrix)>>(std::move(matrix));
  };
  std::vector<Format<Exec, T>> result;
  result.push_back({"ell", [=](Exec& exec, const A& a) { return made(linalg::ell_from_crs(exec, a)); }});
  for (Index window : {0, 1, 96}) {
    result.push_back({"sliced_ell, window " + std::to_string(window), [=](Exec& exec, const A& a) {
                        return made(linalg::sliced_ell_from_crs(exec, a, {.window = window}));
                      }});
    result.push_back({"packed_ell, window " + std::to_string(window), [=](Exec& exec, const A& a) {
                        return made(linalg::packed_ell_from_crs(exec, a, {.window = window}));
                      }});
  }
  for (Index buffers : {2, 4, 8})
    for (bool apart : {false, true})
      result.push_back(
          {"cmrs, M = " + std::to_string(buffers) + (apart ? ", rows apart" : ""), [=](Exec& exec, const A& a) {
             return made(linalg::cmrs_from_crs(exec, a, {.buffers = buffers, .rows_apart = apart}));
           }});
  if constexpr (std::is_same_v<Exec, Threads>)
    for (bool apart : {false, true})
      result.push_back({std::string("cmrs, whole rows") + (apart ? ", rows apart" : ""), [=](Exec& exec, const A& a) {
                          return made(
                              linalg::cmrs_from_crs(exec, a, {.buffers = linalg::whole_rows, .rows_apart = apart}));
                        }});
  return result;
}

template <class T, class Space>
Crs<Space, T> matrix_in(const HostMatrix& host) {
  Crs<Space, T> A;
  A.rows = host.rows;
  A.cols = host.cols;
  A.row_ptr = to_space<Space>(host.row_ptr);
  A.col_ind = to_space<Space>(host.col_ind);
  A.values = to_space<Space>(std::vector<T>(host.values.begin(), host.values.end()));
  return A;
}

template <class T>
std::vector<T> vector_of(Offset size, unsigned seed) {
  const auto values = testing::random_vector(size, seed);
  return {values.begin(), values.end()};
}

/// A x in double, with |A| |x|, the scale of its rounding errors.
template <class T>
void reference(const HostMatrix& A, const std::vector<T>& x, std::vector<double>& y, std::vector<double>& scale) {
  y.assign(static_cast<std::size_t>(A.rows), 0);
  scale = y;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const double term = static_cast<double>(static_cast<T>(A.values[k])) * x[A.col_ind[k]];
      y[row] += term;
      scale[row] += std::abs(term);
    }
}

template <class C>
struct Formats : ::testing::Test {
  using Exec = typename C::Exec;
  using T = typename C::T;
  using Space = typename Exec::Space;

  /// How far a row of `length` terms may be from its exact sum.
  static double tolerance(Offset length) {
    return (8 + static_cast<double>(length)) * std::numeric_limits<T>::epsilon();
  }

  /// The matrix in a format; nothing where the format refuses to pad that much.
  static std::unique_ptr<Made<Exec, T>> convert(const Format<Exec, T>& format, Exec& exec, const Crs<Space, T>& A) {
    try {
      return format.make(exec, A);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(error.help().find("sliced_ell"), std::string::npos) << error.what();
      return nullptr;
    }
  }

  /// check(host, A, M, format) for every matrix in every format that takes it.
  template <class Check>
  static void for_all(Check check) {
    Exec exec;
    for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
      const auto A = matrix_in<T, Space>(host);
      for (const auto& format : formats<Exec, T>()) {
        SCOPED_TRACE(name + " in " + format.name);
        if (auto M = convert(format, exec, A)) check(exec, host, A, *M, format);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
};
TYPED_TEST_SUITE(Formats, testing::DoubleAndFloat, testing::PrecisionNames);

TYPED_TEST(Formats, ProductsEqualTheReference) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  this->for_all([](auto& exec, const HostMatrix& host, const auto& A, const auto& M, const auto&) {
    const auto x = vector_of<T>(A.cols, 11), b = vector_of<T>(A.rows, 12);
    std::vector<double> expected, scale;
    reference(host, x, expected, scale);
    const auto device_x = to_space<Space>(x), device_b = to_space<Space>(b);
    Array<T, Space> y(A.rows), r(A.rows), q(A.rows);
    Array<double, Space> sums(2);
    sums.set_zero();
    M.spmv(exec, device_x, y);
    M.residual(exec, device_x, device_b, r, sums.data());
    const bool square = A.rows == A.cols;
    if (square) M.spmv_dot(exec, device_x, q, sums.data() + 1);
    const auto found = to_vector(y), found_r = to_vector(r), found_q = to_vector(q);
    const auto found_sums = to_vector(sums);
    double rr = 0, pq = 0, pq_scale = 0;
    for (std::size_t row = 0; row < found.size(); ++row) {
      const double tolerance = Formats<TypeParam>::tolerance(host.row_ptr[row + 1] - host.row_ptr[row]);
      ASSERT_NEAR(found[row], expected[row], tolerance * scale[row]) << "row " << row;
      ASSERT_NEAR(found_r[row], b[row] - expected[row], tolerance * (scale[row] + std::abs(b[row]))) << "row " << row;
      rr += static_cast<double>(found_r[row]) * found_r[row];
      if (!square) continue;
      ASSERT_EQ(found_q[row], found[row]) << "row " << row;
      pq += static_cast<double>(x[row]) * found[row];
      pq_scale += std::abs(static_cast<double>(x[row]) * found[row]);
    }
    EXPECT_NEAR(found_sums[0], rr, 1e-12 * rr);
    EXPECT_NEAR(found_sums[1], pq, 1e-12 * pq_scale);
  });
}

TYPED_TEST(Formats, GoingBackGivesEveryEntry) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  this->for_all([](auto& exec, const HostMatrix& host, const auto& A, const auto& M, const auto&) {
    const auto back = M.to_crs(exec);
    EXPECT_EQ(back.rows, A.rows);
    EXPECT_EQ(back.cols, A.cols);
    EXPECT_EQ(to_vector(back.row_ptr), host.row_ptr);
    EXPECT_EQ(to_vector(back.col_ind), host.col_ind);
    EXPECT_EQ(to_vector(back.values), to_vector(A.values));
  });
}

TYPED_TEST(Formats, RefillingEqualsConverting) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  this->for_all([](auto& exec, const HostMatrix& host, const auto&, auto& M, const auto& format) {
    HostMatrix others = host;
    for (double& value : others.values) value = 1 - 2 * value;
    const auto B = matrix_in<T, Space>(others);
    M.assign(exec, B);
    EXPECT_EQ(M.values(), format.make(exec, B)->values());
  });
}

TYPED_TEST(Formats, DiagonalIsThatOfCrs) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  this->for_all([](auto& exec, const HostMatrix&, const auto& A, const auto& M, const auto&) {
    if (A.rows != A.cols) return;
    Array<T, Space> expected(A.rows), found(A.rows);
    linalg::extract_diagonal(exec, A.view(), expected.view());
    M.diagonal(exec, found);
    EXPECT_EQ(to_vector(found), to_vector(expected));
  });
}

/// Entries of x that no row names may be infinite or no numbers.
TYPED_TEST(Formats, PaddingIsNeverMultiplied) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  typename TypeParam::Exec exec;
  HostMatrix host = testing::random_matrix(333, 333, 9, 5);
  for (Index& col : host.col_ind)
    if (col == 0 || col == 332) col = 1;  // (repeats a column, which is fine for a product)
  std::vector<T> x(333, T{1});
  x.front() = std::numeric_limits<T>::quiet_NaN();
  x.back() = std::numeric_limits<T>::infinity();
  const auto A = matrix_in<T, Space>(host);
  const auto device_x = to_space<Space>(x);
  for (const auto& format : formats<typename TypeParam::Exec, T>()) {
    SCOPED_TRACE(format.name);
    Array<T, Space> y(A.rows);
    format.make(exec, A)->spmv(exec, device_x, y);
    for (T value : to_vector(y)) ASSERT_TRUE(std::isfinite(value));
  }
}

TYPED_TEST(Formats, ProductsRepeatBitwiseWhateverTheNumberOfThreads) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::T;
  using Space = typename Exec::Space;
  const auto A = matrix_in<T, Space>(testing::random_matrix(20000, 20000, 25, 3));
  const auto p = to_space<Space>(vector_of<T>(A.rows, 5));
  for (const auto& format : formats<Exec, T>()) {
    SCOPED_TRACE(format.name);
    std::vector<T> first, first_values;
    double first_sum = 0;
    for (int threads : {1, 2, 3, 7}) {
      Exec exec = testing::with_threads<Exec>(threads);
      const auto M = format.make(exec, A);
      Array<T, Space> q(A.rows);
      Array<double, Space> pq(1);
      M->spmv_dot(exec, p, q, pq.data());
      if (threads == 1) first = to_vector(q), first_sum = to_vector(pq)[0], first_values = M->values();
      EXPECT_EQ(to_vector(q), first) << threads;
      EXPECT_EQ(to_vector(pq)[0], first_sum) << threads;
      EXPECT_EQ(M->values(), first_values) << threads;
    }
  }
}

}  // namespace
}  // namespace tessera
