// Expressions on the device against threads and muParser: compiled, interpreted, and from the host.
#include "deck/expression/device_evaluator.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/nvrtc.hpp"
#include "deck/expression/cuda_source.hpp"
#include "expression_oracle.hpp"
#include "support/backends.hpp"

namespace tessera::deck::testing {
namespace {

namespace fs = std::filesystem;
using Way = DeviceEvaluator::Way;

constexpr double t = 0.7;

DeviceEvaluatorOptions options_of(Way way) {
  DeviceEvaluatorOptions options;
  options.compile = way == Way::compiled;
  options.interpret = way != Way::on_host;
  options.cache = "";
  return options;
}

/// Values [expressions][points] on the device, whether finite or not; of each expression at points of its own:
/// points [count, 3].
std::vector<std::vector<double>> values_of(Cuda& exec, DeviceEvaluator& evaluator, std::size_t expressions,
                                           const std::vector<double>& points) {
  const Offset count = static_cast<Offset>(points.size() / 3);
  const Array<double, Device> xyz = to_space<Device>(points);
  Array<double, Device> values(count * static_cast<Offset>(expressions));
  std::vector<DeviceEvaluator::Output> outputs;
  for (std::size_t k = 0; k < expressions; ++k)
    outputs.push_back({values.data() + k, static_cast<Offset>(expressions)});
  evaluator.enqueue(exec, DeviceEvaluator::at_points(xyz.data(), t), count, outputs);
  const std::vector<double> all = to_vector(values);
  std::vector<std::vector<double>> result(expressions);
  for (std::size_t i = 0; i < all.size(); ++i) result[i % expressions].push_back(all[i]);
  return result;
}

/// First of a test: skips it where there is no device, or no compiler and it is about that.
void require(Way way) {
  TESSERA_REQUIRE(Cuda);
  if (way == Way::compiled && !Nvrtc::library().usable()) GTEST_SKIP() << Nvrtc::library().problem();
}

struct Random {
  Way way;
  unsigned seed;
  int kernels;  ///< of most_roots expressions each
};
class RandomOnDevice : public ::testing::TestWithParam<Random> {
 protected:
  void SetUp() override { require(GetParam().way); }
};

TEST_P(RandomOnDevice, ExpressionsAreMuParsers) {
  Cuda exec;
  const Way way = GetParam().way;
  RandomExpressions random(GetParam().seed);
  const int batches = GetParam().kernels, batch = expressions::most_roots;
  int not_known = 0, finite = 0, identical = 0, total = 0;
  for (int b = 0; b < batches; ++b) {
    std::vector<Sample> samples;
    std::vector<Expression> all;
    while (static_cast<int>(all.size()) < batch) {
      samples.push_back(random.next());
      try {
        all.emplace_back(samples.back().text);
      } catch (const Error&) {  // a constant that is not finite
        samples.pop_back();
      }
    }
    const auto points = random_points(4, static_cast<unsigned>(b + 1));
    DeviceEvaluator evaluator(exec, all, options_of(way));
    const auto values = values_of(exec, evaluator, all.size(), points);
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_TRUE(evaluator.way(k) == way || expressions::weight_of(all[k].root()) > expressions::most_weight);
      Oracle oracle(samples[k].text);
      for (std::size_t p = 0; p < points.size() / 3; ++p) {
        const double expected = oracle(&points[3 * p], t);
        const Answer answer = judge(values[k][p], expected, samples[k], &points[3 * p], t);
        ASSERT_NE(answer, Answer::wrong) << samples[k].text << "\n is " << values[k][p] << ", not " << expected
                                         << " at " << points[3 * p] << ", " << points[3 * p + 1] << ", "
                                         << points[3 * p + 2];
        ++total;
        not_known += answer == Answer::not_known;
        finite += std::isfinite(expected);
        identical += same(values[k][p], expected);
      }
    }
  }
  EXPECT_LT(not_known, total / 50);
  EXPECT_GT(finite, total / 2);
  EXPECT_GT(identical, total / 3);
}

// Ten thousand of each: to compile so many takes minutes, so that they are parted.
INSTANTIATE_TEST_SUITE_P(Compiled, RandomOnDevice,
                         ::testing::Values(Random{Way::compiled, 1, 79}, Random{Way::compiled, 2, 79},
                                           Random{Way::compiled, 3, 79}, Random{Way::compiled, 4, 79}));
INSTANTIATE_TEST_SUITE_P(Interpreted, RandomOnDevice, ::testing::Values(Random{Way::interpreted, 5, 313}));
INSTANTIATE_TEST_SUITE_P(OnHost, RandomOnDevice, ::testing::Values(Random{Way::on_host, 6, 10}));

class ExpressionOnDevice : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override { require(GetParam()); }
};

