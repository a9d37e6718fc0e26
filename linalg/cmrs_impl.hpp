#pragma once
// The arrangement and conversions of CMRS, written once; instantiated by cmrs_threads.cpp and cmrs_cuda.cu.
#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/formats_ops_impl.hpp"

namespace tessera::linalg {
namespace detail {

/// Strips that hold `rows` rows.
TESSERA_HD constexpr Offset strips_of(Offset rows) { return (rows + strip_height - 1) / strip_height; }

/// What arranging the entries of strips needs to know.
struct Strips {
  View<const Offset> row_ptr;
  Index buffers;

  TESSERA_HD Offset count() const { return strips_of(row_ptr.size() - 1); }
  TESSERA_HD Offset length(Offset row) const { return row < row_ptr.size() - 1 ? row_ptr[row + 1] - row_ptr[row] : 0; }
};

// arrange(exec, strips, place, finish) puts the entries of every strip into chunks of 32: chunk after chunk, the rows
// with most entries left, the upper of equal ones first, give up to `buffers` each until the chunk is full. It calls
// place(strip, slot, row in strip, k) for entry k of a row and finish(strip, slots), slots a multiple of 32. Whole
// rows, on threads, follow each other.

template <class Place, class Finish>
void arrange(Threads& exec, const Strips& strips, Place place, Finish finish) {
  if (strips.buffers == whole_rows) {
    for_each(exec, strips.count(), [=](Offset strip) {
      Offset slots = 0;
      for (int r = 0; r < strip_height; ++r)
        for (Offset k = 0, length = strips.length(strip * strip_height + r); k < length; ++k)
          place(strip, slots++, r, k);
      finish(strip, slots);
    });
    return;
  }
  for_each(exec, strips.count(), [=](Offset strip) {
    Offset left[strip_height], entries = 0, slots = 0;
    for (int r = 0; r < strip_height; ++r) entries += left[r] = strips.length(strip * strip_height + r);
    for (; entries > 0; slots += strip_chunk) {
      unsigned taken = 0;
      for (int filled = 0; filled < strip_chunk;) {
        int most = -1;
        for (int r = 0; r < strip_height; ++r)
          if (left[r] > 0 && !(taken >> r & 1u) && (most < 0 || left[r] > left[most])) most = r;
        if (most < 0) break;
        taken |= 1u << most;
        const Offset length = strips.length(strip * strip_height + most);
        for (Index i = 0; i < strips.buffers && left[most] > 0 && filled < strip_chunk; ++i, --entries, --left[most])
          place(strip, slots + filled++, most, length - left[most]);
      }
    }
    finish(strip, slots);
  });
}

}  // namespace detail

template <class Exec, class T>
void refill(Exec& exec, const CmrsView<T>& a, CrsView<const T> from, View<T> values) {
  arrange(
      exec, detail::Strips{from.row_ptr, a.buffers},
      [=] TESSERA_HD(Offset strip, Offset slot, int r, Offset k) {
        values[a.strip_ptr[strip] + slot] = from.values[from.row_ptr[strip * strip_height + r] + k];
      },
      [] TESSERA_HD(Offset, Offset) {});
}

namespace detail {

/// Fills `counts` with the slots of every strip and makes offsets of them; returns their sum.
template <class Exec>
Offset count_slots(Exec& exec, const Strips& strips, View<Offset> counts) {
  arrange(
      exec, strips, [] TESSERA_HD(Offset, Offset, int, Offset) {},
      [=] TESSERA_HD(Offset strip, Offset slots) { counts[strip] = slots; });
  return counts_to_offsets(exec, counts);
}

/// The number of buffers that pads least. Fewer ones come first where they pad hardly more: neighbouring lanes then
/// take neighbouring rows, which fetch neighbouring entries of x.
template <class Exec>
Index choose_buffers(Exec& exec, View<const Offset> row_ptr, View<Offset> counts) {
  constexpr double hardly = 1.02;
  Index best = 0;
  double least = 0;
  for (Index buffers : {2, 4, 8}) {
    const auto slots = static_cast<double>(count_slots(exec, Strips{row_ptr, buffers}, counts));
    if (best != 0 && slots * hardly >= least) continue;
    best = buffers;
    least = slots;
  }
  return best;
}

}  // namespace detail

template <class Exec, class T>
Cmrs<typename Exec::Space, T> cmrs_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                            const CmrsParams& params) {
  using Space = typename Exec::Space;
  const bool whole = params.buffers == whole_rows && std::is_same_v<Exec, Threads>;
  if (params.buffers != 0 && params.buffers != 2 && params.buffers != 4 && params.buffers != 8 && !whole)
    throw Error(ExitCode::usage, "CMRS with " + std::to_string(params.buffers) + " buffers a row",
                "valid numbers: 2, 4, 8, and 0 to choose");
  const CrsView<const T> from = A.view();
  Cmrs<Space, T> result;
  result.rows = A.rows;
  result.cols = A.cols;
  result.nnz = A.nnz();
  result.strip_ptr = Array<Offset, Space>(detail::strips_of(A.rows) + 1);
  result.buffers =
      params.buffers != 0 ? params.buffers : detail::choose_buffers(exec, from.row_ptr, result.strip_ptr.view());
  const detail::Strips strips{from.row_ptr, result.buffers};
  const Offset entries = detail::count_slots(exec, strips, result.strip_ptr.view());
  require_little_padding("cmrs", row_lengths(exec, A.cols, A.row_ptr), entries, sizeof(T) + sizeof(Index),
                         sizeof(T) + sizeof(Index));
  const bool apart = params.rows_apart || A.cols > CmrsView<T>::packed_cols;
  result.code = Array<unsigned, Space>(entries);
  if (apart) result.row_in_strip = Array<unsigned char, Space>(entries);
  result.values = Array<T, Space>(entries);
  const View<unsigned> code = result.code;
  const View<unsigned char> row_in_strip = result.row_in_strip;
  const View<T> values = result.values;
  for_each(exec, entries, [=] TESSERA_HD(Offset place) {
    code[place] = CmrsView<T>::padding;
    values[place] = T{0};
    if (apart) row_in_strip[place] = 0;
  });
  const View<const Offset> strip_ptr = std::as_const(result.strip_ptr).view();
  arrange(
      exec, strips,
      [=] TESSERA_HD(Offset strip, Offset slot, int r, Offset k) {
        const Offset place = strip_ptr[strip] + slot, entry = from.row_ptr[strip * strip_height + r] + k;
        const unsigned col = static_cast<unsigned>(from.col_ind[entry]);
        code[place] = apart ? col : col << 4 | static_cast<unsigned>(r);
        if (apart) row_in_strip[place] = static_cast<unsigned char>(r);
        values[place] = from.values[entry];
      },
      [] TESSERA_HD(Offset, Offset) {});
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
