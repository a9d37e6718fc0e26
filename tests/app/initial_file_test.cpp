// [[initial]] with a file: states of other runs as starts, run as a user does.
#include <set>

#include "app/ranks.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

std::string box(const std::string& shape, int dim, int cells, double max = 1) {
  std::string count, most;
  for (int d = 0; d < dim; ++d)
    count += fmt::format("{}{}", d ? ", " : "", cells), most += fmt::format("{}{}", d ? ", " : "", max);
  return fmt::format("[mesh]\nbox = {{ max = [{}], cells = [{}], shape = \"{}\" }}\n", most, count, shape);
}

const std::string one_step = "[time]\nend = 1e-3\nstep = 1e-3\n";
std::string start(const std::string& what) { return "[[initial]]\n" + what + "\n"; }
std::string expression(const std::string& u) { return start("u = \"" + u + "\""); }
std::string in_quotes(const fs::path& path) { return "\"" + path.string() + "\""; }
std::string file(const fs::path& path, const std::string& more = "") {
  return start("file = " + in_quotes(path) + "\n" + more);
}

/// Runs a deck on threads and returns its folder.
fs::path run(const std::string& name, const std::string& deck, const std::string& options = "", int ranks = 1) {
  const fs::path out = folder() / ("initial_" + name);
  const std::string arguments = "run " + write_deck("initial_" + name + ".toml", deck) +
                                " --quiet --backend threads --output " + out.string() + " " + options;
  const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
  EXPECT_EQ(result.code, 0) << name << "\n" << result.text;
  return out;
}
fs::path heat(const std::string& name, const std::string& mesh, int order, const std::string& initial,
              const std::string& options = "", int ranks = 1) {
  return run(name, mesh + heat_of(order) + one_step + initial, options, ranks);
}
fs::path first(const fs::path& out) { return out / "solution_000000.vtu"; }

void expect_same(const fs::path& a, const fs::path& b, double tolerance, const std::string& of) {
  const Result result =
      app_test::tessera(fmt::format("compare {} {} --rtol 0 --atol {}", a.string(), b.string(), tolerance));
  EXPECT_EQ(result.code, 0) << of << "\n" << result.text;
}

struct Cells {
  const char* shape;
  int dim, order;
};
void PrintTo(const Cells& cells, std::ostream* stream) { *stream << cells.shape << " " << cells.order; }
class Starts : public ::testing::TestWithParam<Cells> {};

/// A state on the same mesh comes back bit by bit where files and elements have the same nodes, and to rounding else.
TEST_P(Starts, AreTheNodesOfTheSameMesh) {
  const auto [shape, dim, order] = GetParam();
  const std::string name = fmt::format("same_{}{}", shape, order), mesh = box(shape, dim, 3);
  const std::string u = dim == 1 ? "exp(x)*sin(3*x)" : dim == 2 ? "exp(x)*sin(3*x + y)" : "exp(x)*sin(3*x + y - 2*z)";
  const fs::path from = heat(name, mesh, order, expression(u));
  const bool of_lines = std::set<std::string>{"interval", "quad", "hex"}.contains(shape);
  expect_same(first(from), first(heat(name + "_again", mesh, order, file(first(from)))),
              order > 2 && of_lines ? 1e-11 : 0, name);
}

/// A checkpoint has the values at the nodes of the elements, its file those of the same state elsewhere.
TEST_P(Starts, OfACheckpointAreThoseOfItsFile) {
  const auto [shape, dim, order] = GetParam();
  const std::string name = fmt::format("kept_{}{}", shape, order);
  const std::string u = dim == 1 ? "exp(x)*sin(3*x)" : dim == 2 ? "exp(x)*sin(3*x + y)" : "exp(x)*sin(3*x + y - 2*z)";
  const fs::path from = heat(name, box(shape, dim, 2), order,
                             expression(u) + "[checkpoint]\nevery = 1\n[output]\nevery = 1\n", "--set time.end=2e-3");
  for (const int cells : {2, 3}) {
    const auto start_of = [&](const char* state) {
      return first(heat(fmt::format("{}_{}", name, fs::path(state).stem().string()), box(shape, dim, cells), order,
                        file(from / state)));
    };
    expect_same(start_of("checkpoint_000000001.tsr"), start_of("solution_000001.vtu"), 1e-10, name);
  }
}

