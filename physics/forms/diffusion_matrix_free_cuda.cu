#include "assembly/matrix_free/instantiate_cuda.cuh"
#include "forms/diffusion.hpp"

template class tessera::assembly::MatrixFree<tessera::Cuda, tessera::forms::Diffusion>;
template class tessera::assembly::MatrixFree<tessera::Cuda, tessera::forms::BasicDiffusion<float>>;
