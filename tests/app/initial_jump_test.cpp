// [[initial]] with a file whose state jumps between bodies, and files whose numbers are none.
#include <set>

#include "app/contact.hpp"
#include "app/ranks.hpp"

namespace {

using namespace app_test;
using namespace app_test::in_contact;

const std::string below = "1 + x + 2*y", above = "20 - 3*x + y";
std::string start_of(const std::string& low, const std::string& high) {
  return fmt::format("[[initial]]\non = \"{}\"\nu = \"{}\"\n[[initial]]\non = \"{}\"\nu = \"{}\"\n", low, below, high,
                     above);
}
std::string start_from(const fs::path& path) { return "[[initial]]\nfile = \"" + path.string() + "\"\n"; }

/// Runs a deck for one step and returns the file of its start.
fs::path start(const std::string& name, const std::string& deck, const std::string& options = "", int ranks = 1) {
  const fs::path out = folder() / ("jump_" + name);
  const std::string arguments = "run " +
                                write_deck("jump_" + name + ".toml", deck + "[time]\nend = 1e-3\nstep = 1e-3\n") +
                                " --quiet --backend threads --output " + out.string() + " " + options;
  const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
  EXPECT_EQ(result.code, 0) << name << "\n" << result.text;
  return out / "solution_000000.vtu";
}

void expect_same(const fs::path& a, const fs::path& b, double tolerance, const std::string& of) {
  const Result result =
      app_test::tessera(fmt::format("compare {} {} --rtol 0 --atol {}", a.string(), b.string(), tolerance));
  EXPECT_EQ(result.code, 0) << of << "\n" << result.text;
}

std::string halves(const std::string& shape, int cells, int order) {
  const bool space = shape == "hex" || shape == "tet";
  const std::string of = space ? "volumes" : "surfaces";
  return fmt::format("[mesh]\nbox = {{ min = [0, 0{0}], max = [1, 1{1}], cells = [{3}, {3}{2}], shape = \"{4}\" }}\n",
                     space ? ", 0" : "", space ? ", 1" : "", space ? ", 2" : "", cells, shape) +
         fmt::format(
             "[[group]]\nname = \"lower\"\nof = \"{0}\"\nwhere = \"y < 0.5\"\n[[group]]\nname = \"upper\"\nof = "
             "\"{0}\"\nwhere = \"y > 0.5\"\n",
             of) +
         heat_of(order) + contact("0.01", "[\"lower\", \"upper\"]");
}

TEST(StartWithAJump, IsTheNodesOfTheSameMesh) {
  for (const char* shape : {"triangle", "quad", "tet", "hex"})
    for (const int order : {1, 2, 3}) {
      const std::string name = fmt::format("{}_{}", shape, order), deck = halves(shape, 4, order);
      const fs::path from = start(name, deck + start_of("lower", "upper"));
      // Files have equispaced nodes, quads and hexes of order 3 those of Gauss and Lobatto.
      const bool rounded = order == 3 && std::set<std::string>{"quad", "hex"}.contains(shape);
      expect_same(from, start(name + "_again", deck + start_from(from)), rounded ? 1e-11 : 0, name);
    }
}

TEST(StartWithAJump, IsThatOfEitherSideOnOtherMeshes) {
  const fs::path from = start("coarse", halves("triangle", 4, 1) + start_of("lower", "upper"));
  for (const char* shape : {"triangle", "quad"})
    for (const int order : {1, 2, 3}) {
      const std::string name = fmt::format("other_{}_{}", shape, order), deck = halves(shape, 6, order);
      expect_same(start(name + "_direct", deck + start_of("lower", "upper")), start(name, deck + start_from(from)),
                  1e-12, name);
    }
}

TEST(StartWithAJump, IsThatOfEitherSideOfACrack) {
  const auto deck = [](const char* name, int n, int m) {
    return mesh_file(fmt::format("crack_{}.geo", name), two_rectangles(n, m), "allow_cracks = true\n") + heat_of(2);
  };
  const fs::path from = start("crack_from", deck("from", 3, 5) + start_of("lower", "upper"));
  expect_same(from, start("crack_again", deck("from", 3, 5) + start_from(from)), 0, "the same mesh");
  expect_same(start("crack_direct", deck("to", 4, 7) + start_of("lower", "upper")),
              start("crack_to", deck("to", 4, 7) + start_from(from)), 1e-12, "another mesh");
}

TEST(StartWithAJump, IsTheSameOnSeveralRanks) {
  SKIP_WITHOUT_MPI();
  const fs::path from = start("ranks_from", halves("quad", 6, 2) + start_of("lower", "upper"));
  const std::string deck = halves("triangle", 4, 2) + start_from(from);
  const fs::path one = start("ranks_one", deck);
  for (const int ranks : {2, 3})
    expect_same(one, start(fmt::format("ranks_{}", ranks), deck, "", ranks), 1e-13, "ranks");
}

TEST(StartWithAJump, IsNoCheckpointOfARunWithContacts) {
  const std::string deck = halves("quad", 4, 1);
  const std::string keeps = start_of("lower", "upper") + "[checkpoint]\nevery = 1\n";
  const fs::path from = start("kept", deck + keeps, "--set time.end=2e-3").parent_path();
  expect_refused({"jump_checkpoint",
                  deck + "[time]\nend = 1e-3\nstep = 1e-3\n" + start_from(from),
                  {"that run has contacts", ".vtkhdf", "jump_kept"}});
}

/// A square of two triangles with these coordinates and values.
fs::path grid(const std::string& name, const std::string& points, const std::string& values) {
  const fs::path path = folder() / (name + ".vtu");
  std::ofstream(path)
      << "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
         "byte_order=\"LittleEndian\">\n<UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">"
         "<PointData><DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">"
      << values
      << "</DataArray></PointData><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"
      << points
      << "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 0 2 "
         "3</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3 6</DataArray><DataArray "
         "type=\"UInt8\" Name=\"types\" format=\"ascii\">5 "
         "5</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>\n";
  return path;
}

TEST(StartOfNumbers, IsRefusedWhereTheyAreNone) {
  const std::string body = "[mesh]\nbox = { cells = [3, 3], shape = \"quad\" }\n" + heat_of(1) +
                           "[time]\nend = 1e-3\nstep = 1e-3\n",
                    square = "0 0 0 1 0 0 1 1 0 0 1 0 9 9 0";
  expect_refused({"nan_value",
                  body + start_from(grid("nan_value", square, "1 2 nan 4 5")),
                  {"nan_value.vtu", "'u' is nan at its node 2, at (1, 1, 0)"}});
  expect_refused(
      {"inf_value", body + start_from(grid("inf_value", square, "1 inf 2 4 5")), {"'u' is inf at its node 1"}});
  expect_refused({"nan_place",
                  body + start_from(grid("nan_place", "0 0 0 nan 0 0 1 1 0 0 1 0 9 9 0", "1 2 3 4 5")),
                  {"nan_place.vtu", "its node 1, at (nan, 0, 0)"}});
  // Of a node that no cell has, nothing is taken.
  start("of_no_cell", "[mesh]\nbox = { cells = [3, 3], shape = \"quad\" }\n" + heat_of(1) +
                          start_from(grid("of_no_cell", square, "1 2 3 4 nan ")));
}

TEST(StartOfPieces, IsRefusedWhereTheyAreNoGrids) {
  const fs::path path = folder() / "itself.pvtu";
  std::ofstream(path) << "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid><Piece "
                         "Source=\"itself.pvtu\"/></PUnstructuredGrid></VTKFile>\n";
  const Result result = app_test::tessera(
      "check " + write_deck("itself.toml", "[mesh]\nbox = { cells = [3, 3], shape = \"quad\" }\n" + heat_of(1) +
                                               "[time]\nend = 1e-3\nstep = 1e-3\n" + start_from(path)));
  EXPECT_EQ(result.code, 7) << result.text;
  for (const char* word : {"its piece", "itself.pvtu is no .vtu file", "help: "})
    EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
}

}  // namespace
