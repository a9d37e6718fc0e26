// Implicit steps of gases: the operator, and decks that take them.
#include <array>
#include <cmath>
#include <random>

#include "decks.hpp"
#include "flows.hpp"
#include "physics/euler/equation.hpp"

namespace {

using namespace euler_decks;
using namespace euler_test;
namespace conservation = tessera::physics::conservation;

template <int dim>
NodeState<dim> state_of(const Gas& gas, const double (&u)[numbers<dim>]) {
  double node[node_numbers];
  GasEquation<dim>{gas}.at_node(u, 0, 1, node);
  NodeState<dim> at;
  at.load(u, node, 1, 0);
  return at;
}

/// Columns of the Jacobian are differences of the flux, for any gamma and covolume.
template <int dim>
void expect_derivative(double gamma, double covolume) {
  constexpr int n = numbers<dim>;
  const Gas gas = make_gas(gamma, covolume);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0, 1);
  for (int k = 0; k < 50; ++k) {
    Primitive<dim> w;
    w.rho = 0.1 + any(random);
    w.p = 0.1 + any(random);
    double c[dim], u[n], a[n * n];
    for (int d = 0; d < dim; ++d) {
      w.v[d] = 4 * any(random) - 2;
      c[d] = 2 * any(random) - 1;
    }
    conservative<dim>(gas, w, u);
    flux_jacobian<dim>(gas, state_of<dim>(gas, u), c, a);
    for (int l = 0; l < n; ++l) {
      const double by = 1e-6;
      double above[n], below[n], f_above[n], f_below[n];
      std::copy_n(u, n, above);
      std::copy_n(u, n, below);
      above[l] += by;
      below[l] -= by;
      state_of<dim>(gas, above).flux(c, f_above);
      state_of<dim>(gas, below).flux(c, f_below);
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(a[i * n + l], (f_above[i] - f_below[i]) / (2 * by), 2e-7 * (1 + std::abs(a[i * n + l])))
            << dim << " " << gamma << " " << covolume << ": " << i << ", " << l;
    }
    if (covolume > 0) continue;
    double f[n];
    state_of<dim>(gas, u).flux(c, f);
    for (int i = 0; i < n; ++i) {  // the fluxes of a perfect gas are homogeneous
      double sum = 0;
      for (int l = 0; l < n; ++l) sum += a[i * n + l] * u[l];
      EXPECT_NEAR(sum, f[i], 1e-12 * (1 + std::abs(f[i])));
    }
  }
}

TEST(GasJacobian, IsTheDerivativeOfTheFlux) {
  for (const double gamma : {1.05, 1.4, 3.0})
    for (const double covolume : {0.0, 0.3}) {
      expect_derivative<1>(gamma, covolume);
      expect_derivative<2>(gamma, covolume);
      expect_derivative<3>(gamma, covolume);
    }
}

template <class Exec>
class GasImplicit : public ::testing::Test {};
TYPED_TEST_SUITE(GasImplicit, tessera::testing::Backends);

