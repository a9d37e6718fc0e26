// Transfers between orders on threads: several items share the vector registers, one a lane.
#include <algorithm>

#include "assembly/matrix_free/order_transfer_impl.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace orders {
namespace {

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
void load(Lattice<T>& lattice, const Index* rows, int nodes, int items, const SeenVector<T>& from) {
  constexpr int W = lanes<T>;
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < nodes; ++i) {
      const Index row = lane < items ? rows[lane * nodes + i] : -1;
      lattice.at(i, lane) = row < 0 ? T{0} : from[row];
    }
}

}  // namespace

template <class Exec, class T>
void prolong(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> y, T* x) {
  for_groups<T>(exec, block, [&](Lattice<T>& lattice, Offset first, int items) {
    load(lattice, block.rows + first * block.low_nodes, block.low_nodes, items, y);
    for (int axis = 0; axis < block.axes; ++axis)
      lattice.contract(M, block.high, block.low, false, power(block.low, block.axes - 1 - axis),
                       power(block.high, axis));
    for (int lane = 0; lane < items; ++lane) {
      const Index* owned = block.owned + (first + lane) * block.high_nodes;
      for (int i = 0; i < block.high_nodes; ++i)
        if (owned[i] >= 0 && owned[i] < block.written) x[owned[i]] += lattice.at(i, lane);
    }
  });
}

template <class Exec, class T>
void gather(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> r, T* values) {
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

}  // namespace orders

TESSERA_INSTANTIATE_ORDER_TRANSFER(Threads);

}  // namespace tessera::assembly
