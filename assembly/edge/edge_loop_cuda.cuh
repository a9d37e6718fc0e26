#pragma once
// Include this where edge functions are instantiated for CUDA.
#include <nv/target>

#include "assembly/edge/edge_loop_impl.hpp"

namespace tessera::assembly {

template <>
struct EdgeBackend<Cuda> {
  struct Add {
    template <class F>
    TESSERA_HD static void add(double& sum, int, double value) {
      NV_IF_ELSE_TARGET(NV_IS_DEVICE, (atomicAdd(&sum, value);), (sum += value;))
    }
  };

  template <class Body>
  struct Shifted {
    Body body;
    Offset first;
    TESSERA_HD void operator()(Offset item) const { body(first + item); }
  };
  /// One launch a colour.
  template <class Body>
  static void colours(Cuda& exec, const EdgeLoop<Device>& loop, const Body& body) {
    for (int c = 0; c < loop.colours(); ++c)
      for_each(exec, loop.colour_ptr[c + 1] - loop.colour_ptr[c], Shifted<Body>{body, loop.colour_ptr[c]});
  }
};

}  // namespace tessera::assembly
