#include <fmt/format.h>

#include "assembly/space/dirichlet_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

FixedDofs mark_fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values) {
  if (dofs.size() != values.size())
    throw Error(ExitCode::internal, fmt::format("{} fixed dofs but {} values", dofs.size(), values.size()),
                "give one value for each dof");
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

template void eliminate_dirichlet<Threads>(Threads&, const linalg::Crs<Host>&, const linalg::RowLayout&, View<double>,
                                           View<double>, const std::vector<Index>&, const std::vector<double>&);

}  // namespace tessera::assembly
