#include "mesh/colouring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Keys of each cell, with a fixed stride or by row pointers.
struct Keys {
  const Offset* ptr;
  const Index* keys;
  Index stride;
  std::span<const Index> of(Index cell) const {
    if (ptr) return {keys + ptr[cell], static_cast<std::size_t>(ptr[cell + 1] - ptr[cell])};
    return {keys + static_cast<Offset>(cell) * stride, static_cast<std::size_t>(stride)};
  }
};

/// Sets of the colours around each key, `words` 64-bit words a key.
class ColourSets {
 public:
  ColourSets(Index n_keys, int words) : words_(words), bits_(static_cast<std::size_t>(n_keys) * words) {}

  std::uint64_t around(std::span<const Index> keys, int word) const {
    std::uint64_t set = 0;
    for (Index key : keys)
      if (key >= 0) set |= bits_[static_cast<std::size_t>(key) * words_ + word];
    return set;
  }
  void set(std::span<const Index> keys, int colour) {
    for (Index key : keys)
      if (key >= 0) bits_[static_cast<std::size_t>(key) * words_ + colour / 64] |= std::uint64_t{1} << colour % 64;
  }
  void clear(std::span<const Index> keys, int colour) {
    for (Index key : keys)
      if (key >= 0) bits_[static_cast<std::size_t>(key) * words_ + colour / 64] &= ~(std::uint64_t{1} << colour % 64);
  }

 private:
  int words_;
  std::vector<std::uint64_t> bits_;
};

/// First fit. Returns the number of colours, or 0 when 64*words do not suffice.
int first_fit(const Keys& keys, Index n_cells, int words, ColourSets& sets, std::vector<std::uint16_t>& colour) {
  int colours = 0;
  for (Index cell = 0; cell < n_cells; ++cell) {
    const auto own = keys.of(cell);
    int chosen = -1;
    for (int w = 0; w < words && chosen < 0; ++w) {
      const std::uint64_t used = sets.around(own, w);
      if (~used) chosen = 64 * w + std::countr_one(used);
    }
    if (chosen < 0) return 0;
    sets.set(own, chosen);
    colour[cell] = static_cast<std::uint16_t>(chosen);
    colours = std::max(colours, chosen + 1);
  }
  return colours;
}

/// Moves cells out of colours above the mean into the least loaded admissible colour. Only moves that shrink the
/// difference are made, so this ends; few passes do nearly all of it.
void level(const Keys& keys, Index n_cells, int colours, ColourSets& sets, std::vector<std::uint16_t>& colour) {
  std::vector<Index> load(colours);
  for (std::uint16_t c : colour) ++load[c];
  const Index mean = n_cells / colours;
  constexpr int passes = 6;
  for (int pass = 0; pass < passes; ++pass) {
    // Within 5 percent of the mean no launch or thread team gains from more.
    const auto [low, high] = std::minmax_element(load.begin(), load.end());
    if (*high - *low <= std::max<Index>(1, mean / 20)) return;
    Index moved = 0;
    // Later cells first: first fit gave them the high, thin colours, and theirs are the neighbourhoods with free
    // colours.
    for (Index i = 0; i < n_cells; ++i) {
      const Index cell = pass % 2 ? i : n_cells - 1 - i;
      const int from = colour[cell];
      if (load[from] <= mean) continue;
      const auto own = keys.of(cell);
      int best = from;
      for (int w = 0; 64 * w < colours; ++w) {
        std::uint64_t free = ~sets.around(own, w);
        if (const int rest = colours - 64 * w; rest < 64) free &= (std::uint64_t{1} << rest) - 1;
        for (; free; free &= free - 1)
          if (const int c = 64 * w + std::countr_zero(free); load[c] < load[best]) best = c;
      }
      if (load[best] + 1 >= load[from]) continue;
      sets.clear(own, from);
      sets.set(own, best);
      --load[from], ++load[best];
      colour[cell] = static_cast<std::uint16_t>(best);
      ++moved;
    }
    if (moved == 0) return;
  }
}

Colouring colour(const Keys& keys, Index n_cells, Index n_keys) {
  Colouring result;
  std::vector<std::uint16_t> of_cell(static_cast<std::size_t>(n_cells));
  int colours = 0;
  for (int words = 1; n_cells > 0 && colours == 0; words *= 2) {
    ColourSets sets(n_keys, words);
    colours = first_fit(keys, n_cells, words, sets, of_cell);
    if (colours > 1) level(keys, n_cells, colours, sets, of_cell);
  }
  result.ptr.assign(static_cast<std::size_t>(colours) + 1, 0);
  for (std::uint16_t c : of_cell) ++result.ptr[c];
  counts_to_starts(result.ptr);
  std::vector<Offset> next = result.ptr;
  result.cells.resize(static_cast<std::size_t>(n_cells));
  for (Index cell = 0; cell < n_cells; ++cell) result.cells[next[of_cell[cell]]++] = cell;
  return result;
}

}  // namespace

Colouring colour_cells(std::span<const Index> cell_keys, int keys_per_cell, Index n_keys) {
  return colour({nullptr, cell_keys.data(), keys_per_cell}, static_cast<Index>(cell_keys.size() / keys_per_cell),
                n_keys);
}

Colouring colour_cells(Index n_cells, Index n_keys, const Offset* cell_ptr, const Index* cell_keys) {
  return colour({cell_ptr, cell_keys, 0}, n_cells, n_keys);
}

std::string describe(const Colouring& colouring) {
  if (colouring.colours() == 0) return "no colours";
  Index low = colouring.size(0), high = low;
  for (int c = 1; c < colouring.colours(); ++c) {
    low = std::min(low, colouring.size(c));
    high = std::max(high, colouring.size(c));
  }
  return fmt::format("{} colours of {} to {} cells", colouring.colours(), low, high);
}

}  // namespace tessera::mesh
