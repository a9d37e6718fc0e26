#include "assembly/cells/definite_impl.hpp"

namespace tessera::assembly {

std::optional<Offset> first_not_definite(Cuda& exec, const double* matrices, Offset count, int components) {
  return first_not_definite_on(exec, matrices, count, components);
}

}  // namespace tessera::assembly
