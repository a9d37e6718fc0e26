#include "assembly/facets/contact_impl.hpp"

namespace tessera::assembly {

template void add_entries(Cuda&, const MatrixEntries&, linalg::Crs<Device>&);

}  // namespace tessera::assembly
