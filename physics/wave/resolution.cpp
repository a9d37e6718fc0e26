#include "physics/wave/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "assembly/spectral/layer_cells.hpp"
#include "base/collective.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "mesh/quality.hpp"
#include "physics/entry.hpp"

namespace tessera::physics::wave {

namespace {

/// X_k = sum_j x_j exp(-2 pi i j k / n) of a power of two, in its place. J. W. Cooley & J. W. Tukey, Math. Comp. 19
/// (1965) 297-301.
void transform(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // the order of turned bits
    std::size_t bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const auto turn = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (std::size_t first = k; first < n; first += length) {
        const std::complex<double> a = x[first], b = turn * x[first + length / 2];
        x[first] = a + b;
        x[first + length / 2] = a - b;
      }
    }
}

/// As highest_part, by so many samples.
std::optional<double> by_samples(const deck::TimeFunction& f, double from, double to, std::size_t count) {
  constexpr double most_of_power = 0.95, stays = 1e-3;
  const double dt = (to - from) / static_cast<double>(count);
  std::vector<double> values;
  double size = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    values.push_back(f(std::min(from + dt * static_cast<double>(i), to)));
    size = std::max(size, std::abs(values.back()));
  }
  const bool of_rate = std::abs(values.back() - values.front()) > stays * size;
  std::vector<std::complex<double>> spectrum;
  for (std::size_t i = 0; i < count; ++i) spectrum.emplace_back(of_rate ? values[i + 1] - values[i] : values[i]);
  transform(spectrum);
  // The integral of |X|^2 over frequencies, straight between those of the transform.
  const auto between = [&](std::size_t k) { return (std::norm(spectrum[k]) + std::norm(spectrum[k + 1])) / 2; };
  double power = 0, below = 0;
  for (std::size_t k = 0; k < count / 2; ++k) power += between(k);
  if (!(power > 0)) return std::nullopt;
  std::size_t k = 0;
  while (below + between(k) < most_of_power * power) below += between(k++);
  return (static_cast<double>(k) + (most_of_power * power - below) / between(k)) / (to - from);
}

/// A wave of a deck: its frequency, and what it is called where the deck does not give that.
struct Named {
  double frequency;
  std::string what;
};

/// The waves of a deck as they are found, one source after the other.
class Waves {
 public:
  void add(const deck::TimeFunctionParams& params, const deck::TimeFunction& f, const std::string& name, double from,
           double to) {
    const auto& table = deck::time_function_table();
    const auto is_entry = [&](const deck::TimeFunctionEntry& entry) { return entry.name == params.time_function.text; };
    const auto entry = std::find_if(table.begin(), table.end(), is_entry);
    if (params.frequency) all_.push_back({*params.frequency, ""});
    if (entry != table.end()) {  // beside these step, which has waves of all frequencies, and ramp
      if (params.width && entry->has_frequency)
        all_.push_back({1 / (std::numbers::pi * *params.width),
                        fmt::format(", which the {} of {} has by its width", entry->name, name)});
      return;
    }
    if (f.is_constant() || !(to > from)) return;
    if (const auto highest = look_at(params, f, from, to))
      all_.push_back({*highest, fmt::format(", below which {} has 95 % of its power", name)});
  }

  std::vector<Named> end() {
    if (left_out_ > 0)
      log_info(
          fmt::format("how many nodes stand on the waves of {} sources and plane waves is not looked at: of functions "
                      "that are expressions or files the first {} are",
                      left_out_, most_functions));
    return std::move(all_);
  }

 private:
  static constexpr std::size_t most_functions = 100;

  /// The amplitude does not matter.
  std::optional<double> look_at(const deck::TimeFunctionParams& params, const deck::TimeFunction& f, double from,
                                double to) {
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", params.time_function.text, params.file.text,
                                        params.outside.value_or(""), params.delay.value_or(0), from, to);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    if (known_.size() == most_functions) {
      ++left_out_;
      return std::nullopt;
    }
    return known_[key] = highest_part(f, from, to);
  }

  std::vector<Named> all_;
  std::map<std::string, std::optional<double>> known_;
  std::size_t left_out_ = 0;
};

std::vector<Named> waves_of(const Params& params, std::span<const TimesOfWave> plane_waves) {
  Waves all;
  const double start = params.time->start, end = params.time->end;
  for (std::size_t s = 0; s < params.point_sources.size(); ++s) {
    const PointSourceParams& source = params.point_sources[s];
    all.add(source, source.function, entry("source", s, {}), start, end);
  }
  for (std::size_t w = 0; w < params.plane_waves.size(); ++w) {
    const PlaneWaveParams& wave = params.plane_waves[w];
    all.add(wave, wave.function, entry("plane_wave", w, {}), plane_waves[w].first, plane_waves[w].last);
  }
  return all.end();
}

}  // namespace

