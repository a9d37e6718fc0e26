#include "assembly/matrix_free/operator_impl.hpp"

namespace tessera::assembly {

template class MatrixFree<Threads, double>;
template class MatrixFree<Threads, float>;
template std::unique_ptr<linalg::Operator<Threads>> make_matrix_free(Threads&, const mesh::Mesh&, const DofMap&,
                                                                     const DiffusionData&, const BoundaryData&,
                                                                     const MatrixFreeOptions&, View<double>);

}  // namespace tessera::assembly