/// The rows of an inner node add up to one, of a uniform flow, and columns of mass and energy to the mass of the node
/// where no boundary turns them: what the operator moves it does not make.
template <class Exec, int dim>
void expect_rows_and_columns(const std::string& shape, int cells) {
  constexpr int n = numbers<dim>;
  Exec exec = tessera::testing::with_threads<Exec>(2);
  const Solution<dim> uniform = [](const std::array<double, 3>&, double) {
    Primitive<dim> w;
    w.rho = 1.3;
    w.p = 0.7;
    for (int d = 0; d < dim; ++d) w.v[d] = 0.4 - 0.3 * d;
    return w;
  };
  Flow<Exec, dim> flow(exec, unit_box(shape, dim, cells, 0.2), {.gas = make_gas(1.4), .limiter = Limiter::none},
                       uniform);
  conservation::Scheme<Exec>& scheme = flow.scheme();
  auto both = scheme.implicit_pattern({});
  auto& A = both.own;
  const auto slots = to_space<typename Exec::Space>(std::vector<Index>(static_cast<std::size_t>(scheme.nodes()), -1));
  conservation::ImplicitStep step;
  step.dt = 0.1;
  step.slot = slots.data();
  step.scales[1] = 3;
  const auto& steps = std::as_const(flow.steps());
  scheme.take(steps.state(), 0);
  EXPECT_EQ(both.ghost.blocks(), 0);
  scheme.implicit_matrix(steps.state(), step, both);
  const std::vector<double> values = to_vector(A.values), mass = flow.masses();
  const std::vector<Index> col = to_vector(A.col_ind);
  const std::vector<Offset> row_ptr = to_vector(A.row_ptr);
  std::vector<double> columns(static_cast<std::size_t>(A.cols), 0.0);
  int inner = 0;
  for (Index i = 0; i < A.rows / n; ++i) {
    double sum[n * n] = {};
    const auto x = flow.point(i);
    bool inside = true;
    for (std::size_t d = 0; d < dim; ++d) inside = inside && x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (Offset k = row_ptr[static_cast<std::size_t>(i)]; k < row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      if (k > row_ptr[static_cast<std::size_t>(i)]) {
        ASSERT_LT(col[static_cast<std::size_t>(k) - 1], col[static_cast<std::size_t>(k)]);
      }
      for (int e = 0; e < n * n; ++e) {
        const double value = values[static_cast<std::size_t>(k * n * n + e)];
        sum[e] += value;
        if (e / n == density)
          columns[static_cast<std::size_t>(col[static_cast<std::size_t>(k)] * n + e % n)] +=
              mass[static_cast<std::size_t>(i)] * value;
      }
    }
    if (!inside) continue;
    ++inner;
    for (int e = 0; e < n * n; ++e) EXPECT_NEAR(sum[e], e % (n + 1) == 0 ? 1 : 0, 1e-12) << shape;
  }
  EXPECT_GT(inner, 0);
  for (Index j = 0; j < A.cols / n; ++j) {
    const auto x = flow.point(j);
    bool inside = true;
    for (std::size_t d = 0; d < dim; ++d) inside = inside && x[d] > 1e-9 && x[d] < 1 - 1e-9;
    for (int l = 0; l < n && inside; ++l)
      EXPECT_NEAR(columns[static_cast<std::size_t>(j * n + l)], l == density ? mass[static_cast<std::size_t>(j)] : 0.0,
                  1e-13)
          << shape;
  }
}

TYPED_TEST(GasImplicit, TheOperatorKeepsUniformFlowsAndMass) {
  TESSERA_REQUIRE(TypeParam);
  expect_rows_and_columns<TypeParam, 1>("interval", 9);
  expect_rows_and_columns<TypeParam, 2>("triangle", 5);
  expect_rows_and_columns<TypeParam, 2>("quad", 5);
  expect_rows_and_columns<TypeParam, 3>("tet", 3);
  expect_rows_and_columns<TypeParam, 3>("hex", 3);
}

std::string implicitly(double end, const std::string& step, const std::string& scheme = "backward_euler") {
  return time_to(end, step, scheme) + "[solver]\ntolerance = 1e-11\n[newton]\ntolerance = 1e-10\n";
}
const std::string low = euler + "limiter = \"none\"\n";

/// A pulse of sound in a closed tube at low order, by the pressure that it brings: errors against short explicit steps.
double pulse(const std::string& scheme, const std::string& step, bool implicit = true) {
  const std::string deck = gas_box(1, 40, "interval") + low +
                           initial("1", "[\"0.3*sin(pi*x)\"]", "1 + 0.1*cos(2*pi*x)") + walls +
                           (implicit ? implicitly(0.4, step, scheme) : time_to(0.4, step, scheme)) +
                           "[[quantity]]\nname = \"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.35]\n";
  return run("pulse", deck)["quantities"]["p"].get<double>();
}

TEST(GasImplicitOrder, InTimeIsOneOfBackwardEulerAndTwoOfCrankNicolson) {
  const double exact = pulse("ssp_rk3", "cfl = 0.05", false);
  for (const auto& [scheme, order] : {std::pair{"backward_euler", 0.9}, {"crank_nicolson", 1.85}}) {
    const double coarse = std::abs(pulse(scheme, "step = 0.01") - exact),
                 fine = std::abs(pulse(scheme, "step = 0.005") - exact);
    EXPECT_GT(std::log2(coarse / fine), order) << scheme << " " << coarse << " " << fine;
    EXPECT_LT(coarse, 0.02) << scheme;
  }
}

/// theta = 1 and 1/2 are the schemes of those names.
TEST(GasImplicitOrder, OfThetaIsThatOfTheNames) {
  EXPECT_NEAR(pulse("theta", "step = 0.02\ntheta = 1"), pulse("backward_euler", "step = 0.02"), 1e-12);
  EXPECT_NEAR(pulse("theta", "step = 0.02"), pulse("crank_nicolson", "step = 0.02"), 1e-12);
}

