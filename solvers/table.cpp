// The names of [solver] type: one line a method.
#include "solvers/direct/ldlt.hpp"
#include "solvers/direct/lu.hpp"
#include "solvers/eigen/eigen.hpp"
#include "solvers/grid/lmsor.hpp"
#include "solvers/grid/solve_grid.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/method.hpp"
#include "solvers/two_point/divide_and_conquer.hpp"
#include "solvers/two_point/scan.hpp"
#include "solvers/two_point/sequential.hpp"
#include "solvers/two_point/square_blocked.hpp"

namespace tessera::solvers {

const std::vector<MethodEntry>& solver_table() {
  using namespace grid;
  using namespace two_point;
  static const std::vector<MethodEntry> table = {
      cg_entry(),
      minres_entry(),
      bicgstab_entry(),
      gmres_entry(),
      ldlt_entry(),
      lu_entry(),
      eigen_entry(),
      bcr_entry(),
      fft_entry(),
      lsor_entry(),
      lmsor_entry(),
      msor_entry(),
      sor_entry(),
      scan_entry(),
      sequential_entry(),
      divide_and_conquer_entry(),
      square_blocked_entry(),
  };
  return table;
}

}  // namespace tessera::solvers
