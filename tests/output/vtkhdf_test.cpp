// Series of states in one HDF5 file: what is read back, by us and by VTK, and what is left where a run ends badly.
#include "output/vtkhdf.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "output/checkpoint.hpp"
#include "output/files.hpp"
#include "output/vtkhdf_support.hpp"
#include "support/full_disk.hpp"
#include "support/lattice.hpp"

namespace tessera::output {
namespace {

using mesh::Shape;

void expect_states(const fs::path& path, const std::vector<double>& times, int n = 5) {
  ASSERT_EQ(read_vtkhdf(path).times, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const VtuFile read = read_vtkhdf(path, i).state;
    const VtkData written = state(times[i], n);
    EXPECT_EQ(read.points, written.points);
    EXPECT_EQ(field(read.field_data, "TimeValue").values, std::vector<double>{times[i]});
    expect_same_fields(read.point_fields, written.point_fields);
    expect_same_fields(read.cell_fields, written.cell_fields);
  }
}

TEST_F(Vtkhdf, OfOneStateHasWhatTheVtuFileHas) {
  const fs::path folder = fresh_folder("static");
  const VtkData data = state(0.3);
  write_vtu(data, folder / "a.vtu");
  for (const int compression : {0, 1, 9}) {
    write_vtkhdf(data, folder / "a.vtkhdf", {compression});
    const VtkhdfFile file = read_vtkhdf(folder / "a.vtkhdf");
    const VtuFile vtu = read_vtu(folder / "a.vtu");
    EXPECT_TRUE(file.times.empty());
    EXPECT_EQ(file.state.points, vtu.points);
    EXPECT_EQ(file.state.types, vtu.types);
    EXPECT_EQ(file.state.offsets, vtu.offsets);
    EXPECT_EQ(file.state.connectivity, vtu.connectivity);
    expect_same_fields(file.state.point_fields, vtu.point_fields);
    expect_same_fields(file.state.cell_fields, vtu.cell_fields);
  }
}

/// Chunks are compressed by any number of threads; some of these are of numbers that deflate makes no shorter.
TEST_F(Vtkhdf, IsTheSameFileByAnyNumberOfThreads) {
  const fs::path folder = fresh_folder("threads");
  const auto bytes_of = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  constexpr int cells = 50001;  // 1.2 MB a component: several chunks, the last one not full
  VtkData data = state(0.3, cells);
  std::mt19937_64 random(1);
  Field noise{"noise", 3, std::vector<double>(data.points.size()), false};
  for (double& value : noise.values) {
    const std::uint64_t bits = (random() & 0x800fffffffffffffu) | 0x3ff0000000000000u;
    std::memcpy(&value, &bits, sizeof value);
  }
  data.point_fields.push_back(noise);
  write_vtkhdf(data, folder / "one.vtkhdf", {.compression = 1, .threads = 1});
  const std::string one = bytes_of(folder / "one.vtkhdf");
  for (const int threads : {2, 3, 8}) {
    write_vtkhdf(data, folder / "several.vtkhdf", {.compression = 1, .threads = threads});
    EXPECT_EQ(one == bytes_of(folder / "several.vtkhdf"), true) << threads;
  }
  const VtuFile read = read_vtkhdf(folder / "one.vtkhdf").state;
  EXPECT_EQ(read.points, data.points);
  expect_same_fields(read.point_fields, data.point_fields);
  expect_same_fields(read.cell_fields, data.cell_fields);
  write_vtkhdf(data, folder / "plain.vtkhdf", {.compression = 0, .threads = 2});
  EXPECT_LT(one.size(), fs::file_size(folder / "plain.vtkhdf"));
}

/// Cells of high order, of every shape: types, nodes and points as in the .vtu file.
TEST_F(Vtkhdf, KeepsHighOrder) {
  const fs::path folder = fresh_folder("order");
  for (const Shape shape : {Shape::interval, Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism})
    for (const int order : {1, 2, 3, 4}) {
      VtkData data;
      const std::vector<double> nodes = testing::lattice(shape, order);
      const int dim = mesh::dimension(shape);
      std::vector<Index> conn;
      for (std::size_t node = 0; node < nodes.size() / static_cast<std::size_t>(dim); ++node) {
        conn.push_back(static_cast<Index>(node));
        for (int axis = 0; axis < 3; ++axis)
          data.points.push_back(
              axis < dim ? nodes[node * static_cast<std::size_t>(dim) + static_cast<std::size_t>(axis)] : 0);
      }
      data.blocks = {vtk_cells(shape, order, nodes, conn)};
      write_vtu(data, folder / "a.vtu");
      write_vtkhdf(data, folder / "a.vtkhdf");
      const VtuFile hdf = read_vtkhdf(folder / "a.vtkhdf").state, vtu = read_vtu(folder / "a.vtu");
      EXPECT_EQ(hdf.types, vtu.types) << mesh::name(shape) << order;
      EXPECT_EQ(hdf.connectivity, vtu.connectivity) << mesh::name(shape) << order;
      EXPECT_EQ(hdf.points, vtu.points) << mesh::name(shape) << order;
      if (shape != Shape::hex || order != 2) continue;
      // VTKHDF has no version of the order of nodes: it is that of VTK since 9.1, in which the edges on the corners 2
      // and 3 come in this order, as in its quadratic cells.
      for (const auto& [place, corner] : {std::pair<std::size_t, std::size_t>{18, 2}, {19, 3}})
        for (std::size_t axis = 0; axis < 2; ++axis)
          EXPECT_EQ(hdf.points[3 * static_cast<std::size_t>(hdf.connectivity[place]) + axis],
                    hdf.points[3 * static_cast<std::size_t>(hdf.connectivity[corner]) + axis]);
    }
}

TEST_F(Vtkhdf, OfASeriesHasEveryBitOfEveryState) {
  const fs::path path = fresh_folder("series") / "a.vtkhdf";
  std::vector<double> times;
  VtkhdfSeries series(path);
  for (int i = 0; i < 7; ++i) {
    times.push_back(i / 3.0);
    series.add(times.back(), state(times.back()));
    EXPECT_EQ(names_in(path.parent_path()), std::vector<std::string>{"a.vtkhdf"});
    ASSERT_EQ(read_vtkhdf(path).times, times) << "whole after every frame";
  }
  expect_states(path, times);
  expect_error([&] { series.add(2, state(2)); }, "a frame of t = 2 after one of 2", ExitCode::internal);
  expect_error([&] { read_vtkhdf(path, 7); }, "it has 7 states, number 7 is asked for");
}

/// More rows than a chunk has, and more steps than a chunk of their table.
TEST_F(Vtkhdf, OfASeriesHasAnyNumberOfPointsAndSteps) {
  const fs::path folder = fresh_folder("large");
  VtkhdfSeries wide(folder / "wide.vtkhdf"), longer(folder / "long.vtkhdf");
  constexpr int cells = 60000;  // 180003 points: the field u in 2 chunks, flux in 5
  for (const double t : {0.0, 0.5, 1.0}) wide.add(t, state(t, cells));
  expect_states(folder / "wide.vtkhdf", {0, 0.5, 1}, cells);
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) longer.add(times.emplace_back(i), state(i, 1));
  EXPECT_EQ(read_vtkhdf(folder / "long.vtkhdf").times, times);
  for (const std::size_t i : {0, 127, 128, 299})
    expect_same_fields(read_vtkhdf(folder / "long.vtkhdf", i).state.point_fields,
                       state(static_cast<double>(i), 1).point_fields);
}

TEST_F(Vtkhdf, StoresWhatStaysOnce) {
  const fs::path folder = fresh_folder("once");
  VtkhdfSeries changing(folder / "changing.vtkhdf", {0}), steady(folder / "steady.vtkhdf", {0});
  constexpr int cells = 2000;
  for (int i = 0; i < 20; ++i) {
    changing.add(i, state(i, cells));
    steady.add(i, state(0, cells));
  }
  // u and flux: 8 and 24 bytes a point.
  const double points = 3 * (cells + 1), more = 19 * 32 * points;
  const auto size = [&](const char* name) { return static_cast<double>(fs::file_size(folder / name)); };
  EXPECT_NEAR(size("changing.vtkhdf") - size("steady.vtkhdf"), more, 0.01 * more);
  EXPECT_EQ(read_vtkhdf(folder / "steady.vtkhdf").times.size(), 20u);
  expect_same_fields(read_vtkhdf(folder / "steady.vtkhdf", 7).state.point_fields, state(0, cells).point_fields);
}

TEST_F(Vtkhdf, GoesOnWhereARunDoes) {
  const fs::path path = fresh_folder("resume") / "a.vtkhdf";
  {
    VtkhdfSeries series(path);
    for (const double t : {0.0, 1.0, 2.0, 3.0, 4.0}) series.add(t, state(t));
  }
  VtkhdfSeries on = VtkhdfSeries::resume(path, 2.5);
  EXPECT_EQ(on.times(), (std::vector<double>{0, 1, 2}));
  expect_states(path, {0, 1, 2});
  on.add(2.75, state(2.75));
  on.add(3.5, state(3.5));
  expect_states(path, {0, 1, 2, 2.75, 3.5});
  EXPECT_EQ(VtkhdfSeries::resume(path, 9).times().size(), 5u) << "nothing is later";
  VtkhdfSeries anew = VtkhdfSeries::resume(path, -1);
  anew.add(-0.5, state(-0.5));
  expect_states(path, {-0.5});
  const fs::path none = path.parent_path() / "none.vtkhdf";
  VtkhdfSeries::resume(none, 1).add(1.5, state(1.5));
  expect_states(none, {1.5});
  write_vtkhdf(state(0), none);
  expect_error([&] { VtkhdfSeries::resume(none, 1); }, "it has no times");
}

/// Cut again and again it does not grow.
TEST_F(Vtkhdf, GivesTheSpaceOfWhatIsCutBack) {
  const fs::path path = fresh_folder("space") / "a.vtkhdf";
  constexpr int cells = 3000;
  {
    VtkhdfSeries series(path, {0});
    for (int i = 0; i < 6; ++i) series.add(i, state(i, cells));
  }
  const auto whole = static_cast<double>(fs::file_size(path));
  for (int again = 0; again < 10; ++again) {
    VtkhdfSeries series = VtkhdfSeries::resume(path, 2, {0});
    EXPECT_LT(static_cast<double>(fs::file_size(path)), 0.7 * whole);
    for (int i = 3; i < 6; ++i) series.add(i, state(i, cells));
  }
  EXPECT_LT(static_cast<double>(fs::file_size(path)), 1.01 * whole);
  expect_states(path, {0, 1, 2, 3, 4, 5}, cells);
}

/// What changes when somebody writes into a file.
auto stamp_of(const fs::path& path) {
  std::error_code none;
  return std::pair(fs::last_write_time(path, none), fs::file_size(path, none));
}

/// A process that is killed while it adds frames leaves those before, and a series that goes on. Each kill comes some
/// microseconds after the file began to change.
TEST_F(Vtkhdf, IsWholeWhereAProcessIsKilled) {
  const fs::path path = fresh_folder("killed") / "a.vtkhdf";
  std::size_t most = 0;
  for (int kills = 0; kills < 30 || (most <= 3 && kills < 1000); ++kills) {  // more where the machine is busy
    const auto before = stamp_of(path);
    const pid_t child = fork();
    if (child == 0) {
      VtkhdfSeries series = VtkhdfSeries::resume(path, 1e9);
      const double from = series.times().empty() ? 0 : series.times().back();
      for (int i = 1;; ++i) series.add(from + i, state(from + i, 40));
    }
    while (stamp_of(path) == before) usleep(50);
    usleep(static_cast<useconds_t>(kills * 7919 % 40000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::vector<double> times = VtkhdfSeries::resume(path, 1e9).times();
    EXPECT_GE(times.size(), most);
    most = times.size();
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], static_cast<double>(i + 1));
  }
  ASSERT_GT(most, 3u) << "frames were written between the kills";
  expect_states(path, read_vtkhdf(path).times, 40);
}

/// A change that stopped after its journal, wherever it was: the file is as before.
TEST_F(Vtkhdf, TakesBackHalfOfAChange) {
  const fs::path folder = fresh_folder("journal"), path = folder / "a.vtkhdf", journal = folder / ".a.vtkhdf.journal";
  VtkhdfSeries series(path);
  for (const double t : {0.0, 1.0, 2.0}) series.add(t, state(t));
  const std::string before = read_text(path);
  series.add(3, state(3));
  const std::string after = read_text(path);
  ASSERT_GT(after.size(), before.size());
  // The journal has the pages of `before` that differ, as the change itself has written it.
  constexpr std::size_t page = 4096;
  const auto number = [](std::uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
  std::string text = "\x89TSJ\r\n\x1a\n" + number(before.size());
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < before.size(); at += page)
    if (before.compare(at, page, after, at, std::min(page, before.size() - at)) != 0) {
      std::string old = before.substr(at, page);
      old.resize(page);
      text += number(at) + old;
      places.push_back(at);
    }
  text += number(std::stoull(checkpoint_hash(text), nullptr, 16));
  ASSERT_GT(places.size(), 1u);
  for (std::size_t done = 0; done <= places.size(); ++done) {
    std::string half = after;
    for (std::size_t i = done; i < places.size(); ++i)
      half.replace(places[i], std::min(page, before.size() - places[i]), before.substr(places[i], page));
    std::ofstream(path, std::ios::binary) << half;
    std::ofstream(journal, std::ios::binary) << text;
    EXPECT_EQ(VtkhdfSeries::resume(path, 9).times(), (std::vector<double>{0, 1, 2}));
    EXPECT_FALSE(fs::exists(journal));
    expect_states(path, {0, 1, 2});
  }
  std::ofstream(journal, std::ios::binary) << text.substr(0, text.size() - 1);
  expect_error([&] { VtkhdfSeries::resume(path, 9); }, "it is no whole journal");
  VtkhdfSeries anew(path);
  anew.add(5, state(5));
  EXPECT_FALSE(fs::exists(journal)) << "it was that of another file";
  expect_states(path, {5});
}

TEST_F(Vtkhdf, OfAFullDiskIsAsBefore) {
  const fs::path folder = fresh_folder("full"), path = folder / "a.vtkhdf";
  constexpr int cells = 2000;
  VtkhdfSeries series(path, {0});
  for (const double t : {0.0, 1.0}) series.add(t, state(t, cells));
  const std::string before = read_text(path);
  for (const std::size_t more : {0, 1, 5000, 100000}) {
    EXPECT_EQ(testing::code_with_file_limit(before.size() + more, [&] { series.add(2, state(2, cells)); }), 7) << more;
    EXPECT_EQ(read_text(path), before) << more;
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.vtkhdf"}) << more;
  }
  EXPECT_EQ(testing::code_with_file_limit(1000, [&] { write_vtkhdf(state(0), folder / "b.vtkhdf"); }), 7);
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.vtkhdf"});
  series.add(2, state(2, cells));
  expect_states(path, {0, 1, 2}, cells);
  expect_error([&] { write_vtkhdf(state(0), folder / "no" / "b.vtkhdf"); }, (folder / "no" / "b.vtkhdf").string());
}

/// Files that are none, cut off, or changed: an error that names the file, or what was written.
TEST_F(Vtkhdf, RefusesWhatIsDamaged) {
  const fs::path folder = fresh_folder("damaged"), path = folder / "a.vtkhdf";
  expect_error([&] { read_vtkhdf(path); }, path.string());
  std::ofstream(path) << "no HDF5 at all";
  expect_error([&] { read_vtkhdf(path); }, "it is no HDF5 file, or damaged");
  expect_error([&] { VtkhdfSeries::resume(path, 1); }, path.string());
  {
    VtkhdfSeries series(path);
    for (const double t : {0.0, 1.0, 2.0}) series.add(t, state(t));
  }
  const std::string whole = read_text(path);
  for (const std::size_t part : {1, 2, 3, 5, 9}) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() * part / 10);
    expect_error([&] { read_vtkhdf(path); }, path.string());
    expect_error([&] { VtkhdfSeries::resume(path, 1); }, path.string());
  }
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 150) {
    std::string changed = whole;
    changed.replace(at, std::min<std::size_t>(16, changed.size() - at), 16, '\xff');
    std::ofstream(path, std::ios::binary) << changed;
    try {
      read_vtkhdf(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file_system) << error.what();
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace tessera::output
