#include "assembly/spectral/coarse_cuda.cuh"
#include "assembly/spectral/instantiate_cuda.cuh"
#include "forms/attenuation.hpp"

#include "assembly/spectral/coarse_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress,
                                                          float>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::CoarseOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress, float>;