/// A polynomial that the elements of a file have is that at the points of any other mesh.
TEST_P(Starts, ArePolynomialsOnOtherMeshes) {
  const auto [shape, dim, order] = GetParam();
  const std::string u = dim == 1   ? fmt::format("1 + x - 2*x^{}", order)
                        : dim == 2 ? fmt::format("2 - x + 3*x^{0} - (x - 2*y)^{0}", order)
                                   : fmt::format("2 - x + 3*x^{0} - (x - 2*y + z)^{0}", order);
  const std::string name = fmt::format("other_{}{}", shape, order);
  const fs::path from = heat(name, box(shape, dim, 3), order, expression(u));
  const std::string mesh = box(dim == 1 ? "interval" : dim == 2 ? "triangle" : "tet", dim, dim == 3 ? 4 : 7);
  for (const int other : {1, 3})
    expect_same(first(heat(name + "_to", mesh, other, file(first(from)))),
                first(heat(name + "_direct", mesh, other, expression(u))), 1e-12, name);
}

INSTANTIATE_TEST_SUITE_P(OfAllShapes, Starts,
                         ::testing::Values(Cells{"interval", 1, 1}, Cells{"interval", 1, 4}, Cells{"triangle", 2, 1},
                                           Cells{"triangle", 2, 2}, Cells{"triangle", 2, 4}, Cells{"quad", 2, 1},
                                           Cells{"quad", 2, 3}, Cells{"tet", 3, 1}, Cells{"tet", 3, 2},
                                           Cells{"tet", 3, 4}, Cells{"hex", 3, 1}, Cells{"hex", 3, 2},
                                           Cells{"hex", 3, 3}, Cells{"prism", 3, 1}, Cells{"prism", 3, 2},
                                           Cells{"prism", 3, 3}),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.shape, info.param.order); });

/// Above order 4 files have values at equispaced points, and elements do not.
TEST(Start, OfHighOrderIsThePolynomialOfTheFile) {
  const std::string u = "x^6 - 3*x^2*y^4 + y";
  const fs::path from =
      run("sixth", box("quad", 2, 2) + poisson_of(6) + dirichlet_on(all_sides(2), u) + "[exact]\nu = \"" + u +
                       "\"\nsource = true\n[assembly]\nstrategy = \"matrix_free\"\n" + to_rounding + "type = \"cg\"\n");
  const fs::path out = heat("sixth_to", box("triangle", 2, 5), 2, file(from / "solution.vtu"));
  expect_same(first(out), first(heat("sixth_direct", box("triangle", 2, 5), 2, expression(u))), 1e-10, "order 6");
}

/// u = x + t, exact at all times, at the states of 0, 0.5 and 1.
std::string growing(const std::string& more = "") {
  return box("triangle", 2, 3) + heat_of(1) + "[[material]]\nsource = \"1\"\n" + dirichlet_on(all_sides(2), "x + t") +
         expression("x") + "[time]\nend = 1\nstep = 0.125\nscheme = \"backward_euler\"\n" + to_rounding +
         "[checkpoint]\nevery = 4\n" + more;
}

TEST(Start, IsAnyStateOfASeriesAndTheLastOneByDefault) {
  const fs::path from = run("series", growing("[output]\nevery = 4\nformats = [\"vtu\", \"vtkhdf\"]\n"));
  const std::string mesh = box("quad", 2, 4);
  const auto direct = [&](const std::string& u) { return first(heat("series_direct", mesh, 1, expression(u))); };
  for (const char* series : {"solution.pvd", "solution.vtkhdf"}) {
    const auto to = [&](const std::string& more) {
      return first(heat("series_to", mesh, 1, file(from / series, more)));
    };
    expect_same(to(""), direct("x + 1"), 1e-12, series);
    expect_same(to("time = 0.5"), direct("x + 0.5"), 1e-12, series);
    expect_same(to("time = 0"), direct("x"), 1e-12, series);
    expect_same(to("time = 0.6"), direct("x + 0.5"), 1e-12, series);
  }
}

/// The mesh of a checkpoint is that of the deck in it.
TEST(Start, IsACheckpointOfAnotherRun) {
  const fs::path from = run("kept", growing("[output]\nevery = 4\n"));
  const std::string mesh = box("quad", 2, 4);
  const fs::path direct = heat("kept_direct", mesh, 1, expression("x + 0.5"));
  expect_same(first(heat("kept_folder", mesh, 1, file(from))), first(direct), 1e-12, "a folder");
  expect_same(first(heat("kept_file", mesh, 1, file(from / "checkpoint_000000004.tsr"))), first(direct), 1e-12,
              "a file");
  const fs::path same = heat("kept_same", box("triangle", 2, 3), 1, file(from));
  expect_same(first(same), from / "solution_000004.vtu", 0, "the same mesh");
}

