#include "base/confine.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace tessera {
namespace {

/// Bits of what a confined process could do; 0 where nothing that it should not.
int breaches(const std::filesystem::path& file) {
  int found = 0;
  const auto breach = [&](int bit, bool done) { found |= done ? 1 << bit : 0; };
  breach(0, std::fopen(file.c_str(), "w") != nullptr);
  breach(1, std::fopen((file.string() + "2").c_str(), "a") != nullptr);
  breach(2, unlink(file.c_str()) == 0 || truncate(file.c_str(), 0) == 0);
  breach(3, std::system("true") == 0);
  breach(4, mkdir((file.string() + "3").c_str(), 0700) == 0);
  breach(5, socket(AF_INET, SOCK_STREAM, 0) >= 0);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  breach(6, child > 0);
  return found;
}

TEST(Confine, ReadsAndComputesOnly) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("confine_" + std::to_string(getpid()));
  std::fclose(std::fopen(file.c_str(), "w"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    int report[3] = {confine_process(), 0, 0};
    if (report[0]) {
      report[1] = breaches(file);
      std::FILE* in = std::fopen(file.c_str(), "r");
      bool ran = false;
      std::thread([&] { ran = true; }).join();
      report[2] = in && ran;
    }
    [[maybe_unused]] const auto written = write(ends[1], report, sizeof report);
    _exit(0);
  }
  close(ends[1]);
  int report[3] = {-1, -1, -1};
  EXPECT_EQ(read(ends[0], report, sizeof report), static_cast<ssize_t>(sizeof report));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove(file);
  if (report[0] == 0) GTEST_SKIP() << "this system has no seccomp filters";
  EXPECT_EQ(report[1], 0);
  EXPECT_EQ(report[2], 1);
}

}  // namespace
}  // namespace tessera
