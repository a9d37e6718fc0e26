// Shapes and orders of modules beside poisson over ranks, tables of lines, and repeats.
#include <array>
#include <map>

#include "app/ranks_as_one.hpp"

namespace {

using namespace app_test;

std::string flow(const std::string& shape, int dim, int cells, int order) {
  const std::string velocity = dim == 1 ? "[2]" : dim == 2 ? "[1, \"x\"]" : "[1, \"x\", \"-y\"]";
  return box_of(shape, dim, cells) + fmt::format("[physics]\ntype = \"convection_diffusion\"\norder = {}\n", order) +
         "[[material]]\ndiffusivity = \"0.2 + 0.1*x\"\nvelocity = " + velocity + "\nsource = 1\n" +
         dirichlet_on("[\"left\", \"right\"]", "x") + "[solver]\ntype = \"gmres\"\nrestart = 200\ntolerance = 1e-14\n";
}

std::string body(const std::string& shape, int dim, int cells, int order) {
  const std::string force = dim == 2 ? "[\"y\", -1]" : "[0, \"y\", -1]", held = dim == 2 ? "[0, 0]" : "[0, 0, 0]",
                    pull = dim == 2 ? "[1, \"y\"]" : "[1, 0, \"z\"]";
  return box_of(shape, dim, cells) + fmt::format("[physics]\ntype = \"elasticity\"\norder = {}\n", order) +
         "[[material]]\nyoung = \"2 + x\"\npoisson = 0.3\nbody_force = " + force +
         "\n[[boundary]]\non = [\"left\"]\ntype = \"displacement\"\nvalue = " + held +
         "\n[[boundary]]\non = [\"right\"]\ntype = \"traction\"\nvalue = " + pull +
         "\n[[quantity]]\nname = \"pull\"\nkind = \"reaction\"\nof = \"u_x\"\non = [\"left\"]\n"
         "[solver]\ntolerance = 1e-14\n";
}

std::vector<Deck> modules() {
  const auto in_blocks = "--set matrix.format='\"block_crs\"'";
  return {{"flow_interval_4", flow("interval", 1, 30, 4)},
          {"flow_triangle_3", flow("triangle", 2, 6, 3)},
          {"flow_quad_4", flow("quad", 2, 4, 4)},
          {"flow_tet_2", flow("tet", 3, 3, 2)},
          {"flow_hex_3", flow("hex", 3, 3, 3)},
          {"flow_prism_2", flow("prism", 3, 3, 2)},
          {"body_triangle_1", body("triangle", 2, 9, 1)},
          {"body_quad_4", body("quad", 2, 4, 4)},
          {"body_tet_3", body("tet", 3, 2, 3)},
          {"body_hex_4", body("hex", 3, 2, 4)},
          {"body_prism_3", body("prism", 3, 2, 3)},
          {"body_in_block_crs", body("hex", 3, 4, 2), in_blocks, {3}}};
}

class RanksModules : public ::testing::TestWithParam<Deck> {};

TEST_P(RanksModules, GiveWhatOneGives) {
  SKIP_WITHOUT_MPI();
  expect_as_one(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shapes, RanksModules, ::testing::ValuesIn(modules()), name_of);

/// A line that goes through the parts of all ranks.
TEST(RanksRun, ValuesAlongALineAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string line = "[[line]]\nname = \"across\"\nfrom = [0.03, 0.02]\nto = [0.97, 0.99]\npoints = 57\n";
  const std::string heat = box_of("triangle", 2, 10) + "[physics]\ntype = \"heat\"\norder = 2\n" +
                           dirichlet_on("[\"left\"]", "sin(9*t) + y") +
                           "[solver]\ntolerance = 1e-14\n[time]\nend = 0.02\nstep = 0.01\n";
  const std::string poisson = box_of("quad", 2, 9) + poisson_of(3) + "[[material]]\nsource = \"1 + x\"\n" +
                              dirichlet_on("[\"left\"]", "y") + "[solver]\ntolerance = 1e-14\n";
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"line_heat", heat}, {"line_poisson", poisson}}) {
    run_on(1, name, text + line);
    ASSERT_TRUE(fs::exists(out_of(name, 1) / "across.csv")) << name;
    for (const int ranks : {3}) {
      run_on(ranks, name, text + line);
      const Result compared =
          app_test::tessera("compare " + (out_of(name, 1) / "across.csv").string() + " " +
                            (out_of(name, ranks) / "across.csv").string() + " --rtol 1e-12 --atol 1e-12");
      EXPECT_EQ(compared.code, 0) << name << " on " << ranks << "\n" << compared.text;
    }
  }
}

TEST(RanksRun, OfOtherModulesIsTheSameToTheLastBitTenTimes) {
  SKIP_WITHOUT_MPI();
  const std::string waves = box_of("quad", 2, 6) +
                            "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 4\n[[material]]\ndensity = 1\n"
                            "vp = 2\nvs = 1\n[[initial]]\nu = [\"exp(-40*((x - 0.4)^2 + (y - 0.6)^2))\", 0]\n"
                            "[time]\nend = 0.05\ncfl = 0.5\n";
  const std::string gas =
      box_of("triangle", 2, 8) +
      "[physics]\ntype = \"euler\"\n[[boundary]]\non = \"rest\"\ntype = \"slip_wall\"\n[[initial]]\n"
      "density = 1\nvelocity = [0, 0]\npressure = \"1 + 9*(x < 0.3)\"\n[time]\nend = 0.02\ncfl = 0.5\n";
  for (const auto& [name, text, field] : {std::array<std::string, 3>{"repeated_body", body("prism", 3, 3, 2), "u"},
                                          {"repeated_waves", waves, "u"},
                                          {"repeated_gas", gas, "pressure"}}) {
    std::map<std::string, std::string> first;
    for (int repeat = 0; repeat < 10; ++repeat) {
      const fs::path out = out_of(name, 2);
      run_on(2, name, text, fmt::format("--set output.fields='[\"{}\"]' --threads {}", field, 1 + repeat % 2));
      for (const auto& entry : fs::directory_iterator(out)) {
        if (entry.path().extension() != ".vtu") continue;
        const std::string bytes = bytes_of(entry.path()), file = entry.path().filename().string();
        if (repeat == 0) first[file] = bytes;
        EXPECT_EQ(bytes == first[file], true) << name << ", repeat " << repeat << ": " << file;
      }
    }
    EXPECT_FALSE(first.empty()) << name;
  }
}

}  // namespace
