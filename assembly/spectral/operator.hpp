#pragma once
// Forces of spectral elements: f = -s K u, with a diagonal s, such as the inverse of the mass, without a matrix.
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assembly/matrix_free/blocks.hpp"
#include "assembly/spectral/cells.hpp"
#include "assembly/spectral/view.hpp"
#include "base/array.hpp"
#include "base/aside.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

namespace spectral {

/// Nodes that have as many entries of the element vector each.
struct GatherView {
  Index nodes = 0;
  int each = 0;
  const Index* rows = nullptr;
  const Index* entries = nullptr;  ///< [each, nodes]
  const Index* numbers = nullptr;  ///< [nodes] among those that are held; null: they are not
};
template <class Space>
struct GatherList {
  Index each = 0;
  Array<Index, Space> rows, entries, numbers;

  GatherView view() const {
    return {static_cast<Index>(rows.size()), each, rows.data(), entries.data(), numbers.data()};
  }
  double bytes() const { return static_cast<double>(rows.bytes() + entries.bytes() + numbers.bytes()); }
};

}  // namespace spectral

struct SpectralOptions {
  /// J^-1 and |J| are made anew from the vertices where a cell is multilinear; else, or with `stored`, they are kept:
  /// dim^2 + 1 numbers a node.
  bool stored = false;
  Index owned = -1;                  ///< dofs below it have a result; -1: all
  std::span<const Index> held = {};  ///< ascending: `leap` does not move them
  /// [blocks of the mesh], not 0: the element vector has the nodes of these cells, cell by cell in the order of the
  /// mesh; empty: of none.
  std::span<const unsigned char> apart = {};

  SpectralOptions with_apart(std::span<const unsigned char> blocks) const {
    SpectralOptions result = *this;
    result.apart = blocks;
    return result;
  }
};

/// K of a law (forms/spectral.hpp) on quads or hexes with the nodes of Gauss and Lobatto, which are its points of
/// integration, too. T: double or float.
///
/// An application is two passes: cells write the forces of their nodes into an element vector, then each node adds up
/// its own in the order of the cells. Blocks of threads on CUDA and threads take patches, of which nodes that no others
/// have are moved in the first pass, and the element vector has the sums of the others. Orders are fixed: the result is
/// repeatable, whatever the number of threads. The first pass keeps many registers and few threads, the second the
/// reverse. Vectors are [dofs, components].
template <class Exec, class Law, class T = double>
class SpectralOperator {
 public:
  using Space = typename Exec::Space;

  /// `material`: Law::coefficients numbers. The mesh and `cells` are not needed any more afterwards. Throws Error(mesh)
  /// where the element vector exceeds 32-bit numbers.
  SpectralOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const spectral::Cells& cells,
                   const spectral::Coefficients& material, const SpectralOptions& options = {});

  /// f = -scale K u of the dofs below `owned`: u [dofs, components], scale [owned], f [owned, components].
  void apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f);

  /// A step of the leapfrog in the same passes: v -= kick scale K u, u += drift v; v [owned, components]. Of the nodes
  /// that are held -scale K u goes to a [held, components] instead.
  void leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u, View<T> a);

  /// Who brings the values of dofs from `owned` on; both are called once in each application, with what goes on beside
  /// the cells that have no such dofs (base/aside.hpp) and has the others.
  struct Others {
    std::function<void(Exec&)> begin;   ///< before all cells; what it reads no cell changes that has no such dofs
    std::function<void(Exec&)> arrive;  ///< before the first cells that have some
  };
  void bring_others_by(Others others) {
    others_ = std::move(others);
    aside_.emplace();
  }
  void bring_no_others() { others_.reset(); }

  /// What an application reads and writes at least: u and f once, the scale, dofs, material, geometry and patches of
  /// the cells, and the element vector twice.
  double bytes_per_apply() const { return bytes_per_apply_; }
  double flops_per_apply() const { return flops_per_apply_; }
  double bytes() const;
  /// "degree 4, 1000 hexes, geometry from the vertices, material of cells"
  const std::string& description() const { return description_; }

 protected:  // an operator with memory has a step of its own (AttenuatedOperator)
  using GatherLists = std::vector<spectral::GatherList<Space>>;
  struct Block {
    Array<Index, Space> dofs;
    Array<T, Space> map, geometry, coefficients;
    spectral::Patches<Space> patches;
    spectral::BlockView<T> view;
    std::vector<Index> cells;  ///< their numbers in the mesh, in their order
    bool waits = false;        ///< for dofs of others

    double bytes() const {
      return static_cast<double>(dofs.bytes() + map.bytes() + geometry.bytes() + coefficients.bytes()) +
             patches.bytes();
    }
  };
  /// Those cells of a block of the mesh, in this order; `lanes`: of PatchLayout.
  void add_block(const mesh::Mesh& mesh, const spectral::Cells& cells, const mesh::CellBlock& of,
                 const spectral::Coefficients& material, bool stored, std::span<const Index> order, int lanes);
  void count(const spectral::Cells& cells);
  /// visit(exec, block) for those that wait for nothing, and for the others, which may go on beside.
  template <class Visit>
  void for_blocks(Exec& exec, Visit visit) {
    Exec& aside = others_ ? aside_->begin(exec) : exec;
    if (others_) others_->begin(aside);
    for (const Block& block : blocks_)
      if (!block.waits && block.view.cells > 0) visit(exec, block);
    if (others_) others_->arrive(aside);
    for (const Block& block : blocks_)
      if (block.waits && block.view.cells > 0) visit(aside, block);
    if (others_) aside_->end(exec);
  }
  /// The forces of cells, and their sums over the nodes of some lists, all at once; of nodes that are held to a.
  void apply_cells(Exec& exec, const T* u, const spectral::Target<T>& target);
  void gather(Exec& exec, std::initializer_list<const GatherLists*> of, const spectral::Target<T>& target,
              T* a = nullptr);

  int dim_, degree_;
  Index owned_;
  std::vector<Block> blocks_;  ///< of each of the mesh, then the parts of these that wait
  std::optional<Others> others_;
  std::optional<Aside<Exec>> aside_;
  GatherLists gather_, gather_held_;
  double bytes_of_lists_ = 0;
  Array<T, Space> elements_;
  double bytes_per_apply_ = 0, flops_per_apply_ = 0;
  std::string description_;
};

}  // namespace tessera::assembly
