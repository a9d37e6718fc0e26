#include <utility>

#include "base/collective.hpp"
#include "base/go_on_together.hpp"
#include "physics/run/solve_linear_system_impl.hpp"

namespace tessera::physics {

bool prepare_preconditioner(CommonParams& params, const Discretisation& space, const std::function<void()>& make,
                            output::Summary& summary) {
  if (!solvers::is_automatic(params.solver)) {
    make();
    return true;
  }
  std::string why_not;
  try {
    make();
    return true;
  } catch (const Error& error) {
    if (error.code() != ExitCode::memory || (space.ranks && !have_failed_together())) throw;
    why_not = error.what();
  } catch (const std::bad_alloc&) {
    if (space.ranks) throw;
    why_not = out_of_host_memory().what();
  }
  go_on_together();
  const std::string name = std::exchange(params.solver.preconditioner, solvers::jacobi_of(space.components));
  say_fallen_back(name, params.solver.preconditioner, why_not, true, summary);
  return false;
}

TESSERA_INSTANTIATE_SOLVE_LINEAR_SYSTEM(Threads);

}  // namespace tessera::physics
