#pragma once
// What tests of files share.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tessera::output {

template <class Act>
void expect_error(const Act& act, const std::string& message, ExitCode code = ExitCode::file_system) {
  try {
    act();
    ADD_FAILURE() << "no error: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    EXPECT_TRUE(code == ExitCode::internal || !error.help().empty());
  }
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tessera::output
