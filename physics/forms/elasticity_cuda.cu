#include "assembly/cells/instantiate_cuda.cuh"
#include "assembly/facets/integrals_impl.hpp"
#include "forms/elasticity.hpp"
#include "forms/traction.hpp"

template class tessera::assembly::Assembler<tessera::Cuda, tessera::forms::Elasticity>;
TESSERA_FACET_FORM_OF_COMPONENTS(tessera::Cuda, tessera::forms::Traction);
