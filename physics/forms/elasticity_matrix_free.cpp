#include "assembly/facets/facet_terms_impl.hpp"
#include "assembly/matrix_free/instantiate_threads.hpp"
#include "forms/elasticity.hpp"
#include "forms/traction.hpp"

template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::Elasticity>;
template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::BasicElasticity<float>>;

namespace tessera::assembly {
template void add_facet_terms(const mesh::Mesh&, const DofMap&, const mesh::Group&, forms::Traction,
                              const forms::TractionData&, FacetTerms&);
}  // namespace tessera::assembly
