#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// A mass matrix is lumped: each row's sum becomes its diagonal entry, the others become 0. The pattern stays, and has
/// the diagonal. Hughes, The Finite Element Method, section 7.3.2 ("row-sum technique").
template <class Exec>
void lump(Exec& exec, Crs<typename Exec::Space>& M);

}  // namespace tessera::linalg
