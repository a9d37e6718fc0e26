// Tables of a run as files of HDF5.
#include "output/traces.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "output/probe_series.hpp"
#include "output/vtkhdf.hpp"
#ifdef TESSERA_TEST_HDF5
#include "output/hdf5/datasets.hpp"
#endif

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

class Traces : public ::testing::Test {
 protected:
  Traces() : folder_(fs::path(::testing::TempDir()) / ("tessera_traces_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Traces() override { fs::remove_all(folder_); }
  fs::path table(int rows) const {
    ProbeSeries series(folder_ / "probes.csv", {{"a/b", "m/s"}, {"c, d"}});
    for (int i = 0; i < rows; ++i) series.add(i, 0.1 * i, std::vector<double>{1.0 / (i + 3), -i / 7.0});
    series.flush();
    return folder_ / "probes.csv";
  }
  const std::vector<Trace> traces_{{"a/b", "v_x", {1, 2.5}}, {"c, d", "p", {0, 0, -3}}};
  fs::path folder_;
};

#ifdef TESSERA_TEST_HDF5
TEST_F(Traces, HaveTheNumbersOfTheTableBitByBit) {
  for (const int rows : {0, 1, 1000})
    for (const int compression : {0, 4}) {
      const fs::path path = folder_ / "probes.h5";
      write_traces(table(rows), traces_, path, compression);
      const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      ASSERT_TRUE(file.is_open());
      const hdf5::Place root{file, path};
      EXPECT_EQ(hdf5::names_in(root), (std::vector<std::string>{"probes", "t"}));
      const hdf5::Handle group = hdf5::open_group(root, "probes");
      const hdf5::Place probes{group, path};
      ASSERT_EQ(hdf5::names_in(probes), (std::vector<std::string>{"a_b", "c, d"}));
      const auto count = static_cast<hsize_t>(rows);
      const hdf5::Handle t = hdf5::open_dataset(root, "t"), a = hdf5::open_dataset(probes, "a_b"),
                         c = hdf5::open_dataset(probes, "c, d");
      ASSERT_EQ(hdf5::shape_of(t, path).rows, count);
      const auto times = hdf5::rows_of<double>(t, 0, count, path), first = hdf5::rows_of<double>(a, 0, count, path),
                 second = hdf5::rows_of<double>(c, 0, count, path);
      for (int i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(times[at], 0.1 * i);
        ASSERT_EQ(first[at], 1.0 / (i + 3));
        ASSERT_EQ(second[at], -i / 7.0);
      }
      EXPECT_EQ(hdf5::read_text_attribute({a, path}, "unit"), "m/s");
      EXPECT_EQ(hdf5::read_text_attribute({a, path}, "of"), "v_x");
      EXPECT_LE(H5Aexists(c, "unit"), 0);
      const hdf5::Handle at(H5Aopen(c, "at", H5P_DEFAULT), H5Aclose);
      double place[3] = {};
      ASSERT_GE(H5Aread(at, H5T_NATIVE_DOUBLE, place), 0);
      EXPECT_EQ(place[2], -3);
    }
}
#endif

TEST_F(Traces, OfAnotherTableAreRefused) {
  if (hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  const auto refused = [&](const fs::path& table, const std::vector<Trace>& traces) {
    try {
      write_traces(table, traces, folder_ / "none.h5", 1);
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file_system);
      EXPECT_FALSE(fs::exists(folder_ / "none.h5"));
    }
  };
  refused(folder_ / "missing.csv", traces_);
  refused(table(3), {traces_[0]});
}

}  // namespace
}  // namespace tessera::output
