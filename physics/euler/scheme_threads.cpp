#include "physics/euler/scheme_impl.hpp"

namespace tessera::physics::euler {
template std::unique_ptr<Scheme<Threads>> make_scheme(Threads&, const mesh::Mesh&, const assembly::DofMap&,
                                                      const SchemeParams&, Index, Scheme<Threads>::Exchange,
                                                      Scheme<Threads>::FloatExchange, const Scheme<Threads>::Sum&);
}  // namespace tessera::physics::euler
