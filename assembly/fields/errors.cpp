#include "assembly/fields/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/error.hpp"

namespace tessera::assembly {
namespace {

constexpr Offset cells_per_chunk = 128;

/// The larger one; NaN where either is, so that a broken field cannot look like a small error.
double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

struct Sums {
  double l2 = 0, h1 = 0, energy = 0, max = 0;
  void add(const Sums& other) {
    l2 += other.l2;
    h1 += other.h1;
    energy += other.energy;
    max = larger(max, other.max);
  }
};

struct BlockErrors {
  const mesh::Mesh& mesh;
  const mesh::CellBlock& block;
  const DofBlock& dofs;
  const FieldView& u;
  const deck::Expression& exact;
  std::span<const deck::Expression> gradient;
  const ErrorOptions& options;
  const Quadrature& rule;
  GeometryMap geometry;
  FieldMap field;

  Sums over(Index first, Index last) const;
};

/// Expressions are evaluated for the points of all cells at once, in blocks.
Sums BlockErrors::over(Index first, Index last) const {
  const int dim = geometry.dim, q_count = rule.size();
  const std::size_t count = std::size_t(last - first) * q_count;
  std::vector<double> points(3 * count), value(count);
  std::vector<std::vector<double>> slope(gradient.size(), std::vector<double>(count));
  for (Index c = first; c < last; ++c)
    for (int q = 0; q < q_count; ++q)
      geometry.point(mesh, block.cell(c), q, &points[3 * (std::size_t(c - first) * q_count + q)]);
  deck::Evaluator(exact).evaluate(points.data(), count, options.time, value.data());
  for (std::size_t i = 0; i < gradient.size(); ++i)
    deck::Evaluator(gradient[i]).evaluate(points.data(), count, options.time, slope[i].data());

  Sums sums;
  std::size_t at = 0;
  for (Index c = first; c < last; ++c)
    for (int q = 0; q < q_count; ++q, ++at) {
      if (!options.only.empty() && !options.only[static_cast<std::size_t>(block.first_cell + c)]) continue;
      double jacobian[9], inverse[9], error[3], k_error[3];
      const double det = geometry.jacobian(mesh, block.cell(c), q, jacobian);
      const double weight = rule.weights[q] * std::abs(det) * mesh.measure.at(&points[3 * at]);
      const double difference = field.value(dofs.cell(c), u.data(), q, u.stride()) - value[at];
      sums.l2 += weight * difference * difference;
      sums.max = larger(sums.max, std::abs(difference));
      if (gradient.empty()) continue;
      GeometryMap::invert(jacobian, dim, inverse);
      field.gradient(dofs.cell(c), u.data(), q, inverse, error, u.stride());
      for (int i = 0; i < dim; ++i) error[i] -= slope[i][at];
      for (int i = 0; i < dim; ++i) sums.h1 += weight * error[i] * error[i];
      if (!options.coefficient) continue;
      options.coefficient->apply(block.first_cell + c, &points[3 * at], dim, error, k_error);
      for (int i = 0; i < dim; ++i) sums.energy += weight * error[i] * k_error[i];
    }
  return sums;
}

}  // namespace

ErrorNorms compute_errors(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const deck::Expression& exact,
                          std::span<const deck::Expression> gradient, const ErrorOptions& options) {
  if (!gradient.empty() && gradient.size() != std::size_t(mesh.dim))
    throw Error(ExitCode::usage,
                fmt::format("the exact gradient has {} components on a {}-D mesh", gradient.size(), mesh.dim),
                fmt::format("give {} expressions, or none", mesh.dim), gradient[0].where());
  if (options.coefficient) check_components(*options.coefficient, mesh.dim);
  Sums total;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const int degree = options.degree > 0 ? options.degree : 2 * dofs.order + 3;
    const Quadrature& rule = quadrature(block.shape, degree + (mesh.measure.weighs() ? block.order : 0));
    const BlockErrors errors{mesh,
                             block,
                             dofs.blocks[b],
                             u,
                             exact,
                             gradient,
                             options,
                             rule,
                             GeometryMap(block, rule.points),
                             FieldMap(dofs.element(block.shape), rule.points)};
    std::vector<Sums> parts((block.cells() + cells_per_chunk - 1) / cells_per_chunk);
    for_chunks(block.cells(), cells_per_chunk, options.threads, [&](Offset chunk, Offset first, Offset last) {
      parts[chunk] = errors.over(static_cast<Index>(first), static_cast<Index>(last));
    });
    for (const Sums& part : parts) total.add(part);
  }
  const std::vector<double> nodal = interpolate(mesh, dofs, exact, options.time);
  for (std::size_t dof = 0; dof < nodal.size(); ++dof)
    total.max = larger(total.max, std::abs(u(static_cast<Offset>(dof)) - nodal[dof]));
  ErrorNorms norms;
  norms.l2 = std::sqrt(total.l2);
  norms.max = total.max;
  if (!gradient.empty()) norms.h1 = std::sqrt(total.h1);
  if (!gradient.empty() && options.coefficient) norms.energy = std::sqrt(total.energy);
  return norms;
}

std::vector<double> interpolate(const mesh::Mesh& mesh, const DofMap& dofs, const deck::Expression& f, double time) {
  std::vector<double> result(static_cast<std::size_t>(dofs.dofs));
  if (f.is_constant()) {
    std::fill(result.begin(), result.end(), f.constant());
    return result;
  }
  const std::vector<double> points = dof_points(mesh, dofs);
  for_chunks(dofs.dofs, 4096, 0, [&](Offset, Offset first, Offset last) {
    deck::Evaluator(f).evaluate(&points[3 * first], std::size_t(last - first), time, &result[first]);
  });
  return result;
}

}  // namespace tessera::assembly
