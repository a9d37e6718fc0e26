#pragma once
// Decks of convection and diffusion, run as a user does.
#include "app/program.hpp"

namespace convection_decks {

using namespace app_test;

inline std::string out(const std::string& name) { return (folder() / ("convection_" + name)).string(); }

/// A deck of parts that a test may replace.
struct Deck {
  std::string mesh = "box = { min = [0, 0], max = [1, 1], cells = [16, 16], shape = \"quad\" }";
  std::string discretisation = "supg";
  std::string physics = {};
  std::string material = "diffusivity = 1\nvelocity = [\"3\", \"2\"]";
  std::string boundary =
      "on = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\nvalue = \"exp(x+(1+sqrt(3))*y)\"";
  std::string rest = {};

  std::string text() const {
    return "[mesh]\n" + mesh + "\n[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"" + discretisation +
           "\"\n" + physics + "\n[[material]]\n" + material + (boundary.empty() ? "" : "\n[[boundary]]\n" + boundary) +
           "\n" + rest + "\n";
  }
};

inline Result run(const std::string& name, const Deck& deck, const std::string& options = " --backend threads") {
  return app_test::tessera("run " + write_deck("convection_" + name + ".toml", deck.text()) + " --quiet --output " +
                           out(name) + options);
}

/// The deck is refused with these words, at a place in the deck, with this advice.
inline void expect_refused(const std::string& name, const Deck& deck, const std::string& what, const std::string& help,
                           int code = 2) {
  const Result result = run(name, deck);
  EXPECT_EQ(result.code, code) << name << ": " << result.text;
  EXPECT_TRUE(result.says(what)) << name << ": " << result.text;
  EXPECT_TRUE(result.says(help)) << name << ": " << result.text;
  EXPECT_TRUE(result.says("convection_" + name + ".toml:")) << name << ": " << result.text;
}

}  // namespace convection_decks
