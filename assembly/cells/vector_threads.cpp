#include "assembly/cells/vector_impl.hpp"

namespace tessera::assembly {

template void Assembler<Threads>::refill_vector(View<double>);

}  // namespace tessera::assembly
