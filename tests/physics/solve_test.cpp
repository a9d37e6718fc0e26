// What solve_linear_system does where a preconditioner that was chosen automatically fails.
#include "physics/run/solve_linear_system.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/collective.hpp"
#include "physics/run/fallen_back.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"
#include "support/thread_ranks.hpp"

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
  std::optional<linalg::CrsView<const double>> entries() const override {
    if (has_no_room) throw Error(ExitCode::memory, "no room for the hierarchy", "");
    return reader_.entries();
  }

  bool has_no_room = false;  ///< for what needs entries

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

/// A run without a deck.
struct Run {
  const deck::Deck deck = deck::Deck::parse("", "none");
  output::Summary summary;
  const Context context{
      .deck = deck, .backend = {}, .output_directory = {}, .summary = summary, .stop = {}, .progress = {}};
};

TEST(FallingResidual, HasCeasedWhereItDoesNotHalve) {
  const auto ceased_after = [](const auto& residual) {
    FallingResidual falling;
    int iteration = 0;
    while (iteration < 5000 && !falling.has_ceased()) {
      ++iteration;
      falling.look(iteration, residual(iteration));
    }
    return falling.has_ceased() ? iteration : 0;
  };
  EXPECT_EQ(ceased_after([](int i) { return std::pow(0.5, i / 90.0) * (1 + 0.5 * (i % 2)); }), 0);
  EXPECT_EQ(ceased_after([](int i) { return std::pow(0.5, i / 200.0); }), 200);
  EXPECT_EQ(ceased_after([](int i) { return i < 450 ? std::pow(0.5, i / 20.0) : 1; }), 600);
  EXPECT_EQ(ceased_after([](int) { return std::nan(""); }), 200);
}

/// A x = b of a plane with so many nodes along each side.
template <class Exec>
struct Equation {
  explicit Equation(int n)
      : A(testing::laplacian(n, 2)),
        b(testing::random_vector(A.rows, 1)),
        on_backend(to_space<typename Exec::Space>(b)) {}
  HostMatrix A;
  std::vector<double> b;
  Array<double, typename Exec::Space> on_backend, x;
};

template <class Exec>
struct SolveSystem : ::testing::Test {};
TYPED_TEST_SUITE(SolveSystem, testing::Backends);

TYPED_TEST(SolveSystem, GoesOnWithJacobiWhereMultigridThatNobodyAskedForFails) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Equation<TypeParam> equation(40);
  auto& [A, b, on_backend, x] = equation;
  for (const HostMatrix& read : {not_definite(A), badly_scaled(A)}) {
    Run run;
    run.summary.set("solver.why", "much is expected");
    const Misread<TypeParam> misread(A, read);
    solvers::SolverParams params{.type = "cg", .preconditioner = "amg"};
    clear_warnings();
    int let_go = 0;
    const solvers::Report report =
        solve_linear_system(exec, misread, on_backend.view(), params, run.context, x, {}, [&] { ++let_go; });
    EXPECT_EQ(let_go, 1);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_EQ(report.preconditioner, "jacobi");
    ASSERT_EQ(warnings().size(), 1U);
    EXPECT_NE(warnings().front().find("jacobi takes its place"), std::string::npos) << warnings().front();
    EXPECT_LE(testing::relative_residual(A, b, to_vector(x)), 1e-8);
    const auto& said = run.summary.json()["solver"];
    EXPECT_EQ(said["why"].get<std::string>().find("much is expected; jacobi took the place of amg: "), 0U)
        << said["why"];
    EXPECT_EQ(said["first_attempt"]["preconditioner"], "amg");
    EXPECT_GE(said["first_attempt"]["iterations"].get<int>(), 0);
    // Whoever asks for multigrid is told that it has failed.
    clear_warnings();
    params.given["preconditioner"] = {};
    params.max_iterations = FallingResidual::patience;
    const solvers::Report asked = solve_linear_system(exec, misread, on_backend.view(), params, run.context, x);
    EXPECT_FALSE(asked.converged);
    EXPECT_EQ(asked.preconditioner, "amg");
    EXPECT_TRUE(warnings().empty());
  }
  clear_warnings();
}

