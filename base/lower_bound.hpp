#pragma once
#include "base/types.hpp"

namespace tessera {

/// The first place in [first, last) of ascending items that is not less than `value`; `last` where all are. As that of
/// the standard library, for kernels.
template <class T, class Value>
TESSERA_HD inline Offset lower_bound(const T* items, Offset first, Offset last, Value value) {
  while (first < last) {
    const Offset middle = (first + last) / 2;
    if (items[middle] < value)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

}  // namespace tessera
