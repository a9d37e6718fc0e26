#include "assembly/cells/instantiate_cuda.cuh"
#include "forms/diffusion.hpp"

template class tessera::assembly::Assembler<tessera::Cuda, tessera::forms::Diffusion>;
