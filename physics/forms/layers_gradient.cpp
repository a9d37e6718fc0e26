#include "assembly/spectral/instantiate_threads.hpp"
#include "assembly/spectral/layers_threads.hpp"
#include "forms/spectral.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::GradientFlux>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::GradientFlux, float>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::GradientFlux>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::GradientFlux, float>;
