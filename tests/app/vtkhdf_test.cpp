// Runs whose states are one HDF5 file, and what their thread that writes finds wrong.
#include <algorithm>
#include <cmath>

#include "app/child.hpp"
#include "app/nonlinear.hpp"
#include "app/ranks.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/files.hpp"
#include "output/series.hpp"
#include "output/vtkhdf.hpp"

namespace {

using namespace app_test;
namespace output = ::tessera::output;

class VtkhdfRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (output::hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
};

std::string deck_of(const std::string& shape = "triangle", int dim = 2, int cells = 6, int order = 1) {
  return box_of(shape, dim, cells) +
         fmt::format("[physics]\ntype = \"heat\"\norder = {}\n[[material]]\nsource = \"x*sin(t)\"\n", order) +
         dirichlet_on("[\"left\"]", "sin(9*t)") +
         "[[initial]]\nu = \"x*y\"\n[time]\nend = 0.1\nstep = 0.002\n[output]\nevery = 7\n"
         "formats = [\"vtu\", \"vtkhdf\"]\n[checkpoint]\nevery = 5\n";
}

Result run_into(const std::string& deck, const fs::path& out, const std::string& options = "") {
  return app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string() + options);
}

const output::Field* find(const std::vector<output::Field>& fields, const std::string& name) {
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
  return at == fields.end() ? nullptr : &*at;
}

void expect_same_fields(const std::vector<output::Field>& a, const std::vector<output::Field>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const output::Field& field : a) {
    const output::Field* const other = find(b, field.name);
    ASSERT_NE(other, nullptr) << field.name;
    EXPECT_EQ(other->values, field.values) << field.name;
    EXPECT_EQ(other->components, field.components) << field.name;
    EXPECT_EQ(other->integer, field.integer) << field.name;
  }
}

void expect_same_state(const output::VtuFile& a, const output::VtuFile& b) {
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.types, b.types);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.connectivity, b.connectivity);
  expect_same_fields(a.point_fields, b.point_fields);
  expect_same_fields(a.cell_fields, b.cell_fields);
}

/// The series in the HDF5 file is that of the .vtu files, bit by bit.
void expect_series(const fs::path& out, std::size_t states) {
  const std::vector<output::PvdEntry> frames = output::read_pvd(out / "solution.pvd");
  ASSERT_EQ(frames.size(), states);
  const std::vector<double> times = output::read_vtkhdf(out / "solution.vtkhdf").times;
  ASSERT_EQ(times.size(), states);
  for (std::size_t i = 0; i < states; ++i) {
    EXPECT_EQ(times[i], frames[i].time);
    expect_same_state(output::read_vtkhdf(out / "solution.vtkhdf", i).state, output::read_vtu(frames[i].file));
  }
}

