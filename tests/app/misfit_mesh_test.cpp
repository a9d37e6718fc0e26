// Mesh files whose cells do not fit together: `check` and `run` name the place, and say the way out.
#include <cmath>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

/// A plane mesh of version 2.2 with the groups "rim" of lines and "domain"; elements are "type nodes ...".
std::string plane_mesh(const std::vector<std::string>& nodes, const std::vector<std::string>& lines,
                       const std::vector<std::string>& cells) {
  std::ostringstream file;
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"rim\"\n2 2 \"domain\"\n$EndPhysicalNames\n"
       << "$Nodes\n"
       << nodes.size() << "\n";
  for (std::size_t n = 0; n < nodes.size(); ++n) file << n + 1 << " " << nodes[n] << " 0\n";
  file << "$EndNodes\n$Elements\n" << lines.size() + cells.size() << "\n";
  std::size_t element = 0;
  for (const std::string& line : lines) file << ++element << " 1 2 1 1 " << line << "\n";
  for (const std::string& cell : cells)
    file << ++element << " " << cell.substr(0, cell.find(' ')) << " 2 2 1" << cell.substr(cell.find(' ')) << "\n";
  file << "$EndElements\n";
  return file.str();
}

std::string deck_on(const std::string& name, const std::string& mesh, const std::string& more) {
  write_deck(name + ".msh", mesh);
  return write_deck(name + ".toml",
                    "[run]\nbackend = \"threads\"\n[output]\nwrite = false\n[physics]\ntype = \"poisson\"\n" + more +
                        "\n[mesh]\nfile = \"" + name + ".msh\"\n");
}

/// Both commands refuse the mesh with these words.
void expect_refused(const std::string& deck, const std::vector<std::string>& parts) {
  for (const char* command : {"check ", "run "}) {
    const Result result = app_test::tessera(command + deck + " --output " + (folder() / "out_misfit").string());
    EXPECT_EQ(result.code, 3) << command << result.text;
    for (const std::string& part : parts) EXPECT_TRUE(result.says(part)) << "expected: " << part << "\n" << result.text;
    EXPECT_TRUE(result.says("--> ") && result.says("help: ")) << result.text;
  }
}

nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / ("out_" + name);
  const Result result = app_test::tessera("run " + deck + " " + options + " --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  return summary_in(out);
}

const char* fixed_x = "[[boundary]]\non = \"rim\"\ntype = \"dirichlet\"\nvalue = \"x\"\n[exact]\nu = \"x\"\n";

/// Two quads right of one.
const std::vector<std::string> beside_one{"0 0", "1 0", "1 1", "0 1", "1 .5", "2 0", "2 .5", "2 1"};
const std::vector<std::string> rim{"1 2", "3 4", "4 1", "2 6", "6 7", "7 8", "8 3"};

TEST(MisfitMesh, LinearAndQuadraticCellsInOneSurfaceAreRefused) {
  const std::vector<std::string> nodes{"0 0", "1 0", "1 1", "0 1", ".5 0", "1 .5", ".5 .5"};
  const std::string integral =
      "[[material]]\nreaction = \"1\"\nsource = \"1\"\n[[quantity]]\nname = \"one\"\nkind = \"integral\"\n";
  for (const auto& cells : {std::vector<std::string>{"2 1 3 4", "9 1 2 3 5 6 7"}, {"9 1 2 3 5 6 7", "2 1 3 4"}})
    expect_refused(deck_on("mixed_orders", plane_mesh(nodes, {}, cells), integral),
                   {"surface 1 in (0, 0, 0) to (1, 1, 0) mixes elements of different geometric orders"});
  // Lines of the boundary would vanish, too.
  expect_refused(
      deck_on("mixed_lines",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n$EndNodes\n"
              "$Elements\n3\n1 8 2 1 1 1 2 4\n2 1 2 1 1 2 3\n3 2 2 2 2 1 2 3\n$EndElements\n",
              integral),
      {"curve 1", "mixes elements of different geometric orders: 1 of type 3-node"});
}

TEST(MisfitMesh, AHangingNodeIsRefusedWithItsPlace) {
  const std::string deck =
      deck_on("hanging", plane_mesh(beside_one, rim, {"3 1 2 3 4", "3 2 6 7 5", "3 5 7 8 3"}), fixed_x);
  expect_refused(deck,
                 {"1 hanging vertices", "the first is (1, 0.5, 0), on a side of cell 0, a quad around (0.5, 0.5, 0)",
                  "mesh.allow_cracks = true"});
  // What was computed before, and still is where it is meant: the linear solution is lost.
  EXPECT_GT(run("hanging", deck, "--set mesh.allow_cracks=true")["errors"]["u"]["max"], 0.1);
}