/// A uniform flow through far fields stays as it is, whatever the steps.
TEST(GasImplicitRun, AUniformFlowStays) {
  const std::string free = state("1.4", "[0.5, 0.25]", "1");
  for (const char* limiter : {"none", "monolithic"}) {
    const std::string deck = gas_box(2, 8, "triangle") + euler + fmt::format("limiter = \"{}\"\n", limiter) +
                             "[[initial]]\n" + free +
                             "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"]\ntype = \"far_field\"\n" +
                             free + implicitly(2, "cfl = 20") +
                             "[[quantity]]\nname = \"most\"\nkind = \"max\"\nof = \"density\"\n[[quantity]]\nname = "
                             "\"least\"\nkind = \"min\"\nof = \"density\"\n";
    const nlohmann::json q = run("uniform", deck)["quantities"];
    EXPECT_NEAR(q["most"].get<double>(), 1.4, 1e-10) << limiter;
    EXPECT_NEAR(q["least"].get<double>(), 1.4, 1e-10) << limiter;
  }
}

/// Mass and energy of a closed box are as good as the systems are solved: what a system leaves is what is lost.
TEST(GasImplicitRun, AClosedBoxKeepsWhatTheSolverLeavesIt) {
  for (const auto& [limiter, tolerance, most] :
       {std::tuple{"none", "1e-12", 1e-11}, {"none", "1e-4", 1e-3}, {"monolithic", "1e-12", 1e-11}}) {
    std::string deck = bang(2, 12, "triangle", 0.2);
    deck.replace(deck.find(euler), euler.size(), euler + fmt::format("limiter = \"{}\"\n", limiter));
    deck.resize(deck.find("[time]"));
    const nlohmann::json summary = run("closed", deck + time_to(0.2, "cfl = 8", "backward_euler") +
                                                     fmt::format("[solver]\ntolerance = {}\n", tolerance));
    const nlohmann::json balance = summary["balance"];
    for (const char* of : {"mass", "energy"}) {
      const double before = balance["start"][of];
      EXPECT_NEAR(balance["end"][of].get<double>(), before, most * before) << limiter << " " << tolerance;
    }
    EXPECT_GT(summary["time"]["systems"].get<int>(), summary["time"]["steps"].get<int>());
    EXPECT_GT(summary["time"]["iterations"].get<int>(), 0);
  }
}

/// Sod's tube at many times the longest explicit step: a gas everywhere, and the states between the waves.
TEST(GasImplicitRun, SodsTubeStaysAGasWithLongSteps) {
  for (const char* limiter : {"none", "monolithic"})
    for (const char* cfl : {"cfl = 5", "cfl = 20"}) {
      const std::string deck = gas_box(1, 200, "interval") + euler + fmt::format("limiter = \"{}\"\n", limiter) +
                               initial("1 - 0.875*(x > 0.5)", "[\"0\"]", "1 - 0.9*(x > 0.5)") + walls +
                               time_to(0.2, cfl, "backward_euler") +
                               "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"density\"\n[[quantity]]\nname = "
                               "\"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.6]\n";
      const nlohmann::json summary = run("sod_implicit", deck);
      EXPECT_GT(summary["quantities"]["least"].get<double>(), 0.12) << limiter << " " << cfl;
      EXPECT_NEAR(summary["quantities"]["p"].get<double>(), 0.3031, 0.01) << limiter << " " << cfl;
      EXPECT_LT(summary["time"]["steps"].get<int>(), 50) << limiter << " " << cfl;
    }
}

TEST(GasImplicitRun, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const char* limiter : {"none", "monolithic"}) {
    const std::string deck = gas_box(2, 10, "triangle") + euler + fmt::format("limiter = \"{}\"\n", limiter) +
                             initial("1", "[\"0\", \"0\"]", "1 + 9*((x-0.3)^2 + (y-0.4)^2 < 0.04)") + walls +
                             time_to(0.2, "step = 0.02", "crank_nicolson") +
                             "[checkpoint]\nevery = 3\n[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = \"energy\"\n";
    run("whole", deck);
    run("part", deck, "--set time.end=0.1");
    const Result result = app_test::tessera("restart " + (folder() / "part").string() + " --quiet --set time.end=0.2");
    ASSERT_EQ(result.code, 0) << result.text;
    EXPECT_EQ(bytes_of(folder() / "part" / "probes.csv"), bytes_of(folder() / "whole" / "probes.csv")) << limiter;
  }
}

