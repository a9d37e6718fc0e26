// Materials on the mesh: which cell has which, and their coefficients at the quadrature points.
#include "physics/scalar/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/definite.hpp"
#include "base/counted.hpp"
#include "base/touch.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/coefficients.hpp"

namespace tessera::physics::scalar {

void require_positive_definite(const MaterialParams& material, const double* k, int components, const double* xyz) {
  if (assembly::is_positive_definite(k, components)) return;
  std::string values = fmt::format("{}", fmt::join(k, k + components, ", "));
  throw Error(ExitCode::usage,
              fmt::format("{} [{}]{} is not positive{}", material.diffusivity_key, values,
                          xyz ? fmt::format(" at ({}, {}, {})", xyz[0], xyz[1], xyz[2]) : "",
                          components > 1 ? " definite" : ""),
              "the problem is elliptic only where k is positive (a tensor: positive definite)", material.where);
}

std::vector<deck::Expression> spread(const MaterialParams& material, int components) {
  if (static_cast<int>(material.diffusivity.size()) == components) return material.diffusivity;
  std::vector<deck::Expression> k(static_cast<std::size_t>(components));
  const std::vector<int> diagonal = components == 3 ? std::vector{0, 2} : std::vector{0, 3, 5};
  for (int d : diagonal) k[d] = material.diffusivity.front();
  return k;
}

int check_diffusivity(const std::vector<MaterialParams>& materials, int dim) {
  const int full = dim * (dim + 1) / 2;
  int components = 1;
  for (const MaterialParams& m : materials) {
    const int given = static_cast<int>(m.diffusivity.size());
    if (given != 1 && given != full)
      throw Error(
          ExitCode::usage,
          fmt::format("{} has {}, a {}-D problem takes 1 or {}", m.diffusivity_key, counted(given, "value"), dim, full),
          dim == 2 ? "a symmetric tensor is [xx, xy, yy]" : "a symmetric tensor is [xx, xy, xz, yy, yz, zz]", m.where);
    components = std::max(components, given);
  }
  return components;
}

forms::Coefficient coefficient(const std::vector<std::vector<deck::Expression>>& expressions,
                               const std::vector<Index>& material, const mesh::Mesh& mesh,
                               const assembly::QuadraturePoints& points, int threads, const SolutionAtPoints& state) {
  forms::Coefficient result;
  result.components = static_cast<int>(expressions.front().size());
  for (const auto& of_material : expressions)
    for (const deck::Expression& e : of_material) result.per_point |= !e.is_constant();
  const std::size_t components = static_cast<std::size_t>(result.components);
  if (!result.per_point) {
    for (const auto& of_material : expressions)
      for (const deck::Expression& e : of_material) result.values.push_back(e.constant());
    return result;
  }
  resize_by_all(result.values, static_cast<std::size_t>(points.before(mesh.blocks.size())) * components, threads);
  bool of_solution = false;
  for (const auto& of_material : expressions)
    for (const deck::Expression& e : of_material) of_solution |= e.depends_on_solution();
  // One block by all threads.
  struct Workspace {
    std::vector<std::vector<deck::Evaluator>> evaluators;  // [materials][components]
    std::vector<double> xyz, u, gradient, column;
  };
  const auto workspace = [&] {
    Workspace own;
    for (const auto& of_material : expressions) {
      own.evaluators.emplace_back();
      for (const deck::Expression& e : of_material) own.evaluators.back().emplace_back(e);
    }
    return own;
  };
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells(), first_cell = mesh.blocks[block].first_cell;
    const int per_cell = points.per_cell(block);
    const Offset chunks = (cells + evaluation_cells - 1) / evaluation_cells;
    for_each_with(workspace, chunks, threads, [&](Workspace& own, Offset chunk) {
      const Index begin = static_cast<Index>(chunk) * evaluation_cells, end = std::min(cells, begin + evaluation_cells);
      for_each_material(material, first_cell, begin, end, [&](Index cell, Index run, Index of) {
        const std::size_t count = static_cast<std::size_t>(run) * per_cell;
        own.xyz.resize(3 * count);
        own.column.resize(count);
        points.of_cells(block, cell, run, own.xyz.data());
        deck::Points at{own.xyz.data()};
        if (of_solution) {
          own.u.resize(count), own.gradient.resize(3 * count);
          state.field->of_cells(block, cell, run, state.u, own.u.data(), own.gradient.data());
          at = {own.xyz.data(), own.u.data(), own.gradient.data()};
        }
        double* out = result.values.data() + (points.before(block) + Offset{cell} * per_cell) * components;
        if (components == 1) own.evaluators[of][0].evaluate(at, count, 0, out);
        for (std::size_t c = 0; components > 1 && c < components; ++c) {
          own.evaluators[of][c].evaluate(at, count, 0, own.column.data());
          for (std::size_t q = 0; q < count; ++q) out[q * components + c] = own.column[q];
        }
      });
    });
  }
  return result;
}

