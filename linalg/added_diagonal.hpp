#pragma once
#include <cassert>

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

/// The same of a block diagonal D [rows, block]: entry c of a row stands in the column of unknown c of its node, whose
/// `block` rows stand together. Of its own, since products in formats of scalars are slower where they have a loop
/// here.
template <class T>
struct AddedBlocks {
  const T* d = nullptr;
  const T* x = nullptr;
  int block = 1;

  AddedBlocks(View<const T> diagonal, View<const T> x)
      : d(diagonal.data()), x(x.data()), block(x.size() > 0 ? static_cast<int>(diagonal.size() / x.size()) : 1) {
    assert(diagonal.size() == block * x.size());
  }
  TESSERA_HD T operator()(Offset row) const {
    if (!d) return T{0};
    const Index first = static_cast<Index>(row) / block * block;
    T sum = 0;
    for (int c = 0; c < block; ++c) sum += d[row * block + c] * x[first + c];
    return sum;
  }
};

}  // namespace tessera::linalg
