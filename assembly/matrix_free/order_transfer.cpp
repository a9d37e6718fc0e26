// What transfers between orders are on either backend.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "assembly/matrix_free/line_tables.hpp"
#include "assembly/matrix_free/order_transfer_impl.hpp"
#include "base/error.hpp"

namespace tessera::assembly::orders {
namespace {

/// Values that are rounding of zero.
constexpr double no_value = 1e-12;

}  // namespace

CellTables cell_tables(const DofMap& lower, const DofMap& higher, mesh::Shape shape) {
  const Element &low = lower.element(shape), &high = higher.element(shape);
  CellTables tables;
  if (shape == mesh::Shape::quad || shape == mesh::Shape::hex) {
    tables.axes = high.dim;
    tables.high = high.order + 1;
    tables.low = low.order + 1;
    const auto places = [](const Element& element) {
      const std::vector<int> nodes = matrix_free::lexicographic_nodes(element);
      return std::vector<Index>(nodes.begin(), nodes.end());
    };
    tables.high_node = places(high);
    tables.low_node = places(low);
    std::vector<double> phi(static_cast<std::size_t>(tables.low)), slopes(phi.size());
    for (const double x : high.line_nodes) {
      tabulate_line(low.line_nodes, x, phi.data(), slopes.data());
      tables.matrix.insert(tables.matrix.end(), phi.begin(), phi.end());
    }
  } else {
    tables.high = high.nodes;
    tables.low = low.nodes;
    for (const auto& [nodes, count] :
         {std::pair{&tables.high_node, high.nodes}, std::pair{&tables.low_node, low.nodes}}) {
      nodes->resize(static_cast<std::size_t>(count));
      std::iota(nodes->begin(), nodes->end(), 0);
    }
    std::vector<double> gradients;
    tabulate(low, high.node_points, tables.matrix, gradients);
  }
  for (double& value : tables.matrix)
    if (std::abs(value) < no_value) value = 0;
  return tables;
}

void check_maps(const DofMap& lower, const DofMap& higher, int components) {
  bool same = lower.blocks.size() == higher.blocks.size();
  Offset places = 0;
  for (std::size_t b = 0; same && b < higher.blocks.size(); ++b) {
    same = lower.blocks[b].shape == higher.blocks[b].shape && lower.blocks[b].cells() == higher.blocks[b].cells();
    places += static_cast<Offset>(higher.blocks[b].dofs.size()) * components;
  }
  if (!same) throw Error(ExitCode::internal, "transfer between dofs of different meshes", "make both maps on one mesh");
  if (places > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("{} dofs of cells one by one exceed 32-bit numbers", places),
                "use a coarser mesh, a lower order, or preconditioner = \"jacobi\"");
}

}  // namespace tessera::assembly::orders
