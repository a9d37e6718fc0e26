#include "physics/advection/scheme_impl.hpp"

namespace tessera::physics::advection {
template ScalarScheme<Cuda> make_scheme(Cuda&, const mesh::Mesh&, const assembly::DofMap&, bool,
                                        const conservation::LimitParams&, Index, conservation::Scheme<Cuda>::Exchange);
template void find_range(Cuda&, View<const double>, View<double>, View<double>);
template void prescribe(Cuda&, View<const Index>, View<const double>, View<double>);
}  // namespace tessera::physics::advection
