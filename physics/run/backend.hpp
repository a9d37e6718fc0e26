#pragma once
// The backend of a deck.
#include <type_traits>
#include <utility>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "output/summary.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// "backend" of the summary.
void summarise_backend(const Threads& exec, output::Summary& summary);
void summarise_backend(const Cuda& exec, output::Summary& summary);

/// Calls run(exec) on the backend of the deck and says which in the summary.
template <class Run>
decltype(auto) on_backend(const RunParams& params, output::Summary& summary, Run&& run) {
  return with_backend(params.backend, params.threads, [&](auto& exec) -> decltype(auto) {
    summarise_backend(exec, summary);
    summary.set("backend.precision", params.precision);
    return run(exec);
  });
}

/// The array in another space; on the host it is handed on.
template <class Space, class T>
Array<T, Space> moved_to(Array<T> values) {
  if constexpr (std::is_same_v<Space, Host>) {
    return values;
  } else {
    Array<T, Space> there(values.size());
    copy(values, there);
    return there;
  }
}

}  // namespace tessera::physics