TEST_P(ExpressionOnDevice, EveryFunctionIsThatOfThreads) {
  Cuda exec;
  std::vector<std::string> texts;
  for (const expressions::Function& function : expressions::functions()) {
    const int count = function.arguments == expressions::any_number ? 3 : function.arguments;
    std::string text = std::string(function.name) + "(x";
    for (int i = 1; i < count; ++i) text += i == 1 ? ", y" : ", z";
    texts.push_back(text + ")");
  }
  for (const expressions::Operator& binary : expressions::operators)
    texts.push_back("x " + std::string(binary.name) + " y");
  for (const char* more : {"-x", "x ? y : z", "x^2", "y^3", "x^-1", "x^0.5", "2^x", "0*x", "sum(x)", "t", "x < 1/0"})
    texts.push_back(more);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> some = {0.0,  -0.0, 1,     -1,    0.5,    -0.5,  2,        3,         -3.7,
                                    1e-9, 1e22, -1e10, 1e300, 5e-324, 709.7, infinity, -infinity, std::nan("")};
  std::vector<double> points = random_points(2000, 17);
  for (double x : some)
    for (double y : some) points.insert(points.end(), {x, y, 3});
  std::vector<Expression> all(texts.begin(), texts.end());
  DeviceEvaluator evaluator(exec, all, options_of(GetParam()));
  const auto values = values_of(exec, evaluator, all.size(), points);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<double> expected(points.size() / 3);
    Evaluator(all[k]).at(points.data(), expected.size(), t, expected.data());
    for (std::size_t p = 0; p < expected.size(); ++p) {
      const double value = values[k][p];
      const bool is_same = same(value, expected[p]) &&
                           (std::isnan(value) || value != 0 || std::signbit(value) == std::signbit(expected[p]));
      // Below the least normal number a function may lose digits.
      ASSERT_TRUE(is_same || std::fabs(value - expected[p]) <= 1e-14 * std::max(std::fabs(expected[p]), 1e14 * 5e-324))
          << texts[k] << " is " << value << ", not " << expected[p] << " at " << points[3 * p] << ", "
          << points[3 * p + 1] << ", " << points[3 * p + 2];
    }
  }
}

TEST_P(ExpressionOnDevice, ManyPointsAndStrides) {
  Cuda exec;
  const Expression expression("sin(7*x)*exp(y) + if(x < y, erf(z), abs(x)^3.5) + atan2(x, y)*exp(-t)");
  const auto points = random_points(300001, 3);
  const Offset count = static_cast<Offset>(points.size() / 3);
  std::vector<double> expected(points.size() / 3);
  Evaluator(expression).evaluate(points.data(), expected.size(), t, expected.data());
  const Array<double, Device> xyz = to_space<Device>(points);
  const Array<double, Device> times = to_space<Device>(std::vector<double>(expected.size(), t));
  Array<double, Device> values(3 * count);
  values.set_zero();
  DeviceEvaluator evaluator(exec, {expression, Expression("2")}, options_of(GetParam()));
  DeviceEvaluator::Inputs inputs = DeviceEvaluator::at_points(xyz.data(), 0);
  inputs[expressions::time_variable] = {times.data(), 1, 0};
  const DeviceEvaluator::Output outputs[] = {{values.data() + 1, 3}, {values.data() + 2, 3}};
  evaluator.evaluate(exec, inputs, count, outputs);
  const std::vector<double> all = to_vector(values);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(all[3 * i], 0);
    ASSERT_NEAR(all[3 * i + 1], expected[i], 1e-13) << i;
    ASSERT_EQ(all[3 * i + 2], 2);
  }
  evaluator.evaluate(exec, inputs, 0, outputs);
}