namespace {

/// k, c and f of every material; c and f empty where they are 0 everywhere.
struct Expressions {
  assembly::RegionExpressions k, c, f;
};

Expressions expressions_of(const std::vector<MaterialParams>& materials, int dim) {
  const int components = check_diffusivity(materials, dim);
  Expressions result;
  for (const MaterialParams& m : materials) {
    result.k.push_back(spread(m, components));
    result.c.push_back({m.reaction});
    result.f.push_back({m.source});
  }
  for (assembly::RegionExpressions* list : {&result.c, &result.f})
    if (std::all_of(list->begin(), list->end(), [](const auto& one) { return is_zero(one.front()); })) list->clear();
  return result;
}

}  // namespace

void require_positive_definite(const std::vector<MaterialParams>& materials, const forms::Coefficient& k) {
  for (std::size_t m = 0; m < materials.size(); ++m)
    require_positive_definite(materials[m], &k.values[m * static_cast<std::size_t>(k.components)], k.components,
                              nullptr);
}

assembly::ExpressionData diffusion_expressions(const std::vector<MaterialParams>& materials, double level, int dim) {
  auto [k, c, f] = expressions_of(materials, dim);
  if (level != 0 && !c.empty()) {
    if (f.empty()) f.assign(c.size(), {deck::Expression(0.0)});
    for (std::size_t m = 0; m < f.size(); ++m)
      if (!is_zero(c[m][0])) f[m][0] = f[m][0] + deck::Expression(-level) * c[m][0];
  }
  assembly::ExpressionData result;
  if (assembly::varies(k)) {
    const auto components = static_cast<int>(k.front().size());
    result.definite.coefficients = {0};
    result.definite.refuse = [&materials, components](std::size_t, Index region, const double* values,
                                                      const double* xyz) {
      require_positive_definite(materials[static_cast<std::size_t>(region)], values, components, xyz);
    };
  } else {
    require_positive_definite(materials, assembly::as_data(k));
  }
  result.members = {std::move(k), std::move(c), std::move(f)};
  return result;
}

forms::DiffusionData diffusion_data(const std::vector<MaterialParams>& materials, const std::vector<Index>& material,
                                    const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads,
                                    std::span<const double> u, bool with_source) {
  const assembly::QuadraturePoints points(mesh, dofs);
  std::optional<assembly::FieldAtPoints> field;
  if (std::any_of(materials.begin(), materials.end(), depends_on_solution)) field.emplace(mesh, dofs);
  const SolutionAtPoints state{field ? &*field : nullptr, u};
  const Expressions expressions = expressions_of(materials, mesh.dim);
  forms::DiffusionData data;
  if (materials.size() > 1) data.region = material;  // none: all cells have the first
  data.k = coefficient(expressions.k, material, mesh, points, threads, state);
  if (!expressions.c.empty()) data.c = coefficient(expressions.c, material, mesh, points, threads, state);
  if (with_source && !expressions.f.empty())
    data.f = coefficient(expressions.f, material, mesh, points, threads, state);

  const int components = data.k.components;
  if (!data.k.per_point) {
    require_positive_definite(materials, data.k);
  } else {
    for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
      const Offset first = points.before(block), count = points.before(block + 1) - first;
      const int per_cell = points.per_cell(block);
      const auto k_at = [&](Offset point) { return data.k.values.data() + (first + point) * components; };
      const Offset bad = parallel_reduce(
          threads, count, count,
          [&](Offset begin, Offset end) {
            while (begin < end && assembly::is_positive_definite(k_at(begin), components)) ++begin;
            return begin < end ? begin : count;
          },
          [](Offset a, Offset b) { return std::min(a, b); });
      if (bad == count) continue;
      const auto cell = static_cast<Index>(bad / per_cell);
      std::vector<double> xyz(3 * static_cast<std::size_t>(per_cell));
      points.of_cells(block, cell, 1, xyz.data());
      require_positive_definite(materials[material[mesh.blocks[block].first_cell + cell]], k_at(bad), components,
                                xyz.data() + 3 * (bad % per_cell));
    }
  }
  for (forms::Coefficient* one : {&data.k, &data.c, &data.f}) weigh(*one, material, mesh, points, threads);
  return data;
}

}  // namespace tessera::physics::scalar
