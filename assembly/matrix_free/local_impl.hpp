#pragma once
// Application of kept element matrices: gather, multiply, write to the element vector.
#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/geometry.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::matrix_free {

/// A cell's product in registers; every entry of its packed matrix is read once and used twice.
template <int n, class T>
struct ApplyCell {
  LocalView<T> block;
  const T* x;
  T* elements;
  TESSERA_HD void operator()(Offset cell) const {
    const T* A = block.matrices + cell * block.matrix_stride;
    T u[n], v[n];
    for (int i = 0; i < n; ++i) {
      const Index dof = block.dofs[block.place(cell, i)];
      u[i] = dof < 0 ? T(0) : x[dof];
      v[i] = 0;
    }
    for (int i = 0; i < n; ++i) {
      v[i] += A[packed(i, i, n) * block.entry_stride] * u[i];
      for (int j = i + 1; j < n; ++j) {
        const T a = A[packed(i, j, n) * block.entry_stride];
        v[i] += a * u[j];
        v[j] += a * u[i];
      }
    }
    for (int i = 0; i < n; ++i) elements[block.first + block.place(cell, i)] = v[i];
  }
};

/// A row of a cell's product, for matrices too large for registers. Neighbouring threads take neighbouring cells where
/// these are neighbours in memory.
template <class T>
struct ApplyRow {
  LocalView<T> block;
  const T* x;
  T* elements;
  TESSERA_HD void operator()(Offset t) const {
    const bool by_cell = block.cell_stride != 1;
    const Offset cell = by_cell ? t / block.nodes : t % block.cells;
    const int i = static_cast<int>(by_cell ? t % block.nodes : t / block.cells);
    const T* A = block.matrices + cell * block.matrix_stride;
    T sum = 0;
    for (int j = 0; j < block.nodes; ++j) {
      const Index dof = block.dofs[block.place(cell, j)];
      const int entry = i <= j ? packed(i, j, block.nodes) : packed(j, i, block.nodes);
      if (dof >= 0) sum += A[entry * block.entry_stride] * x[dof];
    }
    elements[block.first + block.place(cell, i)] = sum;
  }
};

template <class Exec, class T>
void apply_local(Exec& exec, const LocalView<T>& block, const T* x, T* elements) {
  switch (block.nodes) {
    case 2: return for_each(exec, block.cells, ApplyCell<2, T>{block, x, elements});
    case 3: return for_each(exec, block.cells, ApplyCell<3, T>{block, x, elements});
    case 4: return for_each(exec, block.cells, ApplyCell<4, T>{block, x, elements});
    case 6: return for_each(exec, block.cells, ApplyCell<6, T>{block, x, elements});
    case 8: return for_each(exec, block.cells, ApplyCell<8, T>{block, x, elements});
    case 9: return for_each(exec, block.cells, ApplyCell<9, T>{block, x, elements});
    case 10: return for_each(exec, block.cells, ApplyCell<10, T>{block, x, elements});
    case 12: return for_each(exec, block.cells, ApplyCell<12, T>{block, x, elements});
  }
  for_each(exec, Offset{block.cells} * block.nodes, ApplyRow<T>{block, x, elements});
}

/// Entries (c, c + s) of the blocks of the nodes on the diagonal, the second modulo the components.
template <class T>
struct LocalDiagonal {
  LocalView<T> block;
  int components, s;
  double* elements;
  TESSERA_HD void operator()(Offset t) const {
    const Offset cell = t / block.nodes;
    const int i = static_cast<int>(t % block.nodes), c = i % components, j = i - c + (c + s) % components;
    elements[block.first + block.place(cell, i)] =
        block.matrices[cell * block.matrix_stride + packed_symmetric(i, j, block.nodes) * block.entry_stride];
  }
};

}  // namespace tessera::assembly::matrix_free
