#pragma once
// make_order_transfer, written once; instantiated by order_transfer_threads.cpp and order_transfer_cuda.cu.
#include <utility>

#include "assembly/matrix_free/order_transfer.hpp"
#include "assembly/matrix_free/order_transfer_blocks.hpp"
#include "assembly/space/places.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {
namespace orders {

/// How the elements of a shape in two orders stand to each other.
struct CellTables {
  int axes = 1;
  int high = 0, low = 0;                   ///< nodes along an axis
  std::vector<Index> high_node, low_node;  ///< the element's node at each place of the lattice
  std::vector<double> matrix;              ///< [high, low] of an axis
};
CellTables cell_tables(const DofMap& lower, const DofMap& higher, mesh::Shape shape);

/// Throws Error(mesh) where the dofs of all cells exceed 32-bit numbers, Error(internal) where the maps differ in
/// cells.
void check_maps(const DofMap& lower, const DofMap& higher, int components);

/// [rows] 1 where a row is in `fixed`.
template <class Exec>
Array<unsigned char, typename Exec::Space> marked(Exec& exec, Index rows, std::span<const Index> fixed) {
  using Space = typename Exec::Space;
  Array<unsigned char, Space> result(rows);
  result.set_zero();
  const auto which = to_space<Space>(fixed);
  const Index* row = which.data();
  unsigned char* mark = result.data();
  for_each(exec, which.size(), [=] TESSERA_HD(Offset i) { mark[row[i]] = 1; });
  exec.synchronize();
  return result;
}

/// The rows of a block's items, [cells, components, nodes] in the order of the lattice, of dofs [cells, nodes] in that
/// of the element; -1 where a row is fixed or, where `owner` is known, the dof's owner is another place.
struct WriteRows {
  const Index* dofs;
  const Index* node;   ///< [nodes]
  const Index* owner;  ///< [dofs], places in the lists of all blocks; null: everybody has the row
  const unsigned char* fixed;
  Offset before;  ///< places of the blocks before
  int nodes, components;
  Index* rows;
  TESSERA_HD void operator()(Offset i) const {
    const Offset item = i / nodes, cell = item / components, place = cell * nodes + node[i - item * nodes];
    const Index dof = dofs[place];
    const Index row = dof * components + static_cast<Index>(item - cell * components);
    rows[i] = fixed[row] || (owner && owner[dof] != before + place) ? -1 : row;
  }
};

/// y = the sum of the values of each row, in the order of their places.
template <class T>
struct SumOfPlaces {
  const Index* ptr;
  const Index* places;
  const T* values;
  T* y;
  TESSERA_HD void operator()(Offset row) const {
    T sum = 0;
    for (Index k = ptr[row]; k < ptr[row + 1]; ++k) sum += values[places[k]];
    y[row] = sum;
  }
};

template <class Space>
struct Block {
  ItemsView view;
  std::vector<double> axis;     ///< [high, low]
  Array<double, Space> matrix;  ///< the same where the backend reads it
  Array<float, Space> rounded;
};

template <class Exec>
class CellTransfer final : public linalg::OrderTransfer<Exec> {
  using Space = typename Exec::Space;

 public:
  CellTransfer(Exec& exec, const DofMap& lower, const DofMap& higher, int components,
               std::span<const Index> fixed_lower, std::span<const Index> fixed_higher, CellLists<Space>& lower_cells,
               CellLists<Space>& higher_cells, OrderHalos<Exec> halos)
      : halos_(std::move(halos)),
        lower_rows_(owned_of(lower.dofs * components, halos_.lower)),
        higher_rows_(owned_of(higher.dofs * components, halos_.higher)) {
    check_maps(lower, higher, components);
    std::vector<CellTables> tables;
    for (const DofBlock& block : higher.blocks) tables.push_back(cell_tables(lower, higher, block.shape));
    lay_out(lower, higher, components, tables);
    write(exec, higher, higher_cells.view(), components, fixed_higher, tables, true);
    write(exec, lower, lower_cells.view(), components, fixed_lower, tables, false);
    places_ = places_of_rows(exec, std::as_const(low_).view(), lower.dofs * components);
  }
  void prolong(Exec& exec, View<const double> y, View<double> x) const override { prolong_by(exec, y, x); }
  void prolong(Exec& exec, View<const float> y, View<float> x) const override { prolong_by(exec, y, x); }
  void restrict_to(Exec& exec, View<const double> r, View<double> values, View<double> y) const override {
    restrict_by(exec, r, values, y);
  }
  void restrict_to(Exec& exec, View<const float> r, View<float> values, View<float> y) const override {
    restrict_by(exec, r, values, y);
  }
  Offset values() const override { return low_.size(); }

 private:
  using Halo = std::shared_ptr<linalg::Halo<Exec>>;

  static Index owned_of(Index seen, const Halo& halo) { return seen - (halo ? static_cast<Index>(halo->ghosts()) : 0); }

