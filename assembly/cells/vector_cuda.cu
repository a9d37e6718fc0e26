#include "assembly/cells/vector_impl.hpp"

namespace tessera::assembly {

template void Assembler<Cuda>::refill_vector(View<double>);

}  // namespace tessera::assembly
