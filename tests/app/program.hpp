#pragma once
// The built program, run as a user does.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

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

inline Result tessera(const std::string& arguments) { return shell(std::string(TESSERA_PROGRAM) + " " + arguments); }

/// This process's own temporary folder.
inline fs::path folder() {
  static const fs::path path = [] {
    const fs::path made = fs::path(::testing::TempDir()) / ("tessera_app_" + std::to_string(getpid()));
    fs::create_directories(made);
    return made;
  }();
  return path;
}

inline std::string write_deck(const std::string& name, const std::string& text) {
  std::ofstream(folder() / name) << text;
  return (folder() / name).string();
}

}  // namespace app_test
