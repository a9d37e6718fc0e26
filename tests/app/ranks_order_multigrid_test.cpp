// Multigrid over orders on several ranks, as mpirun starts it: the iterations and the solution of one rank.
#include <algorithm>

#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "base/rank_libraries.hpp"

namespace {

using namespace app_test;

const std::string pmg = "[solver]\npreconditioner = \"pmg\"\ntolerance = 1e-13\n";

/// One Dirichlet side, so that most parts have none.
std::string scalar(const std::string& type, const std::string& shape, int order, int cells) {
  const int dim = shape == "interval" ? 1 : shape == "triangle" || shape == "quad" ? 2 : 3;
  return box_of(shape, dim, cells) + fmt::format("[physics]\ntype = \"{}\"\norder = {}\n", type, order) +
         dirichlet_on("[\"left\"]", dim > 1 ? "1 + y" : "1") +
         "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = 1\n" +
         "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n"
         "[[quantity]]\nname = \"out\"\nkind = \"flux\"\non = [\"left\"]\n";
}
std::string poisson(const std::string& shape, int order, int cells) {
  return scalar("poisson", shape, order, cells) +
         "[[material]]\ndiffusivity = \"1 + x\"\nreaction = 1\nsource = \"sin(3*x)\"\n" + pmg;
}

/// Iterations after which the residual was below 1e-8.
std::ptrdiff_t iterations_of(const nlohmann::json& summary) {
  const std::vector<double> history = summary["solver"]["history"];
  return std::find_if(history.begin(), history.end(), [](double norm) { return norm <= 1e-8; }) - history.begin();
}

struct Deck {
  std::string name, text, options = {};
  std::vector<int> ranks = {2, 4};
  double near = 1e-12;
  std::string file = "solution.vtu";
};
void PrintTo(const Deck& deck, std::ostream* stream) { *stream << deck.name; }

/// Of values about 1.
void expect_same_fields(const Deck& deck, const fs::path& one, const fs::path& many) {
  fs::path of_many = many / deck.file;
  if (!fs::exists(of_many)) of_many.replace_extension(".pvtu");  // of a mesh that nobody has
  const Result compared = app_test::tessera("compare " + (one / deck.file).string() + " " + of_many.string() +
                                            fmt::format(" --rtol {0} --atol {0}", deck.near));
  EXPECT_EQ(compared.code, 0) << deck.name << "\n" << compared.text;
}

class OrdersOnRanks : public ::testing::TestWithParam<Deck> {};

TEST_P(OrdersOnRanks, TakeTheIterationsOfOneForTheSameSolution) {
  SKIP_WITHOUT_MPI();
  const Deck& deck = GetParam();
  const nlohmann::json one = run_on(1, deck.name, deck.text, deck.options);
  ASSERT_FALSE(one.is_discarded());
  const auto iterations = iterations_of(one);
  for (const int ranks : deck.ranks) {
    SCOPED_TRACE(ranks);
    const nlohmann::json many = run_on(ranks, deck.name, deck.text, deck.options);
    ASSERT_FALSE(many.is_discarded());
    EXPECT_EQ(many["backend"]["ranks"], ranks);
    EXPECT_LE(iterations_of(many), std::max(iterations + 1, iterations * 11 / 10));
    expect_same_fields(deck, out_of(deck.name, 1), out_of(deck.name, ranks));
    const nlohmann::json &there = one["solver"]["multigrid"]["rows"], &here = many["solver"]["multigrid"]["rows"];
    for (std::size_t level = 0; level < 2; ++level) EXPECT_EQ(here[level], there[level]);
    const nlohmann::json quantities = one.value("quantities", nlohmann::json::object());
    for (const auto& [key, value] : quantities.items())
      EXPECT_NEAR(many["quantities"][key], double(value), 1e-10 * (1 + std::abs(double(value)))) << key;
  }
}

std::vector<Deck> decks() {
  std::vector<Deck> all;
  for (const auto& [shape, order, cells] : {std::tuple{"interval", 4, 40},
                                            {"triangle", 2, 12},
                                            {"triangle", 4, 8},
                                            {"quad", 4, 10},
                                            {"quad", 8, 6},
                                            {"tet", 2, 6},
                                            {"tet", 3, 4},
                                            {"hex", 2, 6},
                                            {"hex", 4, 5},
                                            {"prism", 2, 6},
                                            {"prism", 4, 3}})
    all.push_back({fmt::format("pmg_{}_{}", shape, order), poisson(shape, order, cells)});
  // More rows at order 1 than one rank solves by an inverse.
  all.push_back({"pmg_shared_aggregates", poisson("hex", 4, 10)});
  for (const char* strategy : {"matrix_free", "nonzeros"})
    for (const char* shape : {"tet", "hex"})
      all.push_back({fmt::format("pmg_{}_{}", strategy, shape),
                     poisson(shape, 4, 3),
                     fmt::format("--set assembly.strategy='\"{}\"'", strategy),
                     {3}});
  all.push_back({"pmg_sliced_ell", poisson("tet", 2, 6), "--set matrix.format='\"sliced_ell\"'", {3}});
  // Sums wait for each other, that of the scale of a residual too.
  all.push_back({"pmg_single_reduction", poisson("hex", 4, 5), "--set solver.variant='\"single_reduction\"'"});
  for (const char* partition : {"metis", "curve", "bricks"})
    all.push_back({fmt::format("pmg_{}", partition),
                   poisson("hex", 4, 5),
                   fmt::format("--set mesh.partition='\"{}\"'", partition),
                   {3}});
  const std::string turned = box_of("quad", 2, 8) + poisson_of(4) +
                             "[[material]]\ndiffusivity = \"2 + sin(2*pi*x)\"\nreaction = 1\nsource = \"1 + "
                             "cos(2*pi*x)*y\"\n[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n" +
                             pmg;
  all.push_back({"pmg_periodic", turned});
  for (const auto& [shape, strategy] : {std::pair{"hex", "auto"}, {"hex", "nonzeros"}, {"tet", "auto"}})
    all.push_back({fmt::format("pmg_beam_{}_{}", shape, strategy),
                   fmt::format("[mesh]\nbox = {{ max = [4, 1, 1], cells = [12, 3, 3], shape = \"{}\" }}\n", shape) +
                       "[physics]\ntype = \"elasticity\"\norder = 2\n[[material]]\nyoung = 2\npoisson = 0.3\n"
                       "body_force = [\"0\", \"y\", \"-0.001\"]\n[[boundary]]\non = [\"left\"]\ntype = "
                       "\"displacement\"\nvalue = [\"0\", \"0\", \"0\"]\n" +
                       pmg,
                   fmt::format("--set assembly.strategy='\"{}\"'", strategy),
                   {2, 4},
                   1e-10});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Decks, OrdersOnRanks, ::testing::ValuesIn(decks()),
                         [](const auto& info) { return info.param.name; });

TEST(OrdersOnRanks, RepeatBitForBit) {
  SKIP_WITHOUT_MPI();
  for (const auto& [name, text] :
       {std::pair{"pmg_again_hex", poisson("hex", 4, 5)}, {"pmg_again_tet", poisson("tet", 2, 6)}}) {
    std::string first;
    for (const char* take : {"a", "b"}) {
      const std::string of_take = std::string(name) + take;
      ASSERT_FALSE(run_on(3, of_take, text).is_discarded());
      const std::string bytes = bytes_of(out_of(of_take, 3) / "solution.vtu");
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << name;
    }
  }
}

/// Matrices that change with time, with the length of the step and with the solution.
TEST(OrdersOnRanks, GoThroughTimeAndFollowTheSolution) {
  SKIP_WITHOUT_MPI();
  const auto heat = [](const std::string& shape, int order, int cells, const std::string& conductivity,
                       const std::string& time) {
    return scalar("heat", shape, order, cells) + "[[material]]\nconductivity = \"" + conductivity +
           "\"\ndensity = 0.1\nsource = \"sin(9*t)*x\"\n[[initial]]\nu = 1\n" + pmg + time;
  };
  const std::string steps = "[time]\nend = 0.5\nstep = 0.1\nscheme = \"bdf2\"\n";
  const std::string picard = "[newton]\ntangent = \"picard\"\ntolerance = 1e-12\n";
  const Deck all[] = {
      {"pmg_heat", heat("quad", 4, 6, "1 + x", steps), "", {2, 4}, 1e-10, "solution_000005.vtu"},
      {"pmg_heat_of_t", heat("tet", 2, 5, "1 + x + t", steps), "", {3}, 1e-10, "solution_000005.vtu"},
      {"pmg_heat_of_u", heat("quad", 4, 6, "1 + u", picard + steps), "", {3}, 1e-10, "solution_000005.vtu"}};
  for (const Deck& deck : all) {
    const nlohmann::json one = run_on(1, deck.name, deck.text);
    ASSERT_FALSE(one.is_discarded());
    for (const int ranks : deck.ranks) {
      SCOPED_TRACE(fmt::format("{} on {}", deck.name, ranks));
      const nlohmann::json many = run_on(ranks, deck.name, deck.text);
      ASSERT_FALSE(many.is_discarded());
      EXPECT_EQ(many["time"]["systems"], one["time"]["systems"]);
      EXPECT_EQ(many["time"]["set_ups"], one["time"]["set_ups"]);
      EXPECT_LE(double(many["time"]["iterations"]), 1.1 * double(one["time"]["iterations"]));
      expect_same_fields(deck, out_of(deck.name, 1), out_of(deck.name, ranks));
    }
  }
}

TEST(OrdersOnRanks, FollowNewtonsMethod) {
  SKIP_WITHOUT_MPI();
  const Deck deck{"pmg_newton",
                  scalar("poisson", "quad", 4, 8) + "[[material]]\ndiffusivity = \"0.5 + x + u^2\"\nsource = \"5\"\n" +
                      pmg + "[newton]\ntangent = \"picard\"\ntolerance = 1e-12\nlinear_tolerance = \"fixed\"\n",
                  "",
                  {2, 3},
                  1e-10};
  const nlohmann::json one = run_on(1, deck.name, deck.text);
  ASSERT_FALSE(one.is_discarded());
  for (const int ranks : deck.ranks) {
    const nlohmann::json many = run_on(ranks, deck.name, deck.text);
    ASSERT_FALSE(many.is_discarded());
    EXPECT_EQ(many["newton"]["iterations"], one["newton"]["iterations"]);
    EXPECT_LE(double(many["solver"]["iterations"]), 1.1 * double(one["solver"]["iterations"]));
    expect_same_fields(deck, out_of(deck.name, 1), out_of(deck.name, ranks));
  }
}

/// A run that goes on from a checkpoint makes the set-up of the same matrices again.
TEST(OrdersOnRanks, GoOnWhereTheyWere) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck(
      "pmg_goes_on.toml", scalar("heat", "quad", 4, 6) +
                              "[[material]]\nconductivity = \"1 + x + t\"\ndensity = 0.1\nsource = 1\n[[initial]]\nu = "
                              "1\n" +
                              pmg + "[time]\nend = 0.5\nstep = 0.05\nscheme = \"bdf2\"\n[checkpoint]\nevery = 4\n");
  const fs::path whole = folder() / "pmg_whole", half = folder() / "pmg_half";
  const std::string run = "run " + deck + " --quiet --backend threads --output ";
  for (const auto& arguments : {run + whole.string(), run + half.string() + " --set time.end=0.25",
                                "restart " + half.string() + " --quiet --set time.end=0.5"}) {
    const Result result = on_ranks(3, arguments);
    ASSERT_EQ(result.code, 0) << result.text;
  }
  EXPECT_EQ(bytes_of(whole / "solution_000010.vtu"), bytes_of(half / "solution_000010.vtu"));
}