  /// Blocks and their matrices; lists are not filled yet.
  void lay_out(const DofMap& lower, const DofMap& higher, int components, const std::vector<CellTables>& all) {
    Offset high = 0, low = 0;
    for (std::size_t b = 0; b < higher.blocks.size(); ++b) {
      const CellTables& tables = all[b];
      Block<Space>& block = blocks_.emplace_back();
      ItemsView& view = block.view;
      view.items = Offset{higher.blocks[b].cells()} * components;
      view.axes = tables.axes;
      view.high = tables.high, view.low = tables.low;
      view.high_nodes = higher.blocks[b].nodes, view.low_nodes = lower.blocks[b].nodes;
      view.written = higher_rows_;
      view.first = low;
      block.axis = tables.matrix;
      view.axis = block.axis.data();
      block.matrix = to_space<Space>(tables.matrix);
      block.rounded = to_space<Space>(std::vector<float>(tables.matrix.begin(), tables.matrix.end()));
      high += view.items * view.high_nodes;
      low += view.items * view.low_nodes;
    }
    owned_ = Array<Index, Space>(high);
    low_ = Array<Index, Space>(low);
    high = 0;
    for (Block<Space>& block : blocks_) {
      block.view.owned = owned_.data() + high;
      block.view.rows = low_.data() + block.view.first;
      high += block.view.items * block.view.high_nodes;
    }
  }

  /// The rows of one order in the lists of items. dofs: those of the cells.
  void write(Exec& exec, const DofMap& map, View<const Index> dofs, int components, std::span<const Index> fixed,
             const std::vector<CellTables>& tables, bool high) {
    const auto marks = marked(exec, map.dofs * components, fixed);
    Array<Index, Space> owner;
    if (high) owner = first_places(exec, dofs, map.dofs);
    Offset before = 0, to = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const DofBlock& block = map.blocks[b];
      const auto node = to_space<Space>(high ? tables[b].high_node : tables[b].low_node);
      const Offset count = blocks_[b].view.items * block.nodes;
      for_each(exec, count,
               WriteRows{dofs.data() + before, node.data(), high ? owner.data() : nullptr, marks.data(), before,
                         block.nodes, components, (high ? owned_.data() : low_.data()) + to});
      exec.synchronize();
      before += static_cast<Offset>(block.dofs.size());
      to += count;
    }
  }

  template <class T>
  static const T* matrix_of(const Block<Space>& block) {
    if constexpr (std::is_same_v<T, float>)
      return block.rounded.data();
    else
      return block.matrix.data();
  }
  /// x [own rows] with its ghosts, which others send.
  template <class T>
  SeenVector<T> with_ghosts(Exec& exec, View<const T> x, const Halo& halo) const {
    if (!halo) return {x.data(), nullptr, static_cast<Index>(x.size())};
    halo->start(exec, x);
    return {x.data(), halo->template finish<T>(exec).data(), static_cast<Index>(x.size())};
  }
  template <class T>
  void prolong_by(Exec& exec, View<const T> y, View<T> x) const {
    const SeenVector<T> seen = with_ghosts(exec, y, halos_.lower);
    for (const Block<Space>& block : blocks_) orders::prolong(exec, block.view, matrix_of<T>(block), seen, x.data());
  }
  template <class T>
  void restrict_by(Exec& exec, View<const T> r, View<T> values, View<T> y) const {
    const SeenVector<T> seen = with_ghosts(exec, r, halos_.higher);
    for (const Block<Space>& block : blocks_)
      orders::gather(exec, block.view, matrix_of<T>(block), seen, values.data());
    for_each(exec, Offset{lower_rows_},
             SumOfPlaces<T>{places_.ptr.data(), places_.places.data(), values.data(), y.data()});
  }

  OrderHalos<Exec> halos_;
  Index lower_rows_, higher_rows_;  ///< that this rank owns
  std::vector<Block<Space>> blocks_;
  Array<Index, Space> owned_, low_;  ///< of all blocks: ItemsView::owned, rows
  Places<Space> places_;             ///< of rows of the lower order in low_
};

}  // namespace orders

template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> make_order_transfer(Exec& exec, const DofMap& lower, const DofMap& higher,
                                                                 int components, std::span<const Index> fixed_lower,
                                                                 std::span<const Index> fixed_higher,
                                                                 CellLists<typename Exec::Space>& lower_cells,
                                                                 CellLists<typename Exec::Space>& higher_cells,
                                                                 OrderHalos<Exec> halos) {
  return std::make_unique<orders::CellTransfer<Exec>>(exec, lower, higher, components, fixed_lower, fixed_higher,
                                                      lower_cells, higher_cells, std::move(halos));
}

#define TESSERA_INSTANTIATE_ORDER_TRANSFER(Exec)                                                                      \
  template void orders::prolong(Exec&, const orders::ItemsView&, const double*, orders::SeenVector<double>, double*); \
  template void orders::prolong(Exec&, const orders::ItemsView&, const float*, orders::SeenVector<float>, float*);    \
  template void orders::gather(Exec&, const orders::ItemsView&, const double*, orders::SeenVector<double>, double*);  \
  template void orders::gather(Exec&, const orders::ItemsView&, const float*, orders::SeenVector<float>, float*);     \
  template std::unique_ptr<linalg::OrderTransfer<Exec>> make_order_transfer(                                          \
      Exec&, const DofMap&, const DofMap&, int, std::span<const Index>, std::span<const Index>,                       \
      CellLists<Exec::Space>&, CellLists<Exec::Space>&, OrderHalos<Exec>)

}  // namespace tessera::assembly
