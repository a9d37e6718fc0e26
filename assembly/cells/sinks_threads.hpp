#pragma once
// Where the values of an element go on threads. A sink takes an element from a workspace: take(place, work).
#include <algorithm>
#include <atomic>

#include "assembly/cells/elements_threads.hpp"

namespace tessera::assembly {

struct Plainly {
  void operator()(double& to, double value) const { to += value; }
};
struct Atomically {
  void operator()(double& to, double value) const { std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed); }
};

/// Adds into the matrix, and the load into b.
template <class Add>
struct AddSink {
  const BlockView& block;
  const Target& target;
  bool has_load;
  Add add = {};

  void take(Offset place, const Workspace& work) const {
    const int n = block.nodes;
    const Offset step = target.layout.step();
    for (int i = 0; i < n; ++i) {
      const Index dof = block.dof(place, i);
      double* row = target.values + target.layout.first(dof);
      for (int j = 0; j < n; ++j)
        add(row[entry_slot(block, target.pattern, place, i, j) * step], work.entry(block, i, j));
      if (has_load) add(target.b[dof], work.load[i]);
    }
  }
};

/// Writes the values in the order of BlockView::entry(), those of place `first` at the beginning of the buffer.
struct StoreSink {
  const BlockView& block;
  double* buffer;
  Offset first;
  bool has_load;

  void take(Offset place, const Workspace& work) const {
    const int n = block.nodes;
    double* out = buffer + (place - first) * block.entries();
    for (int i = 0; i < n; ++i) {
      const int diagonal = block.symmetric ? i : 0;
      out = std::copy_n(&work.matrix[i * n + diagonal], n - diagonal, out);
    }
    if (has_load)
      std::copy_n(work.load.data(), n, out);
    else
      std::fill_n(out, n, 0.0);
  }
};

}  // namespace tessera::assembly