TEST(Start, IsTakenInTheGroupsThatTheDeckNames) {
  const std::string groups = "[[group]]\nname = \"left half\"\nof = \"surfaces\"\nwhere = \"x < 0.5\"\n";
  const fs::path from = heat("half_from", box("triangle", 2, 4), 1, expression("x*y"));
  const std::string mesh = box("quad", 2, 4) + groups;
  const fs::path out = heat("half", mesh, 1, expression("3") + file(first(from), "on = \"left half\""));
  const fs::path direct = heat("half_direct", mesh, 1, expression("3") + start("u = \"x*y\"\non = \"left half\""));
  expect_same(first(out), first(direct), 1e-12, "on");
}

/// Boundaries of two meshes of a body differ by a little; more than a tenth of a cell is a matter of the deck.
TEST(Start, OutsideOfTheMeshOfTheFileIsThatOfTheNearestPlace) {
  const fs::path from = heat("outside_from", box("triangle", 2, 4), 2, expression("x + y^2"));
  const auto values = [&](double max, const std::string& more) {
    return first(heat("outside", box("quad", 2, 5, max), 1, file(first(from), more)));
  };
  const auto direct = [&](double max) {
    return first(heat("outside_direct", box("quad", 2, 5, max), 1, expression("min(x, 1) + min(y, 1)^2")));
  };
  expect_same(values(1.01, ""), direct(1.01), 1e-12, "near");
  expect_same(values(3, "outside = \"nearest\""), direct(3), 1e-12, "far");
}

/// A disk of order 2 within one of straight sides, and the reverse: the values are those of the map of each.
TEST(Start, IsInterpolatedBetweenMeshesOfACurvedBody) {
  const std::string curved = "[mesh]\nfile = \"" + source().string() + "/inputs/meshes/disk_order2.msh\"\n";
  const fs::path from = heat("disk_from", curved, 2, expression("2*x - y"));
  for (const int order : {1, 2, 3})
    expect_same(first(heat("disk_to", curved, order, file(first(from)))),
                first(heat("disk_direct", curved, order, expression("2*x - y"))), 1e-12, "disk");
}

TEST(Start, HasFieldsUnderOtherNames) {
  const fs::path from = heat("names_from", box("triangle", 2, 3), 2, expression("1 + x*y"));
  const auto deck = [&](const std::string& initial) {
    return box("triangle", 2, 3) +
           "[physics]\ntype = \"reaction_diffusion\"\nreaction = \"mechanism\"\norder = 2\n[reaction]\ntable = " +
           in_quotes(write_deck("names.txt", "A -> B, 2\n")) + "\n[[material]]\ndiffusion = [1, 1]\n" + one_step +
           initial;
  };
  const fs::path out = run("names", deck(file(first(from), "field = \"u\"\nB = \"x\"")));
  const fs::path direct = run("names_direct", deck(start("A = \"1 + x*y\"\nB = \"x\"")));
  expect_same(first(out), first(direct), 1e-14, "one of two");
  const fs::path both = run("names_both", deck(file(first(direct))));
  expect_same(first(both), first(direct), 0, "both by their names");
  const fs::path swapped = run("names_swapped", deck(file(first(direct), "field = [\"B\", \"A\"]")));
  expect_same(first(swapped), first(run("names_other", deck(start("A = \"x\"\nB = \"1 + x*y\"")))), 1e-14, "swapped");
}