struct Case {
  const char* shape;
  int dim, order;
};
class VtkhdfOf : public ::testing::TestWithParam<Case> {
  void SetUp() override {
    if (output::hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
};

TEST_P(VtkhdfOf, ASeriesIsThatOfTheVtuFiles) {
  const auto& [shape, dim, order] = GetParam();
  const std::string name = fmt::format("hdf_{}{}", shape, order);
  const std::string deck = write_deck(name + ".toml", deck_of(shape, dim, dim == 3 ? 2 : 5, order));
  const Result result = run_into(deck, folder() / name);
  ASSERT_EQ(result.code, 0) << result.text;
  expect_series(folder() / name, 9);  // 0, 7, ..., 49 and 50
}

INSTANTIATE_TEST_SUITE_P(Cells, VtkhdfOf,
                         ::testing::Values(Case{"triangle", 2, 1}, Case{"quad", 2, 2}, Case{"triangle", 2, 3},
                                           Case{"triangle", 2, 4}, Case{"hex", 3, 2}, Case{"tet", 3, 3},
                                           Case{"prism", 3, 2}, Case{"quad", 2, 4}),
                         [](const auto& info) { return fmt::format("{}{}", info.param.shape, info.param.order); });

TEST_F(VtkhdfRun, OfASteadyProblemIsOneState) {
  const std::string deck =
      write_deck("hdf_steady.toml", box_of("hex", 3, 2) + poisson_of(2) + dirichlet_on("[\"left\"]", "y*z") +
                                        "[output]\nformats = [\"vtkhdf\", \"vtu\"]\ncompression = 0\n");
  const fs::path out = folder() / "hdf_steady";
  const Result result = run_into(deck, out);
  ASSERT_EQ(result.code, 0) << result.text;
  const output::VtkhdfFile file = output::read_vtkhdf(out / "solution.vtkhdf");
  EXPECT_TRUE(file.times.empty());
  expect_same_state(file.state, output::read_vtu(out / "solution.vtu"));
  const std::vector<std::string> files = summary_in(out)["files"];
  EXPECT_NE(std::find(files.begin(), files.end(), "solution.vtkhdf"), files.end());
  // Another run takes it away.
  ASSERT_EQ(run_into(deck, out, " --set output.formats='[\"vtu\"]'").code, 0);
  EXPECT_FALSE(fs::exists(out / "solution.vtkhdf"));
}

TEST_F(VtkhdfRun, GoesOnWithItsSeries) {
  const std::string deck = write_deck("hdf_restart.toml", deck_of());
  const fs::path whole = folder() / "hdf_whole", half = folder() / "hdf_half";
  ASSERT_EQ(run_into(deck, whole).code, 0);
  ASSERT_EQ(run_into(deck, half, " --set time.end=0.066").code,
            0);  // its last checkpoint is of step 30, before two states
  EXPECT_EQ(output::read_vtkhdf(half / "solution.vtkhdf").times.size(), 6u);
  const Result on = app_test::tessera("restart " + half.string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(on.code, 0) << on.text;
  expect_series(half, 9);
  const Result same = app_test::tessera("compare " + (whole / "solution.vtkhdf").string() + " " +
                                        (half / "solution.vtkhdf").string() + " --rtol 0 --atol 0");
  EXPECT_EQ(same.code, 0) << same.text;
  EXPECT_TRUE(same.says("no difference in")) << same.text;
  ASSERT_EQ(run_into(deck, half, " --set material.0.source=3").code, 0);
  const Result other =
      app_test::tessera("compare " + (whole / "solution.vtkhdf").string() + " " + (half / "solution.vtkhdf").string());
  EXPECT_EQ(other.code, 6) << other.text;
  EXPECT_TRUE(other.says("point field 'u'")) << other.text;
}

/// Files of floats have the values of those of doubles, rounded; checkpoints stay in double, so that the run is the
/// same.
TEST_F(VtkhdfRun, OfFloatsIsThatOfDoublesRounded) {
  const std::string deck = write_deck("hdf_floats.toml", deck_of("quad", 2, 6, 2));
  const fs::path whole = folder() / "floats_whole", half = folder() / "floats_half", doubles = folder() / "doubles";
  const std::string floats = " --set output.precision=float";
  ASSERT_EQ(run_into(deck, doubles).code, 0);
  ASSERT_EQ(run_into(deck, whole, floats).code, 0);
  ASSERT_EQ(run_into(deck, half, floats + " --set time.end=0.066").code, 0);
  const Result on = app_test::tessera("restart " + half.string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(on.code, 0) << on.text;
  for (const fs::path& out : {whole, half}) {
    expect_series(out, 9);
    for (std::size_t i = 0; i < 9; ++i) {
      output::VtuFile exact = output::read_vtkhdf(doubles / "solution.vtkhdf", i).state;
      for (output::Field& field : exact.point_fields)
        for (double& value : field.values) value = static_cast<float>(value);
      expect_same_state(output::read_vtkhdf(out / "solution.vtkhdf", i).state, exact);
    }
  }
  for (const fs::path& out : {whole, half}) {
    const output::Checkpoint exact = output::newest_checkpoint(doubles).checkpoint;
    const output::Checkpoint same = output::newest_checkpoint(out).checkpoint;
    ASSERT_EQ(same.arrays.size(), exact.arrays.size());
    for (std::size_t i = 0; i < exact.arrays.size(); ++i) EXPECT_EQ(same.arrays[i].values, exact.arrays[i].values);
  }
  const Result other = app_test::tessera("restart " + half.string() + " --quiet --set output.precision=double");
  EXPECT_EQ(other.code, 2) << other.text;
  EXPECT_TRUE(other.says("output.precision stays as it is")) << other.text;
}

TEST_F(VtkhdfRun, OfFloatsWarnsOfWhatIsBeyondThem) {
  std::string text = deck_of();
  for (const auto& [from, to] : {std::pair{"\"x*y\"", "\"1e39*x*y\""}, {"sin(9*t)", "0"}})
    text.replace(text.find(from), std::string(from).size(), to);
  const std::string deck = write_deck("hdf_beyond.toml", text);
  const fs::path out = folder() / "beyond", doubles = folder() / "not_beyond";
  const Result result = run_into(deck, out, " --set output.precision=float");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("the field 'u' is beyond 3.4e+38, and infinite in files of output.precision = \"float\" at "))
      << result.text;
  const std::vector<double> u = output::read_vtkhdf(out / "solution.vtkhdf", 0).state.point_fields.front().values;
  EXPECT_GT(std::count_if(u.begin(), u.end(), [](double value) { return std::isinf(value); }), 0);
  EXPECT_FALSE(run_into(deck, doubles).says("is beyond"));
}

TEST_F(VtkhdfRun, OfFloatsHasPiecesOfFloats) {
  if (!has_mpi()) GTEST_SKIP() << "no libtessera_mpi.so beside the program, or no mpirun";
  const std::string deck = write_deck("hdf_float_pieces.toml", deck_of());
  const fs::path pieces = folder() / "float_pieces";
  const std::string floats = " --set output.precision=float";
  const Result result =
      on_ranks(2, "run " + deck + " --quiet --backend threads --set output.formats='[\"pvtu\"]' --output " +
                      pieces.string() + floats);
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* name : {"solution_000050.pvtu", "solution_000050_0.vtu", "solution_000050_1.vtu"})
    EXPECT_NE(output::read_text(pieces / name).find("type=\"Float32\" Name=\"u\""), std::string::npos) << name;
  const fs::path one = folder() / "float_whole";
  ASSERT_EQ(run_into(deck, one, floats).code, 0);
  const Result same = app_test::tessera("compare " + (one / "solution_000050.vtu").string() + " " +
                                        (pieces / "solution_000050.pvtu").string() + " --rtol 1e-6 --atol 1e-6");
  EXPECT_EQ(same.code, 0) << same.text;
}

/// What is there after a kill is whole, and goes on to what it would have been. Each kill comes some microseconds after
/// the file began to change, once there is a checkpoint.
TEST_F(VtkhdfRun, IsWholeAfterTwentyKills) {
  const std::string deck = write_deck("hdf_killed.toml", deck_of("triangle", 2, 16));
  const fs::path whole = folder() / "hdf_never_killed", killed = folder() / "hdf_killed";
  const std::vector<std::string> often = {"output.every=2", "checkpoint.every=3", "time.step=0.0005"};
  std::string options;
  std::vector<std::string> arguments = {"run", deck, "--quiet", "--backend", "threads", "--output", killed.string()};
  for (const std::string& set : often) {
    options += " --set " + set;
    arguments.insert(arguments.end(), {"--set", set});
  }
  ASSERT_EQ(run_into(deck, whole, options).code, 0);
  const auto stamp = [&] {
    std::error_code none;
    return fs::last_write_time(killed / "solution.vtkhdf", none);
  };
  for (int kills = 0; kills < 20; ++kills) {
    const auto before = stamp();
    Child child(arguments);
    while (child.runs() && stamp() == before) usleep(100);
    if (kills == 0)
      while (child.runs() && !fs::exists(killed / "checkpoint_000000003.tsr")) usleep(100);
    usleep(static_cast<useconds_t>(kills * 7919 % 40000));
    child.send(SIGKILL);
    const Result result = child.end();
    arguments = {"restart", killed.string(), "--quiet"};
    if (result.code == 0) break;
    EXPECT_EQ(result.code, 1000 + SIGKILL) << result.text;
    if (fs::exists(killed / ".solution.vtkhdf.journal")) continue;
    EXPECT_FALSE(output::read_vtkhdf(killed / "solution.vtkhdf").times.empty());
  }
  const Result last = app_test::tessera("restart " + killed.string() + " --quiet");
  EXPECT_TRUE(last.code == 0 || last.says("it is done")) << last.text;
  expect_series(killed, 101);
  const Result same = app_test::tessera("compare " + (whole / "solution.vtkhdf").string() + " " +
                                        (killed / "solution.vtkhdf").string() + " --rtol 0 --atol 0");
  EXPECT_EQ(same.code, 0) << same.text;
}

TEST_F(VtkhdfRun, OfSeveralRanksIsOneFile) {
  if (!has_mpi()) GTEST_SKIP() << "no libtessera_mpi.so beside the program, or no mpirun";
  const std::string deck = write_deck("hdf_ranks.toml", deck_of("quad", 2, 6, 2) + "[solver]\ntolerance = 1e-14\n");
  const fs::path one = folder() / "hdf_on_one", three = folder() / "hdf_on_three";
  ASSERT_EQ(run_into(deck, one).code, 0);
  const Result result = on_ranks(3, "run " + deck + " --quiet --backend threads --output " + three.string());
  ASSERT_EQ(result.code, 0) << result.text;
  expect_series(three, 9);
  const Result same = app_test::tessera("compare " + (one / "solution.vtkhdf").string() + " " +
                                        (three / "solution.vtkhdf").string() + " --rtol 1e-11 --atol 1e-11");
  EXPECT_EQ(same.code, 0) << same.text;
  const Result in_parts =
      on_ranks(3, "run " + deck + " --quiet --backend threads --set mesh.partition=bricks --output " +
                      (folder() / "hdf_in_parts").string());
  EXPECT_EQ(in_parts.code, 2) << in_parts.text;
  EXPECT_TRUE(in_parts.says("\"vtkhdf\"") && in_parts.says("nobody has the whole of a state")) << in_parts.text;
}

TEST_F(VtkhdfRun, DoesNotGoWithPieces) {
  const Result result = app_test::tessera("check " + write_deck("hdf_pieces.toml", deck_of()) +
                                          " --set output.formats='[\"pvtu\", \"vtkhdf\"]'");
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("one file of the whole") && result.says("choose one of them")) << result.text;
}

/// The thread's failures end the run as they would without it, on any format, with the states before.
TEST(WriterOfStates, SaysWhereTheDiskIsFull) {
  std::vector<std::string> formats = {"vtu", "csv"};
  if (!output::hdf5_version().empty()) formats.emplace_back("vtkhdf");
  for (const std::string& format : formats) {
    const std::string deck = write_deck("full_disk_of_states.toml", deck_of("triangle", 2, 24));
    const fs::path out = folder() / ("full_disk_" + format);
    const Result result =
        shell("ulimit -f 16; exec " + program() + " run " + deck + " --quiet --backend threads --output " +
              out.string() + " --set checkpoint.every=0 --set output.formats='[\"" + format + "\"]'");
    EXPECT_EQ(result.code, 7) << format << "\n" << result.text;
    EXPECT_TRUE(result.says("cannot write " + (out / "solution").string())) << format << "\n" << result.text;
    EXPECT_TRUE(result.says("ulimit -f") || result.says("the space left")) << format << "\n" << result.text;
    EXPECT_EQ(summary_in(out)["status"], "error") << format;
    EXPECT_EQ(summary_in(out)["exit_code"], 7) << format;
    for (const auto& entry : fs::directory_iterator(out)) EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

/// The thread that writes fails while the other one makes states, and others wait.
TEST_F(VtkhdfRun, SaysWhereTheDiskIsFullWhileStatesAreMade) {
  const std::string deck = write_deck("full_while_made.toml", deck_of("triangle", 2, 24));
  const fs::path all = folder() / "full_never", out = folder() / "full_while_made";
  const std::string options =
      " --set checkpoint.every=0 --set output.every=1 --set output.compression=0 --set output.formats='[\"vtkhdf\"]'";
  ASSERT_EQ(run_into(deck, all, options).code, 0);
  const auto third = fs::file_size(all / "solution.vtkhdf") / 3 / 512;  // two where blocks have 1024 bytes
  const Result result = shell("ulimit -f " + std::to_string(third) + "; exec " + program() + " run " + deck +
                              " --quiet --backend threads --output " + out.string() + options);
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("cannot write " + (out / "solution.vtkhdf").string())) << result.text;
  EXPECT_EQ(summary_in(out)["exit_code"], 7);
  const std::size_t whole = output::read_vtkhdf(out / "solution.vtkhdf").times.size();
  EXPECT_GT(whole, 2u);
  EXPECT_LT(whole, 51u);
}

/// A checkpoint is written when all states before it are: whoever sees one sees them.
TEST(WriterOfStates, IsDoneBeforeACheckpoint) {
  const std::string deck = write_deck("states_before.toml", deck_of("triangle", 2, 12));
  const fs::path out = folder() / "states_before";
  std::vector<std::string> words = {"run", deck, "--quiet", "--backend", "threads", "--output", out.string()};
  for (const char* set : {"output.every=1", "checkpoint.every=1", "checkpoint.keep=1000", "time.step=0.0005"})
    words.insert(words.end(), {"--set", set});
  Child run(words);
  int seen = 0;
  for (int step = 1; step < 150; ++step) {
    const fs::path checkpoint = out / fmt::format("checkpoint_{:09}.tsr", step);
    while (!fs::exists(checkpoint) && !fs::exists(out / "summary.json")) usleep(100);
    if (!fs::exists(checkpoint)) break;
    EXPECT_TRUE(fs::exists(out / fmt::format("solution_{:06}.vtu", step))) << step;
    EXPECT_GE(output::read_pvd(out / "solution.pvd").size(), static_cast<std::size_t>(step + 1));
    ++seen;
  }
  EXPECT_EQ(seen, 149);
  const Result result = run.end();
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(summary_in(out)["output"]["seconds_writing"].get<double>() > 0);
  EXPECT_TRUE(summary_in(out)["output"].contains("seconds_waiting"));
}

}  // namespace
