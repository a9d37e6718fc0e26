#include "assembly/spectral/instantiate_threads.hpp"
#include "assembly/spectral/layers_threads.hpp"
#include "forms/attenuation.hpp"

#include "assembly/spectral/layers_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads,
                                                          tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Threads,
                                                            tessera::forms::AttenuatedAnisotropicStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress,
                                                          float>;
extern template class tessera::assembly::AttenuatedOperator<tessera::Threads,
                                                            tessera::forms::AttenuatedAnisotropicStress, float>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress>;
template class tessera::assembly::LayeredOperator<tessera::Threads, tessera::forms::AttenuatedAnisotropicStress, float>;
