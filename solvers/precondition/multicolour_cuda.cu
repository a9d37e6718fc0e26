#include "solvers/precondition/multicolour_impl.hpp"

namespace tessera::solvers {
template Colouring<Cuda::Space> colour_rows(Cuda&, const linalg::CrsView<const double>&);
TESSERA_INSTANTIATE_MULTICOLOUR(Cuda, double);
TESSERA_INSTANTIATE_MULTICOLOUR(Cuda, float);
}  // namespace tessera::solvers
