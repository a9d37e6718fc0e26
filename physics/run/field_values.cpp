#include "physics/run/field_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "base/team.hpp"
#include "output/floats.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics {

namespace {

bool is_finite(double value) { return std::isfinite(value); }
bool fits_float(double value) { return !(std::abs(value) > output::largest_float) || std::isinf(value); }

/// How many of the first `count` nodes have numbers that are not right, and the first of them. values [nodes, stride]
struct Found {
  double nodes = 0;
  Offset first = -1;
};
template <bool (*is_right)(double)>
Found look_for(std::span<const double> values, int stride, Offset count, int threads) {
  const auto of = [&](Offset begin, Offset end) {
    Found found;
    for (Offset node = begin; node < end; ++node) {
      const double* of_node = &values[static_cast<std::size_t>(node * stride)];
      if (std::all_of(of_node, of_node + stride, [](double value) { return is_right(value); })) continue;
      if (found.nodes++ == 0) found.first = node;
    }
    return found;
  };
  return parallel_reduce(threads, count, Found(), of, [](Found a, Found b) {
    return Found{a.nodes + b.nodes, a.first >= 0 ? a.first : b.first};
  });
}

std::vector<double> point_of(const Found& found, const std::vector<double>& points) {
  if (found.first < 0) return std::vector<double>(3);
  const auto at = points.begin() + 3 * static_cast<std::ptrdiff_t>(found.first);
  return {at, at + 3};
}

template <bool (*is_right)(double)>
std::string what_of(const std::string& field) {
  if constexpr (is_right == is_finite)
    return fmt::format("the field '{}' is not finite", field);
  else
    return fmt::format("the field '{}' is beyond {:.2g}, and infinite in files of output.precision = \"float\"", field,
                       output::largest_float);
}

NotFinite said(const std::string& what, double nodes, const std::vector<double>& x, const std::string& when) {
  return {what, fmt::format(" at {} node{}, the first at ({:.6g}, {:.6g}, {:.6g}){}", nodes, nodes > 1 ? "s" : "", x[0],
                            x[1], x[2], when.empty() ? "" : ", at " + when)};
}

/// Collective.
template <bool (*is_right)(double)>
void warn_of_wrong(const std::string& name, std::span<const double> values, int stride, const NodalSolution& s,
                   const std::string& when) {
  const Found here = look_for<is_right>(values, stride, s.own_dofs(), s.threads);
  std::vector<char> found{here.first >= 0};
  std::vector<double> x = point_of(here, s.dof_points);
  const double nodes = in_common::sum(s.share, here.nodes);
  in_common::first_found(s.share, found, x, 3);
  if (nodes > 0) warn_once(said(what_of<is_right>(name), nodes, x, when));
}

template <bool (*is_right)(double)>
std::optional<NotFinite> find_wrong(const std::string& field, std::span<const double> values, int stride,
                                    const std::vector<double>& node_points, int threads, const std::string& when) {
  const Found found = look_for<is_right>(values, stride, static_cast<Offset>(values.size()) / stride, threads);
  if (found.nodes == 0) return std::nullopt;
  return said(what_of<is_right>(field), found.nodes, point_of(found, node_points), when);
}

}  // namespace

std::vector<double> with_three_components(std::span<const double> values, int dim) {
  std::vector<double> result(3 * values.size() / static_cast<std::size_t>(dim), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i / static_cast<std::size_t>(dim) * 3 + i % static_cast<std::size_t>(dim)] = values[i];
  return result;
}

void warn_once(const NotFinite& found) {
  const std::vector<std::string>& said = warnings();
  if (std::none_of(said.begin(), said.end(), [&](const std::string& one) { return one.starts_with(found.what); }))
    warn(found.what + found.where);
}

std::optional<NotFinite> find_not_finite(const std::string& field, std::span<const double> values, int stride,
                                         const std::vector<double>& node_points, int threads, const std::string& when) {
  return find_wrong<is_finite>(field, values, stride, node_points, threads, when);
}

std::optional<NotFinite> find_beyond_floats(const std::string& field, std::span<const double> values, int stride,
                                            const std::vector<double>& node_points, int threads,
                                            const std::string& when) {
  return find_wrong<fits_float>(field, values, stride, node_points, threads, when);
}

void warn_of_beyond_floats(const std::string& field, std::span<const double> values, int stride, const NodalSolution& s,
                           const std::string& when) {
  warn_of_wrong<fits_float>(field, values, stride, s, when);
}

FieldValues::FieldValues(const FieldInfo& field, bool solved, const NodalSolution& s, Results& results,
                         const std::string& when)
    : stride(solved && !field.vector ? s.space.components : field.stride()) {
  if (!solved) {
    in_common::each(s.share, [&] { own = results.field(field.name); });
    in_common::update_ghosts(s, stride, own);
  } else if (field.vector) {
    own = with_three_components(s.u, s.space.components);
  }
  values = solved && !field.vector ? std::span<const double>(s.u) : std::span<const double>(own);
  warn_of_wrong<is_finite>(field.name, values, stride, s, when);
}

}  // namespace tessera::physics
