#pragma once
#include <cstddef>

namespace tessera::assembly::spectral {

/// Shared memory of the block of threads that has a patch of elements with n nodes a line, `components` of the law and
/// `number` bytes a number, with `more` numbers a cell: what its kernel is launched with.
std::size_t patch_memory(int dim, int n, int components, std::size_t number, int more = 0);

/// Throws Error(memory) where a block of threads may have fewer bytes, `most`.
void check_patch_memory(int dim, int n, int components, std::size_t number, std::size_t most, int more = 0);

}  // namespace tessera::assembly::spectral
