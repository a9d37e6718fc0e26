// Steps through time that begin with jacobi: multigrid where it pays, and jacobi again where it then does not do.
#include "physics/run/chosen_on_the_way.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "physics/run/implicit_stages.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera::physics {
namespace {

using testing::HostMatrix;

/// Nodes along it: on a GPU multigrid pays from more of them on.
template <class Exec>
constexpr int side = std::is_same_v<Exec, Threads> ? 50 : 160;

/// M u' = b(t) - A u, M = S S / 1000 and A = S L S, L the Laplacian of a plane; S varies from row to row by so many
/// orders of magnitude, which jacobi does not feel, and of which multigrid knows nothing.
template <class Exec>
class Scaled final : public Evolution<Exec> {
 public:
  using Space = typename Exec::Space;
  explicit Scaled(double orders) : A_(testing::laplacian(side<Exec>, 2)), orders_(orders) {
    for (Index row = 0; row < A_.rows; ++row)
      for (Offset k = A_.row_ptr[row]; k < A_.row_ptr[row + 1]; ++k) A_.values[k] *= scale(row) * scale(A_.col_ind[k]);
  }

  linalg::Crs<Space> make_matrix() override {
    linalg::Crs<Space> matrix = A_.to<Space>();
    matrix.values.set_zero();
    return matrix;
  }
  void fill_mass(double, std::span<const double>, linalg::Crs<Space>& M) override {
    HostMatrix mass = A_;
    for (Index row = 0; row < A_.rows; ++row)
      for (Offset k = A_.row_ptr[row]; k < A_.row_ptr[row + 1]; ++k)
        mass.values[k] = A_.col_ind[k] == row ? 1e-3 * scale(row) * scale(row) : 0;
    M.values = to_space<Space>(mass.values);
  }
  void fill(double t, linalg::Crs<Space>& A, View<double> b) override {
    A.values = to_space<Space>(A_.values);
    fill_loads(t, A, b);
  }
  void fill_loads(double t, linalg::Crs<Space>&, View<double> b) override {
    std::vector<double> loads = testing::random_vector(A_.rows, static_cast<unsigned>(1 + std::lround(10 * t)));
    for (Index row = 0; row < A_.rows; ++row) loads[row] *= scale(row);
    copy_bytes(Host{}, loads.data(), Space{}, b.data(), loads.size() * sizeof(double));
  }

 private:
  double scale(Index row) const { return std::pow(10.0, orders_ * (std::fmod(0.618 * row, 1.0) - 0.5)); }

  HostMatrix A_;
  double orders_;
};

/// Whose loads change.
class Loaded final : public Model {
 public:
  Traits traits() const override { return {}; }
  CommonParams& params() override { return params_; }
  void read(const deck::Deck&) override {}
  Varying varying() override { return {.loads = true}; }

