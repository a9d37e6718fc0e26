#include <fmt/format.h>

#include "assembly/space/dirichlet_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

void check_values(std::size_t fixed, std::size_t values) {
  if (fixed != values)
    throw Error(ExitCode::internal, fmt::format("{} fixed dofs but {} values", fixed, values),
                "give one value for each dof");
}

FixedDofs mark_fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values) {
  check_values(dofs.size(), values.size());
  FixedDofs marks{std::vector<unsigned char>(rows, 0), std::vector<double>(rows, 0.0)};
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    if (dofs[i] < 0 || dofs[i] >= rows)
      throw Error(ExitCode::internal, fmt::format("fixed dof {} in a matrix of {} rows", dofs[i], rows),
                  "give dofs of the space that the matrix was made for");
    marks.fixed[dofs[i]] = 1;
    marks.prescribed[dofs[i]] = values[i];
  }
  return marks;
}

TESSERA_DIRICHLET(Threads);

}  // namespace tessera::assembly
