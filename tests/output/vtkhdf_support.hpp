#pragma once
// What tests of VTKHDF files share.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "output/vtkhdf.hpp"
#include "output/written.hpp"
#include "support/strip.hpp"

namespace tessera::output {

namespace fs = std::filesystem;

inline fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("tessera_vtkhdf_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

inline VtkData state(double t, int n = 5) { return testing::strip(t, n); }

inline const Field& field(const std::vector<Field>& fields, const std::string& name) {
  for (const Field& one : fields)
    if (one.name == name) return one;
  throw Error(ExitCode::internal, "no field " + name);
}

/// The same fields, bit by bit; names are HDF5's.
inline void expect_same_fields(const std::vector<Field>& read, const std::vector<Field>& written) {
  ASSERT_EQ(read.size(), written.size());
  for (const Field& one : written) {
    std::string name = one.name;
    std::replace(name.begin(), name.end(), '/', '_');
    const Field& other = field(read, name);
    EXPECT_EQ(other.values, one.values) << name;
    EXPECT_EQ(other.components, one.components) << name;
    EXPECT_EQ(other.integer, one.integer) << name;
  }
}

class Vtkhdf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (hdf5_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
};

}  // namespace tessera::output
