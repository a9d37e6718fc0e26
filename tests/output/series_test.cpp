// Files that grow with a run, and what becomes of them where it stops and goes on.
#include "output/series.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "output/csv.hpp"
#include "output/files.hpp"
#include "output/pieces.hpp"
#include "output/probe_series.hpp"
#include "output/written.hpp"
#include "support/full_disk.hpp"

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("tessera_series_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

using Names = std::vector<std::string>;

const std::vector<SeriesColumn> chip{{"T_chip", "K"}, {"flux"}};

/// Rows of the steps first, ..., last of a run with dt = 0.1, whose times are sums.
void add_steps(ProbeSeries& series, int first, int last) {
  double t = 0;
  for (int step = 0; step <= last; ++step, t += 0.1)
    if (step >= first) series.add(step, t, std::vector<double>{std::sin(t), 1 / (1.0 + step)});
}
double time_of(int step) {
  double t = 0;
  for (int i = 0; i < step; ++i) t += 0.1;
  return t;
}

TEST(ProbeSeries, HasNamesUnitsAndEveryBit) {
  const fs::path path = fresh_folder("bits") / "a.csv";
  const double least = std::numeric_limits<double>::denorm_min();
  {
    ProbeSeries series(path, {{"T_chip", "K"}, {"a, b", "m/s"}, {"flux"}}, {.time_unit = "s"});
    series.add(0, 0, std::vector<double>{0.1 + 0.2, -0.0, least});
    series.add(1, 1.0 / 3, std::vector<double>{1e300, 2, std::nan("")});
    series.flush();
    EXPECT_EQ(read_text(path),
              "t [s],T_chip [K],\"a, b [m/s]\",flux\n0,0.30000000000000004,-0,5e-324\n"
              "0.3333333333333333,1e+300,2,nan\n");
  }
  const std::vector<Column> columns = read_csv(path);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].name, "t [s]");
  EXPECT_EQ(columns[2].name, "a, b [m/s]");
  EXPECT_EQ(columns[0].values[1], 1.0 / 3);
  EXPECT_EQ(columns[1].values[0], 0.1 + 0.2);
  EXPECT_TRUE(std::signbit(columns[2].values[0]));
  EXPECT_EQ(columns[3].values[0], least);
  EXPECT_TRUE(std::isnan(columns[3].values[1]));
  ProbeSeries without_unit(path, {{"u"}});
  EXPECT_EQ(read_text(path), "t,u\n") << "the file before is gone";
}

TEST(ProbeSeries, IsWrittenRowsAtOnceAndAtTheEnd) {
  const fs::path path = fresh_folder("at_once") / "a.csv";
  const auto rows = [&] { return read_csv(path)[0].values.size(); };
  {
    ProbeSeries series(path, chip, {.rows_at_once = 3});
    add_steps(series, 0, 1);
    EXPECT_EQ(rows(), 0u);
    series.add(2, 0.5, std::vector<double>{1, 2});
    EXPECT_EQ(rows(), 3u);
    series.add(3, 0.6, std::vector<double>{1, 2});
    EXPECT_EQ(rows(), 3u);
    series.flush();
    EXPECT_EQ(rows(), 4u);
    series.add(4, 0.7, std::vector<double>{1, 2});
    ProbeSeries moved = std::move(series);
    moved.add(5, 0.8, std::vector<double>{1, 2});
    EXPECT_EQ(rows(), 4u);
  }
  EXPECT_EQ(rows(), 6u);
}

TEST(ProbeSeries, HasEveryKthStep) {
  const fs::path folder = fresh_folder("every");
  {
    ProbeSeries series(folder / "a.csv", chip, {.every = 4});
    add_steps(series, 0, 13);
  }
  const std::vector<double> times = read_csv(folder / "a.csv")[0].values;
  EXPECT_EQ(times, (std::vector<double>{0, time_of(4), time_of(8), time_of(12)}));
  {
    ProbeSeries series(folder / "b.csv", chip, {.every = 4});
    add_steps(series, 0, 6);
  }
  {
    ProbeSeries series = ProbeSeries::resume(folder / "b.csv", chip, time_of(5), {.every = 4});
    add_steps(series, 6, 13);
  }
  EXPECT_EQ(read_text(folder / "b.csv"), read_text(folder / "a.csv"));
}

