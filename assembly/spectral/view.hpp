#pragma once
// The cells of a block as kernels see them.
#include <type_traits>

#include "assembly/matrix_free/geometry.hpp"
#include "assembly/matrix_free/kernel_sizes.hpp"
#include "assembly/spectral/patches.hpp"
#include "assembly/spectral/rule.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace tessera::assembly::spectral {

constexpr int power(int n, int dim) { return dim == 0 ? 1 : n * power(n, dim - 1); }

/// n^dim places a cell, lexicographic, x fastest. On threads dofs, map, geometry and coefficients lie in the order of
/// lanes: as [cells / lanes, ..., lanes].
template <class T>
struct BlockView {
  int dim = 2;
  int n = 3;
  Index cells = 0;
  Offset first = 0;             ///< its first node in the element vector
  const Index* dofs = nullptr;  ///< [cells, places]
  const T* map = nullptr;       ///< [cells, map_entries] of multilinear cells (LineJacobian); null: `geometry`
  const T* geometry = nullptr;  ///< [cells, dim^2 + 1, places]: J^-1 by rows, w |J|
  const T* coefficients = nullptr;
  Offset cell_stride = 0;  ///< of the coefficients
  int component_stride = 1;
  int place_stride = 0;  ///< 0: they are the same everywhere in a cell
  PatchView patches;

  TESSERA_HD_INLINE const T* coefficients_of(Offset cell, int q) const {
    return coefficients + cell * cell_stride + Offset{q} * place_stride;
  }
};

/// Calls run(dim, n) with both as constants, std::integral_constant.
template <class Run>
void on_lattice(int dim, int n, Run run) {
  const auto with_nodes = [&](auto of_dim) {
    switch (n) {
      case 3: return run(of_dim, std::integral_constant<int, 3>());
      case 4: return run(of_dim, std::integral_constant<int, 4>());
      case 5: return run(of_dim, std::integral_constant<int, 5>());
      case 6: return run(of_dim, std::integral_constant<int, 6>());
      case 7: return run(of_dim, std::integral_constant<int, 7>());
      case 8: return run(of_dim, std::integral_constant<int, 8>());
      case 9: return run(of_dim, std::integral_constant<int, 9>());
    }
    throw Error(ExitCode::internal, "no spectral elements of this degree");
  };
  if (dim == 2) return with_nodes(std::integral_constant<int, 2>());
  with_nodes(std::integral_constant<int, 3>());
}

/// The same for kernels: of those that this build has.
template <class Run>
void on_kernel_lattice(int dim, int n, Run run) {
  on_lattice(dim, n, [&](auto of_dim, auto of_n) {
    if constexpr (matrix_free::has_kernels(of_n()))
      run(of_dim, of_n);
    else
      matrix_free::refuse_size();
  });
}

/// Numbers of a node in the element vector: a power of two, so that it lies in one sector of memory.
constexpr int entry_size(int components) { return components == 3 ? 4 : components; }

/// Where forces of nodes go: to = scale force, or, where there is a v, a step of the leapfrog in the same pass: v +=
/// kick scale force, u += drift v.
template <class T>
struct Target {
  const T* scale = nullptr;  ///< [dofs]
  T* to = nullptr;           ///< [dofs, components], as v and u
  T* v = nullptr;
  T* u = nullptr;
  T kick = 0, drift = 0;
};

/// The matrix of derivatives along an axis, or its transpose, times a factor. Nodes lie symmetrically: M[n-1-q][n-1-i]
/// = -M[q][i], so that even parts of a line have odd derivatives and the reverse, for about half the products.
/// A. Solomonoff, J. Comput. Phys. 98 (1992) 174-177.
template <int n, class T>
struct FoldedMatrix {
  static constexpr int half = n / 2, more = n - half;
  T of_odd[more][half];   ///< even parts of the result, from u_i - u_(n-1-i)
  T of_even[half][more];  ///< odd parts, from u_i + u_(n-1-i) and the node in the middle

  FoldedMatrix(const double* M, bool transposed, double factor = 1) {
    const auto at = [&](int q, int i) { return factor * (transposed ? M[i * n + q] : M[q * n + i]); };
    for (int q = 0; q < more; ++q)
      for (int i = 0; i < half; ++i) of_odd[q][i] = static_cast<T>((at(q, i) - at(q, n - 1 - i)) / 2);
    for (int q = 0; q < half; ++q) {
      for (int i = 0; i < half; ++i) of_even[q][i] = static_cast<T>((at(q, i) + at(q, n - 1 - i)) / 2);
      if (n % 2 == 1) of_even[q][half] = static_cast<T>(at(q, half));
    }
  }
};

/// The tables of an axis with constant sizes: a parameter of kernels.
template <int n, class T>
struct Line {
  T points[n], weights[n], slope[n * n];
  FoldedMatrix<n, T> folded, folded_transpose;

  explicit Line(const Rule& rule) : folded(rule.slope, false), folded_transpose(rule.slope, true) {
    for (int i = 0; i < n; ++i)
      points[i] = static_cast<T>(rule.points[i]), weights[i] = static_cast<T>(rule.weights[i]);
    for (int i = 0; i < n * n; ++i) slope[i] = static_cast<T>(rule.slope[i]);
  }
};

}  // namespace tessera::assembly::spectral
