#include "physics/evaluate.hpp"

#include <algorithm>

namespace tessera::physics {

std::vector<double> evaluate(const deck::Expression& expression, std::span<const double> points, int threads,
                             std::span<const double> u) {
  const Offset count = static_cast<Offset>(points.size() / 3);
  std::vector<double> values(static_cast<std::size_t>(count));
  if (expression.is_constant()) {
    std::fill(values.begin(), values.end(), expression.constant());
    return values;
  }
  constexpr Offset chunk = 1024;
  with_evaluators(expression, (count + chunk - 1) / chunk, threads, [&](deck::Evaluator& f, Offset item) {
    const Offset first = item * chunk;
    f.evaluate({points.data() + 3 * first, u.empty() ? nullptr : u.data() + first},
               static_cast<std::size_t>(std::min(chunk, count - first)), 0, values.data() + first);
  });
  return values;
}

std::vector<double> evaluate(const deck::Expression& expression, std::span<const double> points,
                             std::span<const Index> which, int threads) {
  std::vector<double> some(3 * which.size());
  for (std::size_t i = 0; i < which.size(); ++i)
    std::copy_n(&points[3 * static_cast<std::size_t>(which[i])], 3, &some[3 * i]);
  return evaluate(expression, some, threads);
}

}  // namespace tessera::physics