/// Two gases that would leave a vacuum: steps that would lose the gas, or whose equations are not solved, are shorter.
TEST(GasImplicitRun, StepsThatLoseTheGasAreTakenAgain) {
  const std::string deck = gas_box(1, 100, "interval") + low + initial("1", "[\"-2 + 4*(x > 0.5)\"]", "0.4") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"outflow\"\n" +
                           time_to(0.1, "step = 0.05", "crank_nicolson") +
                           "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"pressure\"\n";
  const nlohmann::json summary = run("vacuum", deck);
  EXPECT_GT(summary["quantities"]["least"].get<double>(), 0);
  EXPECT_GT(summary["time"]["rejected"].get<int>(), 0);
}

/// A smooth pulse that leaves a tube of 100 cells through `sides`, by steps of some 2 to 4 times the explicit ones.
std::string leaving(const std::string& sides) {
  return gas_box(1, 100, "interval") + low +
         initial("1 + 0.5*exp(-200*(x-0.5)^2)", "[\"0\"]", "1 + exp(-200*(x-0.5)^2)") + sides +
         time_to(1, "step = 0.02", "backward_euler") +
         "[[quantity]]\nname = \"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.5]\n";
}
const std::string far_fields =
    "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"far_field\"\n" + state("1", "[0]", "1");
const std::string to_a_pressure = "[[boundary]]\non = [\"right\"]\ntype = \"pressure_outflow\"\npressure = \"1\"\n";

/// Boundaries that keep a state on some curve do not keep Newton's method from its root.
TEST(GasImplicitRun, APulseLeavesThroughEachKindOfSide) {
  for (const auto& [name, sides] :
       {std::pair{std::string("far_field"), far_fields},
        {std::string("pressure_outflow"), "[[boundary]]\non = [\"left\"]\ntype = \"slip_wall\"\n" + to_a_pressure},
        {std::string("reservoir"),
         "[[boundary]]\non = [\"left\"]\ntype = \"reservoir\"\ntotal_pressure = \"1.2\"\n"
         "total_temperature = \"1.05\"\n" +
             to_a_pressure}}) {
    const nlohmann::json summary = run("leaving_" + name, leaving(sides)), time = summary["time"];
    // What a reservoir lets be has a kink where the pulse comes to it with more than its total pressure.
    const bool has_kink = name == "reservoir";
    EXPECT_LE(time["rejected"].get<int>(), has_kink ? 10 : 0) << name;
    EXPECT_LE(time["steps"].get<int>(), has_kink ? 70 : 50) << name;
    EXPECT_LT(time["systems"].get<int>(), (has_kink ? 15 : 5) * time["steps"].get<int>()) << name;
    if (name == "far_field") {
      EXPECT_NEAR(summary["quantities"]["p"].get<double>(), 1, 0.02);
    }
  }
}

/// What boundaries make of changes is found by changes that are small beside the state of the node, whatever the means
/// of the domain are: here the density at the right side is 1e-9 of its mean, and the pulse leaves as it does alone.
TEST(GasImplicitRun, APulseLeavesALightGasBesideAHeavyOne) {
  const std::string deck =
      gas_box(1, 100, "interval") + low + initial("1 + 1e10*(x < 0.2)", "[\"0\"]", "1 + exp(-200*(x-0.7)^2)") +
      "[[boundary]]\non = [\"left\"]\ntype = \"slip_wall\"\n[[boundary]]\non = [\"right\"]\ntype = "
      "\"far_field\"\n" +
      state("1", "[0]", "1") + time_to(0.5, "step = 0.02", "backward_euler");
  const nlohmann::json time = run("heavy", deck)["time"];
  EXPECT_EQ(time["rejected"].get<int>(), 0);
  EXPECT_LT(time["systems"].get<int>(), 6 * time["steps"].get<int>());
}

/// A step that Newton's method does not reach says how near it came and by which keys of the deck.
TEST(GasImplicitRun, StepsThatAreNotReachedSaySo) {
  const Result result = app_test::tessera("run " + write_deck("unreached.toml", leaving(far_fields)) +
                                          " --quiet --backend threads --output " + (folder() / "unreached").string() +
                                          " --set newton.max_iterations=1 --set newton.tolerance=1e-14");
  EXPECT_EQ(result.code, 4) << result.text;
  for (const char* part : {"Newton's method to converge", "newton.tolerance is 1e-14", "newton.max_iterations 1"})
    EXPECT_NE(result.text.find(part), std::string::npos) << result.text;
}

