// Materials at the nodes of elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/backend.hpp"
#include "base/counted.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "physics/entry.hpp"
#include "physics/wave/anisotropy.hpp"
#include "physics/wave/losses.hpp"
#include "physics/wave/material_grid.hpp"
#include "physics/wave/media.hpp"
#include "physics/wave/rayleigh.hpp"

namespace tessera::physics::wave {

namespace {

using assembly::spectral::Cells;
using assembly::spectral::Coefficients;

/// The numbers of a material at one place, as MaterialParams::values has them: the density, and those that follow it.
using Given = std::vector<double>;
struct AtPlace {
  double mass;
  std::array<double, 21> stiffness;
  double fast, slow;
};

/// What the numbers beside the density are.
enum class Kind { speeds, lame, young, layers, full };
Kind kind_of(const MaterialParams& m) {
  if (m.vpv) return Kind::layers;
  if (!m.stiffness.empty()) return Kind::full;
  return m.lambda || m.mu || m.bulk ? Kind::lame : m.young ? Kind::young : Kind::speeds;
}
bool is_anisotropic(const MaterialParams& m) { return kind_of(m) == Kind::layers || kind_of(m) == Kind::full; }

[[noreturn]] void refuse(const MaterialParams& m, const char* what, double value, const char* needs, const double* x) {
  const std::string at = x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : "";
  throw Error(ExitCode::usage, fmt::format("the {} is {:g}{}", what, value, at), fmt::format("it must be {}", needs),
              m.where);
}

void require_positive(const MaterialParams& m, const char* what, double value, const double* x) {
  if (!(value > 0)) refuse(m, what, value, "positive", x);
}

/// Models of other programs have fluids as solids without shear.
void require_shear(const MaterialParams& m, const char* what, double value, const double* x) {
  if (value != 0) return require_positive(m, what, value, x);
  const std::string at = x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : "";
  throw Error(
      ExitCode::usage, fmt::format("the {} is 0{}, and the material is a solid", what, at),
      "a fluid is a [[material]] of its own with density and vp, or bulk, alone, on its group of cells: leave vs "
      "and mu out there, also as columns of its grid, and choose physics.medium = \"coupled\", or \"acoustic\" "
      "where all is fluid",
      m.where);
}

AtPlace isotropic(const MaterialParams& m, const Given& given, const double* x) {
  const double rho = given[0], first = given[1], second = given[2];
  double lambda = first, mu = second;
  if (kind_of(m) == Kind::speeds) {
    require_positive(m, "speed of P waves", first, x);
    require_shear(m, "speed of S waves", second, x);
    mu = rho * second * second;
    lambda = rho * first * first - 2 * mu;
    if (!(3 * lambda + 2 * mu > 0))
      refuse(m, "ratio vp / vs", first / second, "above sqrt(4/3) = 1.155: the bulk modulus is positive", x);
  } else if (kind_of(m) == Kind::young) {
    require_positive(m, "Young's modulus", first, x);
    if (!(second > -1 && second < 0.5)) refuse(m, "Poisson's ratio", second, "in (-1, 0.5)", x);
    mu = first / (2 * (1 + second));
    lambda = 2 * mu * second / (1 - 2 * second);
  } else {
    require_shear(m, "shear modulus mu", mu, x);
    if (!(3 * lambda + 2 * mu > 0)) refuse(m, "bulk modulus lambda + 2/3 mu", lambda + 2 * mu / 3, "positive", x);
  }
  return {rho, {lambda, mu}, std::sqrt((lambda + 2 * mu) / rho), std::sqrt(mu / rho)};
}

/// Speeds and axis of layers.
Stiffness layered(const MaterialParams& m, int dim, const Given& given, const double* x) {
  std::size_t next = 0;
  const double rho = given[next++];
  const auto modulus = [&](const char* what) {
    const double speed = given[next++];
    require_positive(m, what, speed, x);
    return rho * speed * speed;
  };
  const double C = modulus("speed vpv"), A = modulus("speed vph"), L = modulus("speed vsv"),
               N = m.vsh ? modulus("speed vsh") : L;
  const double eta = given[next++];
  std::array<double, 3> axis{};
  if (m.axis.empty()) axis[static_cast<std::size_t>(dim - 1)] = 1;
  for (std::size_t d = 0; d < m.axis.size(); ++d) axis[d] = given[next++];
  require_positive(m, "length of the axis", std::hypot(axis[0], axis[1], axis[2]), x);
  return transverse_stiffness(dim, {.A = A, .C = C, .F = eta * (A - 2 * L), .L = L, .N = N}, axis);
}

AtPlace anisotropic(const MaterialParams& m, int dim, const Given& given, const double* x) {
  AtPlace result{given[0], {}, 0, 0};
  Stiffness C{dim, {}};
  if (!is_anisotropic(m)) {
    const AtPlace same = isotropic(m, given, x);
    C = isotropic_stiffness(dim, same.stiffness[0], same.stiffness[1]);
    result.fast = same.fast;
    result.slow = same.slow;
  } else if (kind_of(m) == Kind::layers) {
    C = layered(m, dim, given, x);
  } else {
    std::copy(given.begin() + 1, given.end(), C.values.begin());
  }
  if (!is_positive(C)) {
    const std::string at = x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : "";
    throw Error(ExitCode::usage, fmt::format("the stiffness{} is not positive: some strain would give energy", at),
                kind_of(m) == Kind::full ? "C_ij must have positive eigenvalues; its upper triangle is given by rows"
                                         : "speeds and eta do not fit each other: eta is about 1",
                m.where);
  }
  result.stiffness = C.values;
  return result;
}

/// Without the speeds where the material is anisotropic: these are found in parallel.
AtPlace at_place(const MaterialParams& m, Medium medium, int dim, bool any_anisotropic, const Given& given,
                 const double* x) {
  require_positive(m, "density", given[0], x);
  if (medium == Medium::elastic) return any_anisotropic ? anisotropic(m, dim, given, x) : isotropic(m, given, x);
  const bool speeds = kind_of(m) == Kind::speeds;
  require_positive(m, speeds ? "speed" : medium == Medium::sh ? "shear modulus mu" : "bulk modulus", given[1], x);
  const double rho = given[0], modulus = speeds ? rho * given[1] * given[1] : given[1];
  const double c = std::sqrt(modulus / rho);
  if (medium == Medium::sh) return {rho, {modulus}, c, c};
  return {1 / modulus, {1 / rho}, c, c};
}

/// What depends on the dimensions of the mesh.
void check_on_mesh(const MaterialParams& m, int dim) {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, m.where);
  };
  const auto count = static_cast<std::size_t>(Stiffness::count(dim));
  if (!m.stiffness.empty() && m.stiffness.size() != count)
    refuse(fmt::format("stiffness has {}, in {} there are {}", counted(m.stiffness.size(), "number"),
                       counted(dim, "dimension"), count),
           dim == 2 ? "C11 C12 C16, C22 C26, C66 of xx yy xy"
                    : "the upper triangle of C by rows, of xx yy zz yz xz xy: C11 ... C16, C22 ... C26, ..., C66");
  if (!m.axis.empty() && m.axis.size() != static_cast<std::size_t>(dim))
    refuse(fmt::format("axis has {}, the mesh {}", counted(m.axis.size(), "number"), counted(dim, "dimension")),
           "give one number an axis");
  for (std::size_t axis = static_cast<std::size_t>(dim); m.grid && axis < 3; ++axis)
    if (!m.grid->axes[axis].empty())
      throw Error(
          ExitCode::usage,
          fmt::format("the grid of a material has a column {}, the mesh {}", "xyz"[axis], counted(dim, "dimension")),
          "coordinates of the grid are those of the mesh", m.file.where ? m.file.where : m.where);
  if (m.vpv && m.vsh.has_value() != (dim == 3))
    refuse(dim == 2 ? "layers with a vsh on a 2-D mesh" : "layers without vsh",
           dim == 2 ? "waves that move out of the plane are those of physics.medium = \"sh\""
                    : "in 3-D layers have vpv, vph, vsv, vsh and eta");
}

