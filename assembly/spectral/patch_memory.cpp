#include "assembly/spectral/patch_memory.hpp"

#include <fmt/format.h>

#include "assembly/spectral/patch_shape.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::assembly::spectral {

std::size_t patch_memory(int of_dim, int of_n, int components, std::size_t number, int more) {
  std::size_t bytes = 0;
  const auto take = [&](auto shape) {
    using Shape = decltype(shape);
    bytes = Shape::bytes + (static_cast<std::size_t>(Shape::cells * more) * number + 15) / 16 * 16;
  };
  on_lattice(of_dim, of_n, [&](auto dim, auto n) {
    if (number == sizeof(float))
      components == 1 ? take(PatchShape<n(), dim(), 1, float>()) : take(PatchShape<n(), dim(), dim(), float>());
    else
      components == 1 ? take(PatchShape<n(), dim(), 1, double>()) : take(PatchShape<n(), dim(), dim(), double>());
  });
  return bytes;
}

void check_patch_memory(int dim, int n, int components, std::size_t number, std::size_t most, int more) {
  const std::size_t wanted = patch_memory(dim, n, components, number, more);
  if (wanted <= most) return;
  const bool single = number == sizeof(float);
  throw Error(ExitCode::memory,
              fmt::format("{} of order {} in {} precision take {} of shared memory, the GPU has {}",
                          dim == 3 ? "hexes" : "quads", n - 1, single ? "single" : "double",
                          human_bytes(static_cast<double>(wanted)), human_bytes(static_cast<double>(most))),
              fmt::format("choose a lower order{}, or backend threads", single ? "" : ", run.precision = \"float\""));
}

}  // namespace tessera::assembly::spectral
