#include "assembly/spectral/instantiate_threads.hpp"
#include "assembly/spectral/layers_threads.hpp"
#include "forms/spectral.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::IsotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::IsotropicStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::IsotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::IsotropicStress, float>;
