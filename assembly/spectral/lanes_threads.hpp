#pragma once
// Vectors of numbers of several cells, one a lane, and derivatives along an axis of such cells.
// Vectors wider than the target's registers have no settled calling convention; none leaves a source. Sources that
// include it are compiled with -Wno-psabi.
#include <cstring>
#include <utility>

#include "assembly/matrix_free/tensor_threads.hpp"
#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral::host {

using matrix_free::host::Vector;

template <class T>
inline constexpr int lanes = cell_lanes(sizeof(T));
template <class V>
using Number = std::remove_reference_t<decltype(std::declval<V&>()[0])>;
template <class V>
using EachLane = std::make_integer_sequence<int, static_cast<int>(sizeof(V) / sizeof(Number<V>))>;

template <class V>
inline V load(const Number<V>* from) {
  V result;
  std::memcpy(&result, from, sizeof(V));
  return result;
}
template <class V, class Value, int... lane>
inline V of_lanes(Value value, std::integer_sequence<int, lane...>) {
  return V{value(lane)...};
}
/// The vector of value(lane).
template <class V, class Value>
inline V of_lanes(Value value) {
  return of_lanes<V>(value, EachLane<V>());
}

/// a0 b0 a1 b1 ..., of the first or the second halves of a and b.
template <bool second, class V, int... i>
inline V zip(V a, V b, std::integer_sequence<int, i...>) {
  constexpr int W = sizeof...(i);
  return __builtin_shufflevector(a, b, (i / 2 + (second ? W / 2 : 0) + i % 2 * W)...);
}
template <class T, int first, class V, int... i>
inline void store_part(V from, T* to, std::integer_sequence<int, i...>) {
  const auto part = __builtin_shufflevector(from, from, (first + i)...);
  std::memcpy(to, &part, sizeof(part));
}
template <int size, class T, class V, int... part>
inline void store_parts(V from, T* to, Offset stride, std::integer_sequence<int, part...>) {
  (store_part<T, part * size>(from, to + part * stride, std::make_integer_sequence<int, size>()), ...);
}

/// The numbers of a node of each cell, one a component, to entries of entry_size(C) numbers each, `stride` apart.
template <int C, class V>
inline void store_entries(const V (&values)[C], Number<V>* to, Offset stride) {
  constexpr EachLane<V> each{};
  constexpr int W = static_cast<int>(each.size());
  if constexpr (C == 1) {
    for (int lane = 0; lane < W; ++lane) to[lane * stride] = values[0][lane];
  } else if constexpr (C == 2) {
    constexpr std::make_integer_sequence<int, W / 2> parts{};
    store_parts<2>(zip<false>(values[0], values[1], each), to, stride, parts);
    store_parts<2>(zip<true>(values[0], values[1], each), to + W / 2 * stride, stride, parts);
  } else {
    constexpr std::make_integer_sequence<int, W / 4> parts{};
    const V zero{};
    const V xz[] = {zip<false>(values[0], values[2], each), zip<true>(values[0], values[2], each)};
    const V y[] = {zip<false>(values[1], zero, each), zip<true>(values[1], zero, each)};
    for (int half = 0; half < 2; ++half) {
      store_parts<4>(zip<false>(xz[half], y[half], each), to + half * W / 2 * stride, stride, parts);
      store_parts<4>(zip<true>(xz[half], y[half], each), to + (half * W / 2 + W / 4) * stride, stride, parts);
    }
  }
}

/// How n vectors of a line follow each other, and `lines` lines.
template <int vectors, int lines>
struct Strides {
  static constexpr int of_vectors = vectors, of_lines = lines;
};

/// out = M in along `count` lines of n vectors; `add`: out += it. in and out may be the same. A function of its own, so
/// that all laws of a source share it.
template <bool add, int count, class From, class To, int n, class T, class V>
[[gnu::noinline]] void differentiate(const FoldedMatrix<n, T>& M, const V* from, V* to, From, To) {
  constexpr int half = n / 2, more = n - half;
#pragma GCC unroll 1
  for (int line = 0; line < count; ++line) {
    const V* const in = from + line * From::of_lines;
    V* const out = to + line * To::of_lines;
    V even[more], odd[half];
#pragma GCC unroll 5
    for (int i = 0; i < half; ++i) {
      const V a = in[i * From::of_vectors], b = in[(n - 1 - i) * From::of_vectors];
      even[i] = a + b;
      odd[i] = a - b;
    }
    if constexpr (n % 2 == 1) even[half] = in[half * From::of_vectors];
#pragma GCC unroll 5
    for (int q = 0; q < more; ++q) {
      V symmetric = M.of_odd[q][0] * odd[0];
#pragma GCC unroll 5
      for (int i = 1; i < half; ++i) symmetric += M.of_odd[q][i] * odd[i];
      V& first = out[q * To::of_vectors];
      if (q == half) {
        first = add ? first + symmetric : symmetric;
        continue;
      }
      V antisymmetric = M.of_even[q][0] * even[0];
#pragma GCC unroll 5
      for (int i = 1; i < more; ++i) antisymmetric += M.of_even[q][i] * even[i];
      V& last = out[(n - 1 - q) * To::of_vectors];
      const V sum = symmetric + antisymmetric, difference = symmetric - antisymmetric;
      first = add ? first + sum : sum;
      last = add ? last + difference : difference;
    }
  }
}

}  // namespace tessera::assembly::spectral::host
