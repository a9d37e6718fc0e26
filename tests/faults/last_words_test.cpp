// A run ends at once, while others of its threads write and want memory as well: no half of a file stays.
#include "app/last_words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "app/last_words_of.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "output/results.hpp"
#include "output/summary.hpp"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* text = "{ \"status\": \"error\", \"exit_code\": 130, \"error\": \"<message>\" }\n";

/// Begins one file after the other, and opens each some time after it has its name, as libraries do.
void write_for_ever(const fs::path& folder, int writer) {
  for (int i = 0;; ++i) {
    const fs::path file = folder / ("file_" + std::to_string(writer) + "_" + std::to_string(i % 4));
    output::Temporary temporary(file);
    std::ofstream stream(temporary.path());
    stream << "half of a file";
    stream.close();
    (void)temporary.commit();
  }
}

/// In a child that has begun to write into the folder: `end` on each of some threads, while others write. Its code.
int end_while_threads_write(const fs::path& folder, const std::function<void()>& end) {
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stderr)) _exit(99);
    alarm(60);
    output::begin_results();
    app::LastWords::begin(folder);
    app::LastWords::set(text, text, text);
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 2; ++writer) threads.emplace_back([&, writer] { write_for_ever(folder, writer); });
    for (int ender = 0; ender < 3; ++ender)
      threads.emplace_back([&] {
        while (!go) std::this_thread::yield();
        end();
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    go = true;
    for (std::thread& thread : threads) thread.join();
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A whole summary and nothing else.
void expect_summary_alone(const fs::path& folder, int code) {
  std::ifstream file(folder / "summary.json");
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  const auto summary = nlohmann::json::parse(words, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << words;
  EXPECT_EQ(summary["exit_code"], code);
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename(), "summary.json") << entry.path();
}

class LastWords : public ::testing::Test {
 protected:
  void repeat(int code, const std::function<void()>& end, int expected) const {
    const fs::path folder = fs::path(::testing::TempDir()) / ("tessera_last_words_" + std::to_string(getpid()));
    for (int i = 0; i < 40 && !HasFailure(); ++i) {
      fs::remove_all(folder);
      fs::create_directories(folder);
      ASSERT_EQ(end_while_threads_write(folder, end), code) << "repeat " << i;
      expect_summary_alone(folder, expected);
    }
    fs::remove_all(folder);
  }
};

TEST_F(LastWords, OfSeveralThreadsWithoutMemoryAreWhole) {
  repeat(
      5, [] { end_without_memory(); }, 130);  // the text is ours, its code is not looked at
}

TEST_F(LastWords, OfASignalLeaveNothingOfOtherThreads) {
  static std::atomic<int> first;
  first = 0;
  repeat(
      143,
      [] {
        if (first++ > 0) return;
        app::LastWords::write_of_signal(SIGTERM, false);
        _exit(143);
      },
      143);
}

/// Makes last words as the program does, and counts them.
struct Listener : PhaseListener {
  explicit Listener(app::LastWordsOf& words) : make(words) { profile().listen(this); }
  ~Listener() override { profile().listen(nullptr); }
  void begin(const std::string&) override { made += make() ? 1 : 0; }
  void end(const std::string&) noexcept override {}
  app::LastWordsOf& make;
  int made = 0;
};

/// At each of the phases that come again they would take longer than these.
TEST(LastWordsOf, AreMadeAsPhasesComeForTheFirstTimeAndTenTimesASecond) {
  static int run = 0;
  const std::string first = fmt::format("first {}", ++run), second = fmt::format("second {}", run);
  const output::Summary summary;
  double seconds = 0;
  app::LastWordsOf words(summary, [&] { return seconds; });
  Listener listener(words);
  const auto made_at = [&](const std::string& phase) {
    const int before = listener.made;
    profile().begin(phase);
    profile().end(phase, 0, 0);
    return listener.made > before;
  };
  EXPECT_TRUE(made_at(first));
  seconds = 0.05;
  EXPECT_FALSE(made_at(first));
  EXPECT_TRUE(made_at(second));
  seconds = 0.14;
  EXPECT_FALSE(made_at(second));
  EXPECT_FALSE(made_at(first));
  seconds = 0.16;
  EXPECT_TRUE(made_at(first));
}

}  // namespace
}  // namespace tessera::testing
