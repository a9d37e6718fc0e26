#pragma once
// Everything that `template class tessera::assembly::MatrixFree<tessera::Threads, Form>;` needs, and the same of
// Form::With<float>.
#include "assembly/matrix_free/tensor_components_threads.hpp"
#include "assembly/matrix_free/tensor_threads.hpp"

#include "assembly/matrix_free/operator_impl.hpp"
