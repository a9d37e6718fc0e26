#pragma once
// Expressions at many points, in parallel. What is thrown does not depend on the number of threads.
#include <span>
#include <vector>

#include "base/team.hpp"
#include "deck/expression.hpp"

namespace tessera::physics {

/// Calls work(state, item) for [0, count) on all threads, each with its own make(); rethrows what the lowest item that
/// fails has thrown.
template <class Make, class Work>
void for_each_with(Make make, Offset count, int threads, Work work) {
  parallel_ranges(threads, count, [&](Offset first, Offset last, int) {
    auto state = make();
    for (Offset item = first; item < last; ++item) work(state, item);
  });
}

/// Calls work(evaluator, item) for [0, count) on all threads: an evaluator of the expression belongs to one of them.
template <class Work>
void with_evaluators(const deck::Expression& expression, Offset count, int threads, Work work) {
  for_each_with([&] { return deck::Evaluator(expression); }, count, threads, work);
}

/// Values of an expression at points [count, 3]. Throws Error(usage) at the first point where one is not finite.
std::vector<double> evaluate(const deck::Expression& expression, std::span<const double> points, int threads);

}  // namespace tessera::physics
