#include "assembly/spectral/attenuated_threads.hpp"
#include "assembly/spectral/instantiate_threads.hpp"
#include "forms/attenuation.hpp"

#include "assembly/spectral/attenuated_impl.hpp"

template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress,
                                                   float>;
template class tessera::assembly::AttenuatedOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::AttenuatedOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress,
                                                     float>;
