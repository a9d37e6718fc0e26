// Several expressions of a point as one program.
#include "deck/expression/node_program.hpp"

#include <gtest/gtest.h>

#include "deck/expression.hpp"
#include "deck/expression/parse.hpp"

namespace tessera::deck {
namespace {

using namespace expressions;

TEST(NodeProgram, HasTheValuesOfItsExpressions) {
  const std::vector<std::string> names{"x", "y", "z", "t", "A", "B"};
  const std::vector<std::string> texts{
      "A*B^2 - sin(x*t)",    "0", "B", "A*B^2 + (A > B ? A : x) - exp(-y)", "3", "x*A*B^2 / 7", "A - A",
      "min(A, B, z) + A*B^2"};
  const std::vector<double> at{0.3, -1.2, 2.5, 0.7, 1.5, -0.4};
  Tree tree;
  std::vector<NodeId> own, roots;
  for (std::uint32_t v = 0; v < names.size(); ++v) own.push_back(tree.variable(v));
  std::vector<double> expected;
  for (const std::string& text : texts) {
    check(text, {}, names);
    const Root root = parse(text, {}, names);
    roots.push_back(tree.copy(root.tree, root.node, own));
    // The same by an Evaluator, with numbers in the place of the two names that it does not know.
    std::string written = text;
    for (const auto& [name, value] : {std::pair{"A", "1.5"}, {"B", "(-0.4)"}})
      for (std::size_t place = written.find(name); place != std::string::npos; place = written.find(name))
        written.replace(place, 1, value);
    expected.push_back(Evaluator(Expression(written))(at.data(), at[3]));
  }
  const NodeProgram program(tree, roots, static_cast<int>(names.size()));
  std::vector<double> registers(static_cast<std::size_t>(program.registers)), results(texts.size(), 0.0);
  std::copy(at.begin(), at.end(), registers.begin());
  const NodeProgramView view{program.steps.data(), program.numbers.data(),
                             static_cast<std::int32_t>(program.steps.size())};
  view.run(registers.data(), results.data());
  for (std::size_t k = 0; k < texts.size(); ++k) EXPECT_DOUBLE_EQ(results[k], expected[k]) << texts[k];
  EXPECT_LT(program.registers, 16) << "registers are used again";
}

}  // namespace
}  // namespace tessera::deck
