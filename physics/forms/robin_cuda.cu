#include "assembly/facets/integrals_impl.hpp"
#include "forms/robin.hpp"

TESSERA_FACET_FORM(tessera::Cuda, tessera::forms::Robin);
