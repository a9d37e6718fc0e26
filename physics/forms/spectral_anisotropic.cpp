#include "assembly/spectral/instantiate_threads.hpp"
#include "forms/spectral.hpp"

template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AnisotropicStress>;
template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AnisotropicStress, float>;
