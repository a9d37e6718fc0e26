#include "base/error.hpp"

#include <gtest/gtest.h>

using namespace tessera;

TEST(Error, ReportShowsPlaceCaretAndHelp) {
  const Error error(ExitCode::usage, "unknown key 'toleranse'", "did you mean 'tolerance'?",
                    Position{"a.toml", 3, 1, "toleranse = 1", 9});
  EXPECT_EQ(error.report(),
            "error: unknown key 'toleranse'\n"
            "  --> a.toml:3:1\n"
            "    3 | toleranse = 1\n"
            "      | ^^^^^^^^^\n"
            "  help: did you mean 'tolerance'?\n");
}

TEST(Error, ReportWithoutPlace) { EXPECT_EQ(Error(ExitCode::mesh, "no cells").report(), "error: no cells\n"); }

TEST(NearestNames, TypoSwapCaseAndPrefix) {
  const std::vector<std::string> names{"tolerance", "type", "max_iterations", "preconditioner"};
  EXPECT_EQ(nearest_names("toleranse", names).front(), "tolerance");
  EXPECT_EQ(nearest_names("tpye", names).front(), "type");
  EXPECT_EQ(nearest_names("TYPE", names).front(), "type");
  EXPECT_EQ(nearest_names("max_iter", names).front(), "max_iterations");
  EXPECT_TRUE(nearest_names("zzz", names).empty());
}

TEST(NearestNames, SuggestListsAllWhenNoneIsNear) {
  EXPECT_EQ(suggest("zzzzzz", {"cg", "direct"}), "valid names: cg, direct");
  EXPECT_EQ(suggest("dirct", {"cg", "direct"}), "did you mean 'direct'?");
  EXPECT_EQ(suggest("x", {}), "there are none");
}
