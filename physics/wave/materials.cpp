// Materials at the nodes of elements.
#include <fmt/format.h>

#include <cmath>

#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/wave/media.hpp"

namespace tessera::physics::wave {

namespace {

using assembly::spectral::Cells;
using assembly::spectral::Coefficients;

/// The numbers of a material at one place, of those that a deck gives.
struct Given {
  double density = 0, first = 0, second = 0;
};
struct AtPlace {
  double mass, stiffness[2], fast, slow;
};

/// What the two numbers beside the density are.
enum class Kind { speeds, lame, young };
Kind kind_of(const MaterialParams& m) {
  return m.lambda || m.mu || m.bulk ? Kind::lame : m.young ? Kind::young : Kind::speeds;
}

[[noreturn]] void refuse(const MaterialParams& m, const char* what, double value, const char* needs, const double* x) {
  const std::string at = x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : "";
  throw Error(ExitCode::usage, fmt::format("the {} is {:g}{}", what, value, at), fmt::format("it must be {}", needs),
              m.where);
}

void require_positive(const MaterialParams& m, const char* what, double value, const double* x) {
  if (!(value > 0)) refuse(m, what, value, "positive", x);
}

AtPlace elastic(const MaterialParams& m, const Given& given, const double* x) {
  double lambda = given.first, mu = given.second;
  const double rho = given.density;
  if (kind_of(m) == Kind::speeds) {
    require_positive(m, "speed of P waves", given.first, x);
    require_positive(m, "speed of S waves", given.second, x);
    mu = rho * given.second * given.second;
    lambda = rho * given.first * given.first - 2 * mu;
    if (!(3 * lambda + 2 * mu > 0))
      refuse(m, "ratio vp / vs", given.first / given.second, "above sqrt(4/3) = 1.155: the bulk modulus is positive",
             x);
  } else if (kind_of(m) == Kind::young) {
    require_positive(m, "Young's modulus", given.first, x);
    if (!(given.second > -1 && given.second < 0.5)) refuse(m, "Poisson's ratio", given.second, "in (-1, 0.5)", x);
    mu = given.first / (2 * (1 + given.second));
    lambda = 2 * mu * given.second / (1 - 2 * given.second);
  } else {
    require_positive(m, "shear modulus mu", mu, x);
    if (!(3 * lambda + 2 * mu > 0)) refuse(m, "bulk modulus lambda + 2/3 mu", lambda + 2 * mu / 3, "positive", x);
  }
  return {rho, {lambda, mu}, std::sqrt((lambda + 2 * mu) / rho), std::sqrt(mu / rho)};
}

AtPlace at_place(const MaterialParams& m, Medium medium, const Given& given, const double* x) {
  require_positive(m, "density", given.density, x);
  if (medium == Medium::elastic) return elastic(m, given, x);
  const bool speeds = kind_of(m) == Kind::speeds;
  require_positive(m, speeds ? "speed" : medium == Medium::sh ? "shear modulus mu" : "bulk modulus", given.first, x);
  const double rho = given.density, modulus = speeds ? rho * given.first * given.first : given.first;
  const double c = std::sqrt(modulus / rho);
  if (medium == Medium::sh) return {rho, {modulus, 0}, c, c};
  return {1 / modulus, {1 / rho, 0}, c, c};
}

/// density, and the one or two beside it.
std::vector<deck::Expression> values_of(const MaterialParams& m) {
  std::vector<deck::Expression> values{*m.density};
  for (const auto* value : {&m.vp, &m.lambda, &m.young, &m.bulk, &m.vs, &m.mu, &m.poisson})
    if (*value) values.push_back(**value);
  return values;
}

Given given_of(const std::vector<std::vector<double>>& values, std::size_t i) {
  return {values[0][i], values[1][i], values.size() > 2 ? values[2][i] : 0};
}

void set(Media& media, std::size_t place, const AtPlace& of) {
  media.mass.values[place] = of.mass;
  media.fast.values[place] = of.fast;
  media.slow.values[place] = of.slow;
  for (int k = 0; k < media.stiffness.components; ++k)
    media.stiffness.values[place * static_cast<std::size_t>(media.stiffness.components) + k] = of.stiffness[k];
}

}  // namespace

Media make_media(const Params& params, const Discretisation& space, const Cells& cells,
                 const std::vector<Index>& material) {
  bool at_places = false;
  std::vector<std::vector<deck::Expression>> expressions;
  for (const MaterialParams& m : params.materials) {
    expressions.push_back(values_of(m));
    for (const deck::Expression& e : expressions.back()) at_places |= !e.is_constant();
  }
  const std::size_t places = at_places ? cells.dofs.size() : static_cast<std::size_t>(cells.cells);
  const auto sized = [&](int components) {
    return Coefficients{components, at_places, std::vector<double>(places * static_cast<std::size_t>(components))};
  };
  Media media{sized(1), sized(params.medium == Medium::elastic ? 2 : 1), sized(1), sized(1)};
  for (std::size_t m = 0; m < params.materials.size(); ++m) {
    std::vector<std::size_t> where;
    std::vector<Index> dofs;
    for (Index c = 0; c < cells.cells; ++c) {
      if (material[static_cast<std::size_t>(c)] != static_cast<Index>(m)) continue;
      if (!at_places) where.push_back(static_cast<std::size_t>(c));
      for (int q = 0; at_places && q < cells.places; ++q) {
        where.push_back(static_cast<std::size_t>(Offset{c} * cells.places + q));
        dofs.push_back(cells.cell(c)[q]);
      }
    }
    if (!at_places) {
      std::vector<std::vector<double>> values;
      for (const deck::Expression& e : expressions[m]) values.push_back({e.constant()});
      const AtPlace all = at_place(params.materials[m], params.medium, given_of(values, 0), nullptr);
      for (const std::size_t place : where) set(media, place, all);
      continue;
    }
    std::vector<std::vector<double>> values;
    for (const deck::Expression& e : expressions[m])
      values.push_back(evaluate(e, space.dof_points, dofs, space.threads));
    for (std::size_t i = 0; i < where.size(); ++i)
      set(media, where[i],
          at_place(params.materials[m], params.medium, given_of(values, i),
                   &space.dof_points[3 * static_cast<std::size_t>(dofs[i])]));
  }
  return media;
}

}  // namespace tessera::physics::wave
