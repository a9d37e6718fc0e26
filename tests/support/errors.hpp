#pragma once
// Calls that must be refused.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace tessera::testing {

/// The call throws an Error, of wrong usage if nothing else is said, whose message holds `part` and that says what to
/// do.
template <class Call>
void expect_refused(const Call& call, const std::string& part, ExitCode code = ExitCode::usage) {
  try {
    call();
    FAIL() << "not refused: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_FALSE(error.help().empty());
  }
}

}  // namespace tessera::testing
