#include "forms/elasticity.hpp"

#include "assembly/cells/instantiate_threads.hpp"
#include "assembly/cells/residual_impl.hpp"
#include "assembly/fields/facet_loads_impl.hpp"
#include "forms/traction.hpp"

template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Elasticity>;
TESSERA_FACET_FORM_OF_COMPONENTS(tessera::Threads, tessera::forms::Traction);

namespace tessera::assembly {
template void add_residual(const mesh::Mesh&, const DofMap&, const forms::ElasticityData&, const forms::Elasticity&,
                           std::span<const double>, std::span<const Index>, std::span<double>, int);
template SideLoads facet_loads(const mesh::Mesh&, const DofMap&, const mesh::Group&, forms::Traction,
                               const forms::TractionData&, std::span<const double>, int);
}  // namespace tessera::assembly
