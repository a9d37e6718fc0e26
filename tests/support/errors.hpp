#pragma once
// Calls that must be refused.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace tessera::testing {

/// The call throws Error(usage) whose message holds `part` and that says what to do.
template <class Call>
void expect_refused(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << "not refused: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_FALSE(error.help().empty());
  }
}

}  // namespace tessera::testing
