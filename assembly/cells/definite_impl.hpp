#pragma once
// first_not_definite, written once for both backends.
#include <algorithm>
#include <vector>

#include "assembly/cells/definite.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Matrices that are looked at on the host at a time, once it is known that there is one.
inline constexpr Offset definite_chunk = Offset{1} << 18;

template <class Exec>
std::optional<Offset> first_not_definite_on(Exec& exec, const double* matrices, Offset count, int components) {
  using Space = typename Exec::Space;
  Array<Offset, Space> wrong(1);
  reduce(
      exec, count,
      [=] TESSERA_HD(Offset i) { return Offset{is_positive_definite(matrices + i * components, components) ? 0 : 1}; },
      wrong.data());
  exec.synchronize();
  if (to_vector(wrong)[0] == 0) return {};
  std::vector<double> some;
  for (Offset first = 0; first < count; first += definite_chunk) {
    const Offset length = std::min(definite_chunk, count - first);
    some.resize(static_cast<std::size_t>(length * components));
    copy_bytes(Space{}, matrices + first * components, Host{}, some.data(), sizeof(double) * some.size());
    for (Offset i = 0; i < length; ++i)
      if (!is_positive_definite(some.data() + i * components, components)) return first + i;
  }
  return {};
}

}  // namespace tessera::assembly