/// Systems are solved in float or with its help; the states that they lead to are those of double.
TEST(GasImplicitRun, SystemsAreSolvedInOtherPrecisions) {
  const std::string newton = "[newton]\ntolerance = 1e-9\nmax_iterations = 50\n";
  const auto p = [&](const std::string& precision, const std::string& tolerance, const std::string& of = "block_ilu") {
    const nlohmann::json summary =
        run("precision", leaving(far_fields) + newton,
            fmt::format("--set run.precision={} --set solver.tolerance={} --set solver.preconditioner={}", precision,
                        tolerance, of));
    EXPECT_EQ(summary["backend"]["precision"], precision);
    return summary["quantities"]["p"].get<double>();
  };
  const double expected = p("double", "1e-9");
  EXPECT_NEAR(p("mixed", "1e-9"), expected, 1e-7);
  EXPECT_NEAR(p("mixed", "1e-9", "block_jacobi"), expected, 1e-7);
  EXPECT_NEAR(p("float", "1e-5"), expected, 1e-7);
}

/// What a run that must end with exit code 4 says.
std::string given_up(const std::string& command) {
  const Result result = app_test::tessera(command + " --quiet --backend threads");
  EXPECT_EQ(result.code, 4) << result.text;
  return result.text;
}

/// Where no step as long as an explicit one has a system that is solved the run does not go on by ever shorter ones; it
/// says in which step, how far the system was solved and what to do, and the checkpoint before it stays.
TEST(GasImplicitRun, SystemsThatAreNeverSolvedEndTheRunAndTheCheckpointStays) {
  // Until the pressure outside rises there is nothing to be solved.
  const std::string deck = gas_box(1, 100, "interval") + low + initial("1", "[\"0\"]", "1") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"far_field\"\n" +
                           state("1", "[0]", "1 + 0.5*(t > 0.101)") + time_to(1, "step = 0.02", "backward_euler") +
                           "[solver]\npreconditioner = \"jacobi\"\nmax_iterations = 1\n[checkpoint]\nevery = 4\n";
  const fs::path out = folder() / "unsolved";
  std::string text = given_up("run " + write_deck("unsolved.toml", deck) + " --output " + out.string());
  EXPECT_LT(summary_in(out)["time"]["rejected"].get<int>(), 10);
  const fs::path checkpoint = out / "checkpoint_000000004.tsr";
  const std::string kept = bytes_of(checkpoint);
  EXPECT_FALSE(kept.empty());
  text += given_up("restart " + out.string());  // in the same step
  EXPECT_EQ(bytes_of(checkpoint), kept);
  for (const char* part : {"step 6, after t = 0.1: none is short enough for its system to be solved: the residual is",
                           "after 1 iteration, asked for", "raise solver.max_iterations", "solver.preconditioner"})
    EXPECT_NE(text.find(part), text.rfind(part)) << part << "\n" << text;
}

/// "auto" is what is chosen where the deck says nothing.
TEST(GasImplicitRun, APreconditionerIsChosenForAutoToo) {
  const auto iterations = [](const std::string& of) {
    const std::string key = of.empty() ? "" : fmt::format("[solver]\npreconditioner = \"{}\"\n", of);
    return run("chosen_" + of, leaving(far_fields) + key)["time"]["iterations"].get<int>();
  };
  EXPECT_EQ(iterations("auto"), iterations(""));
  EXPECT_EQ(iterations("auto"), iterations("block_ilu"));
  EXPECT_LT(iterations("auto"), iterations("block_jacobi"));
}

const std::string monolithic = euler + "limiter = \"monolithic\"\nmass = \"lumped\"\nrelaxed_bounds = false\n";

/// What is at rest with explicit steps is at rest with implicit ones, which are few.
TEST(GasImplicitSteady, AWedgeComesToTheSameRestInFarFewerSteps) {
  const std::string steady = "[steady]\ntolerance = 1e-8\n";
  const nlohmann::json expected = run("wedge_explicit", wedge() + low + time_to(4000, "cfl = 0.9", "euler") + steady),
                       implicit =
                           run("wedge_implicit", wedge() + low + time_to(200, "cfl = 5", "backward_euler") + steady);
  for (const nlohmann::json& summary : {expected, implicit}) EXPECT_TRUE(summary["steady"]["converged"].get<bool>());
  EXPECT_LT(20 * implicit["steady"]["steps"].get<int>(), expected["steady"]["steps"].get<int>());
  for (const char* of : {"p", "M"})
    EXPECT_NEAR(implicit["quantities"][of].get<double>(), expected["quantities"][of].get<double>(), 1e-6) << of;
  EXPECT_GT(implicit["steady"]["cfl"].get<double>(), 100);
  EXPECT_EQ(implicit["time"]["systems"].get<int>(), implicit["steady"]["steps"].get<int>() + 1);
}

