// Expressions as text for the compiler of the device and as steps for its interpreter, as far as the host can tell.
// Compiled without fused multiply-adds, as they are on the device.
#include "deck/expression/cuda_source.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "deck/expression.hpp"
#include "deck/expression/listing.hpp"
#include "deck/expression/parse.hpp"
#include "expression_oracle.hpp"

namespace tessera::deck::testing {
namespace {

using expressions::Op;

std::string source_of(const std::vector<std::string>& texts) {
  std::vector<expressions::Root> roots;
  for (const std::string& text : texts) roots.push_back(expressions::parse(text, {}));
  std::vector<const expressions::Root*> all;
  for (const expressions::Root& root : roots) all.push_back(&root);
  return expressions::cuda_source(expressions::join(all));
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Lines of the loop over points.
std::vector<std::string> body_of(const std::string& source) {
  std::istringstream lines(source.substr(source.find("const long long place")));
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) result.push_back(line);
  return result;
}

/// Every line is one of those that a kernel is made of, and every register is defined once and before its use.
void expect_well_formed(const std::string& source, std::size_t roots) {
  static const std::regex number(
      R"(const double r(\d+) = (-?0x[0-9a-f.]+p[+-]\d+|__longlong_as_double\(0x[0-9a-f]+ll\));)"),
      input(R"(const double r(\d+) = input_of\(arguments\.inputs\[\d+\], i\);)"),
      operation(R"(const double r(\d+) = (op_[a-z0-9_]+)\(r(\d+)(?:, r(\d+))?(?:, r(\d+))?\);)"),
      stores(R"(if \(!store\(arguments\.outputs\[(\d+)\], place, r(\d+)\)\) )"
             R"(atomicMin\(arguments\.bad \+ (\d+), \(unsigned long long\)place\);)");
  std::set<std::string> defined, stored;
  const auto define = [&](const std::string& line, const std::string& name) {
    EXPECT_TRUE(defined.insert(name).second) << line;
  };
  const std::vector<std::string> body = body_of(source);
  ASSERT_GE(body.size(), 3u);
  for (std::size_t i = 1; i + 2 < body.size(); ++i) {
    std::smatch match;
    if (std::regex_match(body[i], match, number) || std::regex_match(body[i], match, input)) {
      define(body[i], match[1]);
    } else if (std::regex_match(body[i], match, operation)) {
      for (std::size_t operand = 3; operand < match.size(); ++operand)
        EXPECT_TRUE(!match[operand].matched || defined.contains(match[operand])) << body[i];
      EXPECT_EQ(count_of(" " + match[2].str() + "(double a", source), 1u) << body[i];
      define(body[i], match[1]);
    } else if (std::regex_match(body[i], match, stores)) {
      EXPECT_EQ(match[1], match[3]);
      EXPECT_TRUE(defined.contains(match[2])) << body[i];
      EXPECT_TRUE(stored.insert(match[1]).second) << body[i];
    } else {
      FAIL() << body[i];
    }
  }
  EXPECT_EQ(body[body.size() - 2] + body.back(), "}}");
  EXPECT_EQ(stored.size(), roots);
}

TEST(ExpressionCudaSource, IsWellFormed) {
  RandomExpressions random(77);
  for (int i = 0; i < 700; ++i) {
    std::vector<std::string> texts;
    for (int k = 0; k < 3; ++k) texts.push_back(random.next().text);
    expect_well_formed(source_of(texts), texts.size());
    ASSERT_FALSE(HasFailure()) << texts[0] << "\n" << texts[1] << "\n" << texts[2];
  }
}

TEST(ExpressionCudaSource, HasEveryFunction) {
  for (const expressions::Function& function : expressions::functions()) {
    const int count = function.arguments == expressions::any_number ? 2 : function.arguments;
    std::string text = std::string(function.name) + "(x";
    for (int i = 1; i < count; ++i) text += i == 1 ? ", y" : ", z";
    const std::string source = source_of({text + ")"});
    expect_well_formed(source, 1);
    EXPECT_GE(count_of("static __device__ __forceinline__ double op_", source), 1u) << text;
  }
}

TEST(ExpressionCudaSource, ComputesOnceWhatIsTheSame) {
  const std::string source = source_of({"sin(x)^2 + cos(y)*sin(x)", "exp(sin(x))*cos(y)", "2*x", "2*x"});
  EXPECT_EQ(count_of("= op_sin(r", source), 1u);
  EXPECT_EQ(count_of("= op_cos(r", source), 1u);
  EXPECT_EQ(count_of("input_of(arguments.inputs[0]", source), 1u);
  EXPECT_EQ(count_of("= op_power(", source), 0u);  // a product, as on threads
  EXPECT_EQ(count_of("if (!store(", source), 4u);
  expect_well_formed(source, 4);
}

TEST(ExpressionCudaSource, TakesNumbersAsTheyAre) {
  for (const double value : {0.1, -2.5e-300, 5e-324, 1.7976931348623157e308, 3.0, 0.0, -0.0}) {
    expressions::Root root;
    root.node = root.tree.constant(value);
    const expressions::Root* all[] = {&root};
    const std::string line = body_of(expressions::cuda_source(expressions::join(all)))[1];
    const double read = std::strtod(line.substr(line.find('=') + 1).c_str(), nullptr);
    EXPECT_TRUE(read == value && std::signbit(read) == std::signbit(value)) << line;
  }
  EXPECT_NE(source_of({"x < 1/0"}).find("__longlong_as_double(0x7ff0000000000000ll)"), std::string::npos);
}

TEST(ExpressionCudaSource, DepthIsNoLimit) {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string left, right;
    for (int i = 0; i < depth; ++i) left += open, right += close;
    return left + "x" + right;
  };
  EXPECT_EQ(body_of(source_of({nested("(", ")", 9999)})).size(), 5u);
  const std::string deep = source_of({nested("sin(", ")", 3900)});
  EXPECT_EQ(count_of("= op_sin(r", deep), 3900u);
  EXPECT_NE(deep.find("__noinline__ double op_sin("), std::string::npos);
  expect_well_formed(source_of({nested("1+y*(", ")", 3900)}), 1);
  EXPECT_GT(expressions::weight_of(expressions::parse(nested("sin(", ")", 3900), {})), expressions::most_weight);
  EXPECT_LT(expressions::weight_of(expressions::parse(nested("sin(", ")", 200), {})), expressions::most_weight);
}

/// A formula is that of threads, also of infinities, NaN and zeros with a sign.
TEST(ExpressionFormulas, AreThoseOfThreads) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> some = {0.0,  -0.0, 1,       -1,    0.5,    -0.5,     2,         3,           -3.7,
                                    1e-9, 1e22, -1.7e10, 1e300, 5e-324, infinity, -infinity, std::nan("")};
  for (Op op = Op::negate; op != Op::count; op = static_cast<Op>(static_cast<int>(op) + 1))
    for (double a : some)
      for (double b : some) {
        const double value = expressions::value_of(op, a, b, 7), expected = expressions::kernel(op).value(a, b, 7);
        EXPECT_TRUE(same(value, expected) && (std::isnan(value) || std::signbit(value) == std::signbit(expected)))
            << "operation " << static_cast<int>(op) << " of " << a << ", " << b << ": " << value << " " << expected;
      }
}

