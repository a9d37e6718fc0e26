#include "assembly/spectral/instantiate_cuda.cuh"
#include "forms/spectral.hpp"

template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::GradientFlux>;
template class tessera::assembly::SpectralOperator<tessera::Cuda, tessera::forms::GradientFlux, float>;
