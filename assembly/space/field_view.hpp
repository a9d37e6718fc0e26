#pragma once
#include <span>
#include <vector>

#include "base/types.hpp"

namespace tessera::assembly {

/// Where the numbers of a field stand: component c of node i at i * node_stride + c * component_stride.
struct FieldLayout {
  int components = 1;
  Offset node_stride = 1;
  Offset component_stride = 1;

  /// [nodes, components]: of assembled systems, and files.
  static FieldLayout by_nodes(int components) { return {components, components, 1}; }
  /// [components, nodes]: of edge loops, which read one component of neighbouring nodes.
  static FieldLayout by_components(int components, Offset nodes) { return {components, 1, nodes}; }
};

/// A nodal field on the host, whatever its layout. Borrows its numbers; a vector of one number a node is one.
class FieldView {
 public:
  FieldView(std::span<const double> values) : values_(values), nodes_(static_cast<Offset>(values.size())) {}
  FieldView(const std::vector<double>& values) : FieldView(std::span<const double>(values)) {}
  /// Throws Error(internal) where the layout does not divide the values.
  FieldView(std::span<const double> values, const FieldLayout& layout);

  Offset nodes() const { return nodes_; }
  int components() const { return layout_.components; }
  const FieldLayout& layout() const { return layout_; }
  double operator()(Offset node, int component = 0) const {
    return values_[static_cast<std::size_t>(node * layout_.node_stride + component * layout_.component_stride)];
  }
  /// One component as a field of its own.
  FieldView component(int c) const;
  /// The numbers from those of the first node on; node i stands node_stride * i further.
  const double* data() const { return values_.data(); }
  Offset stride() const { return layout_.node_stride; }

  /// A copy in another layout.
  std::vector<double> in(const FieldLayout& layout) const;

 private:
  std::span<const double> values_;
  Offset nodes_ = 0;
  FieldLayout layout_;
};

}  // namespace tessera::assembly
