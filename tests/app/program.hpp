#pragma once
// The built program, run as a user does.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace app_test {

namespace fs = std::filesystem;

struct Result {
  int code = -1;
  std::string text;  ///< stdout and stderr together
  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Runs a shell command.
inline Result shell(const std::string& command) {
  Result result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char chunk[4096];
  while (const std::size_t count = fread(chunk, 1, sizeof chunk, pipe)) result.text.append(chunk, count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

using test_paths::program;
using test_paths::source;

inline Result tessera(const std::string& arguments) { return shell(program() + " " + arguments); }

/// This process's own temporary folder.
inline fs::path folder() {
  static const fs::path path = [] {
    const fs::path made = fs::path(::testing::TempDir()) / ("tessera_app_" + std::to_string(getpid()));
    fs::create_directories(made);
    return made;
  }();
  return path;
}

inline std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string write_deck(const std::string& name, const std::string& text) {
  std::ofstream(folder() / name) << text;
  return (folder() / name).string();
}

/// summary.json of a run's folder; discarded (is_discarded) where there is none.
inline nlohmann::json summary_in(const fs::path& directory) {
  std::ifstream file(directory / "summary.json");
  return nlohmann::json::parse(file, nullptr, false);
}

/// A wrong deck, the exit code that it ends with, and what must be said of it.
struct Case {
  const char* name;
  std::string deck;
  int code;
  std::vector<std::string> parts;
};
inline void PrintTo(const Case& wrong, std::ostream* stream) { *stream << wrong.name; }
inline std::string case_name(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

/// The run ended as the case says, with what happened and what to do, and not as a fault of the program.
inline void expect_says(const Result& result, const Case& wrong) {
  EXPECT_EQ(result.code, wrong.code) << result.text;
  for (const std::string& part : wrong.parts)
    EXPECT_TRUE(result.says(part)) << "expected: " << part << "\n" << result.text;
  EXPECT_TRUE(result.says("error: ")) << result.text;
  EXPECT_TRUE(result.says("help: ")) << result.text;
  EXPECT_FALSE(result.says("internal")) << result.text;
}

}  // namespace app_test
