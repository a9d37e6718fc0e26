// The program on several ranks, as mpirun starts it, beside the program on one.
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>

#include "app/ranks_as_one.hpp"
#include "output/vtk_reader.hpp"

namespace {

using namespace app_test;

std::string exact_poisson(const std::string& shape, int dim, int cells, int order) {
  const std::string u = dim == 1 ? "sin(3*x)" : dim == 2 ? "sin(3*x)*cos(y)" : "sin(3*x)*cos(y)*(1+z)";
  return box_of(shape, dim, cells) + poisson_of(order) + "[[material]]\ndiffusivity = \"1 + x\"\nreaction = 1\n" +
         dirichlet_on("[\"left\"]", u) + "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = 1\n" +
         "[exact]\nu = \"" + u + "\"\nsource = true\n[solver]\ntolerance = 1e-14\n" +
         "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n"
         "[[quantity]]\nname = \"out\"\nkind = \"flux\"\non = [\"left\"]\n";
}

std::vector<Deck> shapes() {
  std::vector<Deck> all;
  for (const auto& [shape, dim, cells] : {std::tuple{"interval", 1, 40},
                                          {"triangle", 2, 9},
                                          {"quad", 2, 9},
                                          {"tet", 3, 5},
                                          {"hex", 3, 5},
                                          {"prism", 3, 5}})
    for (const int order : {1, 2, 3, 4})
      all.push_back(
          {fmt::format("{}_{}", shape, order), exact_poisson(shape, dim, dim == 3 && order > 2 ? 3 : cells, order)});
  for (const auto& [shape, dim] : {std::pair{"quad", 2}, {"hex", 3}})
    all.push_back({fmt::format("{}_8", shape), exact_poisson(shape, dim, 3, 8)});
  return all;
}

class Ranks : public ::testing::TestWithParam<Deck> {};

TEST_P(Ranks, GiveWhatOneGives) {
  SKIP_WITHOUT_MPI();
  expect_as_one(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Ranks, ::testing::ValuesIn(shapes()), name_of);

/// How a system is assembled, stored and solved.
std::vector<Deck> choices() {
  const std::string tets = exact_poisson("tet", 3, 6, 1), squares = exact_poisson("quad", 2, 9, 2);
  std::vector<Deck> all;
  for (const char* strategy : {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros"})
    all.push_back(
        {std::string("strategy_") + strategy, tets, fmt::format("--set assembly.strategy='\"{}\"'", strategy), {3}});
  all.push_back({"strategy_matrix_free", tets, "--set assembly.strategy='\"matrix_free\"'", {3}});
  for (const char* format : {"crs", "ell", "sliced_ell", "packed_ell", "cmrs"})
    all.push_back({std::string("format_") + format, tets, fmt::format("--set matrix.format='\"{}\"'", format), {3}});
  for (const char* preconditioner : {"none", "jacobi", "chebyshev"})
    all.push_back({std::string("preconditioner_") + preconditioner,
                   tets,
                   fmt::format("--set solver.preconditioner='\"{}\"'", preconditioner),
                   {3}});
  // These see the part of the matrix within a rank: another preconditioner on more ranks.
  for (const char* preconditioner : {"ssor", "multicolour_ssor"})
    all.push_back({std::string("preconditioner_") + preconditioner,
                   tets,
                   fmt::format("--set solver.preconditioner='\"{}\"'", preconditioner),
                   {3},
                   false});
  for (const char* solver : {"minres", "gmres"})
    all.push_back({std::string("solver_") + solver, tets, fmt::format("--set solver.type='\"{}\"'", solver), {3}});
  all.push_back({"solver_bicgstab", tets, "--set solver.type='\"bicgstab\"'", {3}, false});
  all.push_back({"one_reduction", squares, "--set solver.variant='\"single_reduction\"'", {3}, false});
  all.push_back({"mixed", squares, "--set run.precision='\"mixed\"' --set matrix.format='\"crs\"'", {3}, false});
  for (const char* partition : {"metis", "curve"})
    all.push_back(
        {std::string("partition_") + partition, tets, fmt::format("--set mesh.partition='\"{}\"'", partition), {3}});
  all.push_back({"numbered_by_metis", tets, "--set mesh.numbering='\"metis\"'", {3}});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Choices, Ranks, ::testing::ValuesIn(choices()), name_of);

/// Modules and what they can.
std::vector<Deck> problems() {
  const std::string exactly = "[solver]\ntolerance = 1e-14\n";
  const std::string flow = box_of("triangle", 2, 12) +
                           "[physics]\ntype = \"convection_diffusion\"\n[[material]]\ndiffusivity = 0.05\nvelocity = "
                           "[\"1\", \"y\"]\nsource = 1\n" +
                           dirichlet_on("[\"left\", \"right\"]", "y");
  const std::string gmres = "[solver]\ntype = \"gmres\"\ntolerance = 1e-13\n";
  const std::string beam =
      "[[material]]\nyoung = 2\npoisson = 0.3\nbody_force = [\"0\", \"y\", "
      "\"-1\"]\n[[boundary]]\non = [\"left\"]\ntype = \"displacement\"\nvalue = [\"0\", \"0\", "
      "\"0\"]\n[[boundary]]\non = [\"right\"]\ntype = \"traction\"\nvalue = [\"1\", \"0\", \"z\"]\n"
      "[[quantity]]\nname = \"pull\"\nkind = \"reaction\"\nof = \"u_x\"\non = [\"left\"]\n" +
      exactly;
  const std::string elastic = "[physics]\ntype = \"elasticity\"\norder = ";
  const std::string k_of_u = box_of("quad", 2, 8) + poisson_of(2) +
                             "[[material]]\ndiffusivity = \"1 + u^2\"\nsource = 5\n" + dirichlet_on(all_sides(2), "x") +
                             "[newton]\ntolerance = 1e-13\n" + exactly;
  const std::string periodic = box_of("triangle", 2, 10) + poisson_of(2) +
                               "[[material]]\nsource = \"sin(2*pi*x)*cos(2*pi*y)\"\nreaction = 1\n"
                               "[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n"
                               "[[boundary]]\ntype = \"periodic\"\non = [\"bottom\", \"top\"]\n" +
                               exactly;
  // What is true of a part and not of the whole: where a start holds, which shapes there are, what lies on the axis.
  const std::string start =
      "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [20, 10], shape = \"quad\" }\n"
      "[[group]]\nname = \"hot\"\nof = \"surfaces\"\nwhere = \"x > 0.55\"\n" +
      poisson_of(1) + "[[material]]\nsource = \"5 - 0.5*u\"\n" + dirichlet_on("[\"left\", \"right\"]", "0") +
      "[[initial]]\non = [\"hot\"]\nu = 2\n[newton]\ntolerance = 1e-13\n" + exactly +
      "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n";
  const std::string mixed = "[mesh]\nfile = \"" + (source() / "inputs/meshes/mixed.msh").string() + "\"\n" +
                            poisson_of(2) + "[[material]]\nsource = 1\n" + dirichlet_on("[\"left\"]", "0") + exactly;
  const std::string axis =
      "[mesh]\nbox = { min = [0, 0], max = [1, 4], cells = [4, 16], shape = \"quad\" }\naxis = "
      "\"y\"\n" +
      poisson_of(1) + "[[material]]\nsource = 1\n" + dirichlet_on("[\"right\", \"top\"]", "0") +
      "[[boundary]]\non = [\"rest\"]\ntype = \"neumann\"\nvalue = 1\n" + exactly;
  return {
      {"start_on_a_group", start, {}, {2, 4}, false},
      {"mixed_shapes", mixed},
      {"axis", axis, {}, {3, 4}},
      {"single", exact_poisson("tet", 3, 6, 1), "--set run.precision='\"mixed\"'", {2, 3}, false},
      {"convection", flow + gmres},
      {"convection_supg", flow + gmres, "--set physics.discretisation='\"supg\"'"},
      {"convection_upwind", flow + gmres, "--set physics.discretisation='\"upwind\"'"},
      {"elastic_tets", box_of("tet", 3, 4) + elastic + "2\n" + beam},
      {"elastic_blocks", box_of("hex", 3, 4) + elastic + "1\n" + beam,
       "--set solver.preconditioner='\"block_jacobi\"'"},
      {"elastic_matrix_free", box_of("hex", 3, 3) + elastic + "3\n" + beam},
      {"nonlinear", k_of_u, {}, {2, 4}, false},
      {"periodic", periodic},
  };
}
INSTANTIATE_TEST_SUITE_P(Problems, Ranks, ::testing::ValuesIn(problems()), name_of);

/// u at the points of a file.
std::map<std::array<double, 3>, double> values_at_points(const fs::path& file) {
  const tessera::output::VtuFile grid = tessera::output::read_vtu(file);
  const auto u = std::find_if(grid.point_fields.begin(), grid.point_fields.end(),
                              [](const tessera::output::Field& field) { return field.name == "u"; });
  std::map<std::array<double, 3>, double> result;
  for (std::size_t p = 0; p < grid.points.size() / 3; ++p)
    result[{grid.points[3 * p], grid.points[3 * p + 1], grid.points[3 * p + 2]}] = u->values[p];
  return result;
}

/// Pieces together are the solution of one rank, and what is asked of it is the same.
void expect_pieces_as_one(const std::string& name, const std::string& deck, const std::string& options) {
  const nlohmann::json one = run_on(1, name, deck), many = run_on(4, name, deck, options);
  ASSERT_FALSE(one.is_discarded() || many.is_discarded());
  for (const char* of : {"mesh", "space"})
    for (const char* key : {"nodes", "cells", "facets", "groups", "dofs"})
      if (one[of].contains(key)) {
        EXPECT_EQ(many[of][key], one[of][key]) << key;
      }
  for (const auto& [key, value] : one["quantities"].items())
    EXPECT_NEAR(many["quantities"][key], double(value), 1e-10 * (1 + std::abs(double(value)))) << key;
  for (const auto& [key, value] : one["balance"]["groups"].items())
    EXPECT_NEAR(many["balance"]["groups"][key], double(value), 1e-10) << key;
  for (const char* norm : {"l2", "h1", "max"})
    EXPECT_NEAR(many["errors"]["u"][norm], double(one["errors"]["u"][norm]), 1e-10) << norm;
  const auto whole = values_at_points(out_of(name, 1) / "solution.vtu");
  std::map<std::array<double, 3>, double> pieces;
  std::size_t cells = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const fs::path piece = out_of(name, 4) / fmt::format("solution_{}.vtu", rank);
    pieces.merge(values_at_points(piece));
    cells += tessera::output::read_vtu(piece).types.size();
  }
  EXPECT_EQ(cells, std::size_t(one["mesh"]["cells"]));
  ASSERT_EQ(pieces.size(), whole.size());
  for (const auto& [point, value] : whole) {
    ASSERT_TRUE(pieces.contains(point));
    EXPECT_NEAR(pieces[point], value, 1e-11);
  }
  EXPECT_NE(many["files"].dump().find("solution_3.vtu"), std::string::npos) << many["files"].dump();
  EXPECT_TRUE(fs::exists(out_of(name, 4) / "solution.pvtu"));
}

TEST(RanksRun, WritesPieces) {
  SKIP_WITHOUT_MPI();
  expect_pieces_as_one("pieces", exact_poisson("triangle", 2, 9, 2), "--set output.formats='[\"pvtu\"]'");
}

TEST(RanksRun, MakesABoxInParts) {
  SKIP_WITHOUT_MPI();
  std::string bar = exact_poisson("interval", 1, 40, 2);  // from 0 to 1, without a word
  const std::string max = "max = [1], ";
  bar.erase(bar.find(max), max.size());
  expect_pieces_as_one("parts_interval", bar, "--set mesh.partition='\"bricks\"'");
  expect_pieces_as_one("parts_quad", exact_poisson("quad", 2, 9, 3), "--set mesh.partition='\"bricks\"'");
  expect_pieces_as_one("parts_tet", exact_poisson("tet", 3, 5, 2), "--set mesh.partition='\"bricks\"'");
}

TEST(RanksRun, IsTheSameToTheLastBitTenTimes) {
  SKIP_WITHOUT_MPI();
  const std::string deck = exact_poisson("tet", 3, 6, 2);
  std::string first, history;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const nlohmann::json summary = run_on(3, "repeated", deck, repeat % 2 ? "--threads 2" : "--threads 1");
    const std::string bytes = bytes_of(out_of("repeated", 3) / "solution.vtu");
    ASSERT_FALSE(bytes.empty());
    if (repeat == 0) first = bytes, history = summary["solver"]["history"].dump();
    EXPECT_EQ(bytes, first) << "repeat " << repeat;
    EXPECT_EQ(summary["solver"]["history"].dump(), history) << "repeat " << repeat;
  }
}

/// Occurrences of a part in a text.
int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct Refused {
  const char* name;
  int ranks;
  std::string deck, options;
  int code;
  std::vector<std::string> parts;
};
void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.name; }
class RanksRefuse : public ::testing::TestWithParam<Refused> {};

TEST_P(RanksRefuse, OnceWithTheWayOut) {
  SKIP_WITHOUT_MPI();
  const Refused& wrong = GetParam();
  const bool elsewhere = wrong.options.starts_with("--output");
  const Result result = on_ranks(wrong.ranks, "run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                                  " --quiet --backend threads " + wrong.options +
                                                  (elsewhere ? "" : " --output " + (folder() / wrong.name).string()));
  EXPECT_EQ(result.code, wrong.code) << result.text;
  for (const std::string& part : wrong.parts) EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
  EXPECT_EQ(count(result.text, "error: "), 1) << result.text;
  EXPECT_EQ(count(result.text, "help: "), 1) << result.text;
}

std::vector<Refused> refused() {
  const std::string good = exact_poisson("triangle", 2, 6, 1);
  std::string negative = box_of("triangle", 2, 8) + poisson_of(1) + "[[material]]\ndiffusivity = \"0.9 - x\"\n" +
                         dirichlet_on(all_sides(2), "0");
  return {
      {"unknown_key", 3, good + "[outputs]\n", "", 2, {"outputs"}},
      {"direct", 2, good, "--set solver.type='\"direct\"'", 2, {"direct", "one rank"}},
      {"grid", 2, good, "--set solver.type='\"bcr\"'", 2, {"one rank"}},
      {"bricks_of_groups",
       2,
       good + "[[group]]\nname = \"half\"\nof = \"surfaces\"\nwhere = \"x > 0.5\"\n",
       "--set mesh.partition='\"bricks\"'",
       2,
       {"bricks", "[[group]]", "auto"}},
      {"bricks_as_a_table",
       2,
       good,
       "--set mesh.partition='\"bricks\"' --set output.formats='[\"csv\"]'",
       2,
       {"bricks", "csv"}},
      {"too_many_ranks", 5, exact_poisson("triangle", 2, 1, 1), "", 2, {"ranks", "fewer"}},
      {"ranks_of_one_cell", 5, exact_poisson("quad", 2, 1, 1), "", 2, {"5 ranks", "the mesh of 1 cell has"}},
      {"no_such_mesh",
       2,
       "[mesh]\nfile = \"nowhere.msh\"\n" + poisson_of(1) + dirichlet_on("[\"a\"]", "0"),
       "",
       7,
       {"nowhere.msh"}},
      {"negative_somewhere", 2, negative, "", 2, {"is not positive"}},
      {"not_converged", 2, good, "--set solver.max_iterations=3", 4, {"after 3 iterations"}},
      {"command_line", 2, good, "--threads many", 2, {"--threads"}},
      {"no_folder", 2, good, "--output /proc/none", 7, {"/proc/none"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, RanksRefuse, ::testing::ValuesIn(refused()),
                         [](const auto& info) { return info.param.name; });

TEST(RanksRun, RefusesDecksThatDiffer) {
  SKIP_WITHOUT_MPI();
  const std::string a = write_deck("differs_a.toml", exact_poisson("triangle", 2, 6, 1));
  const std::string b = write_deck("differs_b.toml", exact_poisson("triangle", 2, 7, 1));
  const auto both = [&](const std::string& first, const std::string& second) {
    const auto rank = [](const std::string& deck) {
      return fmt::format("-n 1 {} run {} --quiet --backend threads --output {}", program(), deck,
                         (folder() / "differs").string());
    };
    return shell(mpirun + rank(first) + " : " + rank(second));
  };
  const Result differ = both(a, b), missing = both(a, "nowhere.toml");
  EXPECT_EQ(differ.code, 2) << differ.text;
  EXPECT_TRUE(differ.says("rank 1 of 2 has another deck")) << differ.text;
  EXPECT_EQ(missing.code, 7) << missing.text;
  EXPECT_TRUE(missing.says("rank 1 of 2")) << missing.text;
  EXPECT_TRUE(missing.says("nowhere.toml")) << missing.text;
}

/// The version that the program says of itself.
std::string version() {
  const std::string text = app_test::tessera("--version").text;
  return text.substr(text.find(' ') + 1, text.find('\n') - text.find(' ') - 1);
}

/// The program with another version in it, beside what it looks for in its folder.
std::string program_of_another_version() {
  const fs::path own = fs::canonical(program()), copy = folder() / "another" / "tessera";
  fs::create_directories(copy.parent_path());
  std::ifstream file(own, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {}), old = version() + '\0', other = old;
  char& last = other[other.size() - 2];
  last = last == '9' ? '8' : '9';
  for (std::size_t at = bytes.find(old); at != std::string::npos; at = bytes.find(old, at))
    bytes.replace(at, old.size(), other);
  std::ofstream(copy, std::ios::binary) << bytes;
  fs::permissions(copy, fs::perms::owner_all);
  const std::string mpi = "libtessera_mpi.so";
  fs::remove(copy.parent_path() / mpi);
  fs::create_symlink(own.parent_path() / mpi, copy.parent_path() / mpi);
  return copy.string();
}

TEST(RanksRun, RefusesRanksOfAnotherVersion) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("versions.toml", exact_poisson("triangle", 2, 6, 1));
  const auto rank = [&](const std::string& of) {
    return fmt::format("-n 1 {} run {} --quiet --backend threads --output {}", of, deck,
                       (folder() / "versions").string());
  };
  const Result result = shell(mpirun + rank(program()) + " : " + rank(program_of_another_version()));
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("rank 1 of 2 is tessera ")) << result.text;
  EXPECT_TRUE(result.says("rank 0 is tessera " + version() + "\n")) << result.text;
}

TEST(RanksRun, EndsWhenARankIsKilled) {
  SKIP_WITHOUT_MPI();
  // Iterates without an end in sight.
  const std::string deck = exact_poisson("tet", 3, 20, 2);
  const fs::path out = folder() / "killed";
  const std::string kill_one =
      "( for i in $(seq 600); do sleep 0.1; for p in $(pgrep -f 'run " + folder().string() +
      "/endless.toml'); do"
      " grep -qz 'OMPI_COMM_WORLD_RANK=1' /proc/$p/environ 2>/dev/null && grep -q threads /proc/$p/cmdline &&"
      " [ -e " +
      (out / "started").string() + " ] && kill -9 $p && exit; done; done ) & ";
  const std::string run = mpirun + "-n 2 " + program() + " run " + write_deck("endless.toml", deck) +
                          " --backend threads --set solver.tolerance=1e-30 --set solver.absolute_tolerance=0"
                          " --set solver.max_iterations=100000000 --output " +
                          out.string();
  fs::create_directories(out);
  std::ofstream(out / "started") << "";
  const Result result = shell("{ " + kill_one + run + "; code=$?; wait; exit $code; }");
  EXPECT_NE(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("signal 9")) << result.text;
}

TEST(RanksVerify, ComparesWhatIsAtHand) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("verified.toml", exact_poisson("triangle", 2, 6, 2));
  const Result same = app_test::tessera("verify " + deck + " --ranks 3 --set run.threads=1");
  EXPECT_EQ(same.code, 0) << same.text;
  for (const char* way : {"threads, 2 ranks", "threads, 3 ranks", "agrees"}) EXPECT_TRUE(same.says(way)) << same.text;
  const Result in_pieces = app_test::tessera("verify " + deck +
                                             " --ranks 3 --set mesh.partition='\"bricks\"'"
                                             " --set output.formats='[\"pvtu\"]'");
  EXPECT_EQ(in_pieces.code, 0) << in_pieces.text;
  EXPECT_TRUE(in_pieces.says("agrees")) << in_pieces.text;
  const Result apart = app_test::tessera("verify " + deck + " --ranks 2 --rtol 0 --atol 0 --set solver.tolerance=1e-4");
  EXPECT_EQ(apart.code, 6) << apart.text;
  EXPECT_TRUE(apart.says("DIFFERS")) << apart.text;
  const Result wrong =
      app_test::tessera("verify " + deck + " --set solver.max_iterations=2 --set solver.tolerance=1e-12");
  EXPECT_EQ(wrong.code, 4) << wrong.text;
  EXPECT_TRUE(wrong.says("the deck does not run")) << wrong.text;
  EXPECT_EQ(app_test::tessera("verify " + write_deck("typo.toml", "[mash]\n")).code, 2);
}

}  // namespace