void take_given(const std::vector<std::vector<double>>& values, std::size_t i, Given& given) {
  given.clear();
  for (const std::vector<double>& of : values) given.push_back(of[i]);
}

void set(Media& media, std::size_t place, const AtPlace& of) {
  media.mass.values[place] = of.mass;
  media.fast.values[place] = of.fast;
  media.slow.values[place] = of.slow;
  for (int k = 0; k < media.stiffness.components; ++k)
    media.stiffness.values[place * static_cast<std::size_t>(media.stiffness.components) + k] =
        of.stiffness[static_cast<std::size_t>(k)];
}

/// The speeds of anisotropic places; those that follow each other with the same numbers are one.
void find_speeds(Media& media, int dim, const std::vector<std::size_t>& where, int threads) {
  const auto count = static_cast<std::size_t>(media.stiffness.components);
  const auto stiffness = [&](std::size_t place) {
    Stiffness C{dim, {}};
    std::copy_n(&media.stiffness.values[place * count], count, C.values.begin());
    return C;
  };
  parallel_ranges(threads, static_cast<Offset>(where.size()), [&](Offset first, Offset last, int) {
    Stiffness before{dim, {}};
    double density = 0;
    Speeds speeds{};
    for (Offset i = first; i < last; ++i) {
      const std::size_t place = where[static_cast<std::size_t>(i)];
      const Stiffness C = stiffness(place);
      if (C.values != before.values || media.mass.values[place] != density)
        speeds = extreme_speeds(C, media.mass.values[place]);
      before = C;
      density = media.mass.values[place];
      media.fast.values[place] = speeds.fastest;
      media.slow.values[place] = speeds.slowest;
    }
  });
}

}  // namespace

