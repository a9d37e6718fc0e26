#pragma once
// Problems for the tests of the relaxation, and its variants.
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "solvers/grid/lmsor.hpp"
#include "support/backends.hpp"

namespace tessera::solvers::grid::testing_lmsor {

using Function = std::function<double(double x, double y)>;
using Values = std::vector<double>;

/// A problem on (0, width) x (0, height) with its values on the host.
struct Case {
  std::array<Index, 2> m;
  std::array<double, 2> h;
  Values f, g, source, u;  ///< u: rim and start

  std::size_t node(Index i, Index j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * (m[0] + 2);
  }
};

inline Values at_interior(const Case& c, const Function& function) {
  Values values;
  for (Index j = 1; j <= c.m[1]; ++j)
    for (Index i = 1; i <= c.m[0]; ++i) values.push_back(function(i * c.h[0], j * c.h[1]));
  return values;
}

/// `rim` on the boundary, `start` inside. An empty source stays empty.
inline Case make_case(std::array<Index, 2> m, const Function& f, const Function& g, const Function& source,
                      const Function& rim, const Function& start, std::array<double, 2> size = {1, 1}) {
  Case c{m, {size[0] / (m[0] + 1), size[1] / (m[1] + 1)}, {}, {}, {}, {}};
  c.f = at_interior(c, f);
  c.g = at_interior(c, g);
  if (source) c.source = at_interior(c, source);
  for (Index j = 0; j <= m[1] + 1; ++j)
    for (Index i = 0; i <= m[0] + 1; ++i) {
      const bool inner = i >= 1 && i <= m[0] && j >= 1 && j <= m[1];
      c.u.push_back((inner ? start : rim)(i * c.h[0], j * c.h[1]));
    }
  return c;
}

inline double zero(double, double) { return 0; }

inline Function random_start(unsigned seed = 3) {
  return [engine = std::make_shared<std::mt19937>(seed)](double, double) {
    return std::uniform_real_distribution<double>(-1, 1)(*engine);
  };
}

/// Zero boundary, random start: the solution is 0, and the start is the error.
inline Case error_case(Index m, const Function& f, const Function& g) {
  return make_case({m, m}, f, g, {}, zero, random_start());
}

struct Solved {
  Values u;
  LmsorReport report;
};

template <class Exec>
Solved solve(Exec& exec, const Case& c, const LmsorParams& params) {
  using Space = typename Exec::Space;
  const auto f = to_space<Space>(c.f), g = to_space<Space>(c.g), source = to_space<Space>(c.source);
  auto u = to_space<Space>(c.u);
  Solved result;
  result.report = solve_lmsor(exec, LmsorProblem{c.m, c.h, f, g, source}, u.view(), params);
  exec.synchronize();
  result.u = to_vector(u);
  return result;
}

inline double difference(const Values& a, const Values& b) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return largest / scale;
}

/// Every way of keeping coefficients, access, granularity and depth of passes that a backend has.
template <class Exec>
std::vector<LmsorParams> variants() {
  std::vector<LmsorParams> result;
  for (const char* recompute : {"none", "coefficients", "all"}) {
    if (std::is_same_v<Exec, Cuda>)
      for (const char* access : {"global", "shared", "texture"})
        for (int granularity : {1, 2, 4, 8})
          result.push_back({.recompute = recompute, .access = access, .granularity = granularity, .blocking = 1});
    else
      result.push_back({.recompute = recompute, .blocking = 1});
    if (std::is_same_v<Exec, Threads> || recompute != std::string("none"))
      for (int blocking : {2, 3, 4, 7}) result.push_back({.recompute = recompute, .blocking = blocking});
  }
  return result;
}
inline std::string name(const LmsorParams& p) {
  return p.method + " " + p.recompute + " " + p.access + " " + std::to_string(p.granularity) + " blocking " +
         std::to_string(p.blocking) + " " + p.precision;
}

/// For many small problems: threads would wait for each other most of the time.
template <class Exec>
Exec small_exec() {
  if constexpr (std::is_same_v<Exec, Threads>)
    return Threads(1);
  else
    return Exec();
}

struct Wind {
  const char* name;
  Function f, g;
};
inline std::vector<Wind> winds(double Re) {
  return {{"linear", [=](double x, double) { return Re * (2 * x - 10); },
           [=](double, double y) { return Re * (2 * y - 10); }},
          {"constant", [=](double, double) { return Re / 2; }, [=](double, double) { return Re / 2; }},
          {"stagnation", [=](double x, double) { return Re * x; }, [=](double, double y) { return Re * y; }},
          {"recirculating", [=](double x, double y) { return 2 * Re * y * (1 - x * x); },
           [=](double x, double y) { return -2 * Re * x * (1 - y * y); }},
          {"along x", [=](double, double) { return Re; }, zero}};
}

}  // namespace tessera::solvers::grid::testing_lmsor
