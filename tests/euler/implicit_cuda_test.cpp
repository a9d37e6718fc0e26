// Implicit steps on a GPU beside those on threads.
#include "decks.hpp"
#include "support/backends.hpp"

namespace {

using namespace euler_decks;

const std::string low = euler + "limiter = \"none\"\n";
const std::string monolithic = euler + "limiter = \"monolithic\"\nmass = \"lumped\"\nrelaxed_bounds = false\n";

std::string solver(const std::string& type) {
  return fmt::format(
      "[solver]\ntype = \"{}\"\npreconditioner = \"block_jacobi\"\ntolerance = 1e-12\nmax_iterations = 500\n", type);
}
/// All numbers of the state at a place, after each step.
std::string probe(const std::string& name, const std::string& at) {
  std::string deck;
  for (const char* of : {"density", "energy", "momentum_x", "momentum_y"})
    deck += fmt::format("[[probe]]\nname = \"{}_{}\"\nat = {}\nof = \"{}\"\n", name, of, at, of);
  return deck;
}

/// Probes of a run on a backend, which must end well.
fs::path probes_of(const std::string& name, const std::string& deck, const std::string& backend) {
  const fs::path out = folder() / (name + "_" + backend);
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) + " --quiet --backend " + backend +
                                          " --output " + out.string());
  EXPECT_EQ(result.code, 0) << name << " on " << backend << "\n" << result.text;
  return out / "probes.csv";
}

/// Both backends take the same steps to the same states, and a GPU does so bitwise each time.
void expect_the_same(const std::string& name, const std::string& deck) {
  const fs::path there = probes_of(name, deck, "cuda");
  const std::string first = bytes_of(there);
  EXPECT_EQ(bytes_of(probes_of(name, deck, "cuda")), first) << name;
  const auto cuda = table(there), threads = table(probes_of(name, deck, "threads"));
  ASSERT_EQ(cuda.size(), threads.size()) << name;
  ASSERT_GT(threads.size(), 5U) << name;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    ASSERT_EQ(cuda[i].size(), threads[i].size()) << name;
    for (std::size_t k = 0; k < threads[i].size(); ++k)
      ASSERT_NEAR(cuda[i][k], threads[i][k], 1e-10 * std::max(1.0, std::abs(threads[i][k])))
          << name << ", row " << i << ", column " << k;
  }
}

/// Through time, at many times the longest explicit step.
TEST(GasImplicitOnCuda, StepsThroughTimeAreThoseOfThreads) {
  TESSERA_REQUIRE(tessera::Cuda);
  const std::string probes = probe("a", "[0.9, 0.2]") + probe("b", "[0.3, 0.6]");
  const std::string newton = "[newton]\ntolerance = 1e-11\nmax_iterations = 60\n";
  for (const char* type : {"gmres", "bicgstab"})
    for (const auto& [scheme, limiter] : {std::pair{"crank_nicolson", &low}, {"backward_euler", &monolithic}})
      expect_the_same(fmt::format("implicit_{}_{}", scheme, type),
                      wedge() + *limiter + time_to(0.2, "step = 0.02", scheme) + newton + solver(type) + probes);
}

/// To a steady state: a profile, each step of which is one system. With limits, which switch, what systems leave
/// doubles in each.
TEST(GasImplicitOnCuda, StepsOfAMarchAreThoseOfThreads) {
  TESSERA_REQUIRE(tessera::Cuda);
  const std::string probes = probe("a", "[0.5, 0.2]") + probe("b", "[1.5, 0.1]");
  for (const char* type : {"gmres", "bicgstab"})
    for (const auto& [limiter, physics, steps] : {std::tuple{"none", &low, 12}, {"monolithic", &monolithic, 6}})
      expect_the_same(fmt::format("march_{}_{}", limiter, type),
                      coarse_profile() + *physics + time_to(steps, "cfl = 2", "backward_euler") +
                          "[steady]\ntolerance = 1e-8\n" + solver(type) + probes);
}

}  // namespace