/// Where Newton's method starts, and vectors of the files of other runs.
TEST(Start, IsOfASteadyProblemToo) {
  const std::string deck = box("triangle", 2, 4) + poisson_of(2) +
                           "[[material]]\ndiffusivity = \"1 + u^2\"\nsource = 1\n" + dirichlet_on(all_sides(2), "x");
  const fs::path solved = run("steady_from", deck);
  const nlohmann::json again = summary_in(run("steady", deck + file(solved / "solution.vtu")));
  EXPECT_LE(int(again["newton"]["iterations"]), 1);
  const std::string elastic =
      box("triangle", 2, 4) +
      "[physics]\ntype = \"elasticity\"\n[[material]]\nyoung = 1\npoisson = 0.3\nbody_force = [1, "
      "2]\n[[boundary]]\non = \"left\"\ntype = \"displacement\"\nvalue = [0, 0]\n[solver]\n"
      "type = \"cg\"\ntolerance = 1e-8\n";
  const fs::path bent = run("elastic_from", elastic);
  const nlohmann::json straight = summary_in(bent);
  const nlohmann::json from_file = summary_in(run("elastic", elastic + file(bent / "solution.vtu")));
  EXPECT_GT(int(straight["solver"]["iterations"]), 3);
  EXPECT_LE(int(from_file["solver"]["iterations"]), 1);
}

TEST(Start, GoesOnWithoutItsFileWhereTheRunIsRestarted) {
  const fs::path from = heat("gone_from", box("triangle", 2, 3), 1, expression("x"));
  fs::copy_file(first(from), folder() / "gone.vtu", fs::copy_options::overwrite_existing);
  const std::string deck = box("triangle", 2, 3) + heat_of(1) +
                           "[time]\nend = 1e-3\nstep = 1e-4\n[checkpoint]\nevery = 3\n" + file(folder() / "gone.vtu");
  const fs::path whole = run("gone_whole", deck), half = run("gone_half", deck, "--set time.end=5e-4");
  fs::remove(folder() / "gone.vtu");
  const Result result = app_test::tessera("restart " + half.string() + " --quiet --set time.end=1e-3");
  EXPECT_EQ(result.code, 0) << result.text;
  expect_same(whole / "solution_000010.vtu", half / "solution_000010.vtu", 0, "restart");
}

TEST(Start, IsTheSameOnSeveralRanks) {
  SKIP_WITHOUT_MPI();
  const fs::path from =
      heat("ranks_from", box("quad", 2, 5), 3, expression("sin(3*x)*cos(2*y)"), "--set output.formats='[\"pvtu\"]'", 2);
  ASSERT_TRUE(fs::exists(from / "solution_000000.pvtu"));
  const std::string mesh = box("triangle", 2, 6);
  const fs::path one = heat("ranks_one", mesh, 2, file(from / "solution_000000.pvtu"));
  for (const int ranks : {2, 4}) {
    const fs::path many = heat(fmt::format("ranks_{}", ranks), mesh, 2, file(from / "solution_000000.pvtu"), "", ranks);
    expect_same(first(one), first(many), 1e-13, fmt::format("{} ranks", ranks));
  }
  const fs::path kept = run("ranks_kept", growing());
  const fs::path alone = heat("ranks_of_kept", mesh, 1, file(kept));
  expect_same(first(alone), first(heat("ranks_of_kept_2", mesh, 1, file(kept), "", 2)), 1e-13, "a checkpoint");
}

/// Files that there are, made once.
const fs::path& state() {
  static const fs::path path = first(heat("wrong_from", box("triangle", 2, 3), 1, expression("x")));
  return path;
}
const fs::path& cells_alone() {
  static const fs::path path = [] {
    const fs::path made = folder() / "cells.vtu";
    std::ofstream(made)
        << "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
           "byte_order=\"LittleEndian\">\n<UnstructuredGrid><Piece NumberOfPoints=\"3\" "
           "NumberOfCells=\"1\"><CellData><DataArray type=\"Float64\" Name=\"u\" "
           "format=\"ascii\">7</DataArray></CellData><Points><DataArray type=\"Float64\" "
           "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 2 0 0 0 2 0</DataArray></Points><Cells>"
           "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray><DataArray "
           "type=\"Int64\" Name=\"offsets\" format=\"ascii\">3</DataArray><DataArray type=\"UInt8\" "
           "Name=\"types\" format=\"ascii\">5</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>\n";
    return made;
  }();
  return path;
}

/// Decks name files that are made when a test asks for them.
const std::string a_state = "<state>", a_series = "<series>", a_file_of_cells = "<cells>";

class StartRefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(StartRefuses, WithAWayOut) {
  Wrong wrong = GetParam();
  const auto replace = [&](const std::string& name, const fs::path& (*made)(), const char* beside) {
    if (const std::size_t at = wrong.deck.find(name); at != std::string::npos)
      wrong.deck.replace(at, name.size(), *beside ? (made().parent_path() / beside).string() : made().string());
  };
  replace(a_state, state, "");
  replace(a_series, state, "solution.pvd");
  replace(a_file_of_cells, cells_alone, "");
  expect_refused(wrong);
}

