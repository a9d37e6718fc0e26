#pragma once
// Elements of forms with several unknowns a node on CUDA, and the sinks that take them: pair after pair of components.
#include "assembly/cells/tiled.cuh"
#include "forms/components.hpp"

namespace tessera::assembly::kernels {

/// Adds into block rows, see AddSink. Of symmetric forms c <= d.
template <bool symmetric>
struct AddBlocks {
  static constexpr bool wants_every_value = false;
  BlockView block;
  Target target;
  bool atomic;

  __device__ void add(double* to, double value) const { add_value(to, value, atomic); }
  __device__ double* position(Offset place, int i, int j, int c, int d) const {
    const int m = block.components;
    return target.values + target_position(block, target, place, i, j) * m * m + c * m + d;
  }
  __device__ void entry(Offset place, int i, int j, int c, int d, double value) const {
    if (symmetric && c == d && i > j) return;
    add(position(place, i, j, c, d), value);
    if (symmetric && (i != j || c != d)) add(position(place, j, i, d, c), value);
  }
  __device__ void load(Offset place, int i, int c, double value) const {
    add(target.b + Offset{block.dof(place, i)} * block.components + c, value);
  }
};

/// Writes the blocks in the order of BlockView::entry(), row-major, then the loads of each node, in global or shared
/// memory.
template <bool symmetric>
struct StoreBlocks {
  static constexpr bool wants_every_value = true;
  double* buffer;
  Offset first;  ///< place at the beginning of the buffer
  int nodes, components;

  __device__ double* of_place(Offset place) const {
    const Offset blocks = entry_count(symmetric, nodes);
    return buffer + (place - first) * (blocks * components * components + Offset{nodes} * components);
  }
  __device__ void entry(Offset place, int i, int j, int c, int d, double value) const {
    if (symmetric && c == d && i > j) return;
    const int m = components;
    double* of = of_place(place) + Offset{entry_number(symmetric, i, j, nodes)} * m * m;
    const bool mirrored = symmetric && i > j;
    of[mirrored ? d * m + c : c * m + d] = value;
    if (symmetric && i == j) of[d * m + c] = value;
  }
  __device__ void load(Offset place, int i, int c, double value) const {
    of_place(place)[Offset{entry_count(symmetric, nodes)} * components * components + i * components + c] = value;
  }
};

/// What the element of one pair of components hands its values to.
template <class Sink>
struct PairSink {
  static constexpr bool wants_every_value = Sink::wants_every_value;
  const Sink& sink;
  int c, d;

  __device__ void entry(Offset place, int i, int j, double value) const { sink.entry(place, i, j, c, d, value); }
  __device__ void load(Offset place, int i, double value) const {
    if (c == d) sink.load(place, i, c, value);
  }
};

/// Any element by quadrature, a warp each: the element of a form of one unknown for each pair of components, of
/// symmetric forms those with c <= d.
template <int dim, int tiles, class Form>
struct ComponentElement {
  using Pair = forms::ComponentPair<Form>;
  static constexpr ElementKind kind = TiledElement<dim, tiles, Pair>::kind;
  static constexpr int lanes = lanes_of(kind);
  static constexpr int components = forms::components_of<Form>(dim);
  static constexpr bool is_symmetric = Form::symmetric;
  BlockView block;
  TiledElement<dim, tiles, Pair> pair;

  ComponentElement(const BlockView& view, const Form& form) : block(view), pair(view, Pair{form, 0, 0}) {}

  __host__ __device__ ElementMemory memory() const { return pair.memory(); }
  __device__ void prepare(double* tables) const { pair.prepare(tables); }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int lane, const double* tables, double* work, const Geometry& geometry,
                      const Sink& sink) const {
#pragma unroll 1
    for (int c = 0; c < components; ++c)
#pragma unroll 1
      for (int d = is_symmetric ? c : 0; d < components; ++d)
        pair.add_form(Pair{pair.form.form, c, d}, place, lane, tables, work, geometry, PairSink<Sink>{sink, c, d});
  }
};

/// The sinks for a form.
template <class Form, class Element>
auto adding_sink(const BlockView& block, const Target& target, bool atomic) {
  if constexpr (forms::has_components<Form>)
    return AddBlocks<Element::is_symmetric>{block, target, atomic};
  else
    return AddSink<Element::is_symmetric>{block, target, atomic};
}
template <class Form, class Element>
auto storing_sink(const BlockView& block, double* buffer, const ValueSteps& steps, Offset first) {
  if constexpr (forms::has_components<Form>)
    return StoreBlocks<Element::is_symmetric>{buffer, first, block.nodes, block.components};
  else
    return StoreSink<Element::is_symmetric>{buffer, steps.place, steps.entry, first, block.nodes};
}

}  // namespace tessera::assembly::kernels
