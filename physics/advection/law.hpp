#pragma once
// A scalar conservation law as the passes of physics/conservation/ take it: du/dt + div(v(x, t) u + f(u)) = 0.
#include <cmath>

#include "assembly/edge/loop.hpp"
#include "base/square_root.hpp"
#include "deck/expression/node_program.hpp"

namespace tessera::physics::advection {

inline constexpr int most_registers = 64;  ///< of the program of f and f'

/// Data of the law where the nodes are. Borrowed.
struct LawView {
  const double* velocity = nullptr;           ///< [dim, nodes seen]; null: 0
  deck::expressions::NodeProgramView flux;    ///< f_k and behind them f'_k, of u
  deck::expressions::NodeProgramView slopes;  ///< f'_k
  const double* range = nullptr;              ///< [2] the least and the greatest u of the state that is looked at
};

/// `has_function`: whether there is an f.
template <int dim_, bool has_function>
struct ScalarLaw {
  using Real = double;
  static constexpr double largest = 1e300;
  static constexpr int dim = dim_, n = 1;
  static constexpr int node_count = has_function ? 2 * dim : 0;  ///< f and f'
  static constexpr int bounds = 2, guards = 0;                   ///< of u, from below and above
  static constexpr bool powers = false;                          ///< see has_powers
  static constexpr bool reads_ahead = false;

  LawView law;

  struct State {
    double u[1], v[dim], f[dim], slope[dim];

    /// F c.
    TESSERA_HD_INLINE void flux(const double (&c)[dim], double (&result)[1]) const {
      double sum = 0;
      for (int d = 0; d < dim; ++d) sum += (v[d] * u[0] + f[d]) * c[d];
      result[0] = sum;
    }
  };
  /// An edge, as it is.
  struct Along {
    double c[dim];
    TESSERA_HD_INLINE Along(const State&, const State&, const double (&along)[dim]) {
      for (int d = 0; d < dim; ++d) c[d] = along[d];
    }
  };
  /// F c of the neighbours of a node less its own.
  struct Flux {
    double sum = 0;

    TESSERA_HD_INLINE double add(const State& i, const State& j, const double (&c)[dim], const Along&) {
      double of_i[1], of_j[1];
      i.flux(c, of_i);
      j.flux(c, of_j);
      const double jump = of_j[0] - of_i[0];
      sum += jump;
      return jump;
    }
    TESSERA_HD_INLINE void give(const State&, double (&result)[1]) const { result[0] = sum; }
  };
  /// What a row gathers: the values around, and how far (u - u_i)^2 / 2 fails to be transported.
  struct Row {
    double least, most, left = 0, size = 0;
  };

  TESSERA_HD_INLINE void at_node(const double (&own)[1], Offset i, Offset stride, double* node) const {
    double registers[most_registers], results[2 * dim] = {};
    registers[deck::expressions::solution_variable] = own[0];
    law.flux.run(registers, results);
    for (int k = 0; k < 2 * dim; ++k) node[k * stride + i] = results[k];
  }
  /// from(k): u, f and f'.
  template <class From>
  TESSERA_HD_INLINE void take(State& state, const From& from, Offset stride, Index i) const {
    state.u[0] = from(0);
    for (int d = 0; d < dim; ++d) {
      state.v[d] = law.velocity ? law.velocity[d * stride + i] : 0;
      state.f[d] = has_function ? from(1 + d) : 0;
      state.slope[d] = has_function ? from(1 + dim + d) : 0;
    }
  }
  TESSERA_HD_INLINE void load(State& state, const double* u, const double* node, Offset stride, Index i) const {
    take(
        state, [&](int k) { return k == 0 ? u[i] : node[(k - 1) * stride + i]; }, stride, i);
  }
  TESSERA_HD_INLINE bool is_admissible(const State& own) const { return std::fabs(own.u[0]) < largest; }

  /// max |(v + f'(u)) c| with the velocity of either node and all u between theirs, from above: with it the state half
  /// way, (u_i + u_j) / 2 - (F_j - F_i) c / (2 d), lies between both, and so do all that the Riemann problem has.
  TESSERA_HD_INLINE double viscosity(const State& i, const State& j, const Along& along) const {
    double least[dim] = {}, most[dim] = {};
    if constexpr (has_function) range(i, j, least, most);
    return speed(i, j, least, most, along.c);
  }

  TESSERA_HD_INLINE Row row(const State& own) const { return {own.u[0], own.u[0], 0, 0}; }
  TESSERA_HD_INLINE void add(Row& row, const State& own, const State& other, const Along& edge, double, double) const {
    row.least = std::fmin(row.least, other.u[0]);
    row.most = std::fmax(row.most, other.u[0]);
    // The flux of (u - u_i)^2 / 2, int (s - u_i) f'(s) ds from u_i to u_j: exact where f' is linear.
    const double difference = other.u[0] - own.u[0];
    double along = 0;
    for (int d = 0; d < dim; ++d) along += (other.v[d] + (own.slope[d] + 2 * other.slope[d]) / 3) * edge.c[d];
    const double flux = 0.5 * difference * difference * along;
    row.left += flux;
    row.size += std::fabs(flux);
  }
  TESSERA_HD_INLINE void bounds_of(const Row& row, const State&, double (&b)[bounds]) const {
    b[0] = row.least;
    b[1] = row.most;
  }
  /// What changes less than the whole range of u over the length of the domain is smooth.
  TESSERA_HD_INLINE double indicator(const Row& row, const State& own, const double (&)[1], double mass, double factor,
                                     double inverse_length) const {
    double square = 0;
    for (int d = 0; d < dim; ++d) square += (own.v[d] + own.slope[d]) * (own.v[d] + own.slope[d]);
    const double span = law.range[1] - law.range[0];
    const double size = row.size + 0.5 * span * span * square_root(square) * mass * inverse_length;
    const double part = size > 0 ? std::fmin(1.0, factor * std::fabs(row.left) / size) : 0;
    return part * part;
  }

