#include "solvers/precondition/multicolour_impl.hpp"

namespace tessera::solvers {
template Colouring<Threads::Space> colour_rows(Threads&, const linalg::CrsView<const double>&);
TESSERA_INSTANTIATE_MULTICOLOUR(Threads, double);
TESSERA_INSTANTIATE_MULTICOLOUR(Threads, float);
}  // namespace tessera::solvers
