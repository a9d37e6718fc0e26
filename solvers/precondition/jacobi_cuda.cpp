#include "solvers/precondition/jacobi_impl.hpp"

namespace tessera::solvers {

template std::unique_ptr<Preconditioner<Cuda>> make_identity(Cuda&, const linalg::Crs<Device>&, const SolverParams&,
                                                             std::string&);
template std::unique_ptr<Preconditioner<Cuda>> make_jacobi(Cuda&, const linalg::Crs<Device>&, const SolverParams&,
                                                           std::string&);

}  // namespace tessera::solvers
