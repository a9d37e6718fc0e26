#pragma once
// A deck on several ranks beside the same on one.
#include <algorithm>

#include "app/ranks.hpp"

namespace app_test {

struct Deck {
  std::string name, text, options = {};
  std::vector<int> ranks = {2, 4};
  bool same_iterations = true;  ///< of a method whose rounding does not grow
};
inline void PrintTo(const Deck& deck, std::ostream* stream) { *stream << deck.name; }

/// Iterations after which the residual was below a tolerance: near rounding they are a matter of luck.
inline std::ptrdiff_t iterations_to(double tolerance, const nlohmann::json& summary) {
  const std::vector<double> history = summary["solver"]["history"];
  return std::find_if(history.begin(), history.end(), [&](double norm) { return norm <= tolerance; }) - history.begin();
}

/// The solution is that of one rank to 1e-12, and so is what is asked of it.
inline void expect_as_one(const Deck& deck, int ranks, const nlohmann::json& one) {
  const nlohmann::json many = run_on(ranks, deck.name, deck.text, deck.options);
  ASSERT_FALSE(many.is_discarded());
  const fs::path a = out_of(deck.name, 1), b = out_of(deck.name, ranks);
  const Result compared = app_test::tessera("compare " + (a / "solution.vtu").string() + " " +
                                            (b / "solution.vtu").string() + " --rtol 1e-12 --atol 1e-12");
  EXPECT_EQ(compared.code, 0) << deck.name << " on " << ranks << "\n" << compared.text;
  EXPECT_EQ(many["backend"]["ranks"], ranks);
  EXPECT_EQ(many["space"]["dofs"], one["space"]["dofs"]);
  EXPECT_EQ(many["mesh"]["groups"], one["mesh"]["groups"]);
  double dofs = 0;
  for (const double of_rank : many["ranks"]["dofs"]) dofs += of_rank;
  EXPECT_EQ(dofs * one["space"].value("components", 1), double(one["space"]["dofs"]));
  if (deck.same_iterations) {
    EXPECT_NEAR(iterations_to(1e-8, many), iterations_to(1e-8, one), 1) << deck.name << " on " << ranks;
  }
  const nlohmann::json quantities = one.value("quantities", nlohmann::json::object());
  for (const auto& [key, value] : quantities.items())
    EXPECT_NEAR(many["quantities"][key], double(value), 1e-10 * (1 + std::abs(double(value)))) << key;
  expect_near(many.value("balance", nlohmann::json()), one.value("balance", nlohmann::json()), deck.name);
}
/// On all its numbers of ranks.
inline void expect_as_one(const Deck& deck) {
  const nlohmann::json one = run_on(1, deck.name, deck.text, deck.options);
  ASSERT_FALSE(one.is_discarded());
  for (const int ranks : deck.ranks) expect_as_one(deck, ranks, one);
}

inline std::string name_of(const ::testing::TestParamInfo<Deck>& info) { return info.param.name; }

}  // namespace app_test
