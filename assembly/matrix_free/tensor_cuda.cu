#include "assembly/matrix_free/tensor_cuda.cuh"

namespace tessera::assembly::matrix_free {

void apply_tensor(Cuda& exec, const LineTables& tables, const TensorView<double>& block, const double* x, double* y,
                  double* elements) {
  apply_tensor_any(exec, tables, block, x, y, elements);
}

}  // namespace tessera::assembly::matrix_free