  /// Relaxed bounds are wider by a second difference, at most by the part r of the range of u. The state of low order
  /// is within its bounds but where the velocity compresses: then it is one itself.
  TESSERA_HD_INLINE void settle(double (&b)[bounds], bool relaxed, double r, double second,
                                const double (&low)[1]) const {
    if (relaxed) {
      const double wide = std::fmin(second, r * (law.range[1] - law.range[0]));
      b[0] -= wide;
      b[1] += wide;
    }
    b[0] = std::fmin(b[0], low[0]);
    b[1] = std::fmax(b[1], low[0]);
  }
  TESSERA_HD_INLINE void unbounded(double (&b)[bounds]) const {
    b[0] = -1e300;
    b[1] = 1e300;
  }
  TESSERA_HD_INLINE double guard(const double (&)[bounds], const double (&)[1]) const { return 0; }
  /// The largest part t <= 1 with which from + t by keeps the bounds, to rounding.
  TESSERA_HD_INLINE double part(const double (&b)[bounds], const double (&from)[1], const double (&by)[1]) const {
    const double to = from[0] + by[0], rounding = 1e-15 * std::fmax(std::fabs(b[0]), std::fabs(b[1]));
    double t = 1;
    if (to < b[0] - rounding) t = (b[0] - from[0]) / by[0];
    if (to > b[1] + rounding) t = (b[1] - from[0]) / by[0];
    return t > 0 ? std::fmin(t, 1.0) : 0;
  }
  TESSERA_HD_INLINE bool has_powers() const { return false; }
  template <bool>
  TESSERA_HD_INLINE double part(const double (&b)[bounds], const double (&from)[1], const double (&f)[1],
                                double weight) const {
    return part(b, from, {weight * f[0]});
  }
  template <bool powers>
  TESSERA_HD_INLINE bool takes_all(const double (&b)[bounds], const double (&from)[1], const double (&f)[1],
                                   double weight) const {
    return part<powers>(b, from, f, weight) == 1;
  }

 private:
  /// f' between the values of both nodes: at their own, and where they differ at `points` between them; what it does
  /// between these is allowed for by a part of what it does between all. The mean of f' is among them, with which alone
  /// the state half way lies between both, however steep f is where no point lies.
  TESSERA_HD_INLINE void range(const State& i, const State& j, double (&least)[dim], double (&most)[dim]) const {
    constexpr int points = 5;
    constexpr double close = 1e-3;  // of the range of u
    for (int d = 0; d < dim; ++d) {
      least[d] = std::fmin(i.slope[d], j.slope[d]);
      most[d] = std::fmax(i.slope[d], j.slope[d]);
    }
    const double low = std::fmin(i.u[0], j.u[0]), high = std::fmax(i.u[0], j.u[0]);
    if (high - low > close * (law.range[1] - law.range[0])) {
      for (int d = 0; d < dim; ++d) {
        const double mean = (j.f[d] - i.f[d]) / (j.u[0] - i.u[0]);
        least[d] = std::fmin(least[d], mean);
        most[d] = std::fmax(most[d], mean);
      }
      double registers[most_registers], slopes[dim] = {};
      for (int k = 1; k <= points; ++k) {
        registers[deck::expressions::solution_variable] = low + k * (high - low) / (points + 1);
        law.slopes.run(registers, slopes);
        for (int d = 0; d < dim; ++d) {
          least[d] = std::fmin(least[d], slopes[d]);
          most[d] = std::fmax(most[d], slopes[d]);
        }
      }
    }
    for (int d = 0; d < dim; ++d) {
      const double between = (most[d] - least[d]) / (points + 1);
      least[d] -= between;
      most[d] += between;
    }
  }
  TESSERA_HD_INLINE double speed(const State& i, const State& j, const double (&least)[dim], const double (&most)[dim],
                                 const double (&c)[dim]) const {
    double v_i = 0, v_j = 0, low = 0, high = 0;
    for (int d = 0; d < dim; ++d) {
      v_i += i.v[d] * c[d];
      v_j += j.v[d] * c[d];
      low += std::fmin(least[d] * c[d], most[d] * c[d]);
      high += std::fmax(least[d] * c[d], most[d] * c[d]);
    }
    return std::fmax(std::fmax(std::fabs(v_i + low), std::fabs(v_i + high)),
                     std::fmax(std::fabs(v_j + low), std::fabs(v_j + high)));
  }
};

}  // namespace tessera::physics::advection
