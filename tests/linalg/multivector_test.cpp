#include "linalg/multivector.hpp"

#include "linalg/component_operator.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

template <class Exec>
struct Multivector : ::testing::Test {};
TYPED_TEST_SUITE(Multivector, testing::Backends);

/// Lengths with chunks and tiles that are not full.
constexpr Offset rows = 2 * 4096 + 301;

TYPED_TEST(Multivector, InnerProductsAreThoseOfEachPair) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const auto& [nx, ny] : {std::pair{1, 1}, {4, 4}, {7, 9}, {13, 3}}) {
    const std::vector<double> x = testing::random_vector(nx * rows, 1), y = testing::random_vector(ny * rows, 2);
    const auto X = to_space<Space>(x), Y = to_space<Space>(y);
    Array<double, Space> g(nx * ny);
    linalg::inner_products(exec, {X.view(), rows}, nx, {Y.view(), rows}, ny, false, g.data());
    const std::vector<double> found = to_vector(g);
    for (Offset i = 0; i < nx; ++i)
      for (Offset j = 0; j < ny; ++j) {
        double sum = 0;
        for (Offset k = 0; k < rows; ++k) sum += x[i * rows + k] * y[j * rows + k];
        EXPECT_NEAR(found[i * ny + j], sum, 1e-10) << nx << " " << ny << " " << i << " " << j;
      }
  }
}

TYPED_TEST(Multivector, TheUpperTriangleIsThatOfTheWhole) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const int n : {1, 5, 8, 11}) {
    const auto X = to_space<Space>(testing::random_vector(n * rows, 3));
    Array<double, Space> all(n * n), upper(n * n);
    linalg::inner_products(exec, {X.view(), rows}, n, {X.view(), rows}, n, false, all.data());
    linalg::inner_products(exec, {X.view(), rows}, n, {X.view(), rows}, n, true, upper.data());
    const std::vector<double> a = to_vector(all), b = to_vector(upper);
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) EXPECT_EQ(a[i * n + j], b[i * n + j]) << n << " " << i << " " << j;
  }
}

TYPED_TEST(Multivector, CombinationsAreSumsOfMultiples) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const auto& [nx, ny] : {std::pair{1, 1}, {6, 13}, {9, 4}, {4, 8}})
    for (const double factor : {0.0, 1.0}) {
      const std::vector<double> x = testing::random_vector(nx * rows, 1), c = testing::random_vector(nx * ny, 2);
      std::vector<double> y = testing::random_vector(ny * rows, 3);
      const auto X = to_space<Space>(x), C = to_space<Space>(c);
      auto Y = to_space<Space>(y);
      linalg::combine_vectors(exec, {X.view(), rows}, nx, C.data(), ny, factor, {Y.view(), rows});
      const std::vector<double> found = to_vector(Y);
      for (Offset j = 0; j < ny; ++j)
        for (Offset k = 0; k < rows; k += 37) {
          double sum = factor * y[j * rows + k];
          for (Offset i = 0; i < nx; ++i) sum += c[i * ny + j] * x[i * rows + k];
          EXPECT_NEAR(found[j * rows + k], sum, 1e-13) << nx << " " << ny << " " << j << " " << k;
        }
    }
}

TYPED_TEST(Multivector, AMatrixOfNodesWorksOnEachComponentAlone) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const testing::HostMatrix A = testing::random_matrix(300, 300, 9, 4);
  const std::vector<double> x = testing::random_vector(900, 5);
  const linalg::ComponentOperator<TypeParam> of_vectors(A.to<Space>(), 3);
  Array<double, Space> y(900), d(900);
  of_vectors.apply(exec, to_space<Space>(x), y);
  of_vectors.diagonal(exec, d);
  const std::vector<double> found = to_vector(y), diagonal = to_vector(d);
  for (Index row = 0; row < 300; ++row)
    for (Index c = 0; c < 3; ++c) {
      double sum = 0, own = 0;
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
        sum += A.values[k] * x[3 * A.col_ind[k] + c];
        if (A.col_ind[k] == row) own = A.values[k];
      }
      EXPECT_NEAR(found[3 * row + c], sum, 1e-14);
      EXPECT_EQ(diagonal[3 * row + c], own);
    }
}

}  // namespace
}  // namespace tessera