/// Values at the points of some cells get where those of all cells stand.
TEST_P(ExpressionOnDevice, PlacesOfListedCells) {
  Cuda exec;
  const int per_cell = 11;
  const Index cells = 30000;
  std::vector<Index> list;
  for (Index cell = cells - 1; cell >= 0; cell -= 3) list.push_back(cell);
  std::vector<double> points, expected(static_cast<std::size_t>(cells) * per_cell, -1);
  for (const Index cell : list)
    for (int q = 0; q < per_cell; ++q) {
      points.insert(points.end(), {double(cell), double(q), 0});
      expected[static_cast<std::size_t>(cell) * per_cell + q] = 1000.0 * cell + q;
    }
  const Array<double, Device> xyz = to_space<Device>(points);
  const Array<Index, Device> listed = to_space<Device>(list);
  Array<double, Device> values = to_space<Device>(std::vector<double>(expected.size(), -1.0));
  DeviceEvaluator evaluator(exec, {Expression("1000*x + y/(1 - (x == 2))")}, options_of(GetParam()));
  const DeviceEvaluator::Output output[] = {{values.data(), 1}};
  evaluator.enqueue(exec, DeviceEvaluator::at_points(xyz.data(), 0), static_cast<Offset>(points.size() / 3), output,
                    {listed.data(), per_cell});
  const std::vector<double> all = to_vector(values);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(i / per_cell == 2 || all[i] == expected[i]) << i;
  const auto bad = evaluator.first_not_finite(exec);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->expression, 0u);
  EXPECT_EQ(bad->place, 2 * per_cell);
  EXPECT_FALSE(evaluator.first_not_finite(exec));
}

TEST_P(ExpressionOnDevice, WhatIsNotFiniteIsNamedAsOnThreads) {
  Cuda exec;
  auto points = random_points(5000, 11);
  for (std::size_t i : {4000u, 1234u, 3000u}) points[3 * i] = 7;
  const Offset count = 5000;
  const Array<double, Device> xyz = to_space<Device>(points);
  Array<double, Device> values(3 * count);
  std::vector<DeviceEvaluator::Output> outputs;
  for (int k = 0; k < 3; ++k) outputs.push_back({values.data() + k * count, 1});
  for (const char* text : {"1/(x - 7)", "sqrt(6.5 - x)", "log(7 - x) + t", "if(x > 6, 1e308*x, y)"}) {
    const Position where{"deck.toml", 3, 5, "k = \"...\"", 1};
    const Expression wrong(text, where);
    DeviceEvaluator evaluator(exec, {Expression("x + y"), wrong, Expression("1/(x - 7)")}, options_of(GetParam()));
    std::vector<double> on_host(5000);
    std::string expected, found;
    try {
      Evaluator(wrong).evaluate(points.data(), on_host.size(), t, on_host.data());
    } catch (const Error& error) {
      expected = error.report();
    }
    try {
      evaluator.evaluate(exec, DeviceEvaluator::at_points(xyz.data(), t), count, outputs);
    } catch (const Error& error) {
      found = error.report();
    }
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(found, expected);
    // Nothing of it is left for the next time.
    EXPECT_NO_THROW(evaluator.evaluate(exec, DeviceEvaluator::at_points(xyz.data(), t), 1000, outputs));
  }
}

