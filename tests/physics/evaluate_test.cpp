// Expressions at many points: what is thrown does not depend on the number of threads.
#include "physics/evaluate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "mesh/box.hpp"
#include "physics/scalar/problem.hpp"

namespace {

using namespace tessera;
using namespace tessera::physics;

/// What is thrown; empty where nothing is.
template <class Run>
std::string message(Run run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ForEachWith, VisitsEachItemOnceWithAStateOfItsThread) {
  std::vector<int> visits(1000, 0);
  for_each_with([] { return std::this_thread::get_id(); }, 1000, 4,
                [&](const std::thread::id& maker, Offset item) {
                  EXPECT_EQ(maker, std::this_thread::get_id());
                  ++visits[item];
                });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000);
}

TEST(ForEachWith, RethrowsWhatTheLowestItemHasThrownThoughItIsTheLast) {
  const std::string thrown = message([] {
    for_each_with([] { return 0; }, 8, 8,
                  [](int, Offset item) {
                    if (item < 3) return;
                    if (item == 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));
                    throw Error(ExitCode::usage, "item " + std::to_string(item), "");
                  });
  });
  EXPECT_EQ(thrown, "item 3");
}

TEST(ForEachWith, RethrowsWhatAStateHasThrown) {
  EXPECT_EQ(message([] {
              for_each_with([]() -> int { throw Error(ExitCode::usage, "no state", ""); }, 5, 2,
                            [](int, Offset) { ADD_FAILURE() << "work without a state"; });
            }),
            "no state");
}

/// 1/x at 2^19 points, two of which are 0: the last of the first eighth and the first of the last.
TEST(Evaluate, NamesTheFirstPointWithAnyNumberOfThreads) {
  const std::size_t count = 1 << 19, first = count / 8 - 1, second = 7 * count / 8;
  std::vector<double> points(3 * count, 1.0);
  for (const std::size_t bad : {first, second}) {
    points[3 * bad] = 0;
    points[3 * bad + 1] = static_cast<double>(bad);
  }
  const deck::Expression expression("1/x");
  for (int threads : {1, 2, 3, 8})
    EXPECT_NE(message([&] { evaluate(expression, points, threads); }).find("(0, " + std::to_string(first)),
              std::string::npos)
        << threads << " threads";
}

TEST(Evaluate, ValuesAreThoseOfTheExpression) {
  std::vector<double> points(3 * 5000);
  std::iota(points.begin(), points.end(), 0.0);
  const std::vector<double> sums = evaluate(deck::Expression("x+y+z"), points, 3);
  ASSERT_EQ(sums.size(), 5000u);
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 9.0 * static_cast<double>(i) + 3);
  EXPECT_EQ(evaluate(deck::Expression(2.5), points, 3), std::vector<double>(5000, 2.5));
}

TEST(Coefficient, NamesTheFirstPointWithAnyNumberOfThreads) {
  mesh::BoxParams params;
  params.min = {0, 0};
  params.max = {1, 1};
  params.cells = {64, 64};
  params.shape = "quad";
  const mesh::Mesh mesh = mesh::make_box(params);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1, 1);
  const assembly::QuadraturePoints points(mesh, dofs);
  const std::vector<Index> material(static_cast<std::size_t>(mesh.cells()), 0);
  const auto thrown = [&](int threads) {
    return message([&] {
      scalar::coefficient({{deck::Expression("sqrt((y-0.3)*(y-0.8)*(x-0.1))")}}, material, mesh, points, threads);
    });
  };
  const std::string expected = thrown(1);
  EXPECT_NE(expected.find("sqrt"), std::string::npos) << expected;
  for (int threads : {2, 5, 16}) EXPECT_EQ(thrown(threads), expected) << threads << " threads";
}

}  // namespace