TEST(ProbeSeries, OfTwiceNStepsIsThatOf2N) {
  const fs::path folder = fresh_folder("restart");
  {
    ProbeSeries whole(folder / "whole.csv", chip);
    add_steps(whole, 0, 60);
  }
  const std::string expected = read_text(folder / "whole.csv");
  ASSERT_EQ(read_csv(folder / "whole.csv")[0].values.size(), 61u);
  for (const int stopped : {30, 31, 47, 60}) {  // the checkpoint is of step 30, and steps after it are lost
    const fs::path path = folder / "parts.csv";
    {
      ProbeSeries first(path, chip);
      add_steps(first, 0, stopped);
    }
    {
      ProbeSeries second = ProbeSeries::resume(path, chip, time_of(30));
      EXPECT_EQ(read_csv(path)[0].values.size(), 31u);
      add_steps(second, 31, 60);
    }
    EXPECT_EQ(read_text(path), expected) << stopped;
  }
}

TEST(ProbeSeries, CutOffAnywhereGoesOn) {
  const fs::path path = fresh_folder("torn") / "a.csv";
  {
    ProbeSeries series(path, chip);
    add_steps(series, 0, 3);
  }
  const std::string whole = read_text(path);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    std::ofstream(path) << whole.substr(0, length);
    const auto rows = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n') - 1;
    {
      ProbeSeries series = ProbeSeries::resume(path, chip, 10);
      add_steps(series, static_cast<int>(std::max<std::ptrdiff_t>(rows, 0)), 3);
    }
    ASSERT_EQ(read_text(path), whole) << length;
  }
}

TEST(ProbeSeries, BeginsAnewWhereThereIsNone) {
  const fs::path path = fresh_folder("anew") / "a.csv";
  ProbeSeries series = ProbeSeries::resume(path, chip, 3);
  series.add(31, 3.1, std::vector<double>{1, 2});
  series.flush();
  EXPECT_EQ(read_text(path), "t,T_chip [K],flux\n3.1,1,2\n");
}

TEST(ProbeSeries, RefusesAFileOfOthers) {
  const fs::path path = fresh_folder("others") / "a.csv";
  const auto resume = [&] { ProbeSeries::resume(path, chip, 3); };
  atomic_write(path, std::string("t,u\n0,1\n"));
  expect_error(resume, "a.csv: its columns are t,u; this run has t,T_chip [K],flux");
  for (const char* row : {"0,1", "0,1,2,3", "0,1,b", "a,1,2", "0,1,2,", "", "0 1 2"}) {
    atomic_write(path, "t,T_chip [K],flux\n0,1,2\n" + std::string(row) + "\n1,1,2\n");
    const std::string before = read_text(path);
    expect_error(resume, "a.csv: line 3 has not 3 numbers");
    EXPECT_EQ(read_text(path), before);
  }
  expect_error([&] { ProbeSeries(path.parent_path(), chip); }, "Is a directory");
  expect_error([&] { ProbeSeries("/nonexistent/a.csv", chip); }, "cannot write /nonexistent/a.csv: No such file");
}

TEST(ProbeSeries, RefusesRowsThatDoNotFit) {
  const fs::path path = fresh_folder("rows") / "a.csv";
  ProbeSeries series(path, chip);
  series.add(1, 0.5, std::vector<double>{1, 2});
  expect_error([&] { series.add(2, 0.5, std::vector<double>{1, 2}); }, "after t = 0.5", ExitCode::internal);
  expect_error([&] { series.add(2, std::nan(""), std::vector<double>{1, 2}); }, "nan", ExitCode::internal);
  expect_error([&] { series.add(2, 1, std::vector<double>{1}); }, "a row of 1 values", ExitCode::internal);
  expect_error([&] { ProbeSeries(path, chip, {.every = 0}); }, "every 0 steps", ExitCode::internal);
  series.flush();
  ProbeSeries second = ProbeSeries::resume(path, chip, 0.5);
  expect_error([&] { second.add(2, 0.5, std::vector<double>{1, 2}); }, "after t = 0.5", ExitCode::internal);
}

