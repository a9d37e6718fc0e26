#include "assembly/matrix_free/tensor_cuda.cuh"

namespace tessera::assembly::matrix_free {

void apply_tensor(Cuda& exec, const LineTables& tables, const TensorView<float>& block, const float* x, float* y,
                  float* elements) {
  apply_tensor_any(exec, tables, block, x, y, elements);
}

}  // namespace tessera::assembly::matrix_free
