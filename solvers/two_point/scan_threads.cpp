#include <array>
#include <cassert>
#include <vector>

#include "base/team.hpp"
#include "solvers/two_point/columns.hpp"
#include "solvers/two_point/scan.hpp"

namespace tessera::solvers::two_point {

namespace {

constexpr int tile = threads_tile;
/// Chains of additions inside a tile that run side by side, to hide their latency.
constexpr int chains = 16;
constexpr int links = tile / chains;

template <class T>
using Tile = std::array<T, tile>;

/// Prefix sums of the chains in place; then `before`, what the chains to the left add to each.
template <class T>
void prefix(Tile<T>& y, std::array<T, chains>& before) {
  std::array<T, chains> sum{};
  for (int k = 0; k < links; ++k)
    for (int c = 0; c < chains; ++c) y[c * links + k] = sum[c] += y[c * links + k];
  before[0] = 0;
  for (int c = 1; c < chains; ++c) before[c] = before[c - 1] + sum[c - 1];
}

/// Suffix sums of y + before in place; then `after`, what the chains to the right add to each.
template <class T>
void suffix(Tile<T>& y, const std::array<T, chains>& before, std::array<T, chains>& after) {
  std::array<T, chains> sum{};
  for (int k = links - 1; k >= 0; --k)
    for (int c = 0; c < chains; ++c) y[c * links + k] = sum[c] += y[c * links + k] + before[c];
  after[chains - 1] = 0;
  for (int c = chains - 2; c >= 0; --c) after[c] = after[c + 1] + sum[c + 1];
}

template <class T, class R>
class Scan final : public TwoPointSolver<Threads, T> {
 public:
  explicit Scan(Offset n) : tiles_{n, tile, (n + tile - 1) / tile}, carries_(static_cast<std::size_t>(tiles_.r)) {}

  void solve(Threads& exec, double h, View<const T> f, View<T> u) override {
    assert(f.size() == tiles_.n && u.size() == tiles_.n);
    const T h2 = static_cast<T>(h * h);
    parallel_for(exec.count(), tiles_.r, [&](Offset t) { carries_[t] = sums(t, h2, f); });
    carry();
    parallel_for(exec.count(), tiles_.r, [&](Offset t) { solve_tile(t, h2, f, u); });
  }

  double bytes() const override { return 3.0 * sizeof(T) * static_cast<double>(tiles_.n); }
  double workspace_bytes() const override { return static_cast<double>(sizeof(Carry) * carries_.size()); }
  std::string type() const override { return "scan"; }
  Offset rows() const override { return tile; }
  Offset columns() const override { return tiles_.r; }

 private:
  struct Carry {
    R first, second;  ///< S and M, then Y and U
  };

  /// S = sum d_i, M = sum (q - i) d_i.
  Carry sums(Offset t, T h2, View<const T> f) const {
    const int rows = static_cast<int>(tiles_.rows(t));
    const T* values = f.data() + tiles_.begin(t);
    const T edge = t == 0 ? T(0.5) * values[0] : values[0];
    T sum = 0, moment = 0;
#pragma omp simd reduction(+ : sum, moment)
    for (int k = 1; k < rows; ++k) {
      sum += values[k];
      moment += static_cast<T>(rows - k) * values[k];
    }
    return {static_cast<R>(h2 * (sum + edge)), static_cast<R>(h2 * (moment + static_cast<T>(rows) * edge))};
  }

  /// Y = sum of the S before ; U = sum of M + s Y after.
  void carry() {
    R Y = 0, U = 0;
    for (Carry& c : carries_) {
      const R sum = c.first;
      c.second += static_cast<R>(tile) * Y;
      c.first = Y;
      Y += sum;
    }
    for (Offset t = tiles_.r - 1; t >= 0; --t) {
      const R sum = carries_[t].second;
      carries_[t].second = U;
      U += sum;
    }
  }

  void solve_tile(Offset t, T h2, View<const T> f, View<T> u) const {
    const int rows = static_cast<int>(tiles_.rows(t)), missing = tile - rows;
    const Offset begin = tiles_.begin(t);
    Tile<T> y;
    for (int k = 0; k < missing; ++k) y[k] = 0;
    for (int k = 0; k < rows; ++k) y[missing + k] = h2 * f[begin + k];
    if (t == 0) y[missing] *= T(0.5);

    std::array<T, chains> before, after;
    prefix(y, before);
    suffix(y, before, after);
    const auto [Y, U] = carries_[t];
    for (int c = 0; c < chains; ++c) {
      const R constant = U + static_cast<R>(after[c]);
      for (int k = c * links; k < (c + 1) * links; ++k)
        y[k] = static_cast<T>(constant + static_cast<R>(tile - k) * Y + static_cast<R>(y[k]));
    }
    for (int k = 0; k < rows; ++k) u[begin + k] = y[missing + k];
  }

  Columns tiles_;
  std::vector<Carry> carries_;
};

}  // namespace

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_scan(Exec&, Offset n) {
  return std::make_unique<Scan<T, R>>(n);
}

template std::unique_ptr<TwoPointSolver<Threads, double>> make_scan<Threads, double, double>(Threads&, Offset);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_scan<Threads, float, float>(Threads&, Offset);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_scan<Threads, float, double>(Threads&, Offset);

}  // namespace tessera::solvers::two_point
