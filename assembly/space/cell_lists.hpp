#pragma once
#include <utility>

#include "assembly/space/dof_map.hpp"
#include "base/array.hpp"

namespace tessera::assembly {

/// Who has the dofs of the cells of a map on a backend, in an order of its own.
template <class Exec>
class HasCellDofs {
 public:
  virtual ~HasCellDofs() = default;
  /// dofs = those of all cells, in the order of CellLists. Queued.
  virtual void copy_cell_dofs(Exec& exec, View<Index> dofs) const = 0;
};

/// The dofs of the cells of a map where a backend reads them, [cells, nodes] of one block after the other: made there,
/// or those of the map, which must outlive it, copied when they are first asked for; a host borrows those of one block.
template <class Space>
class CellLists {
 public:
  CellLists() = default;
  explicit CellLists(const DofMap& map) : map_(&map) {}
  explicit CellLists(Array<Index, Space> made) : own_(std::move(made)) {}

  View<const Index> view() {
    if (!map_) return std::as_const(own_).view();
    if (std::is_same_v<Space, Host> && map_->blocks.size() == 1) {
      const CellDofs& only = map_->blocks[0].dofs;
      return {only.data(), static_cast<Offset>(only.size())};
    }
    Offset count = 0;
    for (const DofBlock& block : map_->blocks) count += static_cast<Offset>(block.dofs.size());
    own_ = Array<Index, Space>(count);
    Index* to = own_.data();
    for (const DofBlock& block : map_->blocks) {
      copy_bytes(Host{}, block.dofs.data(), Space{}, to, block.dofs.size() * sizeof(Index));
      to += block.dofs.size();
    }
    map_ = nullptr;
    return std::as_const(own_).view();
  }

 private:
  const DofMap* map_ = nullptr;  ///< whose lists are not copied yet
  Array<Index, Space> own_;
};

}  // namespace tessera::assembly
