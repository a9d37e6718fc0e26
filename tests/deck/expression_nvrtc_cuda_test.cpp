// NVRTC takes the source of every expression. Needs no GPU; the values are those of expression_device_cuda_test.cpp.
#include <gtest/gtest.h>

#include "base/nvrtc.hpp"
#include "deck/expression/cuda_source.hpp"
#include "deck/expression/kernel_arguments.hpp"
#include "deck/expression/parse.hpp"
#include "expression_oracle.hpp"

namespace tessera::deck::testing {
namespace {

class ExpressionNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Nvrtc::library().usable()) GTEST_SKIP() << Nvrtc::library().problem();
  }

  static void expect_compiles(const std::vector<std::string>& texts, const std::string& architecture) {
    std::vector<expressions::Root> roots;
    for (const std::string& text : texts) roots.push_back(expressions::parse(text, {}));
    std::vector<const expressions::Root*> all;
    for (const expressions::Root& root : roots) all.push_back(&root);
    std::string problem;
    const auto cubin =
        Nvrtc::library().compile(expressions::cuda_source(expressions::join(all)),
                                 {"--gpu-architecture=" + architecture, "--fmad=false", "--std=c++17"}, problem);
    EXPECT_TRUE(cubin) << problem << "\n" << texts.front();
  }
};

TEST_F(ExpressionNvrtc, CompilesEveryFunction) {
  std::vector<std::string> texts;
  for (const expressions::Function& function : expressions::functions()) {
    const int count = function.arguments == expressions::any_number ? 2 : function.arguments;
    std::string text = std::string(function.name) + "(x";
    for (int i = 1; i < count; ++i) text += i == 1 ? ", y" : ", z";
    texts.push_back(text + ")");
  }
  for (const expressions::Operator& binary : expressions::operators)
    texts.push_back("x " + std::string(binary.name) + " y");
  texts.push_back("-x");
  texts.push_back("x < t ? 1/0 : -1/0");
  for (std::size_t first = 0; first < texts.size(); first += expressions::most_roots) {
    const std::size_t last = std::min(first + expressions::most_roots, texts.size());
    expect_compiles(
        {texts.begin() + static_cast<std::ptrdiff_t>(first), texts.begin() + static_cast<std::ptrdiff_t>(last)},
        "sm_90");
  }
}

/// As far as the assembler, which knows nothing of C++ and would take four times as long.
TEST_F(ExpressionNvrtc, CompilesFiveHundredRandomExpressions) {
  RandomExpressions random(31);
  for (int i = 0; i < 500; i += expressions::most_roots) {
    std::vector<std::string> texts;
    for (int k = 0; k < expressions::most_roots; ++k) texts.push_back(random.next().text);
    expect_compiles(texts, "compute_90");
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(ExpressionNvrtc, CompilesTheLargestThatAreCompiled) {
  std::string powers = "x", text = "x";
  while (expressions::weight_of(expressions::parse(powers, {})) <= expressions::most_weight) {
    text = powers;
    for (int i = 0; i < 10; ++i) powers += "+x^" + std::to_string(powers.size()) + ".5";
  }
  expect_compiles({text}, "sm_90");
  text = "x";
  for (int i = 0; i < 200; ++i) text = "sin(" + text + ")";
  expect_compiles({text, std::string(9000, '(') + "x" + std::string(9000, ')')}, "sm_90");
}

}  // namespace
}  // namespace tessera::deck::testing
