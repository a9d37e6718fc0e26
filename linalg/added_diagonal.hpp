#pragma once
#include "base/array.hpp"

namespace tessera::linalg {

/// (D x)_row of a diagonal D that a product adds to its matrix; 0 where there is none.
template <class T>
struct AddedDiagonal {
  const T* d = nullptr;
  const T* x = nullptr;

  AddedDiagonal(View<const T> diagonal, View<const T> x) : d(diagonal.data()), x(x.data()) {}
  TESSERA_HD T operator()(Offset row) const { return d ? d[row] * x[row] : T{0}; }
};

}  // namespace tessera::linalg
