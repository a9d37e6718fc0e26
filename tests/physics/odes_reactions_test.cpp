// The reactions, mechanisms, and the names that are refused.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "odes_problems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using physics::reaction_diffusion::ReactionParams;
using testing::Reacted;
using testing::Values;

template <class Exec>
struct Reactions : ::testing::Test {};
TYPED_TEST_SUITE(Reactions, testing::Backends);

/// The Jacobian against central differences of the rates, relative to its largest entry.
template <class Reaction>
double jacobian_error(const Reaction& reaction, const Values& u, double t = 0) {
  const std::size_t n = u.size();
  Values J(n * n), above(n), below(n);
  reaction.jacobian(u.data(), t, J.data());
  double largest = 0, size = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-5 * std::max(std::abs(u[j]), 1e-3);
    Values moved = u;
    moved[j] = u[j] + h;
    reaction.rates(moved.data(), t, above.data());
    moved[j] = u[j] - h;
    reaction.rates(moved.data(), t, below.data());
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(J[i * n + j] - (above[i] - below[i]) / (2 * h)));
      size = std::max(size, std::abs(J[i * n + j]));
    }
  }
  return largest / size;
}

TEST(ReactionTypes, HaveTheJacobiansOfTheirRates) {
  EXPECT_LE(jacobian_error(physics::reaction_diffusion::GrayScott{}, {0.7, 0.3}), 1e-8);
  EXPECT_LE(jacobian_error(physics::reaction_diffusion::FitzHughNagumo{}, {-1.2, 0.4}), 1e-8);
  EXPECT_LE(jacobian_error(physics::reaction_diffusion::Brusselator{}, {1.3, 2.1}), 1e-8);
  EXPECT_LE(jacobian_error(physics::reaction_diffusion::Robertson{}, {0.7, 0.2, 0.1}), 1e-8);
  EXPECT_LE(jacobian_error(physics::reaction_diffusion::Oregonator{}, {1.5, 2.5, 3.5}), 1e-8);
  EXPECT_LE(jacobian_error(testing::Turning{}, {0.4, 0.8, -0.5}, 0.7), 1e-8);
  // Also where a species is absent, and with exponents and catalysts.
  const ReactionParams params = testing::mass_action(
      {"A", "B", "C", "D"}, {{"3 A + 2 B -> C", 2}, {"C + D -> 2.5 A + D", 5}, {" -> B", 0.3}, {"2 C -> ", 4}});
  const physics::reaction_diffusion::MechanismTables<Host> tables(params.mechanism);
  EXPECT_LE(jacobian_error(tables.mass_action<8>(), {0.7, 1.3, 0.4, 0.9}), 1e-8);
  Values J(16), du(4);
  const Values absent = {0, 1.3, 0.4, 0};
  tables.mass_action<8>().rates(absent.data(), 0, du.data());
  EXPECT_EQ(du, (Values{0, 0.3, -8 * 0.4 * 0.4, 0}));
  tables.mass_action<8>().jacobian(absent.data(), 0, J.data());
  EXPECT_EQ(J[0], 0);
  EXPECT_EQ(J[3], 2.5 * 5 * 0.4);
  EXPECT_EQ(J[2 * 4 + 2], -2.0 * 4 * 2 * 0.4);
  EXPECT_EQ(J[2 * 4 + 3], -5 * 0.4);
  EXPECT_EQ(J[3 * 4 + 3], 0);
}

TYPED_TEST(Reactions, OfTheTableAgreeWithTheirTypes) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // A short step of every reaction is u + dt f(u), with parameters that are not the defaults: that catches names which
  // reach another member.
  const double dt = 1e-7;
  const auto expect = [&](const ReactionParams& params, const auto& reaction, const Values& u) {
    const Reacted reacted = testing::react(exec, params, testing::ode_options("cash_karp", 1e-8, 1e-12), dt, u);
    Values du(u.size());
    reaction.rates(u.data(), 0, du.data());
    for (std::size_t i = 0; i < u.size(); ++i) {
      EXPECT_GT(std::abs(du[i]), 0.01);
      EXPECT_NEAR((reacted.u[i] - u[i]) / dt, du[i], 1e-4 * std::abs(du[i])) << params.name;
    }
  };
  physics::reaction_diffusion::GrayScott gray_scott;
  gray_scott.feed = 0.3, gray_scott.kill = 0.9;
  expect({.name = "gray_scott", .parameters = {{"k", 0.9}, {"F", 0.3}}}, gray_scott, {0.7, 0.3});
  physics::reaction_diffusion::FitzHughNagumo nerve;
  nerve.a = -0.3, nerve.b = 0.2, nerve.epsilon = 3, nerve.current = -2;
  expect({.name = "fitzhugh_nagumo", .parameters = {{"a", -0.3}, {"b", 0.2}, {"epsilon", 3}, {"I", -2}}}, nerve,
         {-1.2, 0.4});
  physics::reaction_diffusion::Brusselator brusselator;
  brusselator.a = 2, brusselator.b = 5;
  expect({.name = "brusselator", .parameters = {{"a", 2}, {"b", 5}}}, brusselator, {1.3, 2.1});
  physics::reaction_diffusion::Robertson robertson;
  robertson.k1 = 2, robertson.k2 = 30, robertson.k3 = 7;
  expect({.name = "robertson", .parameters = {{"k1", 2}, {"k2", 30}, {"k3", 7}}}, robertson, {0.7, 0.2, 0.1});
  physics::reaction_diffusion::Oregonator oregonator;
  oregonator.s = 3, oregonator.q = 0.5, oregonator.w = 2;
  expect({.name = "oregonator", .parameters = {{"s", 3}, {"q", 0.5}, {"w", 2}}}, oregonator, {1.5, 2.5, 3.5});
  EXPECT_EQ(physics::reaction_diffusion::reactions().size(), 6u);
  EXPECT_EQ(physics::reaction_diffusion::find_reaction("brusselator").parameters[1].value, 3);
}

