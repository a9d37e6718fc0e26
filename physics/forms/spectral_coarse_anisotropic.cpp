#include "assembly/spectral/coarse_threads.hpp"
#include "assembly/spectral/instantiate_threads.hpp"
#include "forms/attenuation.hpp"

#include "assembly/spectral/coarse_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads,
                                                          tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress,
                                                          float>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress, float>;
