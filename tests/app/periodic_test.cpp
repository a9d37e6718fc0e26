// Periodic boundaries and meshes of several parts, as a user runs them.
#include <cmath>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / ("out_" + name);
  const Result result = app_test::tessera("run " + deck + " " + options + " --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return summary_in(out);
}

void expect_refused(const std::string& deck, int code, const std::vector<std::string>& parts) {
  for (const char* command : {"check ", "run "}) {
    const Result result = app_test::tessera(command + deck + " --output " + (folder() / "out_refused").string());
    EXPECT_EQ(result.code, code) << command << result.text;
    for (const std::string& part : parts) EXPECT_TRUE(result.says(part)) << "expected: " << part << "\n" << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
  }
}

std::string verification(const std::string& name) {
  return (source() / "inputs/verification" / (name + ".toml")).string();
}

/// Errors shrink as order + 1 in L2 from one mesh to the next, which has twice the cells.
void expect_orders(const std::string& deck, const std::string& shape, int dim, int order, int cells) {
  double coarse = 0;
  for (const int n : {cells, 2 * cells}) {
    std::string list;
    for (int d = 0; d < dim; ++d) list += (d ? "," : "") + std::to_string(n);
    const auto summary =
        run("orders", deck,
            "--set output.write=false --set mesh.box.shape='\"" + shape + "\"' --set mesh.box.cells='[" + list +
                "]' --set physics.order=" + std::to_string(order));
    const double error = summary["errors"]["u"]["l2"];
    if (coarse > 0) {
      EXPECT_GT(std::log2(coarse / error), order + 1 - 0.3) << shape << " order " << order;
    }
    coarse = error;
  }
}

TEST(Periodic, OrdersInThePlane) {
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {1, 2, 3})
      expect_orders(verification("periodic_plane"), shape, 2, order, order == 1 ? 16 : 8);
}

TEST(Periodic, OrdersInSpace) {
  for (const char* shape : {"tet", "hex", "prism"})
    for (const int order : {1, 2, 3})
      expect_orders(verification("periodic_torus"), shape, 3, order, order == 1 ? 10 : order == 2 ? 6 : 4);
}