Media make_media(const Problem& problem) {
  Threads host(problem.space.threads);
  const Scope scope(host, "materials");
  const Params& params = problem.params;
  const Discretisation& space = problem.space;
  const Cells& cells = problem.cells;
  const Medium medium = problem.medium;
  const int dim = cells.dim;
  bool at_places = false;
  std::vector<std::vector<MaterialNumber>> numbers_of;
  bool anisotropic = false, attenuates = false;
  const auto is_here = [&](const MaterialParams& m) {
    return params.medium != Medium::coupled || m.is_fluid() == (medium == Medium::acoustic);
  };
  for (const MaterialParams& m : params.materials) {
    check_on_mesh(m, dim);
    numbers_of.push_back(m.values());
    if (!is_here(m)) continue;
    anisotropic |= is_anisotropic(m);
    for (const MaterialNumber& number : numbers_of.back()) at_places |= !number.is_constant();
    at_places |= qualities_vary(m);
    attenuates |= m.attenuates();
  }
  const std::size_t places = at_places ? cells.dofs.size() : static_cast<std::size_t>(cells.cells);
  const auto sized = [&](int components) {
    return Coefficients{components, at_places, std::vector<double>(places * static_cast<std::size_t>(components))};
  };
  const int numbers = medium != Medium::elastic ? 1 : anisotropic ? Stiffness::count(dim) : 2;
  Media media{.mass = sized(1),
              .stiffness = sized(numbers),
              .fast = sized(1),
              .slow = sized(1),
              .alpha = rayleigh_numbers(problem, "rayleigh_alpha", &MaterialParams::rayleigh_alpha),
              .beta = rayleigh_numbers(problem, "rayleigh_beta", &MaterialParams::rayleigh_beta),
              .anisotropic = anisotropic};
  std::optional<ConstantQuality> qualities;
  if (attenuates) {
    qualities.emplace(*params.attenuation);
    media.times = qualities->times();
    media.coarse = medium != Medium::acoustic && params.attenuation->is_coarse();
    constexpr int L = ConstantQuality::mechanisms;
    if (medium == Medium::acoustic)
      media.compliance = sized(L);
    else
      media.attenuated = sized(numbers + (anisotropic ? L : numbers * L));
  }
  for (std::size_t m = 0; m < params.materials.size(); ++m) {
    if (!is_here(params.materials[m])) continue;
    std::vector<std::size_t> where;
    std::vector<Index> dofs;
    for (Index c = 0; c < cells.cells; ++c) {
      if (problem.material[static_cast<std::size_t>(c)] != static_cast<Index>(m)) continue;
      if (!at_places) where.push_back(static_cast<std::size_t>(c));
      for (int q = 0; at_places && q < cells.places; ++q) {
        where.push_back(static_cast<std::size_t>(Offset{c} * cells.places + q));
        dofs.push_back(cells.cell(c)[q]);
      }
    }
    if (!at_places) {
      std::vector<std::vector<double>> values;
      for (const MaterialNumber& number : numbers_of[m]) values.push_back({number.expression.constant()});
      Given given;
      take_given(values, 0, given);
      const AtPlace all = at_place(params.materials[m], medium, dim, anisotropic, given, nullptr);
      for (const std::size_t place : where) set(media, place, all);
      if (is_anisotropic(params.materials[m])) find_speeds(media, dim, where, space.threads);
      if (qualities) set_losses(problem, params.materials[m], *qualities, where, {}, media);
      continue;
    }
    std::vector<std::vector<double>> values;
    for (const MaterialNumber& number : numbers_of[m])
      values.push_back(evaluate_number(params.materials[m], number, problem.material_points(), dofs, space.threads));
    parallel_ranges(space.threads, static_cast<Offset>(where.size()), [&](Offset first, Offset last, int) {
      Given given;
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        take_given(values, i, given);
        set(media, where[i],
            at_place(params.materials[m], medium, dim, anisotropic, given,
                     &problem.material_points()[3 * static_cast<std::size_t>(dofs[i])]));
      }
    });
    if (is_anisotropic(params.materials[m])) find_speeds(media, dim, where, space.threads);
    if (qualities) set_losses(problem, params.materials[m], *qualities, where, dofs, media);
  }
  return media;
}

}  // namespace tessera::physics::wave
