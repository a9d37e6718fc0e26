#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "assembly/space/dirichlet_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

void check_values(std::size_t fixed, std::size_t values) {
  if (fixed != values)
    throw Error(ExitCode::internal, fmt::format("{} fixed dofs but {} values", fixed, values),
                "give one value for each dof");
}

FixedDofs fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values) {
  check_values(dofs.size(), values.size());
  for (const Index dof : dofs)
    if (dof < 0 || dof >= rows)
      throw Error(ExitCode::internal, fmt::format("fixed dof {} in a matrix of {} rows", dof, rows),
                  "give dofs of the space that the matrix was made for");
  if (std::adjacent_find(dofs.begin(), dofs.end(), std::greater_equal<>()) == dofs.end()) return {dofs, values};
  std::vector<std::size_t> order(dofs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return dofs[a] < dofs[b]; });
  FixedDofs result;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k + 1 < order.size() && dofs[order[k + 1]] == dofs[order[k]]) continue;
    result.dofs.push_back(dofs[order[k]]);
    result.values.push_back(values[order[k]]);
  }
  return result;
}

TESSERA_DIRICHLET(Threads);

}  // namespace tessera::assembly
