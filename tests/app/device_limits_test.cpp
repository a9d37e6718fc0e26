// What a GPU has too little of is said by `check` and by `run` in the same words.
#include "gpu.hpp"
#include "program.hpp"

namespace {

using namespace app_test;

TEST(DeviceLimits, OfSharedMemoryAreSaidByCheckAndRun) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  // 596 KiB: no GPU gives a block of threads so much.
  const std::string deck = write_deck("shared_memory.toml",
                                      "[mesh]\nbox = { cells = [2, 2, 2], shape = \"hex\" }\n"
                                      "[physics]\ntype = \"elasticity\"\norder = 4\n"
                                      "[[material]]\nyoung = 1\npoisson = 0.3\n"
                                      "[[boundary]]\non = \"left\"\ntype = \"displacement\"\nvalue = [0, 0, 0]\n"
                                      "[assembly]\nstrategy = \"shared\"\n");
  for (const std::string command : {"check", "run"}) {
    const Result result = app_test::tessera(command + " --backend cuda " + deck +
                                            (command == "run" ? " --output " + (folder() / "shared").string() : ""));
    EXPECT_EQ(result.code, 5) << result.text;
    EXPECT_TRUE(
        result.says("error: a cell (hex, order 4) by the strategy \"shared\" takes 596 KiB of shared memory, "
                    "the GPU has "))
        << result.text;
    EXPECT_TRUE(
        result.says("help: choose another assembly.strategy (two_pass and colour take least), a lower order, "
                    "or backend threads"))
        << result.text;
  }
  EXPECT_EQ(summary_in(folder() / "shared")["exit_code"], 5);
  EXPECT_EQ(app_test::tessera("check --backend cuda --set assembly.strategy=two_pass " + deck).code, 0);
}

}  // namespace
