// Runs every deck of inputs/regression and compares its quantities with the expected ones, on every backend that is
// there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/backend.hpp"
#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;

using test_paths::program;
using test_paths::source;

std::vector<std::string> decks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source() / "inputs/regression"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Decks : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Decks, GiveTheExpectedQuantities) {
  const auto& [name, backend] = GetParam();
  if (backend == "cuda" && !tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const fs::path expected_file = source() / "inputs/regression" / (name + ".expected.json");
  ASSERT_TRUE(fs::exists(expected_file)) << "a regression deck needs its " << expected_file.filename();
  const fs::path out = fs::temp_directory_path() / ("tessera_regression_" + name + "_" + backend);
  const std::string command = program() + " run " + (source() / "inputs/regression" / (name + ".toml")).string() +
                              " --quiet --backend " + backend + " --output " + out.string();
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto expected = nlohmann::json::parse(std::ifstream(expected_file));
  const auto summary = nlohmann::json::parse(std::ifstream(out / "summary.json"));
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_GE(expected.size(), 1u);
  for (const auto& [quantity, want] : expected.items()) {
    ASSERT_TRUE(summary["quantities"].contains(quantity)) << quantity;
    const double value = summary["quantities"][quantity], target = want["value"], relative = want["rel"];
    EXPECT_NEAR(value, target, relative * std::abs(target)) << quantity;
  }
  fs::remove_all(out);
}

INSTANTIATE_TEST_SUITE_P(Regression, Decks,
                         ::testing::Combine(::testing::ValuesIn(decks()), ::testing::Values("threads", "cuda")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

}  // namespace