std::optional<double> highest_part(const deck::TimeFunction& f, double from, double to) {
  constexpr double agree = 0.02, least_periods = 3;
  constexpr std::size_t fewest = std::size_t{1} << 12, most = std::size_t{1} << 16;
  std::optional<double> last;
  try {
    for (std::size_t count = fewest; count <= most; count *= 4) {
      const std::optional<double> here = by_samples(f, from, to, count);
      if (here && last && std::abs(*here - *last) <= agree * *here)
        return *here * (to - from) < least_periods ? std::nullopt : here;
      last = here;
    }
  } catch (const Error&) {
    return std::nullopt;  // what the steps of a run meet of it, the run refuses
  }
  return std::nullopt;
}

assembly::spectral::Most slowest_passage(std::span<const Problem* const> media) {
  assembly::spectral::Most slowest;
  for (const Problem* medium : media) {
    const auto slow = assembly::spectral::longest_passage(medium->mesh(), medium->cells, medium->media.slow);
    if (slow.value > slowest.value) slowest = slow;
  }
  return slowest;
}

assembly::spectral::Most slowest_of(Communicator& ranks, const assembly::spectral::Most& mine) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  assembly::spectral::Most all;
  all.value = maximum(ranks, mine.value);
  const double first = -maximum(ranks, mine.value == all.value ? -ranks.rank() : none);
  for (std::size_t a = 0; a < all.at.size(); ++a) all.at[a] = maximum(ranks, ranks.rank() == first ? mine.at[a] : none);
  return all;
}

std::vector<TimesOfWave> times_of(Communicator& ranks, std::vector<TimesOfWave> mine) {
  for (TimesOfWave& times : mine) times = {-maximum(ranks, -times.first), maximum(ranks, times.last)};
  return mine;
}

std::vector<NodesOnWave> nodes_on_waves(const Params& params, const assembly::spectral::Most& slowest,
                                        std::span<const TimesOfWave> plane_waves) {
  constexpr double few = 4;  // the phase is then wrong by some per cent
  std::vector<NodesOnWave> all;
  if (!(slowest.value > 0)) return all;
  for (const auto& [frequency, what] : waves_of(params, plane_waves)) {
    const double nodes = params.physics.order / (slowest.value * frequency);
    const std::string text =
        fmt::format("{:.3g} nodes stand on the shortest wave of {:.3g} Hz{}, at ({:.4g}, {:.4g}, {:.4g})", nodes,
                    frequency, what, slowest.at[0], slowest.at[1], slowest.at[2]);
    const auto is_it = [&](const NodesOnWave& said) { return said.text == text; };
    if (std::none_of(all.begin(), all.end(), is_it)) all.push_back({text, nodes < few});
  }
  return all;
}

void warn_of_few(std::span<const NodesOnWave> waves) {
  for (const NodesOnWave& wave : waves)
    if (wave.few) warn(wave.text + ": the mesh is too coarse there; 5 are enough for most");
}

void warn_of_bad_cells(std::span<const Problem* const> media) {
  constexpr double bad = 0.05, many = 10;
  for (const Problem* const medium : media) {
    if (medium->cells.cells == 0) continue;
    const std::vector<double> frequencies =
        assembly::spectral::highest_frequencies(medium->mesh(), medium->cells, medium->media.fast);
    const auto most = std::max_element(frequencies.begin(), frequencies.end());
    const auto cell = static_cast<Index>(most - frequencies.begin());
    const double quality = mesh::cell_quality(medium->mesh(), cell), highest = *most;
    std::vector<double> sorted = frequencies;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (quality > bad || highest < many * *middle) continue;
    const auto bad_ones = std::count_if(frequencies.begin(), frequencies.end(),
                                        [&](double frequency) { return frequency > many * *middle; });
    const mesh::CellBlock& block = medium->mesh().block_of(cell);
    const double* const x = medium->mesh().point(block.cell(cell - block.first_cell)[0]);
    warn(
        fmt::format("the element at ({:.4g}, {:.4g}, {:.4g}) has a quality of {:.2g} and makes steps {:.0f} times "
                    "shorter than most "
                    "elements bear ({} of {} make them more than {:g} times shorter): mend the mesh there; `tessera "
                    "check` shows the "
                    "worst cell",
                    x[0], x[1], x[2], quality, highest / *middle, bad_ones, frequencies.size(), many));
  }
}

}  // namespace tessera::physics::wave
