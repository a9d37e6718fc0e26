#include "assembly/spectral/coarse_cuda.cuh"
#include "assembly/spectral/instantiate_cuda.cuh"
#include "forms/attenuation.hpp"

#include "assembly/spectral/coarse_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedStress, float>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedGradient>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedGradient, float>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedStress>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedStress, float>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedGradient>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedGradient, float>;
