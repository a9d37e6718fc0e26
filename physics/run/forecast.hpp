#pragma once
// What `tessera check` says: mesh, sizes, and whether host and GPU hold it.
#include "physics/model.hpp"

namespace tessera::physics {

/// Says whether `need` bytes fit into the `have` that are free; warns where they do not. Throws Error(memory) where
/// the host, and no GPU instead of it, is too small, with `way_out` as help.
void say_fit(const char* where, double need, double have, const char* way_out);

/// Prints the memory of host and GPU that is needed beside what is in use.
void print_memory(double host_bytes, double in_use, double device_bytes, const char* way_out);

/// Prints mesh, groups, quality, sizes and an estimate of time and memory for host and GPU, and warns where it will
/// not fit. `why_no_matrix`: of a solution without one; empty: a matrix is assembled. `natural`: what holds on facets
/// without a condition.
void print_check(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                 const std::string& why_no_matrix, const Traits& traits, output::Summary& summary);

}  // namespace tessera::physics
