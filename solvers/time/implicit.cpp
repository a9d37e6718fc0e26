#include "solvers/time/implicit_impl.hpp"

namespace tessera::solvers {
template class ImplicitStepper<Threads>;
}  // namespace tessera::solvers
