#include "base/backend.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/profile.hpp"

using namespace tessera;

TEST(Threads, ReduceIsTheSameForAnyNumberOfThreads) {
  for (Offset n : {0, 1, 100, 4096, 4097, 100000}) {
    auto f = [](Offset i) { return std::sin(0.1 * static_cast<double>(i)) / 3; };
    double one = -1, two = -1;
    Threads single(1), pair(2);
    reduce(single, n, f, &one);
    reduce(pair, n, f, &two);
    EXPECT_EQ(one, two) << n;
    long double exact = 0;
    for (Offset i = 0; i < n; ++i) exact += f(i);
    EXPECT_NEAR(one, static_cast<double>(exact), 1e-11) << n;
  }
}

TEST(Threads, ForEachVisitsEveryItemOnce) {
  Threads exec;
  std::vector<int> visits(10007, 0);
  for_each(exec, 10007, [&](Offset i) { ++visits[i]; });
  for (int count : visits) EXPECT_EQ(count, 1);
}

TEST(Array, MovesAndCopies) {
  Array<double> a(3);
  for (int i = 0; i < 3; ++i) a[i] = i;
  Array<double> b = std::move(a);
  EXPECT_EQ(a.size(), 0);
  Array<double> c(3);
  copy(b, c);
  EXPECT_EQ(to_vector(c), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(Array<double>(0).data(), nullptr);
}

TEST(Array, AbsurdSizeIsOutOfMemoryWithFigures) {
  try {
    Array<double> huge(Offset{1} << 50);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::memory);
    EXPECT_NE(std::string(error.what()).find("8 PiB asked"), std::string::npos) << error.what();
  }
}

TEST(Backend, NamesAreChecked) {
  EXPECT_EQ(resolve_backend("threads"), "threads");
  EXPECT_EQ(resolve_backend("auto"), cuda_info().usable ? "cuda" : "threads");
  EXPECT_THROW(resolve_backend("gpu"), Error);
  if (!cuda_info().usable) {
    try {
      resolve_backend("cuda");
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_FALSE(cuda_info().why_not.empty());
    }
  }
}

TEST(Profile, ScopesOfOneNameAddUp) {
  Threads exec(1);
  const std::size_t before = profile().phases().size();
  for (int i = 0; i < 2; ++i) Scope scope(exec, "test.phase", 10);
  ASSERT_EQ(profile().phases().size(), before + 1);
  EXPECT_EQ(profile().phases().back().calls, 2);
  EXPECT_EQ(profile().phases().back().bytes, 20);
}

TEST(Memory, HumanBytes) {
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_GT(memory_use().host_peak, 1000u);
}
