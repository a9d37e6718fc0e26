#include "base/beside.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera {
namespace {

TEST(Beside, DoesItsWorkInOrderOnAThreadOfItsOwn) {
  std::vector<int> done;
  std::thread::id worker;
  {
    Beside beside(2);
    for (int i = 0; i < 50; ++i)
      beside.hand_over([&, i] {
        done.push_back(i);
        worker = std::this_thread::get_id();
      });
    beside.finish();
    EXPECT_EQ(done.size(), 50u);
    EXPECT_NE(worker, std::this_thread::get_id());
    beside.hand_over([&] { done.push_back(50); });
  }
  ASSERT_EQ(done.size(), 51u) << "its end does what was handed over";
  for (int i = 0; i <= 50; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

/// The caller goes on while a piece is held up, until as many wait as may.
TEST(Beside, KeepsNoMorePiecesThanItMay) {
  Beside beside(2);
  std::promise<void> gate;
  std::promise<void> begun;
  beside.hand_over([&] {
    begun.set_value();
    gate.get_future().wait();
  });
  begun.get_future().wait();
  int done = 0;
  for (int i = 0; i < 2; ++i) beside.hand_over([&] { ++done; });
  std::promise<void> handed;
  std::future<void> third = handed.get_future();
  std::thread caller([&] {
    beside.hand_over([&] { ++done; });
    handed.set_value();
  });
  EXPECT_EQ(third.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  gate.set_value();
  caller.join();
  beside.finish();
  EXPECT_EQ(done, 3);
  EXPECT_GT(beside.seconds_waited(), 0);
  EXPECT_GT(beside.seconds_worked(), 0);
}

/// What a piece throws the next call throws, with its code; what was handed over behind it is not done.
TEST(Beside, SaysWhatFailed) {
  Beside beside(5);
  int done = 0;
  std::promise<void> gate;
  beside.hand_over([&] {
    gate.get_future().wait();
    throw Error(ExitCode::file_system, "the disk is full", "free some space");
  });
  beside.hand_over([&] { ++done; });
  gate.set_value();
  try {
    beside.finish();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file_system);
    EXPECT_STREQ(error.what(), "the disk is full");
    EXPECT_EQ(error.help(), "free some space");
  }
  EXPECT_THROW(beside.hand_over([&] { ++done; }), Error);
  EXPECT_THROW(beside.finish(), Error);
  EXPECT_EQ(done, 0);
}

TEST(Beside, LeavesTheTeamToTheCaller) {
  Beside beside(1);
  int threads = 0;
  beside.hand_over([&] { threads = default_threads(); });
  beside.finish();
  EXPECT_EQ(threads, 1);
}

TEST(Beside, WithoutWorkItIsDone) {
  Beside beside(1);
  beside.finish();
  EXPECT_EQ(beside.seconds_worked(), 0);
}

}  // namespace
}  // namespace tessera
