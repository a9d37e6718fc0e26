#include "assembly/spectral/instantiate_cuda.cuh"
#include "assembly/spectral/layers_cuda.cuh"
#include "forms/attenuation.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedStress>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedStress, float>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedStress, float>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedGradient>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedGradient>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedGradient, float>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedGradient, float>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedStress>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedGradient>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedGradient, float>;
