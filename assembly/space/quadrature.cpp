#include "assembly/space/quadrature.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>

#include "base/error.hpp"

namespace tessera::assembly {
namespace {

using mesh::Shape;

/// P_n^(a,0) and its derivative at x, inside (-1,1).
std::array<double, 2> jacobi(int n, double a, double x) {
  double previous = 1, current = 0.5 * (a + (a + 2) * x);
  if (n == 0) return {1, 0};
  for (int i = 1; i < n; ++i) {
    const double c = 2 * i + a;
    const double a1 = 2 * (i + 1) * (i + a + 1) * c, a2 = (c + 1) * a * a, a3 = c * (c + 1) * (c + 2),
                 a4 = 2 * (i + a) * i * (c + 2);
    const double next = ((a2 + a3 * x) * current - a4 * previous) / a1;
    previous = current;
    current = next;
  }
  const double c = 2 * n + a;
  return {current, (n * (a - c * x) * current + 2 * (n + a) * n * previous) / (c * (1 - x * x))};
}

Quadrature collapsed_triangle(int degree) {
  // x = u (1 - v), y = v on the unit square: dx dy = (1 - v) du dv
  const int n = degree / 2 + 1;
  std::vector<double> u, wu, v, wv;
  gauss_jacobi(n, 0, u, wu);
  gauss_jacobi(n, 1, v, wv);
  Quadrature rule{2, degree, {}, {}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double y = 0.5 * (1 + v[j]);
      rule.points.insert(rule.points.end(), {0.5 * (1 + u[i]) * (1 - y), y});
      rule.weights.push_back(wu[i] / 2 * wv[j] / 4);
    }
  return rule;
}

Quadrature collapsed_tet(int degree) {
  // x = u (1 - v)(1 - w), y = v (1 - w), z = w: dx dy dz = (1 - v)(1 - w)^2 du dv dw
  const int n = degree / 2 + 1;
  std::vector<double> u, wu, v, wv, w, ww;
  gauss_jacobi(n, 0, u, wu);
  gauss_jacobi(n, 1, v, wv);
  gauss_jacobi(n, 2, w, ww);
  Quadrature rule{3, degree, {}, {}};
  for (int l = 0; l < n; ++l)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double z = 0.5 * (1 + w[l]), eta = 0.5 * (1 + v[j]), y = eta * (1 - z);
        rule.points.insert(rule.points.end(), {0.5 * (1 + u[i]) * (1 - eta) * (1 - z), y, z});
        rule.weights.push_back(wu[i] / 2 * wv[j] / 4 * ww[l] / 8);
      }
  return rule;
}

/// Adds the orbit of a triangle's point with barycentric coordinates a, b, 1-a-b: 1, 3 or 6 points.
void triangle_orbit(Quadrature& rule, double a, double b, double weight) {
  const double c = 1 - a - b;
  const auto add = [&](double x, double y) {
    rule.points.insert(rule.points.end(), {x, y});
    rule.weights.push_back(0.5 * weight);
  };
  if (a == b && std::abs(a - c) < 1e-14) return add(a, a);
  if (a == b) {
    add(a, a), add(a, c), add(c, a);
    return;
  }
  add(a, b), add(b, a), add(a, c), add(c, a), add(b, c), add(c, b);
}

Quadrature triangle(int degree) {
  const double third = 1.0 / 3;
  Quadrature rule{2, degree, {}, {}};
  if (degree <= 1) {
    triangle_orbit(rule, third, third, 1);
  } else if (degree == 2) {
    triangle_orbit(rule, 1.0 / 6, 1.0 / 6, third);
  } else if (degree <= 4) {
    // six points: Strang and Fix, Dunavant 1985
    const double r = std::sqrt(10.0), s = std::sqrt(38 - 44 * std::sqrt(0.4)), t = std::sqrt(213125 - 53320 * r);
    const double plus = (8 - r + s) / 18, minus = (8 - r - s) / 18;
    triangle_orbit(rule, plus, plus, (620 + t) / 3720);
    triangle_orbit(rule, minus, minus, (620 - t) / 3720);
  } else if (degree == 5) {
    // seven points: Radon 1948
    const double r = std::sqrt(15.0), minus = (6 - r) / 21, plus = (6 + r) / 21;
    triangle_orbit(rule, third, third, 9.0 / 40);
    triangle_orbit(rule, minus, minus, (155 - r) / 1200);
    triangle_orbit(rule, plus, plus, (155 + r) / 1200);
  } else if (degree == 6) {
    // twelve points: Dunavant 1985
    triangle_orbit(rule, 0.24928674517091042, 0.24928674517091042, 0.11678627572637937);
    triangle_orbit(rule, 0.063089014491502228, 0.063089014491502228, 0.050844906370206817);
    triangle_orbit(rule, 0.053145049844816947, 0.31035245103378440, 0.082851075618373575);
  } else {
    return collapsed_triangle(degree);
  }
  return rule;
}

void tet_point(Quadrature& rule, double x, double y, double z, double weight) {
  rule.points.insert(rule.points.end(), {x, y, z});
  rule.weights.push_back(weight / 6);
}

/// a three times and 1 - 3a once.
void tet_orbit4(Quadrature& rule, double a, double weight) {
  const double b = 1 - 3 * a;
  tet_point(rule, a, a, a, weight), tet_point(rule, b, a, a, weight);
  tet_point(rule, a, b, a, weight), tet_point(rule, a, a, b, weight);
}

/// a twice and 1/2 - a twice.
void tet_orbit6(Quadrature& rule, double a, double weight) {
  const double b = 0.5 - a;
  tet_point(rule, a, a, b, weight), tet_point(rule, a, b, a, weight), tet_point(rule, b, a, a, weight);
  tet_point(rule, b, b, a, weight), tet_point(rule, b, a, b, weight), tet_point(rule, a, b, b, weight);
}

/// a twice, b and 1 - 2a - b.
void tet_orbit12(Quadrature& rule, double a, double b, double weight) {
  const double c = 1 - 2 * a - b;
  const double orbit[12][3] = {{a, a, b}, {a, b, a}, {b, a, a}, {a, a, c}, {a, c, a}, {c, a, a},
                               {a, b, c}, {a, c, b}, {b, a, c}, {c, a, b}, {b, c, a}, {c, b, a}};
  for (const auto& p : orbit) tet_point(rule, p[0], p[1], p[2], weight);
}

Quadrature tet(int degree) {
  Quadrature rule{3, degree, {}, {}};
  if (degree <= 1) {
    tet_point(rule, 0.25, 0.25, 0.25, 1);
  } else if (degree == 2) {
    tet_orbit4(rule, (5 - std::sqrt(5.0)) / 20, 0.25);
  } else if (degree == 4 || degree == 5) {
    // fourteen points: Walkington 2000
    tet_orbit4(rule, 0.31088591926330060980, 0.11268792571801585080);
    tet_orbit4(rule, 0.092735250310891226402, 0.073493043116361949544);
    tet_orbit6(rule, 0.045503704125649649492, 0.042546020777081466438);
  } else if (degree == 6) {
    // twenty-four points: Keast 1986
    tet_orbit4(rule, 0.21460287125915202929, 0.039922750258167938);
    tet_orbit4(rule, 0.040673958534611353116, 0.010077211055320643);
    tet_orbit4(rule, 0.32233789014227551034, 0.055357181543654722);
    tet_orbit12(rule, 0.063661001875017525299, 0.26967233145831580803, 27.0 / 560);
  } else {
    return collapsed_tet(degree);
  }
  return rule;
}

/// Product with Gauss-Legendre on [-1,1] as one more, slowest axis.
Quadrature times_line(const Quadrature& base) {
  const int n = base.degree / 2 + 1;
  std::vector<double> x, w;
  gauss_jacobi(n, 0, x, w);
  Quadrature rule{base.dim + 1, base.degree, {}, {}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < base.size(); ++i) {
      const auto first = base.points.begin() + i * base.dim;
      rule.points.insert(rule.points.end(), first, first + base.dim);
      rule.points.push_back(x[j]);
      rule.weights.push_back(base.weights[i] * w[j]);
    }
  return rule;
}

Quadrature build(Shape shape, int degree) {
  const Quadrature point{0, degree, {}, {1.0}};
  switch (shape) {
    case Shape::point: return point;
    case Shape::interval: return times_line(point);
    case Shape::triangle: return triangle(degree);
    case Shape::quad: return times_line(times_line(point));
    case Shape::tet: return tet(degree);
    case Shape::hex: return times_line(times_line(times_line(point)));
    case Shape::prism: return times_line(triangle(degree));
  }
  return point;
}

}  // namespace