TEST_P(ExpressionOnDevice, TheSolutionIsAVariable) {
  Cuda exec;
  const Expression expression("1 + u^2*x + sqrt(ux^2 + uy^2 + uz^2)/(u != 9)", {}, Knows::gradient);
  const std::size_t count = 3000;
  const std::vector<double> xyz = random_points(count, 1), gradient = random_points(count, 2);
  std::vector<double> u = random_points(count / 3, 3), expected(count);
  Evaluator(expression).evaluate({xyz.data(), u.data(), gradient.data()}, count, 0, expected.data());
  const auto xyz_there = to_space<Device>(xyz), gradient_there = to_space<Device>(gradient);
  auto u_there = to_space<Device>(u);
  Array<double, Device> values(static_cast<Offset>(count));
  const DeviceEvaluator::Output output[] = {{values.data(), 1}};
  DeviceEvaluator evaluator(exec, {expression}, options_of(GetParam()));
  const Points there{xyz_there.data(), u_there.data(), gradient_there.data()};
  evaluator.evaluate(exec, DeviceEvaluator::at_points(there, 0), static_cast<Offset>(count), output);
  const std::vector<double> found = to_vector(values);
  for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(found[i], expected[i], 1e-13) << i;
  EXPECT_THROW(evaluator.enqueue(exec, DeviceEvaluator::at_points(xyz_there.data(), 0), 1, output), Error);
  u[700] = 9;
  u_there = to_space<Device>(u);
  std::string message, on_device;
  try {
    Evaluator(expression).evaluate({xyz.data(), u.data(), gradient.data()}, count, 0, expected.data());
  } catch (const Error& error) {
    message = error.report();
  }
  try {
    evaluator.evaluate(exec, DeviceEvaluator::at_points({xyz_there.data(), u_there.data(), gradient_there.data()}, 0),
                       static_cast<Offset>(count), output);
  } catch (const Error& error) {
    on_device = error.report();
  }
  EXPECT_NE(message.find("u = 9"), std::string::npos) << message;
  EXPECT_EQ(on_device, message);
}

INSTANTIATE_TEST_SUITE_P(Ways, ExpressionOnDevice, ::testing::Values(Way::compiled, Way::interpreted, Way::on_host),
                         [](const auto& one) {
                           return one.param == Way::compiled      ? "Compiled"
                                  : one.param == Way::interpreted ? "Interpreted"
                                                                  : "OnHost";
                         });

class DeviceEvaluatorTest : public ::testing::Test {
 protected:
  void SetUp() override { TESSERA_REQUIRE(Cuda); }
  static double value(Cuda& exec, const std::string& text, const DeviceEvaluatorOptions& options, Way way,
                      double x = 0.5) {
    const Array<double, Device> xyz = to_space<Device>(std::vector<double>{x, 0.25, 0});
    Array<double, Device> values(1);
    DeviceEvaluator evaluator(exec, {Expression(text)}, options);
    EXPECT_EQ(evaluator.way(0), way) << text.substr(0, 40);
    const DeviceEvaluator::Output output[] = {{values.data(), 1}};
    evaluator.evaluate(exec, DeviceEvaluator::at_points(xyz.data(), 0), 1, output);
    return to_vector(values)[0];
  }
};

TEST_F(DeviceEvaluatorTest, InterpretsWithoutNvrtcAndWarnsOnce) {
  Cuda exec;
  DeviceEvaluatorOptions options;
  options.nvrtc = "libnvrtc-of-nobody.so.2";
  clear_warnings();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(value(exec, "x + 1", options, Way::interpreted), 1.5);
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("libnvrtc-of-nobody.so.2 cannot be loaded"), std::string::npos) << warnings()[0];
  clear_warnings();
}

TEST_F(DeviceEvaluatorTest, DepthAndSizeAreNoLimit) {
  Cuda exec;
  const bool compiles = Nvrtc::library().usable();
  DeviceEvaluatorOptions options;
  options.cache = "";
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string left, right;
    for (int i = 0; i < depth; ++i) left += open, right += close;
    return left + "x" + right;
  };
  EXPECT_EQ(value(exec, nested("(", ")", 9999), options, compiles ? Way::compiled : Way::interpreted), 0.5);
  EXPECT_DOUBLE_EQ(value(exec, nested("1+y*(", ")", 3000), options, Way::interpreted), 4.0 / 3);
  const std::string sines = nested("sin(", ")", 3900);
  const double point[3] = {0.5, 0, 0};
  EXPECT_NEAR(value(exec, sines, options, Way::interpreted), Evaluator(Expression(sines))(point), 1e-12);
  // Every term is needed at the end: one register each.
  std::string sum = "0", product = "1";
  for (int i = 1; i <= 300; ++i) {
    const std::string term = "sin(x+" + std::to_string(i) + ")";
    sum += "+" + term;
    product += "*" + term;
  }
  const std::string both = sum + "+" + product;
  EXPECT_NEAR(value(exec, both, options, Way::on_host), Evaluator(Expression(both))(point), 1e-12);
}

