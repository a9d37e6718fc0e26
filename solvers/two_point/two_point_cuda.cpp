#include "solvers/two_point/two_point_impl.hpp"

namespace tessera::solvers {

template std::unique_ptr<TwoPointSolver<Cuda, double>> make_two_point<Cuda, double, double>(Cuda&, Offset,
                                                                                            SolverParams);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_two_point<Cuda, float, float>(Cuda&, Offset, SolverParams);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_two_point<Cuda, float, double>(Cuda&, Offset, SolverParams);

}  // namespace tessera::solvers
