#include "forms/elasticity.hpp"

#include "assembly/cells/instantiate_threads.hpp"
#include "assembly/facets/integrals_impl.hpp"
#include "forms/traction.hpp"

template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Elasticity>;
TESSERA_FACET_FORM_OF_COMPONENTS(tessera::Threads, tessera::forms::Traction);
