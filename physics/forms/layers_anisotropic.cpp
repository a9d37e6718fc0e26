#include "assembly/spectral/instantiate_threads.hpp"
#include "assembly/spectral/layers_threads.hpp"
#include "forms/spectral.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AnisotropicStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::AnisotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::AnisotropicStress, float>;