TYPED_TEST(Reactions, OfAMechanismAreThoseOfTheTypeThatSaysTheSame) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const solvers::OdeOptions options = testing::ode_options("rosenbrock", 1e-6, 1e-14);
  const Reacted table = testing::react(exec, testing::robertson_as_table(), options, 40, {1, 0, 0}),
                type = testing::react(exec, {.name = "robertson"}, options, 40, {1, 0, 0});
  EXPECT_LE(testing::largest_relative_difference(table.u, type.u), 1e-6);
  EXPECT_NEAR(static_cast<double>(table.report.steps), static_cast<double>(type.report.steps), 3);
}

TYPED_TEST(Reactions, OfManySpeciesAreSolvedByEveryMethodThatTakesThem) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  // A chain of decays S0 -> S1 -> ... with equal rates: S_i = t^i e^-t / i!, at three nodes.
  for (int n : {5, 8, 12, 16, 27, 32}) {
    std::vector<std::string> species;
    for (int i = 0; i < n; ++i) species.push_back("S" + std::to_string(i));
    std::vector<std::pair<std::string, double>> equations;
    for (int i = 0; i + 1 < n; ++i) equations.emplace_back(species[i] + " -> " + species[i + 1], 1);
    Values start(static_cast<std::size_t>(3 * n), 0.0), expected(static_cast<std::size_t>(n - 1));
    for (int node = 0; node < 3; ++node) start[static_cast<std::size_t>(node)] = node + 1;
    const double t = 2;
    expected[0] = std::exp(-t);
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i] = expected[i - 1] * t / static_cast<double>(i);
    for (const solvers::OdeMethod& method : solvers::ode_methods()) {
      if (n > method.most_species) continue;
      const Reacted reacted = testing::react(exec, testing::mass_action(species, equations),
                                             testing::ode_options(method.name, 1e-8, 1e-10), t, start);
      EXPECT_EQ(reacted.report.failure, "");
      for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t node = 0; node < 3; ++node)
          EXPECT_NEAR(reacted.u[i * 3 + node], (static_cast<double>(node) + 1) * expected[i],
                      method.name == "rkc" ? 2e-6 : 1e-7)
              << method.name << " " << n;
    }
  }
}

TEST(Mechanisms, AreReadFromEquations) {
  const physics::reaction_diffusion::MechanismReaction reaction =
      physics::reaction_diffusion::parse_reaction("2 B+ + C->0.5A + C", 3);
  EXPECT_EQ(reaction.reactants, (std::vector<physics::reaction_diffusion::Amount>{{"B+", 2}, {"C", 1}}));
  EXPECT_EQ(reaction.products, (std::vector<physics::reaction_diffusion::Amount>{{"A", 0.5}, {"C", 1}}));
  EXPECT_EQ(reaction.k, 3);
  EXPECT_TRUE(physics::reaction_diffusion::parse_reaction("A ->", 1).products.empty());
  EXPECT_TRUE(physics::reaction_diffusion::parse_reaction("-> A", 1).reactants.empty());
  // k = A T^n exp(-E / (R T)): with E = R T ln 2 half of the factor.
  const physics::reaction_diffusion::Arrhenius arrhenius{
      .factor = 8, .exponent = 0.5, .energy = physics::reaction_diffusion::gas_constant * 400 * std::log(2.0)};
  EXPECT_NEAR(physics::reaction_diffusion::parse_reaction("A -> B", arrhenius, 400).k, 8 * 20 / 2.0, 1e-12);
}

