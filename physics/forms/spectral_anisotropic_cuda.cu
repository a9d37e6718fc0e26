#include "assembly/spectral/instantiate_cuda.cuh"
#include "forms/spectral.hpp"

template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AnisotropicStress>;
template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AnisotropicStress, float>;