TYPED_TEST(SolveSystem, GoesOnWithJacobiWhereMultigridThatNobodyAskedForHasNoRoom) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Equation<TypeParam> equation(30);
  auto& [A, b, on_backend, x] = equation;
  Misread<TypeParam> crowded(A, A);
  crowded.has_no_room = true;
  solvers::SolverParams params{.type = "cg", .preconditioner = "amg"};
  Run run;
  clear_warnings();
  bool let_go = false;
  const solvers::Report report =
      solve_linear_system(exec, crowded, on_backend.view(), params, run.context, x, {}, [&] { let_go = true; });
  EXPECT_TRUE(report.converged) << report.failure;
  EXPECT_TRUE(let_go);
  EXPECT_EQ(report.preconditioner, "jacobi");
  EXPECT_LE(testing::relative_residual(A, b, to_vector(x)), 1e-8);
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_NE(warnings().front().find("finds too little memory: jacobi takes its place"), std::string::npos)
      << warnings().front();
  EXPECT_EQ(run.summary.json()["solver"]["why"], "jacobi took the place of amg: no room for the hierarchy");
  params.given["preconditioner"] = {};
  EXPECT_THROW(solve_linear_system(exec, crowded, on_backend.view(), params, run.context, x), Error);
  clear_warnings();
}

/// The iterations of multigrid that did not suffice are not lost.
TYPED_TEST(SolveSystem, GoesOnFromWhatMultigridHasReached) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Equation<TypeParam> equation(40);
  auto& [A, b, on_backend, x] = equation;
  const Misread<TypeParam> misread(A, badly_scaled(A));
  Run run;
  const solvers::Report report =
      solve_linear_system(exec, misread, on_backend.view(), {.type = "cg", .preconditioner = "amg"}, run.context, x);
  const double left = run.summary.json()["solver"]["first_attempt"]["relative_residual"];
  EXPECT_NEAR(report.history.front(), std::min(left, 1.0), 0.05 * report.history.front());
  clear_warnings();
}

/// Of ranks that make something together either all go on without it or none.
TEST(PreparePreconditioner, WhatOneRankLacksAllDoWithout) {
  clear_warnings();
  const auto lack = [] { throw Error(ExitCode::memory, "no room", ""); };
  std::vector<int> prepared(3, -1);
  std::vector<std::string> preconditioners(3), why(3);
  testing::on_thread_ranks(3, [&](Communicator& ranks) {
    CommonParams params;
    params.solver = {.type = "cg", .preconditioner = "pmg"};
    Discretisation space;
    space.ranks = &ranks;
    output::Summary summary;
    const auto rank = static_cast<std::size_t>(ranks.rank());
    prepared[rank] = prepare_preconditioner(
        params, space,
        [&] {
          on_each_rank(ranks, [&] {
            if (rank == 1) lack();
          });
        },
        summary);
    preconditioners[rank] = params.solver.preconditioner;
    why[rank] = summary.json()["solver"]["why"];
  });
  EXPECT_EQ(prepared, std::vector<int>(3, 0));
  EXPECT_EQ(preconditioners, std::vector<std::string>(3, "jacobi"));
  EXPECT_EQ(why, std::vector<std::string>(3, "jacobi took the place of pmg: rank 1 of 3: no room"));
  EXPECT_FALSE(have_failed_together());
  clear_warnings();
  // Who asks for it by name hears of it, as does who lacks something else.
  CommonParams params;
  params.solver = {.type = "cg", .preconditioner = "pmg", .given = {{"preconditioner", {}}}};
  output::Summary summary;
  EXPECT_THROW(prepare_preconditioner(params, {}, lack, summary), Error);
  params.solver.given.clear();
  EXPECT_THROW(prepare_preconditioner(
                   params, {}, [] { throw Error(ExitCode::usage, "no", ""); }, summary),
               Error);
  EXPECT_FALSE(prepare_preconditioner(params, {}, lack, summary));
  EXPECT_TRUE(prepare_preconditioner(
      params, {}, [] {}, summary));
  clear_warnings();
}

}  // namespace
}  // namespace tessera::physics