TEST(OrdersOnRanks, AreForecastAndRefusedAsOnOne) {
  const std::string fine = write_deck("pmg_check.toml", poisson("hex", 4, 6));
  const Result check = app_test::tessera("check --ranks 2 " + fine + " --backend threads");
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_TRUE(check.says("host       about")) << check.text;
  const std::string straight = write_deck("pmg_straight.toml", poisson("hex", 1, 6));
  const std::string why = "goes from the order of the elements down to 1, and physics.order = 1";
  const Result refused = app_test::tessera("check --ranks 2 " + straight + " --backend threads");
  EXPECT_EQ(refused.code, 2) << refused.text;
  EXPECT_TRUE(refused.says(why)) << refused.text;
  SKIP_WITHOUT_MPI();
  const Result run = on_ranks(2, "run " + straight + " --backend threads");
  EXPECT_EQ(run.code, 2) << run.text;
  EXPECT_TRUE(run.says(why)) << run.text;
}

TEST(OrdersOnGpus, TakeTheIterationsOfOneOverEveryLink) {
  SKIP_WITHOUT_MPI();
  if (tessera::cuda_info().devices < 2) GTEST_SKIP() << "fewer than two GPUs";
  const auto options = [](const fs::path& out) {
    return " --quiet --backend cuda --set output.fields='[\"u\"]' --output " + out.string();
  };
  for (const auto& [name, text] : {std::pair{std::string("pmg_gpu_hexes"), poisson("hex", 4, 10)},
                                   {std::string("pmg_gpu_tets"), poisson("tet", 2, 10)}}) {
    const std::string deck = "run " + write_deck(name + ".toml", text);
    const fs::path one = out_of(name, 1);
    ASSERT_EQ(app_test::tessera(deck + options(one)).code, 0);
    const auto iterations = iterations_of(summary_in(one));
    for (const char* link : {"peer", "nccl", "host"}) {
      if (link == std::string("nccl") && !tessera::find_nccl().problem.empty()) continue;
      const fs::path out = out_of(name + link, 2), again = out_of(name + link + "_again", 2);
      for (const fs::path& to : {out, again}) {
        const Result result =
            shell(std::string("TESSERA_LINK=") + link + " " + mpirun + "-n 2 " + program() + " " + deck + options(to));
        ASSERT_EQ(result.code, 0) << result.text;
      }
      EXPECT_LE(iterations_of(summary_in(out)), std::max(iterations + 1, iterations * 11 / 10)) << link;
      EXPECT_EQ(bytes_of(out / "solution.vtu"), bytes_of(again / "solution.vtu")) << name << " over " << link;
      expect_same_fields({name, {}, {}, {}, 1e-10}, one, out);
    }
  }
}

}  // namespace
