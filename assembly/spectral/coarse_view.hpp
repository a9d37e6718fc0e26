#pragma once
#include "assembly/spectral/coarse_rule.hpp"
#include "assembly/spectral/view.hpp"
#include "forms/attenuation.hpp"

namespace tessera::assembly::spectral {

/// What the points of cells remember of their strain: e_l = z_l + now_l e. A step makes z = kept z + taken e.
template <class T>
struct CoarseView {
  T* z = nullptr;      ///< [cells / lanes, mechanisms, strains, points, lanes]
  bool moves = false;  ///< the step is kept
  T now[forms::mechanisms] = {}, kept[forms::mechanisms] = {}, taken[forms::mechanisms] = {};
  T ratio[most_coarse_points] = {};  ///< as CoarseRule
};

/// The points of a cell that remember, and what they do.
template <int n, int dim, class Law>
struct CoarseCell {
  static constexpr int axis = coarse_points(n), points = power(axis, dim), strains = Law::strains(dim);
  /// Of a mechanism, and of all.
  static constexpr int each = strains * points, all = forms::mechanisms * each;

  /// The place of a point in the lattice of the cell.
  TESSERA_HD_INLINE static constexpr int place(int p) {
    const int of_plane = coarse_node(n, p % axis) + n * coarse_node(n, p / axis % axis);
    return dim == 2 ? of_plane : of_plane + n * n * coarse_node(n, p / (axis * axis));
  }
  /// Its weight over that of its node.
  template <class T>
  TESSERA_HD_INLINE static T ratio(const CoarseView<T>& memory, int p) {
    const T of_plane = memory.ratio[p % axis] * memory.ratio[p / axis % axis];
    return dim == 2 ? of_plane : of_plane * memory.ratio[p / (axis * axis)];
  }
};

}  // namespace tessera::assembly::spectral
