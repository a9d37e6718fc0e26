#pragma once
// The second pass of an operator: each node adds up its entries of the element vector. gather_cuda.cuh and
// cells_threads.hpp have the loops over nodes.
#include <algorithm>
#include <map>

#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/spectral/operator.hpp"

namespace tessera::assembly::spectral {

/// The sum of the entries of a node's component to the target or, scaled, to a [held nodes, components], of nodes that
/// are held where there is an a. Everything is on its way before the first sum. The case of a number of entries that
/// few nodes have is a loop.
template <int components, class T>
struct SumOfNode {
  const T* elements;
  Target<T> target;
  T* a;

  TESSERA_HD bool holds(const GatherView& list) const { return a && list.numbers; }
  TESSERA_HD void operator()(const GatherView& list, Index node, int c) const {
    const Index dof = list.rows[node];
    const Offset row = Offset{dof} * components + c;
    const bool leaps = target.v && !holds(list);
    const T scale = target.scale[dof], v = leaps ? target.v[row] : T(0), u = leaps ? target.u[row] : T(0);
    const T sum = sum_of(list, node, c);
    if (holds(list)) {
      a[Offset{list.numbers[node]} * components + c] = scale * sum;
    } else if (!leaps) {
      target.to[row] = scale * sum;
    } else {
      const T moved = v + target.kick * (scale * sum);
      target.v[row] = moved;
      target.u[row] = u + target.drift * moved;
    }
  }

 private:
  template <int entries>
  TESSERA_HD T sum_of_entries(const GatherView& list, Index node, int c) const {
    T sum = 0;
    for (int k = 0; k < (entries > 0 ? entries : list.each); ++k)
      sum += elements[Offset{list.entries[k * Offset{list.nodes} + node]} * entry_size(components) + c];
    return sum;
  }
  TESSERA_HD T sum_of(const GatherView& list, Index node, int c) const {
    switch (list.each) {
      case 1: return sum_of_entries<1>(list, node, c);
      case 2: return sum_of_entries<2>(list, node, c);
      case 4: return sum_of_entries<4>(list, node, c);
      case 8: return sum_of_entries<8>(list, node, c);
    }
    return sum_of_entries<0>(list, node, c);
  }
};

/// Lists of nodes of as many entries each, in the order of `all`; of those that are in `held`, or of the others. A node
/// without entries that has cells, `cells` [dofs], belongs to their patch.
template <class Space>
std::vector<GatherList<Space>> gather_lists(const matrix_free::HostGatherList& all, std::span<const Index> held,
                                            bool of_held, std::span<const int> cells) {
  std::map<Index, std::vector<std::size_t>> nodes;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const Index entries = all.ptr[i + 1] - all.ptr[i];
    if (entries == 0 && !cells.empty() && cells[static_cast<std::size_t>(all.rows[i])] > 0) continue;
    if (std::binary_search(held.begin(), held.end(), all.rows[i]) == of_held) nodes[entries].push_back(i);
  }
  std::vector<GatherList<Space>> lists;
  for (const auto& [each, which] : nodes) {
    std::vector<Index> rows, entries(which.size() * static_cast<std::size_t>(each)), numbers;
    for (std::size_t i = 0; i < which.size(); ++i) {
      rows.push_back(all.rows[which[i]]);
      for (Index k = 0; k < each; ++k)
        entries[static_cast<std::size_t>(k) * which.size() + i] =
            all.entries[static_cast<std::size_t>(all.ptr[which[i]] + k)];
    }
    lists.push_back({each, to_space<Space>(rows), to_space<Space>(entries), {}});
    if (!of_held) continue;
    for (const Index row : rows)
      numbers.push_back(static_cast<Index>(std::lower_bound(held.begin(), held.end(), row) - held.begin()));
    lists.back().numbers = to_space<Space>(numbers);
  }
  return lists;
}

}  // namespace tessera::assembly::spectral
