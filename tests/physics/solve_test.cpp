// What solve_system does where a preconditioner that was chosen automatically fails.
#include "physics/run/solve.hpp"

#include <cmath>

#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera::physics {
namespace {

using testing::HostMatrix;

/// A matrix whose entries are read as those of another one: multigrid, which reads them, is made of the wrong numbers,
/// and the products of an iteration are right.
template <class Exec>
class Misread final : public linalg::Operator<Exec> {
  using Space = typename Exec::Space;

 public:
  Misread(const HostMatrix& A, const HostMatrix& read)
      : A_(A.to<Space>()), read_(read.to<Space>()), operator_(A_), reader_(read_) {}

  Index rows() const override { return operator_.rows(); }
  Index cols() const override { return operator_.cols(); }
  void apply(Exec& exec, View<const double> x, View<double> y) const override { operator_.apply(exec, x, y); }
  void diagonal(Exec& exec, View<double> d) const override { operator_.diagonal(exec, d); }
  double bytes() const override { return operator_.bytes(); }
  std::string format() const override { return operator_.format(); }
  std::optional<linalg::CrsView<const double>> entries() const override { return reader_.entries(); }

 private:
  const linalg::Crs<Space> A_, read_;
  const linalg::CrsOperator<Exec> operator_, reader_;
};

/// Has an entry on the diagonal of which multigrid says before its first iteration that it is not positive.
HostMatrix not_definite(HostMatrix A) {
  const Index row = A.rows / 2;
  for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
    if (A.col_ind[k] == row) A.values[k] = -A.values[k];
  return A;
}

/// S A S, where S varies by eight orders: the condition of A is that of S^2 once multigrid for S A S is applied.
HostMatrix badly_scaled(HostMatrix A) {
  const auto s = [](Index row) { return std::pow(10.0, 8 * std::fmod(0.618 * row, 1.0) - 4); };
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) A.values[k] *= s(row) * s(A.col_ind[k]);
  return A;
}

template <class Exec>
struct SolveSystem : ::testing::Test {};
TYPED_TEST_SUITE(SolveSystem, testing::Backends);

TYPED_TEST(SolveSystem, GoesOnWithJacobiWhereMultigridThatNobodyAskedForFails) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(40, 2);
  const std::vector<double> b = testing::random_vector(A.rows, 1);
  const auto on_backend = to_space<typename TypeParam::Space>(b);
  const deck::Deck deck = deck::Deck::parse("", "none");
  output::Summary summary;
  const Context context{
      .deck = deck, .backend = {}, .output_directory = {}, .summary = summary, .stop = {}, .progress = {}};
  for (const HostMatrix& read : {not_definite(A), badly_scaled(A)}) {
    const Misread<TypeParam> misread(A, read);
    solvers::SolverParams params{.type = "cg", .preconditioner = "amg"};
    Array<double, typename TypeParam::Space> x;
    clear_warnings();
    const solvers::Report report = solve_system(exec, misread, on_backend, params, context, x);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_EQ(report.preconditioner, "jacobi");
    ASSERT_EQ(warnings().size(), 1U);
    EXPECT_NE(warnings().front().find("jacobi takes its place"), std::string::npos) << warnings().front();
    EXPECT_LE(testing::relative_residual(A, b, to_vector(x)), 1e-8);
    // Whoever asks for multigrid is told that it has failed.
    clear_warnings();
    params.given["preconditioner"] = {};
    params.max_iterations = most_automatic_iterations;
    const solvers::Report asked = solve_system(exec, misread, on_backend, params, context, x);
    EXPECT_FALSE(asked.converged);
    EXPECT_EQ(asked.preconditioner, "amg");
    EXPECT_TRUE(warnings().empty());
  }
  clear_warnings();
}

}  // namespace
}  // namespace tessera::physics