TEST(MisfitMesh, CoincidentNodesAreRefusedMergedOrMeant) {
  const std::vector<std::string> nodes{"0 0", "1 0", "1 1", "0 1", "1 0", "2 0", "2 1", "1 1"};
  const std::string deck =
      deck_on("coincident", plane_mesh(nodes, {"4 1", "6 7"}, {"3 1 2 3 4", "3 5 6 7 8"}), fixed_x);
  expect_refused(deck, {"4 vertices lie where another one does", "nodes 1 and 4 at (1, 0, 0)", "mesh.merge_nodes"});
  const auto merged = run("merged", deck, "--set mesh.merge_nodes=1e-9");
  EXPECT_EQ(merged["mesh"]["nodes"], 6);
  EXPECT_LT(merged["errors"]["u"]["max"], 1e-9);
  const auto apart = run("apart", deck, "--set mesh.allow_cracks=true");
  EXPECT_EQ(apart["mesh"]["nodes"], 8);
  EXPECT_NEAR(apart["errors"]["u"]["max"], 1, 1e-6);  // no heat passes
  const Result both = app_test::tessera("check " + deck + " --set mesh.allow_cracks=true --set mesh.merge_nodes=1e-9");
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(both.says("closes cracks")) << both.text;
}

TEST(MisfitMesh, OverlappingCellsAreRefusedEvenWithCracks) {
  const std::vector<std::string> nodes{"0 0", "1 0", "1 1", "0 1", ".9 .2", "2 .2", "2 1.2", ".9 1.2"};
  for (const char* options : {"", " --set mesh.allow_cracks=true"})
    expect_refused(
        deck_on("overlap", plane_mesh(nodes, {"4 1", "6 7"}, {"3 1 2 3 4", "3 5 6 7 8"}), fixed_x) + options,
        {"cells overlap: 2 vertices", "the first is (1, 1, 0), inside cell 1, a quad around (1.45, 0.7, 0)"});
  expect_refused(deck_on("twice", plane_mesh({"0 0", "1 0", "1 1", "0 1"}, {"4 1"}, {"3 1 2 3 4", "2 1 2 3"}), fixed_x),
                 {"cells 0 and 1 lie on the same side of the facet that they share"});
}

/// A disk of 12 triangles as a linear mesh, whose rim looks curved.
std::string polygon_of_a_disk() {
  std::vector<std::string> nodes{"0 0"}, lines, cells;
  for (int k = 0; k < 12; ++k) {
    nodes.push_back(std::to_string(std::cos(k * M_PI / 6)) + " " + std::to_string(std::sin(k * M_PI / 6)));
    const std::string side = std::to_string(k + 2) + " " + std::to_string((k + 1) % 12 + 2);
    lines.push_back(side);
    cells.push_back("2 1 " + side);
  }
  return plane_mesh(nodes, lines, cells);
}

TEST(Refine, SaysWhereItKeepsAPolygon) {
  const std::string rim_fixed = "[[boundary]]\non = \"rim\"\ntype = \"dirichlet\"\n";
  const std::string disk = deck_on("polygon", polygon_of_a_disk(), rim_fixed);
  const Result curved = app_test::tessera("check " + disk + " --set mesh.refine=1");
  EXPECT_EQ(curved.code, 0) << curved.text;
  EXPECT_TRUE(curved.says("mesh.refine keeps the polygon of 'rim'")) << curved.text;
  EXPECT_FALSE(app_test::tessera("check " + disk).says("polygon of"));
  // The rim of a square has corners only.
  const std::string square = deck_on(
      "square", plane_mesh({"0 0", "1 0", "1 1", "0 1"}, {"1 2", "2 3", "3 4", "4 1"}, {"3 1 2 3 4"}), rim_fixed);
  EXPECT_FALSE(app_test::tessera("check " + square + " --set mesh.refine=1").says("polygon of"));
  // On the sphere the first refinement of so coarse a mesh folds cells.
  write_deck("ball.geo",
             "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\nPhysical Surface(\"rim\") = {1};\n"
             "Physical Volume(\"ball\") = {1};\n");
  const std::string ball = write_deck("ball.toml",
                                      "[mesh]\nfile = \"ball.geo\"\nsize = 0.8\nrefine = 1\n[physics]\ntype = "
                                      "\"poisson\"\n" +
                                          rim_fixed);
  const Result folded = app_test::tessera("check " + ball + " --backend threads");
  EXPECT_EQ(folded.code, 0) << folded.text;
  EXPECT_TRUE(folded.says("they fold cells")) << folded.text;
}

}  // namespace
