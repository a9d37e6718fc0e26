#include "assembly/matrix_free/instantiate_threads.hpp"
#include "forms/diffusion.hpp"

template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::Diffusion>;
template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::BasicDiffusion<float>>;
