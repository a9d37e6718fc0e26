#pragma once
// Decks that go through time, run as a user does.
#include <ostream>
#include <string>
#include <vector>

#include "app/nonlinear.hpp"

namespace app_test {

inline std::string heat_of(int order, const std::string& more = "") {
  return fmt::format("[physics]\ntype = \"heat\"\norder = {}\n{}", order, more);
}
inline std::string time_to(double end, double step, const std::string& scheme) {
  return fmt::format("[time]\nend = {}\nstep = {}\nscheme = \"{}\"\n", end, step, scheme);
}
// Not elasticity.hpp's `exactly`: two inline variables of one name would be one.
inline const std::string to_rounding = "[solver]\ntolerance = 1e-13\n";

inline double l2_error(const nlohmann::json& summary) { return summary["errors"]["u"]["l2"]; }

/// A deck that is refused, and what the words have in them.
struct Wrong {
  const char* name;
  std::string deck;
  std::vector<std::string> parts;
};
inline void PrintTo(const Wrong& wrong, std::ostream* stream) { *stream << wrong.name; }

/// By `check` and by `run`, with a way out.
inline void expect_refused(const Wrong& wrong) {
  const std::string deck = write_deck(std::string("wrong_") + wrong.name + ".toml", wrong.deck);
  for (const char* command : {"check ", "run "}) {
    const Result result =
        app_test::tessera(command + deck + " --backend threads" +
                          (std::string(command) == "run " ? " --quiet --output " + (folder() / "wrong").string() : ""));
    EXPECT_EQ(result.code, 2) << command << result.text;
    for (const std::string& part : wrong.parts) EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
  }
}

}  // namespace app_test
