#include "assembly/spectral/patch_memory.hpp"

#include <fmt/format.h>

#include "assembly/spectral/patch_shape.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::assembly::spectral {

std::size_t patch_memory(int of_dim, int of_n, int components, std::size_t number) {
  std::size_t bytes = 0;
  on_lattice(of_dim, of_n, [&](auto dim, auto n) {
    if (number == sizeof(float))
      bytes = components == 1 ? PatchShape<n(), dim(), 1, float>::bytes : PatchShape<n(), dim(), dim(), float>::bytes;
    else
      bytes = components == 1 ? PatchShape<n(), dim(), 1, double>::bytes : PatchShape<n(), dim(), dim(), double>::bytes;
  });
  return bytes;
}

void check_patch_memory(int dim, int n, int components, std::size_t number, std::size_t most) {
  const std::size_t wanted = patch_memory(dim, n, components, number);
  if (wanted <= most) return;
  const bool single = number == sizeof(float);
  throw Error(ExitCode::memory,
              fmt::format("{} of order {} in {} precision take {} of shared memory, the GPU has {}",
                          dim == 3 ? "hexes" : "quads", n - 1, single ? "single" : "double",
                          human_bytes(static_cast<double>(wanted)), human_bytes(static_cast<double>(most))),
              fmt::format("choose a lower order{}, or backend threads", single ? "" : ", run.precision = \"float\""));
}

}  // namespace tessera::assembly::spectral
