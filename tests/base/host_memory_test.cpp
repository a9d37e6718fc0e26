#include "base/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class FakeMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(::testing::TempDir()) / ("tessera_machine_" + std::to_string(getpid()));
    write("/proc/meminfo", "MemTotal:  4000 kB\nMemFree:  10 kB\nMemAvailable:  3000 kB\n");
  }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root.string() + path).parent_path());
    std::ofstream(root.string() + path) << text;
  }
  HostMemory memory() { return detail::host_memory_below(root.c_str()); }
  fs::path root;
};

TEST_F(FakeMachine, AvailableMemoryIsWhatTheSystemSays) {
  EXPECT_EQ(memory().free, 3000u * 1024);
  EXPECT_EQ(memory().total, 4000u * 1024);
  EXPECT_STREQ(memory().what.data(), "this machine");
}

TEST_F(FakeMachine, TheTightestControlGroupOfVersion2Holds) {
  write("/proc/self/cgroup", "0::/user/job\n");
  write("/sys/fs/cgroup/user/job/memory.max", "max\n");
  write("/sys/fs/cgroup/user/memory.max", "2000000\n");
  write("/sys/fs/cgroup/user/memory.current", "1900000\n");
  write("/sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 400000\n");
  EXPECT_EQ(memory().free, 500000u);  // the cache of files is given back
  EXPECT_EQ(memory().total, 2000000u);
  EXPECT_STREQ(memory().what.data(), "the control group /user");
}

TEST_F(FakeMachine, ControlGroupsOfVersion1AreFoundAndHugeLimitsAreNone) {
  write("/proc/self/cgroup", "5:cpu:/a\n4:memory:/a/b\n");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "1000000\n");
  write("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "2000000\n");
  EXPECT_EQ(memory().free, 0u);
  EXPECT_STREQ(memory().what.data(), "the control group /a/b");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HostMemory, ALimitOfTheAddressSpaceIsNamed) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    const HostMemory memory = host_memory();
    bool good = memory.total == std::size_t{1} << 30 && memory.free < memory.total &&
                std::strstr(memory.what.data(), "ulimit -v") != nullptr;
    try {
      allocate(Host{}, std::size_t{2} << 30);
      good = false;
    } catch (const Error& error) {
      const std::string words = error.what();
      good = good && error.code() == ExitCode::memory && words.find("2 GiB asked") != std::string::npos &&
             words.find("of 1 GiB of the address space (ulimit -v)") != std::string::npos;
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
}  // namespace tessera
