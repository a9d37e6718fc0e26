#include "base/team.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

TEST(Team, EveryPartRunsOnce) {
  for (int parts : {1, 2, 3, 8, 50}) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<int> runs(static_cast<std::size_t>(parts));
      parallel(parts, [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
      EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(parts), 1));
    }
  }
}

TEST(Team, LoopsVisitEachItemOnce) {
  for (const Offset count : {0, 1, 2, 3, 7, 1000, 4097})
    for (const int threads : {1, 2, 5}) {
      const std::vector<int> once(static_cast<std::size_t>(count), 1);
      std::vector<int> visits(once.size());
      parallel_for(threads, count, [&](Offset i) { ++visits[i]; });
      EXPECT_EQ(visits, once);
      visits.assign(once.size(), 0);
      parallel_chunks(threads, count, 3, [&](Offset first, Offset last, int part) {
        EXPECT_LT(part, threads);
        for (Offset i = first; i < last; ++i) ++visits[i];
      });
      EXPECT_EQ(visits, once);
      const auto sum = [](Offset first, Offset last) { return (last - first) * (first + last - 1) / 2; };
      EXPECT_EQ(parallel_reduce(threads, count, Offset{0}, sum, std::plus<>()), count * (count - 1) / 2);
    }
}

TEST(Team, WhatOneThreadFindsFalseIsNotLostBesideOthers) {
  const auto all = [](bool a, bool b) { return a && b; };
  for (int round = 0; round < 200; ++round)
    EXPECT_FALSE(parallel_reduce(
        8, 8, true, [&](Offset first, Offset) { return first != round % 8; }, all));
}

/// What a call throws, by the number in its text.
template <class Call>
int thrown(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return std::stoi(error.what());
  }
  return -1;
}

TEST(Team, WhatTheLowestItemThrowsComesOutWhateverTheThreads) {
  const auto fail = [](Offset i) {
    if (i % 100 == 37) throw std::runtime_error(std::to_string(i));
  };
  for (const int threads : {1, 2, 3, 8})
    for (int repeat = 0; repeat < 50; ++repeat) {
      EXPECT_EQ(thrown([&] { parallel_for(threads, 1000, fail); }), 37);
      EXPECT_EQ(thrown([&] {
                  parallel_chunks(threads, 1000, 7, [&](Offset first, Offset last, int) {
                    for (Offset i = first; i < last; ++i) fail(i);
                  });
                }),
                37);
    }
}

TEST(Team, BadAllocComesOutAndTheTeamWorksOn) {
  EXPECT_THROW(parallel(4,
                        [](int part) {
                          if (part == 3) throw std::bad_alloc();
                        }),
               std::bad_alloc);
  std::atomic<int> runs{0};
  parallel(4, [&](int) { ++runs; });
  EXPECT_EQ(runs, 4);
}

TEST(Team, CallsInsideOfOneRunInOrder) {
  std::vector<std::vector<int>> order(3);
  parallel(3, [&](int outer) {
    EXPECT_TRUE(inside_parallel());
    EXPECT_EQ(current_part(), outer);
    parallel(4, [&](int part) { order[static_cast<std::size_t>(outer)].push_back(part); });
  });
  EXPECT_FALSE(inside_parallel());
  for (const std::vector<int>& parts : order) EXPECT_EQ(parts, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Team, SeveralThreadsOfTheProgramMayCall) {
  std::vector<std::thread> callers;
  std::atomic<Offset> sum{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 300; ++repeat)
        parallel_for(3, 100, [&](Offset i) { sum.fetch_add(i, std::memory_order_relaxed); });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 300 * 4950);
}

// A wait of 10 ms costs a few ms of CPU at the most, on an idle machine as on a busy one: OpenMP's threads would spin
// all of it.
TEST(Team, ThreadsThatWaitSleep) {
  parallel(2, [](int) {});
  const auto cpu_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double before = cpu_seconds();
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    parallel(2, [](int) {});
  }
  EXPECT_LT(cpu_seconds() - before, 0.15);
}

// The threads of the team are not copied by fork(): the child must not wait for them.
TEST(Team, WorksInAChildOfFork) {
  parallel(3, [](int) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> runs{0};
    for (int repeat = 0; repeat < 10; ++repeat) parallel(3, [&](int) { ++runs; });
    _exit(runs == 30 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace tessera
