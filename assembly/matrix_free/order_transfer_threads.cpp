// Transfers between orders on threads: several items share the vector registers, one a lane.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assembly/matrix_free/line_tables.hpp"
#include "assembly/matrix_free/order_transfer_impl.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace orders {
namespace {

/// Values that are rounding of zero.
constexpr double no_value = 1e-12;

/// 64 bytes of items.
template <class T>
constexpr int lanes = static_cast<int>(64 / sizeof(T));

/// Values of `axes` axes at W items, in turns in two places.
template <class T>
struct Lattice {
  static constexpr int W = lanes<T>;
  std::vector<T> now, next;
  explicit Lattice(int nodes) : now(static_cast<std::size_t>(nodes) * W), next(now.size()) {}
  T& at(int node, int lane) { return now[static_cast<std::size_t>(node) * W + static_cast<std::size_t>(lane)]; }

  /// now [outer, columns, inner] becomes M now [outer, rows, inner], or M^T now where `transposed`.
  void contract(const T* M, int rows, int columns, bool transposed, int outer, int inner) {
    const int step = transposed ? rows : 1;
    T* to = next.data();
    for (int o = 0; o < outer; ++o)
      for (int i = 0; i < rows; ++i) {
        const T* of_row = transposed ? M + i : M + i * columns;
        for (int s = 0; s < inner; ++s, to += W) {
          T sum[W] = {};
          for (int j = 0; j < columns; ++j) {
            const T factor = of_row[j * step];
            const T* from = now.data() + (Offset{o * columns + j} * inner + s) * W;
#pragma omp simd
            for (int lane = 0; lane < W; ++lane) sum[lane] += factor * from[lane];
          }
          for (int lane = 0; lane < W; ++lane) to[lane] = sum[lane];
        }
      }
    now.swap(next);
  }
};

int power(int n, int times) { return times == 0 ? 1 : n * power(n, times - 1); }

/// act(lattice, first item, items) for groups of items, by all threads.
template <class T, class Act>
void for_groups(Threads& exec, const ItemsView& block, Act act) {
  constexpr int W = lanes<T>;
  const Offset groups = (block.items + W - 1) / W;
  parallel_ranges(exec.count(), groups, [&](Offset begin, Offset end, int) {
    Lattice<T> lattice(power(std::max(block.high, block.low), block.axes));
    for (Offset group = begin; group < end; ++group)
      act(lattice, group * W, static_cast<int>(std::min<Offset>(W, block.items - group * W)));
  });
}

template <class T>
void load(Lattice<T>& lattice, const Index* rows, int nodes, int items, const T* from) {
  constexpr int W = lanes<T>;
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < nodes; ++i) {
      const Index row = lane < items ? rows[lane * nodes + i] : -1;
      lattice.at(i, lane) = row < 0 ? T{0} : from[row];
    }
}

template <class T>
void prolong_items(Threads& exec, const ItemsView& block, const T* M, const T* y, T* x) {
  for_groups<T>(exec, block, [&](Lattice<T>& lattice, Offset first, int items) {
    load(lattice, block.rows + first * block.low_nodes, block.low_nodes, items, y);
    for (int axis = 0; axis < block.axes; ++axis)
      lattice.contract(M, block.high, block.low, false, power(block.low, block.axes - 1 - axis),
                       power(block.high, axis));
    for (int lane = 0; lane < items; ++lane) {
      const Index* owned = block.owned + (first + lane) * block.high_nodes;
      for (int i = 0; i < block.high_nodes; ++i)
        if (owned[i] >= 0) x[owned[i]] += lattice.at(i, lane);
    }
  });
}

template <class T>
void gather_items(Threads& exec, const ItemsView& block, const T* M, const T* r, T* values) {
  for_groups<T>(exec, block, [&](Lattice<T>& lattice, Offset first, int items) {
    load(lattice, block.owned + first * block.high_nodes, block.high_nodes, items, r);
    for (int axis = block.axes - 1; axis >= 0; --axis)
      lattice.contract(M, block.low, block.high, true, power(block.low, block.axes - 1 - axis),
                       power(block.high, axis));
    for (int lane = 0; lane < items; ++lane) {
      T* to = values + block.first + (first + lane) * block.low_nodes;
      for (int i = 0; i < block.low_nodes; ++i) to[i] = lattice.at(i, lane);
    }
  });
}

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

void prolong(Threads& exec, const ItemsView& block, AxisMatrix<double> M, const double* y, double* x) {
  prolong_items(exec, block, M, y, x);
}
void prolong(Threads& exec, const ItemsView& block, AxisMatrix<float> M, const float* y, float* x) {
  prolong_items(exec, block, M, y, x);
}
void gather(Threads& exec, const ItemsView& block, AxisMatrix<double> M, const double* r, double* values) {
  gather_items(exec, block, M, r, values);
}
void gather(Threads& exec, const ItemsView& block, AxisMatrix<float> M, const float* r, float* values) {
  gather_items(exec, block, M, r, values);
}

}  // namespace orders

TESSERA_INSTANTIATE_ORDER_TRANSFER(Threads);

}  // namespace tessera::assembly