/// What the error says and helps with, one after the other.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return std::string(error.what()) + " | " + error.help();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST(Mechanisms, ThatMakeNoSenseAreRefusedInWords) {
  for (const char* text :
       {"A + B", "A -> B -> C", "A + -> B", "2 -> B", "A B -> C", "0 A -> B", "-2 A -> B", "1.2.3 -> A"})
    EXPECT_NE(refusal([&] { (void)physics::reaction_diffusion::parse_reaction(text, 1); }).find(text),
              std::string::npos)
        << text;
  EXPECT_NE(refusal([] {
              (void)physics::reaction_diffusion::parse_reaction("A -> B",
                                                                physics::reaction_diffusion::Arrhenius{1, 0, 0}, -5);
            }).find("-5 K"),
            std::string::npos);
  const auto refused = [](std::vector<std::string> species,
                          const std::vector<std::pair<std::string, double>>& equations) {
    return refusal([&] {
      const physics::reaction_diffusion::MechanismTables<Host> tables(
          testing::mass_action(species, equations).mechanism);
    });
  };
  EXPECT_NE(refused({"NO2", "O3"}, {{"NO2 -> NO", 1}})
                .find("names 'NO', which is none of its species, in its reaction 1 | did you mean 'NO2'"),
            std::string::npos);
  EXPECT_NE(refused({"A", "A"}, {{"A -> ", 1}}).find("'A' twice"), std::string::npos);
  EXPECT_NE(refused({"A"}, {{"0.5 A -> ", 1}}).find("takes 0.5 of 'A'"), std::string::npos);
  EXPECT_NE(refused({"A"}, {{"A -> ", -1}}).find("rate constant -1"), std::string::npos);
  EXPECT_NE(refused({"A"}, {}).find("no reactions"), std::string::npos);
  EXPECT_NE(refused({}, {{"A -> ", 1}}).find("0 species"), std::string::npos);
  EXPECT_NE(refused(std::vector<std::string>(33, "A"), {}).find("33 species"), std::string::npos);
}

TYPED_TEST(Reactions, WithWrongNamesOrNumbersAreRefusedInWords) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const auto refused = [&](const ReactionParams& params, const solvers::OdeOptions& options = {}) {
    return refusal([&] { (void)physics::reaction_diffusion::make_reaction_step(exec, params, 1, options); });
  };
  EXPECT_EQ(refused({.name = "brusselater"}), "unknown reaction 'brusselater' | did you mean 'brusselator'?");
  EXPECT_EQ(refused({.name = "robertson", .parameters = {{"k4", 1}}}).substr(0, 52),
            "unknown parameter of the reaction 'robertson' 'k4' |");
  EXPECT_NE(refused({.name = "gray_scott", .parameters = {{"F", -1}}}).find("'F' of 'gray_scott' is -1"),
            std::string::npos);
  EXPECT_NE(refused({.name = "oregonator", .parameters = {{"s", 0}}}).find("'s' of 'oregonator' is 0"),
            std::string::npos);
  EXPECT_NE(refused({.name = "fitzhugh_nagumo", .parameters = {{"I", std::nan("")}}}).find("is nan"),
            std::string::npos);
  EXPECT_NE(refused({.name = "gray_scott", .parameters = {{"F", 1}, {"F", 2}}}).find("twice"), std::string::npos);
  ReactionParams both = testing::robertson_as_table();
  both.name = "robertson";
  EXPECT_NE(refused(both).find("was given a mechanism"), std::string::npos);
  const ReactionParams good{.name = "robertson"};
  EXPECT_EQ(refused(good, testing::ode_options("rosenbrok", 1e-4, 1e-6)),
            "unknown method for reactions 'rosenbrok' | did you mean 'rosenbrock'?");
  EXPECT_NE(refused(good, testing::ode_options("rosenbrock", 1e-4, 0)).find("0 (absolute)"), std::string::npos);
  EXPECT_NE(refused(good, testing::ode_options("rosenbrock", -1, 1)).find("-1 (relative)"), std::string::npos);
  solvers::OdeOptions options;
  options.most_steps = 0;
  EXPECT_NE(refused(good, options).find("0 steps"), std::string::npos);
  options = {};
  options.first_step = -1;
  EXPECT_NE(refused(good, options).find("first step of reactions is -1"), std::string::npos);
  std::vector<std::string> species;
  for (int i = 0; i < 17; ++i) species.push_back("S" + std::to_string(i));
  EXPECT_NE(refused(testing::mass_action(species, {{"S0 -> S1", 1}}), testing::ode_options("exponential", 1e-4, 1e-6))
                .find("'exponential' takes 1 to 16 species, and there are 17"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera
