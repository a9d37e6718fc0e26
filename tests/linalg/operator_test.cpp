#include "linalg/operator.hpp"

#include <cmath>

#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

/// An operator that has the least: what the defaults of the class make of `apply` is tested on it.
template <class Exec, class T>
class Plain final : public linalg::Operator<Exec, T> {
 public:
  using Space = typename Exec::Space;
  explicit Plain(const linalg::Crs<Space, T>& A) : A_(A) {}
  Index rows() const override { return A_.rows(); }
  Index cols() const override { return A_.cols(); }
  void apply(Exec& exec, View<const T> x, View<T> y) const override { A_.apply(exec, x, y); }
  void diagonal(Exec& exec, View<T> d) const override { A_.diagonal(exec, d); }
  double bytes() const override { return 0; }
  std::string format() const override { return "plain"; }

 private:
  linalg::CrsOperator<Exec, T> A_;
};

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

template <class Exec>
struct Operators : ::testing::Test {};
TYPED_TEST_SUITE(Operators, testing::Backends);

template <class Exec, class T>
void expect_defaults_to_equal_fused_passes(double tolerance) {
  using Space = typename Exec::Space;
  Exec exec;
  for (int n : {0, 1, 2, 61}) {
    const testing::HostMatrix host = testing::laplacian(n, 2);
    linalg::Crs<Space, T> A;
    A.rows = A.cols = host.rows;
    A.row_ptr = to_space<Space>(host.row_ptr);
    A.col_ind = to_space<Space>(host.col_ind);
    A.values = to_space<Space>(rounded<T>(host.values));
    const linalg::CrsOperator<Exec, T> fused(A);
    const Plain<Exec, T> plain(A);
    const auto x = to_space<Space>(rounded<T>(testing::random_vector(A.rows, 1)));
    const auto b = to_space<Space>(rounded<T>(testing::random_vector(A.rows, 2)));
    Array<T, Space> q(A.rows), q2(A.rows), r(A.rows), r2(A.rows), d(A.rows);
    Array<double, Space> sums(4);
    fused.apply_dot(exec, x, q, sums.data());
    plain.apply_dot(exec, x, q2, sums.data() + 1);
    fused.residual(exec, x, b, r, sums.data() + 2);
    plain.residual(exec, x, b, r2, sums.data() + 3);
    const auto found = to_vector(sums);
    EXPECT_NEAR(found[0], found[1], tolerance * std::abs(found[1]));
    EXPECT_NEAR(found[2], found[3], tolerance * std::abs(found[3]));
    EXPECT_EQ(to_vector(q), to_vector(q2));
    EXPECT_EQ(to_vector(r), to_vector(r2));
    fused.diagonal(exec, d);
    for (T value : to_vector(d)) ASSERT_EQ(value, T{4});
    ASSERT_TRUE(fused.entries());
    EXPECT_EQ(fused.entries()->values.data(), A.values.data());
    EXPECT_FALSE(plain.entries());
    EXPECT_EQ(fused.grid(), nullptr);
    EXPECT_EQ(fused.stored(), nullptr);
    EXPECT_EQ(fused.block_size(), 1);
    EXPECT_EQ(plain.to_float(exec), nullptr);
    EXPECT_DOUBLE_EQ(fused.bytes(), (sizeof(T) + 4.0) * A.nnz() + (8 + 2.0 * sizeof(T)) * A.rows);
  }
}

TYPED_TEST(Operators, DefaultsEqualFusedPassesInDouble) {
  TESSERA_REQUIRE(TypeParam);
  expect_defaults_to_equal_fused_passes<TypeParam, double>(1e-12);
}
TYPED_TEST(Operators, DefaultsEqualFusedPassesInFloat) {
  TESSERA_REQUIRE(TypeParam);
  expect_defaults_to_equal_fused_passes<TypeParam, float>(1e-12);
}

TYPED_TEST(Operators, AFloatCopyIsTheRoundedMatrix) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (int longest : {3, 12, 20, 40, 90, 300}) {  // every number of lanes a row on CUDA
    const testing::HostMatrix host = testing::random_matrix(3000, 2500, longest, 4);
    const auto A = host.to<Space>();
    const linalg::CrsOperator<TypeParam> exact(A);
    const auto single = exact.to_float(exec);
    ASSERT_NE(single, nullptr);
    EXPECT_EQ(single->rows(), A.rows);
    EXPECT_EQ(single->cols(), A.cols);
    EXPECT_LT(single->bytes(), 0.75 * exact.bytes());
    const auto x = testing::random_vector(A.cols, 1);
    const auto x_double = to_space<Space>(x);
    const auto x_float = to_space<Space>(rounded<float>(x));
    Array<double, Space> y(A.rows);
    Array<float, Space> y_float(A.rows);
    exact.apply(exec, x_double, y);
    single->apply(exec, x_float, y_float);
    const auto expected = to_vector(y);
    const auto found = to_vector(y_float);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], longest * 2e-7) << longest;
  }
}

}  // namespace
}  // namespace tessera
