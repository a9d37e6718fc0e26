#include "output/results.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file) {
  Temporary temporary(file);
  std::ofstream(temporary.path()) << "a result";
  ASSERT_EQ(temporary.commit(), 0);
}

/// A file that is written again takes no second place in the list of results.
TEST(Results, AreRemovedHoweverOftenAFileIsWritten) {
  const fs::path folder = fs::path(::testing::TempDir()) / "tessera_results";
  fs::remove_all(folder);
  fs::create_directories(folder);
  begin_results();
  for (int i = 0; i < 200; ++i) write(folder / "again.csv");
  write(folder / "once.csv");
  remove_results();
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::output
