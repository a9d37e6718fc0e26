// Which sides of bodies a contact joins: thin bodies, several contacts that meet, what else holds on its ends.
#include "app/contact.hpp"

namespace {

using namespace app_test;
using namespace app_test::in_contact;

/// Rectangles of the width 1 on each other, [layers + 1] their heights: n intervals along each, of one mesh or each
/// with points of its own.
std::string rectangles(const std::vector<double>& y, const std::vector<int>& n, bool joined) {
  std::string text;
  for (std::size_t layer = 0; layer + 1 < y.size(); ++layer) {
    const auto curve = [&](std::size_t number, double at, int cells) {
      text += fmt::format(
          "Point({0}) = {{0, {2}, 0}}; Point({1}) = {{1, {2}, 0}}; Line({0}) = {{{0}, {1}}}; Transfinite Curve{{{0}}} "
          "= "
          "{3} + 1;\n",
          number, number + 1, at, cells);
    };
    const std::size_t low = joined ? 10 * layer + 10 : 20 * layer + 10, high = low + 10;
    if (!joined || layer == 0) curve(low, y[layer], n[layer]);
    curve(high, y[layer + 1], n[layer]);
    text += fmt::format(
        "Line({2}) = {{{1}, {3}}}; Line({4}) = {{{5}, {0}}}; Transfinite Curve{{{2}, {4}}} = 2 + 1; Curve Loop({0}) = "
        "{{{0}, {2}, -{5}, {4}}}; Plane Surface({0}) = {{{0}}}; Transfinite Surface{{{0}}}; Recombine "
        "Surface{{{0}}};\nPhysical Surface(\"layer_{6}\") = {{{0}}};\nPhysical Curve(\"under_{6}\") = "
        "{{{0}}};\n",
        low, low + 1, low + 2, high + 1, low + 3, high, layer);
    if (!joined || layer + 2 == y.size()) text += fmt::format("Physical Curve(\"over_{}\") = {{{}}};\n", layer, high);
  }
  return text;
}

std::string between(const std::string& low, const std::string& high) {
  return boundary(low, "dirichlet", "value = 0") + boundary(high, "dirichlet", "value = 1") + to_rounding +
         flux("q", low);
}
const std::string one = "[[material]]\ndiffusivity = 1\n";

/// A foil 0.02 thick with facets of 0.1 in a body of the height 1: 1 + 2 / h.
TEST(ContactOfThinBodies, OfAFoilIsThatOfItsTwoFaces) {
  const std::string mesh = mesh_file("foil.geo", rectangles({0, 0.49, 0.51, 1}, {10, 10, 10}, true));
  const std::string groups = "[[group]]\nname = \"body\"\nof = \"surfaces\"\nwhere = \"abs(y - 0.5) > 0.01\"\n";
  const std::string ends = between("\"under_0\"", "\"over_2\"");
  for (const char* gap : {"", "\ngap = 0"})
    for (const char* on : {"[\"layer_1\", \"body\"]", "[\"body\", \"layer_1\"]"}) {
      const json summary = run("foil", mesh + groups + poisson(1) + one + ends +
                                           boundary(on, "contact", std::string("conductance = 1") + gap));
      EXPECT_NEAR(summary["quantities"]["q"], 1.0 / 3, 1e-9) << on << gap;
      expect_balance(summary, 1e-9, on);
    }
  const json rest =
      run("foil_rest", mesh + poisson(1) + material("layer_1", "diffusivity", 1) + material("rest", "diffusivity", 1) +
                           ends + contact("1", "[\"layer_1\", \"rest\"]"));
  EXPECT_NEAR(rest["quantities"]["q"], 1.0 / 3, 1e-9);
}

/// Three plates 0.02 thick with facets of a quarter and a seventh, their tops on their bottoms: 0.06 + 2 / h.
TEST(ContactOfThinBodies, OfAStackIsThatOfNeighbours) {
  for (const auto& cells : {std::vector{4, 4, 4}, {4, 7, 3}})
    for (const char* gap : {"", "\ngap = 0", "\ngap = 0.03"}) {
      const json summary =
          run("stack", mesh_file("stack.geo", rectangles({0, 0.02, 0.04, 0.06}, cells, false) +
                                                  "Physical Curve(\"tops\") = {20, 40};\nPhysical Curve(\"bottoms\") = "
                                                  "{30, 50};\n") +
                           poisson(1) + one + between("\"under_0\"", "\"over_2\"") +
                           boundary("[\"tops\", \"bottoms\"]", "contact", std::string("conductance = 1") + gap));
      EXPECT_NEAR(summary["quantities"]["q"], 1 / 2.06, 1e-8) << cells[1] << gap;
      expect_balance(summary, 1e-9, "stack");
    }
}

/// Two sides that look at one side, the one through the other body.
TEST(ContactOfThinBodies, OneSideBeforeTwoIsRefused) {
  const std::string deck = mesh_file("twice.geo", rectangles({0, 0.02, 0.04, 0.06}, {4, 4, 4}, false) +
                                                      "Physical Curve(\"bottoms\") = {30, 50};\n") +
                           poisson(1) + one + between("\"under_0\"", "\"over_2\"") +
                           contact("1", "[\"bottoms\", \"over_0\"]") + contact("1", "[\"over_1\", \"under_2\"]");
  expect_says(app_test::tessera("run " + write_deck("twice.toml", deck) + " --backend threads --output " +
                                (folder() / "twice").string()),
              {"twice", deck, 3, {"facets of 'over_0' lie before 2 facets of 'bottoms'", "name the sides"}});
}

/// Blocks a and b on a base, apart by 1e-6: what flows from a to b does not depend on the order of the deck.
TEST(ContactsThatMeet, AreTheSameInAnyOrder) {
  std::string head = "[mesh]\nbox = { min = [0, 0, 0], max = [1, 1, 1], cells = [4, 4, 4], shape = \"tet\" }\n";
  for (const auto& [name, where] : {std::pair{"a", "x < 0.5 && y < 0.5 && z > 0.5"},
                                    {"b", "x > 0.5 && y < 0.5 && z > 0.5"},
                                    {"base", "y > 0.5 || z < 0.5"}})
    head += fmt::format("[[group]]\nname = \"{}\"\nof = \"volumes\"\nwhere = \"{}\"\n", name, where);
  for (const auto& [name, where] : {std::pair{"hot", "x < 1e-9 && y < 0.5 && z > 0.5"},
                                    {"cold", "x > 1 - 1e-9 && y < 0.5 && z > 0.5"},
                                    {"far", "z < 1e-9"}})
    head += fmt::format("[[group]]\nname = \"{}\"\nof = \"surfaces\"\nwhere = \"{}\"\n", name, where);
  head += poisson(1) + one + boundary("\"hot\"", "dirichlet", "value = 1") +
          boundary("\"cold\"", "dirichlet", "value = 0") + boundary("\"far\"", "dirichlet", "value = 0") + to_rounding +
          flux("q", "\"cold\"");
  const std::vector<std::string> contacts{contact("1e-6", "[\"a\", \"b\"]"), contact("1e-6", "[\"a\", \"base\"]"),
                                          contact("1e-6", "[\"b\", \"base\"]")};
  for (const auto& order : {std::array{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}) {
    std::string deck = head;
    for (const int c : order) deck += contacts[static_cast<std::size_t>(c)];
    EXPECT_NEAR(run("meet", deck)["quantities"]["q"].get<double>(), 0.25e-6, 1e-12) << order[0];
  }
}

/// A patch that ends inside the body, of which the corners of tetrahedra stay one.
TEST(ContactsThatMeet, SayWhatStaysOne) {
  const std::string deck =
      "[mesh]\nbox = { min = [0, 0, 0], max = [1, 1, 1], cells = [4, 4, 4], shape = \"tet\" }\n[[group]]\nname = "
      "\"low\"\nof = \"volumes\"\nwhere = \"z < 0.5 && abs(x - 0.5) < 0.25 && abs(y - 0.5) < 0.25\"\n[[group]]\nname = "
      "\"high\"\nof = \"volumes\"\nwhere = \"z > 0.5 && abs(x - 0.5) < 0.25 && abs(y - 0.5) < 0.25\"\n" +
      poisson(1) + one + boundary("\"back\"", "dirichlet", "value = 0") +
      boundary("\"front\"", "dirichlet", "value = 1") + contact("1", "[\"low\", \"high\"]");
  const Result result = app_test::tessera("check " + write_deck("glued.toml", deck) + " --backend threads");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("contact 'low_high': 2 of its 8 facets, area 0.0625, stay one")) << result.text;
}

/// The square with a contact across it, named as one group of facets, and a point where it ends.
std::string square(const std::string& more = "") {
  return rectangles({0, 0.5, 1}, {4, 4}, true) + "Physical Point(\"corner\") = {20};\n" + more;
}

TEST(ContactThatEnds, HasThePrescribedValueOnBothSides) {
  const json summary = run(
      "corner", mesh_file("corner.geo", square()) + poisson(1) + one + to_rounding +
                    boundary("\"corner\"", "dirichlet", "value = 3") + boundary("\"over_1\"", "neumann", "value = 1") +
                    boundary("\"under_0\"", "neumann", "value = -1") + contact("2", "\"under_1\"") +
                    side("min", "under_1_1") + side("min", "under_1_2") + side("max", "under_1_1"));
  EXPECT_GT(summary["quantities"]["max_under_1_1"].get<double>(), 3 - 1e-9);
  for (const char* name : {"min_under_1_1", "min_under_1_2"})
    EXPECT_LE(summary["quantities"][name].get<double>(), 3 + 1e-9) << name;
}

/// The ordinary unit cell: layers between sides that are periodic, whose vertices at the contact lie twice.
TEST(ContactThatEnds, MayReachPeriodicSides) {
  for (const char* shape : {"triangle", "quad", "hex"})
    for (const int order : {1, 2}) {
      const bool space = std::string(shape) == "hex";
      const std::string across = space ? "z" : "y", of = space ? "volumes" : "surfaces";
      const std::string deck =
          fmt::format("[mesh]\nbox = {{ min = [0, 0{0}], max = [1, 1{1}], cells = [4, 4{2}], shape = \"{3}\" }}\n",
                      space ? ", 0" : "", space ? ", 1" : "", space ? ", 4" : "", shape) +
          fmt::format(
              "[[group]]\nname = \"lower\"\nof = \"{0}\"\nwhere = \"{1} < 0.5\"\n[[group]]\nname = "
              "\"upper\"\nof = \"{0}\"\nwhere = \"{1} > 0.5\"\n",
              of, across) +
          poisson(order) + one + between(space ? "\"back\"" : "\"bottom\"", space ? "\"front\"" : "\"top\"") +
          boundary("[\"left\", \"right\"]", "periodic", "") +
          (space ? boundary("[\"bottom\", \"top\"]", "periodic", "") : "") + contact("1", "[\"lower\", \"upper\"]") +
          side("max", "lower_upper_1") + side("min", "lower_upper_2");
      const json summary = run("periodic", deck);
      EXPECT_NEAR(summary["quantities"]["q"], 0.5, 1e-9) << shape << order;
      EXPECT_NEAR(summary["quantities"]["max_lower_upper_1"], 0.25, 1e-9) << shape << order;
      EXPECT_NEAR(summary["quantities"]["min_lower_upper_2"], 0.75, 1e-9) << shape << order;
    }
}

TEST(ContactSides, WhatTheyAreCalledIsTheirs) {
  const std::string rest = poisson(1) + one + between("\"under_0\"", "\"over_1\"");
  const std::vector<Case> cases{
      {"side_taken",
       mesh_file("side_taken.geo", square("Physical Curve(\"under_1_1\") = {10};\n")) + rest +
           contact("1", "\"under_1\""),
       2,
       {"the mesh has a group 'under_1_1'", "another name"}},
      {"interface_taken",
       mesh_file("interface_taken.geo", square("Physical Curve(\"layer_0_layer_1\") = {10};\n")) + rest +
           contact("1", "[\"layer_0\", \"layer_1\"]"),
       2,
       {"the mesh has a group 'layer_0_layer_1'", "another name"}},
      {"rest_of_nothing",
       mesh_file("rest_of_nothing.geo", square()) + rest + contact("1", "[\"layer_0\", \"rest\"]"),
       2,
       {"a contact names \"rest\", and no material does"}},
      {"facet_twice",
       mesh_file("facet_twice.geo", square()) + rest + contact("1", "[\"layer_0\", \"layer_1\"]") +
           contact("1", "\"under_1\""),
       2,
       {"in a contact twice"}},
  };
  for (const Case& wrong : cases)
    expect_says(app_test::tessera("check " + write_deck(std::string(wrong.name) + ".toml", wrong.deck)), wrong);
}

}  // namespace
