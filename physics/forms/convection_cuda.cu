#include "assembly/cells/instantiate_cuda.cuh"
#include "forms/convection.hpp"

template class tessera::assembly::Assembler<tessera::Cuda, tessera::forms::Convection>;
