#include "physics/advection/scheme_impl.hpp"

namespace tessera::physics::advection {
template ScalarScheme<Threads> make_scheme(Threads&, const mesh::Mesh&, const assembly::DofMap&, bool,
                                           const conservation::LimitParams&, Index,
                                           conservation::Scheme<Threads>::Exchange);
template void find_range(Threads&, View<const double>, View<double>, View<double>);
template void prescribe(Threads&, View<const Index>, View<const double>, View<double>);
}  // namespace tessera::physics::advection
