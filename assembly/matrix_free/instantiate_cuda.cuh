#pragma once
// Everything that `template class tessera::assembly::MatrixFree<tessera::Cuda, Form>;` needs, and the same of
// Form::With<float>.
#include "assembly/matrix_free/tensor_components.cuh"
#include "assembly/matrix_free/tensor_cuda.cuh"

#include "assembly/matrix_free/operator_impl.hpp"
