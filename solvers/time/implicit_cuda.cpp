#include "solvers/time/implicit_impl.hpp"

namespace tessera::solvers {
template class ImplicitStepper<Cuda>;
}  // namespace tessera::solvers
