#include "assembly/matrix_free/instantiate_cuda.cuh"
#include "forms/elasticity.hpp"

template class tessera::assembly::MatrixFree<tessera::Cuda, tessera::forms::Elasticity>;
template class tessera::assembly::MatrixFree<tessera::Cuda, tessera::forms::BasicElasticity<float>>;