TEST(ProbeSeries, EndsWithAWholeRowWhereTheDiskIsFull) {
  const fs::path path = fresh_folder("full") / "a.csv";
  {
    ProbeSeries series(path, chip);
    add_steps(series, 0, 9);
  }
  const std::string whole = read_text(path);
  for (const rlim_t limit : {rlim_t{whole.size() + 1}, rlim_t{whole.size() + 30}}) {
    EXPECT_EQ(tessera::testing::code_with_file_limit(limit,
                                                     [&] {
                                                       ProbeSeries series = ProbeSeries::resume(path, chip, 10);
                                                       add_steps(series, 10, 12);
                                                       series.flush();
                                                     }),
              7);
    EXPECT_EQ(read_text(path), whole);
  }
  EXPECT_EQ(tessera::testing::code_with_file_limit(10, [&] { ProbeSeries(path.parent_path() / "b.csv", chip); }), 7);
  try {
    ProbeSeries series("/dev/full", chip);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
    EXPECT_NE(error.help().find("free some space"), std::string::npos);
  }
}

/// A frame without cells, as a run writes it.
fs::path write_frame(const fs::path& folder, int number, double t) {
  VtkData data;
  data.time = t;
  data.points = {0, 0, 0};
  data.blocks = {{mesh::Shape::point, 1, 1, {0}}};
  const fs::path file = folder / frame_name("solution", number, ".vtu");
  write_vtu(data, file);
  return file;
}

TEST(Series, IsReadBack) {
  const fs::path folder = fresh_folder("read_back");
  Series series(folder / "a & b.pvd");
  EXPECT_EQ(frame_name("solution", 12, ".vtu"), "solution_000012.vtu");
  const double third = 1.0 / 3;
  series.add(0, write_frame(folder, 0, 0));
  series.add(third, folder / "of \"x\" < 1 & y &amp; z.vtu");
  series.add(1e6, "/elsewhere/c.vtu");
  const std::vector<PvdEntry> read = read_pvd(folder / "a & b.pvd");
  ASSERT_EQ(read.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].time, series.frames()[i].time);
    EXPECT_EQ(read[i].file, series.frames()[i].file);
  }
  EXPECT_EQ(read[1].time, third);
  EXPECT_NE(read_text(folder / "a & b.pvd").find("file=\"solution_000000.vtu\""), std::string::npos);
  expect_error([&] { series.add(1e6, folder / "d.vtu"); }, "a frame of t = 1000000", ExitCode::internal);
}

TEST(Series, GoesOnWithTheFramesUpToTheRestart) {
  const fs::path folder = fresh_folder("restart_frames");
  const auto run = [&](Series series, int first, int last) {
    for (int i = first; i <= last; ++i) series.add(time_of(10 * i), write_frame(folder, i, time_of(10 * i)));
  };
  run(Series(folder / "solution.pvd"), 0, 5);
  const Names names = names_in(folder);
  const std::string whole = read_text(folder / "solution.pvd");
  EXPECT_EQ(names.size(), 7u);
  {
    const Series series = Series::resume(folder / "solution.pvd", time_of(30));
    EXPECT_EQ(series.frames().size(), 4u) << "the frame at the time of the checkpoint stays";
    EXPECT_EQ(names_in(folder), (Names{"solution.pvd", "solution_000000.vtu", "solution_000001.vtu",
                                       "solution_000002.vtu", "solution_000003.vtu"}));
    EXPECT_EQ(read_pvd(folder / "solution.pvd").size(), 4u);
  }
  run(Series::resume(folder / "solution.pvd", time_of(35)), 4, 5);
  EXPECT_EQ(names_in(folder), names);
  EXPECT_EQ(read_text(folder / "solution.pvd"), whole);
  EXPECT_TRUE(Series::resume(folder / "none.pvd", 3).frames().empty());
}

