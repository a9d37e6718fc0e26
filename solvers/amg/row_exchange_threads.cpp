#include <algorithm>

#include "solvers/amg/row_exchange_impl.hpp"

namespace tessera::solvers::amg {
namespace {

void sort_distinct(std::vector<Offset>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

template <>
std::vector<Offset> distinct(Threads& exec, View<const Offset> numbers) {
  // Most are there many times: each thread has few of its part.
  std::vector<std::vector<Offset>> of_parts(static_cast<std::size_t>(exec.count()));
  parallel_ranges(exec.count(), numbers.size(), [&](Offset low, Offset high, int part) {
    std::vector<Offset>& mine = of_parts[static_cast<std::size_t>(part)];
    mine.assign(numbers.data() + low, numbers.data() + high);
    sort_distinct(mine);
  });
  std::vector<Offset> result;
  for (const std::vector<Offset>& of_part : of_parts) result.insert(result.end(), of_part.begin(), of_part.end());
  sort_distinct(result);
  return result;
}

TESSERA_INSTANTIATE_ROW_EXCHANGE(Threads);

}  // namespace tessera::solvers::amg