void gauss_jacobi(int count, int alpha, std::vector<double>& points, std::vector<double>& weights) {
  points.assign(count, 0);
  weights.assign(count, 0);
  for (int i = 0; i < count; ++i) {
    // Newton from the Chebyshev point, the roots found so far divided out
    double x = -std::cos(std::numbers::pi * (2 * i + 1) / (2 * count));
    if (i > 0) x = 0.5 * (x + points[i - 1]);
    for (int step = 0; step < 100; ++step) {
      double poles = 0;
      for (int j = 0; j < i; ++j) poles += 1 / (x - points[j]);
      const auto [p, dp] = jacobi(count, alpha, x);
      const double change = p / (dp - p * poles);
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    points[i] = x;
    const double slope = jacobi(count, alpha, x)[1];
    weights[i] = std::pow(2.0, alpha + 1) / ((1 - x * x) * slope * slope);
  }
}

void gauss_lobatto(int count, std::vector<double>& points) {
  points.assign(static_cast<std::size_t>(count), 0);
  points.front() = -1, points.back() = 1;
  const int n = count - 1;  // the inner nodes are the roots of P_n'
  for (int i = 1; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * i / n);
    for (int step = 0; step < 100; ++step) {
      // (1 - x^2) P'' = 2 x P' - n (n + 1) P  (Legendre's equation)
      const auto [p, dp] = jacobi(n, 0, x);
      const double change = dp * (1 - x * x) / (2 * x * dp - n * (n + 1) * p);
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    points[i] = x;
  }
  for (int i = 1; 2 * i < n; ++i) points[n - i] = -points[i];
  if (n % 2 == 0) points[n / 2] = 0;
}

const Quadrature& quadrature(Shape shape, int degree) {
  if (degree < 0 || degree > max_quadrature_degree)
    throw Error(ExitCode::usage, fmt::format("no quadrature of degree {} on a {}", degree, mesh::name(shape)),
                fmt::format("degrees 0 to {} are there", max_quadrature_degree));
  static std::mutex mutex;
  static std::map<std::pair<Shape, int>, std::unique_ptr<const Quadrature>> rules;
  const std::lock_guard lock(mutex);
  auto& rule = rules[{shape, degree}];
  if (!rule) rule = std::make_unique<const Quadrature>(build(shape, degree));
  return *rule;
}

}  // namespace tessera::assembly