TEST(Periodic, EveryStrategyAndFormatGivesTheSame) {
  const std::string deck = verification("periodic_plane");
  const std::string fixed = "--set output.write=false --set mesh.box.cells='[6,5]' --set physics.order=2 ";
  const double error = run("same", deck, fixed)["errors"]["u"]["l2"];
  for (const char* strategy : {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros", "matrix_free"})
    EXPECT_NEAR(run("same", deck, fixed + "--set assembly.strategy='\"" + strategy + "\"'")["errors"]["u"]["l2"], error,
                1e-7 * error)
        << strategy;
  for (const char* format : {"crs", "ell", "sliced_ell", "packed_ell", "cmrs"})
    EXPECT_NEAR(run("same", deck, fixed + "--set matrix.format='\"" + format + "\"'")["errors"]["u"]["l2"], error,
                1e-7 * error)
        << format;
  EXPECT_NEAR(run("same", deck, fixed + "--set solver.type='\"direct\"'")["errors"]["u"]["l2"], error, 1e-7 * error);
}

TEST(Periodic, FilesHaveThePointsOfTheMesh) {
  const fs::path out = folder() / "out_periodic_files";
  const Result result =
      app_test::tessera("run " + verification("periodic_plane") +
                        " --set mesh.box.cells='[4,4]' --set physics.order=1 --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  std::ifstream file(out / "solution.vtu");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("NumberOfPoints=\"25\""), std::string::npos);  // no cell reaches across the domain
  EXPECT_EQ(summary_in(out)["space"]["dofs"], 20);
}

std::string box_deck(const std::string& name, const std::string& rest) {
  return write_deck(
      name + ".toml",
      "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\n[run]\nbackend = \"threads\"\n[output]\nwrite = "
      "false\n[physics]\ntype = \"poisson\"\n" +
          rest);
}
const std::string left_right = "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n";
const std::string bottom_top = "[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"periodic\"\n";

TEST(Periodic, ContradictionsAreRefused) {
  expect_refused(box_deck("torus", left_right + bottom_top), 2, {"the problem is singular", "fixes u"});
  expect_refused(
      box_deck("two_values", left_right + "[[boundary]]\non = \"bottom\"\ntype = \"dirichlet\"\nvalue = \"x\"\n"), 2,
      {"0 at (0, 0, 0), but 1 at (1, 0, 0), and u is the same at both"});
  expect_refused(box_deck("both", left_right + "[[boundary]]\non = [\"left\", \"top\"]\ntype = \"dirichlet\"\n"), 2,
                 {"'left' has a facet that the periodic side 'left' has, too"});
  expect_refused(box_deck("one_side",
                          "[[boundary]]\non = \"left\"\ntype = \"periodic\"\n[[boundary]]\non = \"top\"\ntype = "
                          "\"dirichlet\"\n"),
                 2, {"names the two sides that are one"});
  expect_refused(box_deck("unlike",
                          "[[boundary]]\non = [\"left\", \"top\"]\ntype = \"periodic\"\n[[boundary]]\non = "
                          "\"right\"\ntype = \"dirichlet\"\n"),
                 3, {"4 of 5 vertices of 'left' have no partner on 'top'", "the first is (0, "});
  const std::string fixed = "[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"dirichlet\"\n";
  expect_refused(box_deck("grid", left_right + fixed + "[solver]\ntype = \"fft\"\n"), 2, {"periodic"});
}

/// A ring sector from angle 0 to 60 degrees in `angles` x 2 quads, its sides joined by a rotation that $Periodic tells.
std::string sector(int angles, bool with_map) {
  std::ostringstream file;
  file.precision(17);
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n1 1 \"start\"\n1 2 \"end\"\n1 3 \"inner\"\n1 4 "
          "\"outer\"\n2 5 \"ring\"\n$EndPhysicalNames\n$Nodes\n"
       << 3 * (angles + 1) << "\n";
  const double angle = M_PI / 3;
  for (int a = 0; a <= angles; ++a)
    for (int r = 0; r < 3; ++r)
      file << 3 * a + r + 1 << " " << (1 + r / 2.0) * std::cos(angle * a / angles) << " "
           << (1 + r / 2.0) * std::sin(angle * a / angles) << " 0\n";
  file << "$EndNodes\n$Elements\n" << 4 + 4 * angles << "\n";
  int element = 0;
  for (int r = 0; r < 2; ++r) {
    file << ++element << " 1 2 1 1 " << r + 1 << " " << r + 2 << "\n";
    file << ++element << " 1 2 2 2 " << 3 * angles + r + 1 << " " << 3 * angles + r + 2 << "\n";
  }
  for (int a = 0; a < angles; ++a) {
    file << ++element << " 1 2 3 3 " << 3 * a + 1 << " " << 3 * a + 4 << "\n";
    file << ++element << " 1 2 4 4 " << 3 * a + 3 << " " << 3 * a + 6 << "\n";
    for (int r = 0; r < 2; ++r)
      file << ++element << " 3 2 5 1 " << 3 * a + r + 1 << " " << 3 * a + r + 2 << " " << 3 * a + r + 5 << " "
           << 3 * a + r + 4 << "\n";
  }
  file << "$EndElements\n";
  if (with_map) {
    const double c = std::cos(angle), s = std::sin(angle);
    file << "$Periodic\n1\n1 2 1\nAffine " << c << " " << -s << " 0 0 " << s << " " << c << " 0 0 0 0 1 0 0 0 0 1\n3\n";
    for (int r = 0; r < 3; ++r) file << 3 * angles + r + 1 << " " << r + 1 << "\n";
    file << "$EndPeriodic\n";
  }
  return file.str();
}

TEST(Periodic, ARotationComesFromTheFile) {
  write_deck("sector.msh", sector(6, true));
  write_deck("sector_plain.msh", sector(6, false));
  // The source turns once over the whole ring, six sectors: u is periodic in the sector, and by symmetry not zero on
  // its sides.
  const auto deck = [](const std::string& mesh, const std::string& more) {
    return write_deck("sector.toml", "[mesh]\nfile = \"" + mesh + "\"\nrefine = 2\n[run]\nbackend = \"threads\"\n" +
                                         "[output]\nwrite = false\n[physics]\ntype = \"poisson\"\n[[material]]\n" +
                                         "source = \"1\"\n[[boundary]]\non = [\"inner\", \"outer\"]\ntype = "
                                         "\"dirichlet\"\n[[quantity]]\nname = \"max\"\nkind = \"max\"\n" +
                                         more);
  };
  const std::string joined = "[[boundary]]\non = [\"start\", \"end\"]\ntype = \"periodic\"\n";
  const auto periodic = run("sector", deck("sector.msh", joined));
  const auto symmetric = run("sector", deck("sector_plain.msh", ""));  // the same solution, which has no angle
  EXPECT_NEAR(periodic["quantities"]["max"], symmetric["quantities"]["max"], 1e-6);
  EXPECT_EQ(periodic["space"]["dofs"].get<int>() + 9, symmetric["space"]["dofs"].get<int>());
  expect_refused(deck("sector_plain.msh", joined), 3, {"vertices of 'start' have no partner on 'end'"});
  const Result unused = app_test::tessera("check " + deck("sector.msh", ""));
  EXPECT_EQ(unused.code, 0) << unused.text;
  EXPECT_TRUE(unused.says("($Periodic), but no [[boundary]]")) << unused.text;
}

TEST(Parts, EachNeedsWhatFixesItsLevel) {
  write_deck(
      "two_parts.msh",
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"cold\"\n1 2 \"warm\"\n2 3 \"a\"\n2 4 \"b\"\n"
      "$EndPhysicalNames\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 3 0 0\n6 4 0 0\n7 4 1 0\n8 3 1 0\n"
      "$EndNodes\n$Elements\n4\n1 1 2 1 1 1 4\n2 1 2 2 2 6 7\n3 3 2 3 1 1 2 3 4\n4 3 2 4 2 5 6 7 8\n$EndElements\n");
  for (const char* type : {"poisson", "convection_diffusion"}) {
    const auto deck = [&](const std::string& more) {
      return write_deck("two_parts.toml",
                        "[mesh]\nfile = \"two_parts.msh\"\n[run]\nbackend = \"threads\"\n[output]\nwrite = "
                        "false\n[physics]\ntype = \"" +
                            std::string(type) + "\"\n[[boundary]]\non = \"cold\"\ntype = \"dirichlet\"\n" + more);
    };
    expect_refused(deck(""), 2,
                   {"the mesh has 2 parts that share no node, and in 1 of them nothing fixes u",
                    "1 cell, one of them at (3.5, 0.5, 0), in the groups 'b', 'warm'", "two_parts.toml:9:1"});
    for (const char* more : {"[[boundary]]\non = \"warm\"\ntype = \"robin\"\nalpha = 2\nvalue = 1\n",
                             "[[boundary]]\non = \"warm\"\ntype = \"dirichlet\"\n",
                             "[[material]]\non = \"b\"\nreaction = \"1\"\n[[material]]\n"})
      run("two_parts", deck(more));
  }
}

}  // namespace