std::vector<double> interpreted(const expressions::Root& root, const std::vector<double>& points, double t) {
  const expressions::Listing listing(expressions::Program(root.tree, root.node));
  const expressions::ListingView view{listing.steps.data(), listing.numbers.data(),
                                      static_cast<std::int32_t>(listing.steps.size()), listing.result};
  const expressions::KernelInput inputs[] = {
      {points.data(), 3, 0}, {points.data() + 1, 3, 0}, {points.data() + 2, 3, 0}, {nullptr, 0, t}};
  std::vector<double> registers(2 * static_cast<std::size_t>(listing.registers)), values(points.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = interpret(view, inputs, static_cast<int>(i), registers.data(), 2);
  return values;
}

TEST(ExpressionListing, TenThousandRandomExpressionsAreMuParsers) {
  RandomExpressions random(4711);
  int not_known = 0;
  for (int i = 0; i < 10000; ++i) {
    const Sample sample = random.next();
    const auto points = random_points(3, static_cast<unsigned>(i + 1));
    Oracle oracle(sample.text);
    const std::vector<double> values = interpreted(expressions::parse(sample.text, {}), points, 0.7);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double expected = oracle(&points[3 * p], 0.7);
      const Answer answer = judge(values[p], expected, sample, &points[3 * p], 0.7);
      ASSERT_NE(answer, Answer::wrong) << sample.text << "\n is " << values[p] << ", not " << expected;
      not_known += answer == Answer::not_known;
    }
  }
  EXPECT_LT(not_known, 300);
}

TEST(ExpressionListing, NumbersTakeNoRegister) {
  std::string text = "x";
  for (int i = 0; i < 500; ++i) text += " + " + std::to_string(i) + ".5*y^" + std::to_string(i) + ".25";
  const expressions::Root root = expressions::parse(text, {});
  const expressions::Listing listing(expressions::Program(root.tree, root.node));
  EXPECT_LE(listing.registers, 8);
  EXPECT_GE(listing.numbers.size(), 500u);
  expressions::Root constant;
  constant.node = constant.tree.constant(2.5);
  EXPECT_EQ(interpreted(constant, {0, 0, 0}, 0)[0], 2.5);
}

/// Places of points: consecutive ones, or those of listed cells.
TEST(ExpressionKernels, FindPlaces) {
  expressions::KernelArguments arguments{};
  arguments.first = 40;
  EXPECT_EQ(place_of(arguments, 2), 42);
  const int cells[] = {7, 2000000000};
  arguments.cells = cells;
  arguments.per_cell = 11;
  EXPECT_EQ(place_of(arguments, 0), 77);
  EXPECT_EQ(place_of(arguments, 10), 87);
  EXPECT_EQ(place_of(arguments, 12), 22000000001);
}

}  // namespace
}  // namespace tessera::deck::testing
