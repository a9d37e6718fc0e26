#include <fmt/format.h>

#include "solvers/precondition/jacobi_impl.hpp"

namespace tessera::solvers {

std::string describe_bad_diagonal(const std::vector<double>& diagonal) {
  for (std::size_t row = 0; row < diagonal.size(); ++row)
    if (!(diagonal[row] > 0 && 1 / diagonal[row] > 0 && 1 / diagonal[row] <= 1.7e308))
      return fmt::format(
          "the diagonal entry of row {} is {}, so the matrix is not positive definite; look for an unknown without an "
          "equation or a coefficient that is zero, negative or not a number",
          row, diagonal[row]);
  return {};
}

template std::unique_ptr<Preconditioner<Threads>> make_identity(Threads&, const linalg::Crs<Host>&, const SolverParams&,
                                                                std::string&);
template std::unique_ptr<Preconditioner<Threads>> make_jacobi(Threads&, const linalg::Crs<Host>&, const SolverParams&,
                                                              std::string&);

}  // namespace tessera::solvers