/// With monolithic limits that are damped, by six orders; the lift is that of the explicit march.
TEST(GasImplicitSteady, ATransonicProfileComesToRestBySixOrders) {
  const nlohmann::json summary =
      run("profile_implicit",
          coarse_profile() + monolithic + time_to(600, "cfl = 2", "backward_euler") + "[steady]\ntolerance = 1e-6\n");
  EXPECT_TRUE(summary["steady"]["converged"].get<bool>()) << summary["steady"];
  EXPECT_LT(summary["steady"]["steps"].get<int>(), 500);
  EXPECT_EQ(summary["time"]["rejected"].get<int>(), 0);
  EXPECT_GT(summary["steady"]["history"].size(), 5U);
  EXPECT_NEAR(summary["quantities"]["cl"].get<double>(), 0.26, 0.06);
}

/// Longer steps that were tried before are counted.
TEST(GasImplicitSteady, StepsThatAreTakenAgainAreCounted) {
  const std::string deck = wedge() + low + time_to(4, "cfl = 1000", "backward_euler") +
                           "[steady]\n[solver]\npreconditioner = \"jacobi\"\nmax_iterations = 8\n";
  const nlohmann::json summary = run("taken_again", deck);
  EXPECT_GT(summary["time"]["rejected"].get<int>(), 0);
  EXPECT_LT(summary["steady"]["cfl"].get<double>(), 1000);
}

/// A march, too, does not go on by steps below those of an explicit one.
TEST(GasImplicitSteady, SystemsThatAreNeverSolvedEndTheMarch) {
  const std::string deck = wedge() + low + time_to(100, "cfl = 4", "backward_euler") +
                           "[steady]\n[solver]\npreconditioner = \"jacobi\"\nmax_iterations = 1\ntolerance = 1e-8\n";
  const std::string text =
      given_up("run " + write_deck("never.toml", deck) + " --output " + (folder() / "never").string());
  for (const char* part : {"step 1, after t = 0: none is short enough for its system", "raise solver.max_iterations"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(summary_in(folder() / "never")["time"]["systems"].get<int>(), 4);  // cfl 4, 2, 1, 1/2
}

/// From a reservoir to a pressure, in units of the SI: the Mach number is that of the isentrope between both.
TEST(GasImplicitSteady, AChannelHasTheMachNumberOfTheIsentrope) {
  const std::string deck =
      "[mesh]\nbox = { min = [0,0], max = [3,1], cells = [12,4], shape = \"triangle\" }\n" + low +
      initial("1.2", "[\"50\", \"0\"]", "95000") +
      "[[boundary]]\non = [\"left\"]\ntype = \"reservoir\"\ntotal_pressure = 101325\ntotal_temperature = 300\n"
      "[[boundary]]\non = [\"right\"]\ntype = \"pressure_outflow\"\npressure = 90000\n" +
      walls + time_to(200, "cfl = 5", "backward_euler") +
      "[steady]\ntolerance = 1e-9\n[[quantity]]\nname = \"M\"\nkind = \"average\"\nof = \"Mach\"\n";
  const nlohmann::json summary = run("channel", deck);
  EXPECT_TRUE(summary["steady"]["converged"].get<bool>()) << summary["steady"];
  EXPECT_NEAR(summary["quantities"]["M"].get<double>(), std::sqrt(5 * (std::pow(101325.0 / 90000, 1 / 3.5) - 1)), 1e-6);
}

/// A march whose limits follow at once goes on bitwise: steps go on growing from where they were.
TEST(GasImplicitSteady, GoesOnBitwise) {
  const std::string deck = wedge() + low + time_to(14, "cfl = 2", "backward_euler") +
                           "[steady]\ntolerance = 1e-12\n[checkpoint]\nevery = 4\n"
                           "[[probe]]\nname = \"a\"\nat = [0.9, 0.2]\nof = \"energy\"\n";
  run("march_whole", deck);
  run("march_part", deck, "--set time.end=8");
  const Result result =
      app_test::tessera("restart " + (folder() / "march_part").string() + " --quiet --set time.end=14");
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(bytes_of(folder() / "march_part" / "probes.csv"), bytes_of(folder() / "march_whole" / "probes.csv"));
}

}  // namespace
