// The table of schemes, tableaus of decks, coefficients of Runge-Kutta-Chebyshev.
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "solvers/time/chebyshev.hpp"
#include "solvers/time/scheme.hpp"
#include "solvers/time/tableau.hpp"

namespace tessera {
namespace {

using solvers::checked;
using solvers::Tableau;

/// What is said of a tableau that is refused.
std::string refusal(const Tableau& tableau) {
  try {
    checked(tableau);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.help().empty());
    return error.what();
  }
  return "it was accepted";
}

#define EXPECT_REFUSED(tableau, words) EXPECT_NE(refusal(tableau).find(words), std::string::npos) << refusal(tableau)

Tableau heun() { return {.name = "mine", .a = {{}, {1}}, .b = {0.5, 0.5}}; }

TEST(Schemes, HaveNamesOfTheirOwnAndSayWhatTheyAre) {
  std::set<std::string> names;
  for (const solvers::Scheme& scheme : solvers::schemes()) {
    EXPECT_TRUE(names.insert(scheme.name).second) << scheme.name;
    EXPECT_FALSE(scheme.help.empty()) << scheme.name;
    EXPECT_EQ(solvers::find_scheme(scheme.name).help, scheme.help);
  }
  EXPECT_STREQ(name_of(solvers::find_scheme("bdf2").kind), "implicit");
  EXPECT_STREQ(name_of(solvers::find_scheme("rkc").kind), "stabilised");
  EXPECT_STREQ(name_of(solvers::find_scheme("newmark").kind), "second order");
}

TEST(Schemes, OfAWrongNameAreRefusedWithTheNearestOnes) {
  try {
    solvers::find_scheme("dormand_price");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(), "unknown scheme 'dormand_price'");
    EXPECT_NE(error.help().find("'dormand_prince'"), std::string::npos) << error.help();
  }
}

TEST(Tableaus, OfTheProgramHaveTheOrdersAndEvaluationsOfTheTable) {
  int seen = 0;
  for (const solvers::Scheme& scheme : solvers::schemes()) {
    if (scheme.kind != solvers::SchemeKind::explicit_ || scheme.order == 0 || scheme.name == "low_storage_rk45")
      continue;
    const Tableau& tableau = solvers::tableau_of(scheme.name);
    EXPECT_EQ(tableau.order, scheme.order) << scheme.name;
    EXPECT_EQ(solvers::order_of(tableau, tableau.b), std::min(scheme.order, 4)) << scheme.name;
    EXPECT_EQ(tableau.has_estimate(), scheme.estimates_error) << scheme.name;
    if (tableau.has_estimate()) {
      EXPECT_EQ(solvers::order_of(tableau, tableau.b_embedded), 4) << scheme.name;
    }
    EXPECT_EQ(tableau.stages() - (tableau.last_is_first() ? 1 : 0), scheme.stages) << scheme.name;
    ++seen;
  }
  EXPECT_EQ(seen, 8);
  EXPECT_TRUE(solvers::tableau_of("dormand_prince").last_is_first());
  EXPECT_FALSE(solvers::tableau_of("cash_karp").last_is_first());
}

TEST(Tableaus, OfADeckGetTheirOrderAndStageTimes) {
  const Tableau two = checked(heun());
  EXPECT_EQ(two.order, 2);
  EXPECT_EQ(two.embedded_order, 0);
  EXPECT_EQ(two.c, (std::vector<double>{0, 1}));
  EXPECT_EQ(two.a, (std::vector<std::vector<double>>{{0, 0}, {1, 0}}));
  Tableau with_estimate = heun();
  with_estimate.b_embedded = {1, 0};
  EXPECT_EQ(checked(with_estimate).embedded_order, 1);
  const Tableau three_eighths = checked({.name = "3/8",
                                         .a = {{}, {1.0 / 3}, {-1.0 / 3, 1}, {1, -1, 1}},
                                         .b = {0.125, 0.375, 0.375, 0.125},
                                         .c = {0, 1.0 / 3, 2.0 / 3, 1}});
  EXPECT_EQ(three_eighths.order, 4);
}

TEST(Tableaus, ThatAreWrongAreRefusedInWords) {
  Tableau wrong = heun();
  wrong.a = {{0, 0}, {0.5, 0.5}};
  EXPECT_REFUSED(wrong, "'mine' cannot be used: it is implicit: a has 0.5 in row 2, column 2");
  wrong = heun();
  wrong.b = {0.5, 0.4};
  EXPECT_REFUSED(wrong, "sum b_i of b is 0.9 and must be 1 for order 1, so that it does not converge");
  wrong = heun();
  wrong.c = {0, 0.5};
  EXPECT_REFUSED(wrong, "row 2 of a sums to 1, and c has 0.5 there");
  wrong = heun();
  wrong.order = 3;
  EXPECT_REFUSED(wrong, "said to have order 3 and has order 2: sum b_i c_i^2 of b is 0.5 and must be 0.333333333333");
  wrong = heun();
  wrong.a.pop_back();
  EXPECT_REFUSED(wrong, "a has 1 entry and b has 2");
  wrong = heun();
  wrong.a[1] = {1, 0, 0};
  EXPECT_REFUSED(wrong, "row 2 of a has 3 entries");
  wrong = heun();
  wrong.b_embedded = {0.5, 0.5};
  EXPECT_REFUSED(wrong, "embedded weights are its weights");
  wrong.b_embedded = {0.5, 0.6};
  EXPECT_REFUSED(wrong, "sum b_i of b_embedded is 1.1");
  wrong.b_embedded = {1};
  EXPECT_REFUSED(wrong, "b_embedded has 1 entry and b has 2");
  wrong = heun();
  wrong.b.clear();
  EXPECT_REFUSED(wrong, "no weights");
  wrong.b.resize(17);
  EXPECT_REFUSED(wrong, "17 stages");
}

TEST(ChebyshevSchemes, ReachTheStabilityBoundaries) {
  // The product of dt and the spectral radius, from the roots of |w_s| = 1.
  const std::pair<int, double> known[] = {{2, 2.000}, {3, 6.18}, {5, 16.60}, {10, 64.74}, {20, 260.75}, {50, 1632.9}};
  for (const auto& [stages, beta] : known)
    EXPECT_NEAR(solvers::ChebyshevScheme(stages).beta, beta, beta < 60 ? 0.006 : 0.06) << stages;
}

TEST(ChebyshevSchemes, HaveAsManyStagesAsTheRuleAsksForAndAreStableThen) {
  for (double product : {0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6}) {
    const int stages = solvers::chebyshev_stages(product);
    EXPECT_LT(product, solvers::ChebyshevScheme(stages).beta) << product;
    EXPECT_LE(product, solvers::chebyshev_reach(stages) * (1 + 1e-12)) << product;
    if (stages > 2) {
      EXPECT_GT(product, solvers::chebyshev_reach(stages - 1)) << product;
    }
  }
}

}  // namespace
}  // namespace tessera