 private:
  CommonParams params_;
};

/// What became of some steps of one length.
struct Steps {
  output::Summary summary;
  std::vector<std::string> preconditioners;
  std::vector<int> iterations;
  std::vector<bool> converged;
  std::string why() const { return summary.json()["solver"]["why"]; }
};

template <class Exec>
void go(double orders, int count, Steps& result) {
  Exec exec;
  Loaded model;
  CommonParams& params = model.params();
  params.run.backend = Exec::name;
  params.solver = {.type = "cg", .preconditioner = "jacobi"};
  Discretisation space;
  space.mesh.dim = 2;
  space.dofs.dofs = side<Exec> * side<Exec>;
  Scaled<Exec> evolution(orders);
  const deck::Deck deck = deck::Deck::parse("", "none");
  Context context{
      .deck = deck, .backend = {}, .output_directory = {}, .summary = result.summary, .stop = {}, .progress = {}};
  const OverRanks<Exec> ranks(exec, space, result.summary);
  const std::vector<double> start(static_cast<std::size_t>(space.rows()));
  Evolving<Exec> problem(exec, model, {evolution, ranks}, space, 0, start);
  ImplicitStages<Exec> stages(exec, problem, params, context);
  constexpr double dt = 0.1;
  Array<double, typename Exec::Space> u = to_space<typename Exec::Space>(start), w(u.size()), next(u.size());
  for (int step = 1; step <= count; ++step) {
    stages.begin_step(step, count + 1 - step);
    linalg::combine(exec, w.view(), {}, {{1 / dt}, std::as_const(u).view()});
    linalg::copy(exec, std::as_const(u).view(), next.view());
    result.converged.push_back(stages.solve(dt * step, 1 / dt, w.view(), u.view(), next.view()));
    linalg::copy(exec, std::as_const(next).view(), u.view());
    result.preconditioners.push_back(stages.work().linear.preconditioner);
    result.iterations.push_back(stages.work().linear.iterations);
  }
}

template <class Exec>
struct StepsWithAuto : ::testing::Test {};
TYPED_TEST_SUITE(StepsWithAuto, testing::Backends);

TYPED_TEST(StepsWithAuto, GoOnWithMultigridWhereThatPays) {
  TESSERA_REQUIRE(TypeParam);
  clear_warnings();
  Steps steps;
  go<TypeParam>(0, 300, steps);
  EXPECT_EQ(steps.preconditioners.front(), "jacobi");
  EXPECT_EQ(steps.preconditioners.back(), "amg") << steps.why();
  EXPECT_EQ(steps.why().find("from step "), 0U) << steps.why();
  EXPECT_LT(steps.iterations.back(), 20);
  EXPECT_EQ(std::count(steps.converged.begin(), steps.converged.end(), false), 0);
  EXPECT_TRUE(warnings().empty());
}

TYPED_TEST(StepsWithAuto, GoBackToJacobiWhereMultigridTakesMore) {
  TESSERA_REQUIRE(TypeParam);
  clear_warnings();
  Steps steps;
  go<TypeParam>(5, 300, steps);
  EXPECT_EQ(std::count(steps.preconditioners.begin(), steps.preconditioners.end(), "amg"), 1) << steps.why();
  EXPECT_EQ(steps.preconditioners.back(), "jacobi");
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_NE(warnings().front().find("jacobi takes its place"), std::string::npos) << warnings().front();
  EXPECT_EQ(steps.why().find("from step "), 0U) << steps.why();
  EXPECT_NE(steps.why().find("; jacobi took the place of amg: "), std::string::npos) << steps.why();
  EXPECT_EQ(std::count(steps.converged.begin(), steps.converged.end(), false), 0);
  clear_warnings();
}

/// What a checkpoint keeps is all that later decisions follow from.
TEST(ChosenOnTheWay, DecidesAsBeforeFromWhatItHasKept) {
  CommonParams params;
  params.run.backend = "threads";
  params.solver = {.type = "cg", .preconditioner = "jacobi"};
  Discretisation space;
  space.mesh.dim = 2;
  space.dofs.dofs = 10000;
  output::Summary first_says, second_says;
  ChosenOnTheWay first(params, space, first_says);
  for (int step = 1; step <= 12; ++step) {
    ChosenOnTheWay second(params, space, second_says);
    second.restore(first.kept());
    EXPECT_EQ(first.is_multigrid(), second.is_multigrid());
    const bool changes = first.decide(50 - step, "step", "step");
    EXPECT_EQ(changes, second.decide(50 - step, "step", "step")) << step;
    EXPECT_EQ(changes, step == 4 || step == 9) << step;
    EXPECT_EQ(first.params().solver.preconditioner, step >= 4 && step < 9 ? "amg" : "jacobi") << step;
    EXPECT_EQ(first.kept(), second.kept());
    // Easy ones, a hard one, and multigrid that takes as much at last.
    if (step < 3)
      first.count(40, 8);
    else if (!first.is_multigrid())
      first.count(200, 8);
    else
      first.count(step < 8 ? 9 : 60, 8);
  }
  clear_warnings();
  // Of a checkpoint from before there was a choice.
  ChosenOnTheWay third(params, space, second_says);
  third.restore({});
  EXPECT_EQ(third.kept(), ChosenOnTheWay::Kept{});
}

TEST(ChosenOnTheWay, ObeysTheDeck) {
  CommonParams params;
  params.run.backend = "threads";
  Discretisation space;
  space.mesh.dim = 2;
  space.dofs.dofs = 10000;
  output::Summary says;
  const auto changes = [&] {
    ChosenOnTheWay choice(params, space, says);
    choice.count(1000, 8);
    return choice.decide(1000, "step 2", "step");
  };
  params.solver = {.type = "cg", .preconditioner = "jacobi", .given = {{"preconditioner", {}}}};
  EXPECT_FALSE(changes());
  EXPECT_FALSE(says.has("solver.why"));
  params.solver.given.clear();
  params.matrix.format = "packed_ell";
  EXPECT_FALSE(changes());
  params.matrix.format = "auto";
  EXPECT_TRUE(changes());
  params.solver.type = "minres";
  EXPECT_FALSE(changes());
}

}  // namespace
}  // namespace tessera::physics
