#include "forms/robin.hpp"

#include "assembly/fields/facet_loads_impl.hpp"

TESSERA_FACET_FORM(tessera::Threads, tessera::forms::Robin);

namespace tessera::assembly {
template SideLoads facet_loads(const mesh::Mesh&, const DofMap&, const mesh::Group&, forms::Robin,
                               const forms::RobinData&, std::span<const double>, int);
}  // namespace tessera::assembly
