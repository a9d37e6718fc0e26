#include "assembly/cells/instantiate_cuda.cuh"
#include "forms/linearised.hpp"

template class tessera::assembly::Assembler<tessera::Cuda, tessera::forms::Linearised>;
