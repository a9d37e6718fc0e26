#include "assembly/spectral/instantiate_cuda.cuh"
#include "assembly/spectral/layers_cuda.cuh"
#include "forms/attenuation.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress,
                                                          float>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress,
                                                            float>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Cuda, tessera::forms::AttenuatedAnisotropicStress, float>;
