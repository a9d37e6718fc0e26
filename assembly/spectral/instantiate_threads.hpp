#pragma once
// Everything that `template class tessera::assembly::SpectralOperator<tessera::Threads, Law, T>;` needs.
#include "assembly/spectral/cells_threads.hpp"

#include "assembly/spectral/operator_impl.hpp"
