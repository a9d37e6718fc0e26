#pragma once
// Runs of decks whose flows balance.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/program.hpp"

namespace app_test {

using nlohmann::json;

/// The summary of a deck's run.
inline json run(const std::string& name, const std::string& text, const std::string& options = "",
                const std::string& backend = "threads") {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", text) + " --quiet --backend " + backend +
                                          " --set output.write=false " + options + " --output " + out.string());
  EXPECT_EQ(result.code, 0) << name << ": " << result.text;
  return summary_in(out);
}

inline std::string flux(const std::string& name, const std::string& on, const std::string& more = "") {
  return "[[quantity]]\nname = \"" + name + "\"\nkind = \"flux\"\non = " + on + "\n" + more;
}

/// Of forces by component: what acts on a body sums to the remainder. Null: a component that need not balance.
inline void expect_balance_of_forces(const json& balance, const std::string& what) {
  for (std::size_t c = 0; c < balance["source"].size(); ++c) {
    if (balance["source"][c].is_null()) continue;
    double sum = balance["source"][c].get<double>(), gross = std::abs(sum);
    for (const auto& [name, force] : balance["groups"].items()) {
      sum += force[c].get<double>();
      gross += std::abs(force[c].get<double>());
    }
    EXPECT_NEAR(sum, balance["remainder"][c].get<double>(), 1e-12 * gross) << what << " " << c;
  }
}

inline void expect_balance(const json& summary, double tolerance, const std::string& what) {
  ASSERT_TRUE(summary.contains("balance")) << what;
  const json& balance = summary["balance"];
  if (balance["source"].is_array()) {
    expect_balance_of_forces(balance, what);
    EXPECT_LE(balance.value("relative_remainder", 0.0), tolerance) << what << " " << balance;
    return;
  }
  double sum = balance["source"].get<double>() - balance.value("storage", 0.0) - balance.value("reaction", 0.0) -
               balance.value("convection", 0.0);
  for (const auto& [name, out] : balance["groups"].items()) sum -= out.get<double>();
  EXPECT_NEAR(sum, balance["remainder"].get<double>(), 1e-12 * (1 + std::abs(sum))) << what;
  EXPECT_LE(balance.value("relative_remainder", 0.0), tolerance) << what << " " << balance;
}

}  // namespace app_test
