#pragma once
// Everything that `template class tessera::assembly::SpectralOperator<tessera::Cuda, Law, T>;` needs.
#include "assembly/spectral/cells_cuda.cuh"
#include "assembly/spectral/gather_cuda.cuh"

#include "assembly/spectral/operator_impl.hpp"