TEST(Series, DropsPiecesWithTheirFrame) {
  const fs::path folder = fresh_folder("pieces");
  for (const char* name : {"late_0.vtu", "late_1.vtu", "early.vtu", "late.vtu"})
    atomic_write(folder / name, std::string("a frame"));
  const fs::path elsewhere = fresh_folder("pieces_elsewhere") / "late.vtu";
  atomic_write(elsewhere, std::string("not ours"));
  VtkData like;
  like.points = {0, 0, 0};
  like.blocks = {{mesh::Shape::point, 1, 1, {0}}};
  write_pvtu(folder / "late.pvtu", like, 2);
  write_pvd(folder / "a.pvd", {{0, folder / "early.vtu"},
                               {1, folder / "late.vtu"},
                               {2, folder / "late.pvtu"},
                               {3, elsewhere},
                               {4, folder / "gone.vtu"},
                               {5, folder / "../tessera_series_pieces_elsewhere/late.vtu"}});
  Series::resume(folder / "a.pvd", 0.5);
  EXPECT_EQ(names_in(folder), (Names{"a.pvd", "early.vtu"}));
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST(Series, RefusesAFileOfOthers) {
  const fs::path path = fresh_folder("others_pvd") / "a.pvd";
  const auto expect = [&](const std::string& text, const std::string& message) {
    atomic_write(path, text);
    expect_error([&] { Series::resume(path, 1); }, message);
  };
  const std::string head = "<VTKFile type=\"Collection\">", tail = "</VTKFile>";
  expect("", "it is no collection of VTK files");
  expect("<VTKFile type=\"UnstructuredGrid\">" + tail, "it is no collection of VTK files");
  expect(head + "<DataSet timestep=\"1\" file=\"a.vtu\"/>", "it is cut off");
  for (const char* tag :
       {"<DataSet file=\"a.vtu\"/>", "<DataSet timestep=\"1\"/>", "<DataSet timestep=\"x\" file=\"a\"/>",
        "<DataSet timestep=\"1 2\" file=\"a\"/>", "<DataSet timestep=\"\" file=\"a\"/>", "<DataSet "})
    expect(head + "<DataSet timestep=\"0\" file=\"a.vtu\"/>" + tag + tail, "frame 2 has no time or no file");
}

TEST(Series, LastsWhereTheRunIsStopped) {
  const fs::path folder = fresh_folder("stopped");
  begin_results();
  atomic_write(folder / "result.csv", std::string("half of the results"));
  Series series(folder / "solution.pvd");
  ProbeSeries probes(folder / "probes.csv", chip);
  // More frames than there are slots for files that a signal removes.
  for (int i = 0; i < 70; ++i) series.add(i, write_frame(folder, i, i));
  write_frame(folder, 70, 70);  // not yet named by the series
  remove_results();
  const Names kept = names_in(folder);
  EXPECT_EQ(kept.size(), 72u);
  EXPECT_EQ(kept.front(), "probes.csv");
  EXPECT_EQ(kept.back(), "solution_000069.vtu");
  Names listed = keep_results();
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, kept) << "for the summary, from which the next run knows what to remove";
}

TEST(Series, KeepsTheCollectionBeforeWhereTheDiskIsFull) {
  const fs::path folder = fresh_folder("full_pvd");
  Series series(folder / "solution.pvd");
  for (int i = 0; i < 20; ++i) series.add(i, folder / frame_name("solution", i, ".vtu"));
  const std::string before = read_text(folder / "solution.pvd");
  EXPECT_EQ(tessera::testing::code_with_file_limit(before.size(), [&] { series.add(20, folder / "late.vtu"); }), 7);
  EXPECT_EQ(read_text(folder / "solution.pvd"), before);
  EXPECT_EQ(names_in(folder), Names{"solution.pvd"});
}

}  // namespace
}  // namespace tessera::output
