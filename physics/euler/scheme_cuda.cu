#include "physics/euler/scheme_impl.hpp"

namespace tessera::physics::euler {
template std::unique_ptr<Scheme<Cuda>> make_scheme(Cuda&, const mesh::Mesh&, const assembly::DofMap&,
                                                   const SchemeParams&, Index, Scheme<Cuda>::Exchange,
                                                   Scheme<Cuda>::FloatExchange, const Scheme<Cuda>::Sum&);
}  // namespace tessera::physics::euler
