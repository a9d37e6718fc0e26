#include "forms/convection.hpp"

#include "assembly/cells/instantiate_threads.hpp"
#include "assembly/cells/residual_impl.hpp"

template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Convection>;

namespace tessera::assembly {
template void add_residual(const mesh::Mesh&, const DofMap&, const forms::ConvectionData&, const forms::Convection&,
                           std::span<const double>, std::span<const Index>, std::span<double>, int);
}  // namespace tessera::assembly
