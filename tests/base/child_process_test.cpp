#include "base/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera {

struct Parcel {
  int number = 0;
  std::string text;
  std::vector<double> values;
  std::vector<Parcel> inner;
  std::optional<std::string> note;
  bool operator==(const Parcel&) const = default;
};
template <class Archive>
static void describe(Archive& archive, Parcel& p) {
  archive(p.number, p.text, p.values, p.inner, p.note);
}

namespace {

ChildTask task_of(std::function<void(ChildSink&)> work) {
  return {.program = "The library",
          .what = "reading part.x",
          .work = std::move(work),
          .result = [](ChildSource&) {},
          .cpu_help = "wait longer",
          .crash_help = "mend the file"};
}

/// The error of a task; code ok where there is none.
Error error_of(const ChildTask& task) {
  try {
    run_in_child(task);
  } catch (const Error& error) {
    return error;
  }
  return Error(ExitCode::ok, "none");
}
bool says(const Error& error, const std::string& part) {
  return std::string(error.what()).find(part) != std::string::npos;
}

TEST(ChildProcess, ResultsComeBackWhole) {
  Parcel sent{7, "seven", std::vector<double>(1 << 20, 0.25), {{8, "", {}, {}, "inner"}}, {}};
  sent.values.back() = -1;
  Parcel got;
  ChildTask task = task_of([&](ChildSink& sink) {
    sent.number = 9;  // in the child's memory only
    ArchiveWriter<ChildSink> archive(sink);
    archive(sent);
  });
  task.result = [&](ChildSource& source) {
    ArchiveReader<ChildSource> archive(source);
    archive(got);
  };
  run_in_child(task);
  EXPECT_EQ(sent.number, 7);
  sent.number = 9;
  EXPECT_EQ(got, sent);
}

TEST(ChildProcess, ErrorsTravelAsTheyAre) {
  const Position where{"part.x", 3, 8, "bad line", 2};
  const Error error =
      error_of(task_of([&](ChildSink&) { throw Error(ExitCode::file_system, "no such thing", "look again", where); }));
  EXPECT_EQ(error.code(), ExitCode::file_system);
  EXPECT_STREQ(error.what(), "no such thing");
  EXPECT_EQ(error.help(), "look again");
  ASSERT_TRUE(error.where());
  EXPECT_EQ(error.where()->column, 8);
  const Error other = error_of(task_of([](ChildSink&) { throw std::runtime_error("odd"); }));
  EXPECT_EQ(other.code(), ExitCode::mesh);
  EXPECT_TRUE(says(other, "odd"));
  EXPECT_EQ(error_of(task_of([](ChildSink&) { throw 3; })).code(), ExitCode::mesh);
}

TEST(ChildProcess, ItsEndIsAnErrorWithItsLastWords) {
  const auto end_of = [](std::function<void()> end) {
    return error_of(task_of([end = std::move(end)](ChildSink&) {
      [[maybe_unused]] const auto written = write(STDOUT_FILENO, "opened\nlast line\n", 17);
      end();
    }));
  };
  struct Case {
    const char* what;
    std::function<void()> end;
  };
  for (const auto& [what, end] :
       {Case{"Segmentation fault", [] { raise(SIGSEGV); }}, Case{"Aborted", [] { std::abort(); }},
        Case{"exit code 0", [] { std::exit(0); }}, Case{"exit code 3", [] { _exit(3); }}}) {
    const Error error = end_of(end);
    EXPECT_EQ(error.code(), ExitCode::mesh) << error.what();
    EXPECT_TRUE(says(error, what)) << error.what();
    EXPECT_TRUE(says(error, "reading part.x: The library")) << error.what();
    EXPECT_TRUE(says(error, "its last words: \"last line\"")) << error.what();
    EXPECT_EQ(error.help(), "mend the file");
  }
}

TEST(ChildProcess, KilledBySystemMeansMemory) {
  const Error error = error_of(task_of([](ChildSink&) { raise(SIGKILL); }));
  EXPECT_EQ(error.code(), ExitCode::memory) << error.what();
}

TEST(ChildProcess, TimeOfCpuIsLimited) {
  ChildTask task = task_of([](ChildSink&) {
    for (std::atomic<bool> go{true}; go;) {
    }
  });
  task.cpu_seconds = 1;
  const Error error = error_of(task);
  EXPECT_EQ(error.code(), ExitCode::mesh);
  EXPECT_TRUE(says(error, "used up its time")) << error.what();
  EXPECT_EQ(error.help(), "wait longer");
}

TEST(ChildProcess, StopEndsIt) {
  ChildTask task = task_of([](ChildSink&) { pause(); });
  int asked = 0;
  task.stop = [&] { return ++asked > 2; };
  EXPECT_EQ(error_of(task).code(), ExitCode::interrupted);
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1);  // no child is left
}

TEST(ChildProcess, LinesAreHeardAndTheResultFollows) {
  std::vector<std::string> heard;
  ChildTask task = task_of([](ChildSink& sink) {
    for (int i = 0; i < 5000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      [[maybe_unused]] const auto written = write(i % 2 ? STDOUT_FILENO : STDERR_FILENO, line.data(), line.size());
    }
    sink.write("x", 1);
    pause();  // the parent has not yet the end of the result, and all lines come before it
  });
  task.line = [&](const std::string& line) { heard.push_back(line); };
  task.stop = [&] { return heard.size() == 5000; };
  char letter = 0;
  task.result = [&](ChildSource& source) { source.read(&letter, 1); };
  EXPECT_EQ(error_of(task).code(), ExitCode::interrupted);
  ASSERT_EQ(heard.size(), 5000u);
  EXPECT_EQ(heard[4999], "line 4999");
}

TEST(ChildProcess, ThreadsOfTheParentAreNoConcern) {
  std::vector<int> of_thread(64, 0);
  parallel_for(4, 64, [&](Offset i, int part) { of_thread[i] = part; });  // the parent has a team now
  int sum = 0;
  ChildTask task = task_of([](ChildSink& sink) {
    const auto sum_of = [](Offset first, Offset last) { return (last - first) * (first + last - 1) / 2; };
    const int total = static_cast<int>(parallel_reduce(4, 100, Offset{0}, sum_of, std::plus<>()));
    sink.write(&total, sizeof total);
  });
  task.result = [&](ChildSource& source) { source.read(&sum, sizeof sum); };
  run_in_child(task);
  EXPECT_EQ(sum, 4950);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ChildProcess, WantOfMemoryIsCode5) {
  const auto grow = [](ChildSink&) {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    EXPECT_NE(limit.rlim_cur, RLIM_INFINITY);
    std::vector<char*> blocks;
    for (;;) {  // touches nothing
      blocks.push_back(new char[std::size_t{1} << 30]);
      asm volatile("" : : "g"(blocks.back()) : "memory");
    }
  };
  EXPECT_EQ(error_of(task_of(grow)).code(), ExitCode::memory);
  // A C library that does not look at what malloc returns.
  const auto crash = [](ChildSink&) {
    void* memory = nullptr;
    const auto ask = [&memory](std::size_t size) {
      memory = std::malloc(size);
      asm volatile("" : "+r"(memory) : : "memory");  // else the compiler leaves out what nobody uses
      return memory != nullptr;
    };
    for (std::size_t size = std::size_t{1} << 34; size > 0; size /= 2)
      while (ask(size)) {
      }
    ask(std::size_t{1} << 34);
    *static_cast<volatile char*>(memory) = 1;
  };
  EXPECT_EQ(error_of(task_of(crash)).code(), ExitCode::memory);
}
#endif

}  // namespace
}  // namespace tessera
