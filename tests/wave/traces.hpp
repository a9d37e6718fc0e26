#pragma once
// What runs say at points, compared.
#include <algorithm>
#include <numbers>

#include "app/ranks.hpp"
#include "decks.hpp"

namespace wave_test {

/// The largest difference of a column from exact values at the times of a table, over the largest of these.
template <class Exact>
double misfit(const std::vector<std::vector<double>>& rows, std::size_t column, Exact exact) {
  double most = 0, size = 0;
  for (const auto& row : rows) {
    const double value = exact(row[0]);
    most = std::max(most, std::abs(row[column] - value));
    size = std::max(size, std::abs(value));
  }
  return most / size;
}

struct Decay {
  double omega, rate;
};
/// Of a trace the mean frequency between its zeros, and the decay between its extremes, but for the first ones.
inline Decay decay_of(const std::vector<std::vector<double>>& rows, std::size_t first) {
  std::vector<double> zeros, times, heights;
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const double a = rows[i - 1][1], b = rows[i][1], c = rows[i + 1][1], h = rows[i][0] - rows[i - 1][0];
    if (b * c < 0) zeros.push_back(rows[i][0] + h * b / (b - c));
    if (std::abs(b) <= std::abs(a) || std::abs(b) < std::abs(c)) continue;
    const double slope = (c - a) / 2, bend = a - 2 * b + c;
    times.push_back(rows[i][0] - h * slope / bend);
    heights.push_back(std::log(std::abs(b - slope * slope / (2 * bend))));
  }
  const auto last = zeros.size() - 1, end = heights.size() - 1;
  return {std::numbers::pi * static_cast<double>(last - first) / (zeros[last] - zeros[first]),
          -(heights[end] - heights[first]) / (times[end] - times[first])};
}

/// Of each column to a part of its size.
inline void expect_same_traces(const std::vector<std::vector<double>>& some,
                               const std::vector<std::vector<double>>& others, double part = 1e-11) {
  ASSERT_EQ(some.size(), others.size());
  ASSERT_GT(some.size(), 50U);
  for (std::size_t k = 0; k < some[0].size(); ++k) {
    double size = 0;
    for (const auto& row : others) size = std::max(size, std::abs(row[k]));
    EXPECT_GT(size, 0);
    for (std::size_t i = 0; i < some.size(); ++i) ASSERT_NEAR(some[i][k], others[i][k], part * size) << i << ' ' << k;
  }
}

/// probes.csv of a run on so many ranks, of a thread each.
inline std::vector<std::vector<double>> traces_on_ranks(const std::string& name, const std::string& deck, int ranks) {
  const fs::path out = folder() / fmt::format("{}_{}", name, ranks);
  const std::string arguments =
      "run " + write_deck(name + ".toml", deck) + " --quiet --backend threads --output " + out.string();
  const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
  EXPECT_EQ(result.code, 0) << result.text;
  return table(out / "probes.csv");
}

/// A run that is stopped at t = half goes on to `end` as the one that never stopped, in its probes and its last state.
inline void expect_goes_on_bitwise(const std::string& name, const std::string& deck, double half, double end,
                                   const std::string& last) {
  const fs::path whole = folder() / ("whole_" + name), part = folder() / ("part_" + name);
  const auto to = [](double t) { return fmt::format("--set time.end={}", t); };
  run(whole.filename().string(), deck, to(end));
  run(part.filename().string(), deck, to(half));
  const Result result = app_test::tessera("restart " + part.string() + " --quiet " + to(end));
  ASSERT_EQ(result.code, 0) << result.text;
  for (const std::string& file : {std::string("probes.csv"), last})
    EXPECT_EQ(bytes_of(part / file), bytes_of(whole / file)) << file << deck;
}

/// Kinetic and potential energy, the last columns, at equal times of a run to `end`.
inline std::vector<std::vector<double>> energies_of(const std::string& deck, double end, int every) {
  run("long", deck +
                  "[[quantity]]\nname = \"kinetic\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = "
                  "\"potential\"\nkind = \"potential_energy\"\n[output]\nformats = []\n" +
                  fmt::format("every = {}\n", every) + time_to(end, "cfl = 0.9"));
  return table(folder() / "long" / "quantities.csv");
}
inline double total(const std::vector<double>& row) { return row[row.size() - 2] + row.back(); }
inline double most_energy(const std::vector<std::vector<double>>& rows, std::size_t first, std::size_t last) {
  double most = 0;
  for (std::size_t i = first; i < last; ++i) most = std::max(most, total(rows[i]));
  return most;
}

/// In the last quarter of a run at most this part of its most energy is left, and a tenth of the second quarter's.
inline void expect_energy_leaves(const std::vector<std::vector<double>>& rows, double part) {
  const std::size_t n = rows.size();
  const double late = most_energy(rows, 3 * n / 4, n);
  EXPECT_LT(late, 0.1 * most_energy(rows, n / 4, n / 2));
  EXPECT_LT(late, part * most_energy(rows, 0, n));
}

/// Runs on 1, 2 and 3 threads are bitwise the same, probe by probe.
inline void expect_same_on_threads(const std::string& name, const std::string& deck) {
  const auto probes = [&](const char* threads) {
    run(name, deck, std::string("--threads ") + threads + " --set output.formats='[]'");
    return bytes_of(folder() / name / "probes.csv");
  };
  const std::string one = probes("1");
  EXPECT_GT(one.size(), 200u);
  EXPECT_EQ(probes("2"), one);
  EXPECT_EQ(probes("3"), one);
}

/// Two runs on CUDA are bitwise the same, and those of threads to 1e-11.
inline void expect_cuda_as_threads(const std::string& name, const std::string& deck_file) {
  const auto probes = [&](const std::string& backend, const std::string& run) {
    const fs::path out = folder() / (name + run);
    const Result result =
        app_test::tessera("run " + deck_file + " --quiet --backend " + backend + " --output " + out.string());
    EXPECT_EQ(result.code, 0) << result.text;
    return out / "probes.csv";
  };
  const fs::path first = probes("cuda", "_first"), second = probes("cuda", "_second");
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  expect_same_traces(table(first), table(probes("threads", "_threads")));
}

}  // namespace wave_test
