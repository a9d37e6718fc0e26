#include "assembly/matrix_free/operator_impl.hpp"

namespace tessera::assembly {

template class MatrixFree<Cuda, double>;
template class MatrixFree<Cuda, float>;
template std::unique_ptr<linalg::Operator<Cuda>> make_matrix_free(Cuda&, const mesh::Mesh&, const DofMap&,
                                                                  const DiffusionData&, const BoundaryData&,
                                                                  const MatrixFreeOptions&, View<double>);

}  // namespace tessera::assembly
