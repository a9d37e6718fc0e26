#include "solvers/precondition/block_jacobi_impl.hpp"

#include <fmt/format.h>

namespace tessera::solvers {

template <class T>
std::string describe_bad_block(int block, const std::vector<T>& blocks, linalg::Sign sign) {
  const Offset node = linalg::find_bad_block(block, blocks, sign);
  // The host may round otherwise than the device and find none.
  const std::string which = node < 0 ? fmt::format("one of the {0} x {0} diagonal blocks", block)
                                     : fmt::format("the {0} x {0} diagonal block of node {1} (rows {2} to {3})", block,
                                                   node, node * block, (node + 1) * block - 1);
  const std::string look = "look for an unknown without an equation or a coefficient that is zero or not a number";
  if (sign == linalg::Sign::any)
    return fmt::format(
        "{} is singular, and the preconditioner inverts it; choose preconditioner = \"jacobi\" or "
        "\"none\", or {}",
        which, look);
  if (sign == linalg::Sign::magnitude)
    return fmt::format(
        "{} is not positive definite, and the preconditioner takes it for so; for an indefinite matrix "
        "choose preconditioner = \"jacobi\", else {}",
        which, look);
  return fmt::format("{} is not positive definite, so the matrix is not either; {}, or for one that is negative", which,
                     look);
}

template std::string describe_bad_block(int, const std::vector<double>&, linalg::Sign);
template std::string describe_bad_block(int, const std::vector<float>&, linalg::Sign);

PreconditionerEntry block_jacobi_entry() {
  return {.name = "block_jacobi",
          .help = "for nodes with several unknowns: division by the blocks that couple these",
          .needs = {.diagonal_blocks = true},
          .bytes = [](const SolverParams&, const ProblemSize& size,
                      double value) { return value * size.block * size.rows; },
          TESSERA_MAKERS(make_block_jacobi)};
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_block_jacobi, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_block_jacobi, Threads, float);

}  // namespace tessera::solvers
