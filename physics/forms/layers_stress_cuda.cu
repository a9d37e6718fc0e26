#include "assembly/spectral/instantiate_cuda.cuh"
#include "assembly/spectral/layers_cuda.cuh"
#include "forms/spectral.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::IsotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::IsotropicStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::IsotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::IsotropicStress, float>;
