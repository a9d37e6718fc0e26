#include "assembly/spectral/attenuated_cuda.cuh"
#include "assembly/spectral/instantiate_cuda.cuh"
#include "forms/attenuation.hpp"

#include "assembly/spectral/attenuated_impl.hpp"

template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress, float>;
template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress, float>;