TEST_F(DeviceEvaluatorTest, MoreExpressionsThanAKernelTakes) {
  Cuda exec;
  std::vector<Expression> all;
  for (int k = 0; k < 100; ++k)
    all.emplace_back(k == 50 ? "x^0.5" +
                                   [] {
                                     std::string more;
                                     for (int i = 1; i < 400; ++i) more += "+x^" + std::to_string(i) + ".5";
                                     return more;
                                   }()
                             : "x + " + std::to_string(k));
  DeviceEvaluatorOptions options;
  options.cache = "";
  DeviceEvaluator evaluator(exec, all, options);
  EXPECT_EQ(evaluator.way(50), Way::interpreted);
  const auto values = values_of(exec, evaluator, all.size(), {0.25, 0, 0});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double point[3] = {0.25, 0, 0};
    EXPECT_NEAR(values[k][0], Evaluator(all[k])(point, t), 1e-14 * (1 + static_cast<double>(k))) << k;
  }
}

/// A cache that cannot be written or is not whole changes nothing but the time it takes.
TEST_F(DeviceEvaluatorTest, CacheIsNeverAnError) {
  if (!Nvrtc::library().usable()) GTEST_SKIP() << Nvrtc::library().problem();
  Cuda exec;
  const fs::path folder = fs::temp_directory_path() / ("tessera_kernels_" + std::to_string(getpid()));
  fs::remove_all(folder);
  DeviceEvaluatorOptions options;
  options.cache = folder;
  EXPECT_EQ(value(exec, "x + 3", options, Way::compiled), 3.5);
  std::vector<fs::path> kept(fs::directory_iterator(folder), {});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(value(exec, "x + 3", options, Way::compiled), 3.5);  // from the cache
  const auto size = fs::file_size(kept[0]);
  {  // a byte of the cubin
    std::fstream file(kept[0], std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(size) - 100);
    file.put('?').put('!');
  }
  EXPECT_EQ(value(exec, "x + 3", options, Way::compiled), 3.5);
  fs::resize_file(kept[0], size / 2);
  EXPECT_EQ(value(exec, "x + 3", options, Way::compiled), 3.5);
  EXPECT_EQ(fs::file_size(kept[0]), size);  // made anew
  for (const char* unusable : {"/proc/tessera", "/dev/null/tessera"}) {
    options.cache = unusable;
    EXPECT_EQ(value(exec, "x + 3", options, Way::compiled), 3.5);
  }
  fs::remove_all(folder);
}

/// A whole file of the right key whose content the device does not take.
TEST_F(DeviceEvaluatorTest, WhatTheDeviceDoesNotTakeIsCompiledAgain) {
  if (!Nvrtc::library().usable()) GTEST_SKIP() << Nvrtc::library().problem();
  Cuda exec;
  const fs::path folder = fs::temp_directory_path() / ("tessera_kernels_" + std::to_string(getpid()));
  fs::remove_all(folder);
  DeviceEvaluatorOptions options;
  options.cache = folder;
  EXPECT_EQ(value(exec, "x + 4", options, Way::compiled), 4.5);
  const fs::path file = *fs::directory_iterator(folder);
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t key = content.find("NVRTC"), elf = content.find(
                                                     "\x7f"
                                                     "ELF");
  ASSERT_NE(elf, std::string::npos);
  DiskCache(folder).write(content.substr(key, elf - key), "no cubin");
  EXPECT_EQ(value(exec, "x + 4", options, Way::compiled), 4.5);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::deck::testing
