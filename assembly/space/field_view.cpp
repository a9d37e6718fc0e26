#include "assembly/space/field_view.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tessera::assembly {

FieldView::FieldView(std::span<const double> values, const FieldLayout& layout)
    : values_(values), nodes_(static_cast<Offset>(values.size()) / layout.components), layout_(layout) {
  if (nodes_ * layout.components != static_cast<Offset>(values.size()))
    throw Error(ExitCode::internal,
                fmt::format("{} numbers of a field of {} components", values.size(), layout.components),
                "give every component at every node");
}

FieldView FieldView::component(int c) const {
  FieldView one = *this;
  one.values_ = values_.subspan(static_cast<std::size_t>(c * layout_.component_stride));
  one.layout_ = {1, layout_.node_stride, 1};
  return one;
}

std::vector<double> FieldView::in(const FieldLayout& layout) const {
  std::vector<double> result(static_cast<std::size_t>(nodes_ * layout_.components));
  for (Offset node = 0; node < nodes_; ++node)
    for (int c = 0; c < layout_.components; ++c)
      result[static_cast<std::size_t>(node * layout.node_stride + c * layout.component_stride)] = (*this)(node, c);
  return result;
}

}  // namespace tessera::assembly
