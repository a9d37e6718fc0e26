#include "assembly/spectral/coarse_threads.hpp"
#include "assembly/spectral/instantiate_threads.hpp"
#include "forms/attenuation.hpp"

#include "assembly/spectral/coarse_impl.hpp"

extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedStress>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedStress, float>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedGradient>;
extern template class tessera::assembly::SpectralOperator<tessera::Threads, tessera::forms::AttenuatedGradient, float>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedStress>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedStress, float>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedGradient>;
template class tessera::assembly::CoarseOperator<tessera::Threads, tessera::forms::AttenuatedGradient, float>;
