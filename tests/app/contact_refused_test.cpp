// Thermal contact on ranks and on the device, and what is refused.
#include "app/contact.hpp"
#include "app/gpu.hpp"
#include "app/ranks.hpp"

namespace {

using namespace app_test;
using namespace app_test::in_contact;

TEST(Contact, TheDeviceHasTheSolutionOfThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const std::string deck =
      mesh_file("device.geo", two_rectangles(5, 8)) + poisson(2) + layers + contact() + layers_exact("y") + quantities;
  for (const char* strategy : {"auto", "colour", "atomic", "two_pass", "shared", "nonzeros", "matrix_free"})
    expect_layers(run("device", deck, std::string("--set assembly.strategy='\"") + strategy + "\"'", "cuda"), strategy);
  for (const bool hexes : {false, true})
    expect_layers(run("device_space",
                      mesh_file("device_space.geo", two_boxes(2, 3, hexes)) + poisson(1) + layers + contact() +
                          layers_exact("z") + quantities,
                      "", "cuda"),
                  "space");
}

TEST(Contact, RanksSeeWhatLiesOnTheOtherSide) {
  SKIP_WITHOUT_MPI();
  const std::string quads = "Recombine Surface {1, 11};\n";
  for (const int order : {1, 2}) {
    const std::string what = fmt::format("ranks_{}", order);
    const std::string deck = mesh_file(what + ".geo", two_rectangles(6, 9)) + poisson(order) + layers + contact() +
                             layers_exact("y") + quantities;
    for (const int ranks : order == 1 ? std::vector{2, 4} : std::vector{3})
      expect_layers(run_on(ranks, what, deck), fmt::format("{} on {}", what, ranks));
  }
  const std::string deck = mesh_file("ranks_quads.geo", two_rectangles(6, 9, quads)) + poisson(2) + layers + contact() +
                           layers_exact("y") + quantities;
  expect_layers(run_on(4, "ranks_quads", deck, "--set assembly.strategy='\"matrix_free\"'"), "without a matrix");
}

TEST(Contact, RanksGoThroughTimeTogether) {
  SKIP_WITHOUT_MPI();
  const std::string deck = mesh_file("ranks_time.geo", two_rectangles(5, 7)) + heat_of(1, "") +
                           material("lower", "conductivity", 1) + material("upper", "conductivity", 4) +
                           boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
                           boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + contact("\"2 + t\"") +
                           time_to(0.2, 0.05, "bdf2") + to_rounding + quantities;
  const json one = run_on(1, "ranks_time", deck);
  expect_near(run_on(3, "ranks_time", deck)["quantities"], one["quantities"], "quantities");
}

/// What is said of wrong contacts, with a code that ends the program.
TEST(Contact, WhatIsWrongIsRefusedByName) {
  int files = 0;
  const auto deck = [&](const std::string& condition, const std::string& geometry = two_rectangles(3, 4)) {
    return mesh_file(fmt::format("wrong_{}.geo", ++files), geometry) + poisson(1) + layers + condition;
  };
  const std::vector<Case> cases{
      {"no_conductance",
       deck(boundary("[\"lower_top\", \"upper_bottom\"]", "contact", "")),
       2,
       {"a contact has no conductance"}},
      {"value",
       deck(boundary("[\"lower_top\", \"upper_bottom\"]", "contact", "conductance = 2\nvalue = 1")),
       2,
       {"a contact has no value"}},
      {"alpha",
       deck(boundary("[\"lower_top\", \"upper_bottom\"]", "contact", "conductance = 2\nalpha = 1")),
       2,
       {"alpha belongs to a robin boundary"}},
      {"of_gradient", deck(contact("\"2 + ux\"")), 2, {"unknown variable 'ux'"}},
      {"of_u_by_cg", deck("type = \"cg\"\n" + contact("\"2 + u\"")), 2, {"cg", "tangent"}},
      {"negative_of_u",
       deck(contact("\"2 - u\"") + "[[initial]]\nu = \"5\"\n"),
       2,
       {"conductance of a contact is negative: -3"}},
      {"negative", deck(contact("\"x - 2\"")), 2, {"conductance of a contact is negative", "at ("}},
      {"not_contact",
       deck(contact() + boundary("[\"lower_top\"]", "neumann", "value = 1\nconductance = 1")),
       2,
       {"conductance and gap belong to a contact, this boundary is neumann"}},
      {"three_sides", deck(contact("2", "[\"lower_top\", \"upper_bottom\", \"upper_top\"]")), 2, {"the two sides"}},
      {"one_side_twice", deck(contact("2", "[\"lower_top\", \"lower_top\"]")), 2, {"the two sides"}},
      {"unknown", deck(contact() + contact("2", "[\"lower_tops\", \"upper_bottom\"]")), 3, {"lower_tops"}},
      {"apart",
       deck(contact(), two_rectangles(3, 4, "", 0.2)),
       3,
       {"'lower_top' of a contact does not lie on 'upper_bottom'", "is 0.2 from the nearest"}},
      {"partly",
       deck(contact("2", "[\"lower_top\", \"upper_bottom\"]"),
            two_rectangles(3, 4) +
                "Point(31) = {1, 1, 0}; Point(32) = {1.5, 0.5, 0}; Point(33) = {1.5, 1, 0};\nLine(31) = {31, 32}; "
                "Line(32) = "
                "{32, 33}; Line(33) = {33, 31};\nCurve Loop(31) = {31, 32, 33}; Plane Surface(31) = {31};\nPhysical "
                "Curve(\"lower_top\") += {33};\nPhysical Surface(\"lower\") += {31};\n"),
       3,
       {"does not lie on 'upper_bottom'", "of its length 1.5 have nothing before them"}},
      {"fixed",
       deck(contact() + boundary("[\"lower_top\"]", "dirichlet", "value = 1")),
       2,
       {"'lower_top' is of a dirichlet boundary and has a facet that is in a contact"}},
      {"twice", deck(contact() + contact()), 2, {"in a contact twice"}},
      {"outside", deck(contact() + contact("2", "[\"lower_bottom\"]")), 3, {"does not lie inside the mesh"}},
      {"no_contact", deck(""), 3, {"mesh"}},
      {"grid",
       "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\n" + poisson(1) + contact("2", "[\"left\", \"right\"]") +
           boundary("[\"top\"]", "dirichlet", "value = 1") + "[solver]\ntype = \"fft\"\n",
       2,
       {"this boundary is contact"}},
  };
  for (const Case& wrong : cases)
    for (const char* command : {"check ", "run "})
      expect_says(app_test::tessera(command + write_deck(std::string("wrong_") + wrong.name + ".toml", wrong.deck) +
                                    " --backend threads --output " + (folder() / "wrong").string()),
                  wrong);
}

}  // namespace
