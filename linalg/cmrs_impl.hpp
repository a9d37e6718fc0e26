#pragma once
// The arrangement and conversions of CMRS, written once; instantiated by cmrs_threads.cpp and cmrs_cuda.cu.
#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/formats_ops_impl.hpp"

namespace tessera::linalg {
namespace detail {

/// Places the entries of a strip into chunks of 32: chunk after chunk, the rows with most entries left give up to `buffers`
/// of them each. Calls place(slot, row in strip, k) for entry k of a row; returns the slots, a multiple of 32.
template <class Place>
TESSERA_HD Offset arrange_strip(View<const Offset> row_ptr, Offset strip, Index buffers, Place place) {
  const Offset rows = row_ptr.size() - 1, first_row = strip * strip_height;
  Offset left[strip_height], entries = 0;
  for (int r = 0; r < strip_height; ++r) {
    left[r] = first_row + r < rows ? row_ptr[first_row + r + 1] - row_ptr[first_row + r] : 0;
    entries += left[r];
  }
  Offset slots = 0;
  for (; entries > 0; slots += strip_chunk) {
    unsigned taken = 0;
    for (int filled = 0; filled < strip_chunk;) {
      int most = -1;
      for (int r = 0; r < strip_height; ++r)
        if (left[r] > 0 && !(taken >> r & 1u) && (most < 0 || left[r] > left[most])) most = r;
      if (most < 0) break;
      taken |= 1u << most;
      const Offset row = first_row + most;
      for (Index i = 0; i < buffers && left[most] > 0 && filled < strip_chunk; ++i, --entries, --left[most])
        place(slots + filled++, most, row_ptr[row + 1] - row_ptr[row] - left[most]);
    }
  }
  return slots;
}

/// Strips that hold `rows` rows.
TESSERA_HD constexpr Offset strips_of(Offset rows) { return (rows + strip_height - 1) / strip_height; }

}  // namespace detail

template <class Exec, class T>
void refill(Exec& exec, const CmrsView<T>& a, CrsView<const T> from, View<T> values) {
  for_each(exec, a.strips(), [=] TESSERA_HD(Offset strip) {
    const Offset first = a.strip_ptr[strip];
    detail::arrange_strip(from.row_ptr, strip, a.buffers, [=](Offset slot, int r, Offset k) {
      values[first + slot] = from.values[from.row_ptr[strip * strip_height + r] + k];
    });
  });
}

template <class Exec, class T>
Cmrs<typename Exec::Space, T> cmrs_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A, const CmrsParams& params) {
  using Space = typename Exec::Space;
  if (params.buffers != 2 && params.buffers != 4 && params.buffers != 8)
    throw Error(ExitCode::usage, "CMRS with " + std::to_string(params.buffers) + " buffers a row", "valid numbers: 2, 4, 8");
  const Offset strips = detail::strips_of(A.rows);
  Cmrs<Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.buffers = params.buffers;
  result.strip_ptr = Array<Offset, Space>(strips + 1);
  const View<Offset> counts = result.strip_ptr;
  const CrsView<const T> from = A.view();
  const Index buffers = params.buffers;
  for_each(exec, strips + 1, [=] TESSERA_HD(Offset strip) {
    counts[strip] =
        strip < strips ? detail::arrange_strip(from.row_ptr, strip, buffers, [](Offset, int, Offset) {}) : Offset{0};
  });
  const Offset entries = counts_to_offsets(exec, counts);
  require_little_padding("cmrs", row_lengths(exec, A.cols, A.row_ptr), entries, sizeof(T) + sizeof(Index),
                         sizeof(T) + sizeof(Index));
  const bool apart = params.rows_apart || A.cols > CmrsView<T>::packed_cols;
  result.code = Array<unsigned, Space>(entries);
  if (apart) result.row_in_strip = Array<unsigned char, Space>(entries);
  result.values = Array<T, Space>(entries);
  const View<unsigned> code = result.code;
  const View<unsigned char> row_in_strip = result.row_in_strip;
  const View<T> values = result.values;
  const View<const Offset> strip_ptr = std::as_const(result.strip_ptr).view();
  for_each(exec, strips, [=] TESSERA_HD(Offset strip) {
    const Offset first = strip_ptr[strip];
    for (Offset place = first; place < strip_ptr[strip + 1]; ++place) {
      code[place] = CmrsView<T>::padding;
      values[place] = T{0};
      if (apart) row_in_strip[place] = 0;
    }
    detail::arrange_strip(from.row_ptr, strip, buffers, [=](Offset slot, int r, Offset k) {
      const Offset entry = from.row_ptr[strip * strip_height + r] + k;
      const unsigned col = static_cast<unsigned>(from.col_ind[entry]);
      code[first + slot] = apart ? col : col << 4 | static_cast<unsigned>(r);
      if (apart) row_in_strip[first + slot] = static_cast<unsigned char>(r);
      values[first + slot] = from.values[entry];
    });
  });
  return result;
}

/// Calls f(row, place) for the entries of a strip, those of a row in the order of their columns.
template <class T, class F>
TESSERA_HD void walk_strip(const CmrsView<T>& a, Offset strip, F f) {
  for (Offset place = a.strip_ptr[strip]; place < a.strip_ptr[strip + 1]; ++place)
    if (!a.is_padding(place)) f(strip * strip_height + a.strip_row(place), place);
}

template <class Exec, class T>
void diagonal_of(Exec& exec, const CmrsView<T>& a, View<T> diagonal) {
  for_each(exec, a.strips(), [=] TESSERA_HD(Offset strip) {
    for (int r = 0; r < strip_height; ++r)
      if (strip * strip_height + r < diagonal.size()) diagonal[strip * strip_height + r] = T{0};
    walk_strip(a, strip, [=](Offset row, Offset place) {
      if (a.column(place) == row) diagonal[row] = a.values[place];
    });
  });
}

template <class Exec, class T>
void count_rows(Exec& exec, const CmrsView<T>& a, View<Offset> counts) {
  for_each(exec, a.strips(), [=] TESSERA_HD(Offset strip) {
    walk_strip(a, strip, [=](Offset row, Offset) { ++counts[row]; });  // set to zero by to_crs
  });
}

template <class Exec, class T>
void copy_rows(Exec& exec, const CmrsView<T>& a, View<const Offset> row_ptr, View<Index> col_ind, View<T> values) {
  for_each(exec, a.strips(), [=] TESSERA_HD(Offset strip) {
    Offset done[strip_height] = {};
    walk_strip(a, strip, [&](Offset row, Offset place) {
      const Offset entry = row_ptr[row] + done[row % strip_height]++;
      col_ind[entry] = a.column(place);
      values[entry] = a.values[place];
    });
  });
}

}  // namespace tessera::linalg
