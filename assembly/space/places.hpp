#pragma once
// Which places of a list belong to a row, in an order that does not depend on threads.
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

/// The places of each row in a list, ascending: places[ptr[row] .. ptr[row + 1]). `places` may be longer than that.
template <class Space>
struct Places {
  Array<Index, Space> ptr, places;
};

/// Entries of `list` below 0 are in no row. The list has fewer than 2^31 of them.
Places<Host> places_of_rows(Threads& exec, View<const Index> list, Index rows);
Places<Device> places_of_rows(Cuda& exec, View<const Index> list, Index rows);

/// [rows] the first place of each row in `list`; the largest Index where it has none.
/// Entries below 0 are in no row.
Array<Index, Host> first_places(Threads& exec, View<const Index> list, Index rows);
Array<Index, Device> first_places(Cuda& exec, View<const Index> list, Index rows);

/// numbers[i] becomes the sum of those before it.
void sum_before(Threads& exec, View<Index> numbers);
void sum_before(Cuda& exec, View<Index> numbers);

}  // namespace tessera::assembly
