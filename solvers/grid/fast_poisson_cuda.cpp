#include "solvers/grid/fast_poisson_impl.hpp"

namespace tessera::solvers::grid {

template class FastPoisson<Cuda, double>;
template class FastPoisson<Cuda, float>;
template void require_finite(Cuda&, const GridProblem&, View<const double>);
template void require_finite(Cuda&, const GridProblem&, View<const float>);

}  // namespace tessera::solvers::grid