std::vector<Wrong> wrong_decks() {
  const std::string body = box("triangle", 2, 3) + heat_of(1) + one_step;
  const std::string solid = box("tet", 3, 2) + heat_of(1) + one_step;
  return {
      {"start_neither", body + start("on = \"domain\""), {"needs the key 'u'", "file"}},
      {"start_both", body + file(a_state, "u = \"1\""), {"a value of 'u' and a file"}},
      {"start_time_alone", body + start("u = \"1\"\ntime = 3"), {"`time` without `file`"}},
      {"start_field_missing",
       body + file(a_state, "field = \"v\""),
       {"no field 'v' at its points", "did you mean 'u'?"}},
      {"start_too_many_names", body + file(a_state, "field = [\"u\", \"v\"]"), {"2 names in `field`", "gives 1"}},
      {"start_components", body + file(a_state, "field = \"flux\""), {"'flux' has 3 components", "u has 1"}},
      {"start_of_cells", body + file(a_file_of_cells), {"one value a cell", "Cell Data to Point Data"}},
      {"start_dimension", solid + file(a_state), {"2 dimensions", "this run has 3"}},
      {"start_time_of_one", body + file(a_state, "time = 1"), {"holds one state", "leave `time` out"}},
      {"start_time_outside", body + file(a_series, "time = 2"), {"t = 2 is outside", "from 0 to 0.001"}},
      {"start_outside",
       box("quad", 2, 4, 2) + heat_of(1) + one_step + file(a_state),
       {"(2, 2) is outside of the mesh", "1.41421 from its nearest place, (1, 1)", "outside = \"nearest\""}},
      {"start_unknown_choice", body + file(a_state, "outside = \"zero\""), {"zero", "nearest"}},
      {"start_direct",
       box("triangle", 2, 3) + poisson_of(1) + dirichlet_on("[\"left\"]", "0") + "[solver]\ntype = \"direct\"\n" +
           file(a_state),
       {"[[initial]]"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, StartRefuses, ::testing::ValuesIn(wrong_decks()),
                         [](const auto& info) { return std::string(info.param.name); });

/// Faults of files end with their own code.
TEST(StartFile, IsRefusedWhereItIsNone) {
  const std::string body = box("triangle", 2, 3) + heat_of(1) + one_step;
  const fs::path empty = folder() / "empty_folder";
  fs::create_directories(empty);
  std::ofstream(folder() / "words.vtu") << "no grid\n";
  std::ofstream(folder() / "words.tsr") << "no checkpoint\n";
  std::ofstream(folder() / "words.csv") << "x, u\n";
  for (const auto& [path, part] : {std::pair<fs::path, const char*>{folder() / "not_there.vtu", "there is no file"},
                                   {folder() / "words.vtu", "not a VTK XML file"},
                                   {folder() / "words.tsr", "it is no checkpoint"},
                                   {folder() / "words.csv", "not that of a state"},
                                   {empty, "a folder without checkpoints"}}) {
    const Result result = app_test::tessera("check " + write_deck("no_state.toml", body + file(path)));
    EXPECT_EQ(result.code, 7) << result.text;
    for (const char* word : {part, "[[initial]]", "no_state.toml:", "help: "})
      EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
  }
}

/// The mesh of a checkpoint may be gone.
TEST(StartFile, OfACheckpointWhoseMeshIsGoneIsRefused) {
  const fs::path mesh = folder() / "going.vtu";
  fs::copy_file(state(), mesh, fs::copy_options::overwrite_existing);
  const fs::path from =
      run("going", "[mesh]\nfile = " + in_quotes(mesh) + "\n" + heat_of(1) + one_step + "[checkpoint]\nevery = 1\n",
          "--set time.end=2e-3");
  ASSERT_TRUE(fs::exists(from / "checkpoint_000000001.tsr"));
  fs::remove(mesh);
  const Result result = app_test::tessera(
      "check " + write_deck("going_on.toml", box("triangle", 2, 3) + heat_of(1) + one_step + file(from)));
  EXPECT_EQ(result.code, 7) << result.text;
  for (const char* word : {"holds no mesh", "going.vtu", ".vtkhdf"})
    EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
}

}  // namespace
