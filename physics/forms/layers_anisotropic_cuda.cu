#include "assembly/spectral/instantiate_cuda.cuh"
#include "assembly/spectral/layers_cuda.cuh"
#include "forms/spectral.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AnisotropicStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AnisotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AnisotropicStress, float>;
