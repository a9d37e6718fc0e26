#include "physics/run/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "assembly/fields/quantities.hpp"
#include "physics/run/field_values.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/lines.hpp"

namespace tessera::physics {

namespace {

/// Smallest and largest of all groups, of the whole mesh where there are none.
std::array<double, 2> extremes(const QuantityParams& quantity, const NodalSolution& s, const assembly::FieldView& u) {
  std::vector<const mesh::Group*> groups;
  for (const std::string& name : quantity.on) groups.push_back(&find_group(s.mesh, name, -1, quantity.where));
  if (groups.empty()) groups.push_back(nullptr);
  std::vector<double> bounds;  // of each group the largest of -u and of u
  for (const mesh::Group* group : groups) {
    const auto [low, high] = assembly::min_max(s.mesh, s.space.dofs, u, group);
    bounds.insert(bounds.end(), {-low, high});
  }
  in_common::largest(s.share, bounds);
  std::array<double, 2> result{bounds[0], bounds[1]};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (bounds[2 * g] == -std::numeric_limits<double>::infinity() && bounds[2 * g + 1] == bounds[2 * g])
      throw Error(ExitCode::usage, fmt::format("group '{}' has no dofs", groups[g] ? groups[g]->name : ""),
                  "choose a group that is part of the mesh's cells", quantity.where);
    for (std::size_t side : {0, 1})
      if (const double bound = bounds[2 * g + side]; bound > result[side] || std::isnan(bound)) result[side] = bound;
  }
  return {-result[0], result[1]};
}

/// The extreme over several groups, or the integral over all that they hold, where what is in several counts once.
double group_quantity(const QuantityParams& quantity, const NodalSolution& s, const assembly::FieldView& u) {
  if (!is_integral(quantity)) return extremes(quantity, s, u)[quantity.kind == "max"];
  assembly::Moments all;
  in_common::each(s.share, [&] {
    mesh::Group united;
    if (!quantity.on.empty()) united = united_groups(s.mesh, quantity.on, -1, quantity.where);
    const mesh::Group* group = quantity.on.empty() ? nullptr : &united;
    if (s.share) united = s.own(group), group = &united;
    all = assembly::moments(s.mesh, s.space.dofs, u, group, s.threads);
  });
  std::array<double, 3> sums{all.measure, all.integral, all.square};
  in_common::add(s.share, sums);
  const auto [measure, integral, square] = sums;
  return quantity.kind == "integral" ? integral : quantity.kind == "average" ? integral / measure : std::sqrt(square);
}

/// Looks for points in a solution's mesh; made when it is first asked.
class Places {
 public:
  explicit Places(const NodalSolution& s) : s_(s) {}
  const mesh::PointLocator& locator() { return locator_ ? *locator_ : locator_.emplace(s_.mesh); }

 private:
  const NodalSolution& s_;
  std::optional<mesh::PointLocator> locator_;
};

/// visit(probe, values) at points [n]: values [n, width], on the root. Each is in some rank's part of the mesh.
template <class Visit>
std::vector<double> at_points(const NodalSolution& s, Places& places, const std::vector<std::array<double, 3>>& points,
                              std::size_t width, Visit visit) {
  std::vector<double> values(points.size() * width, 0.0);
  std::vector<char> found(points.size(), 0);
  in_common::each(s.share, [&] {
    const mesh::PointLocator& locator = places.locator();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (s.share && !locator.find(points[i])) continue;  // of another rank; on one rank make_probe says it
      found[i] = 1;
      visit(assembly::make_probe(s.mesh, s.space.dofs, locator, points[i]), &values[i * width]);
    }
  });
  in_common::first_found(s.share, found, values, width);
  in_common::root(s.share, [&] {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!found[i])
        throw Error(ExitCode::internal,
                    fmt::format("the point ({}) is in the mesh, but in no part of a rank", fmt::join(points[i], ", ")));
  });
  return values;
}

/// The field that has a component of this name, or null; `c` becomes its number.
const FieldInfo* measured_field(const std::vector<FieldInfo>& fields, const std::string& name, int dim, int& c) {
  for (const FieldInfo& field : fields)
    if (field.measured && is_component(field, name, dim, c)) return &field;
  return nullptr;
}

bool is_own(const QuantityParams& quantity, const Traits& traits) {
  return std::find(traits.quantities.begin(), traits.quantities.end(), quantity.kind) != traits.quantities.end();
}

double quantity_of_field(const QuantityParams& quantity, const Traits& traits, const NodalSolution& s, Results& results,
                         Places& places, const std::string& when) {
  int c = 0;
  const FieldInfo& field = *measured_field(traits.fields, quantity.of, s.mesh.dim, c);
  const FieldValues values(field, &field == &traits.fields.front(), s, results, when);
  const assembly::FieldView u = values.view().component(c);
  if (quantity.kind != "value") return group_quantity(quantity, s, u);
  std::array<double, 3> at{};
  std::copy_n(quantity.at.begin(), std::min<std::size_t>(quantity.at.size(), 3), at.begin());
  return at_points(s, places, {at}, 1, [&](const assembly::Probe& probe, double* value) { *value = probe.value(u); })
      .front();
}

}  // namespace

void report_quantities(const std::vector<QuantityParams>& quantities, const Traits& traits, const NodalSolution& s,
                       Results& results, output::Summary& summary, const std::string& when) {
  Places places(s);
  for (const QuantityParams& quantity : quantities) {
    double value = 0;
    if (is_own(quantity, traits)) {
      in_common::each(s.share, [&] { value = results.quantity(quantity); });
      value = in_common::sum(s.share, value);
    } else {
      value = quantity_of_field(quantity, traits, s, results, places, when);
    }
    if (!std::isfinite(value))
      warn_once({fmt::format("the quantity '{}' is not finite", quantity.name), when.empty() ? "" : " at " + when});
    summary.set_in("quantities", quantity.name, value);
  }
}

void check_quantity_fields(const std::vector<QuantityParams>& quantities, const Traits& traits, int dim) {
  for (const QuantityParams& quantity : quantities) {
    int c = 0;
    if (is_own(quantity, traits) || measured_field(traits.fields, quantity.of, dim, c)) continue;
    std::vector<std::string> names;
    for (const FieldInfo& field : traits.fields)
      for (c = 0; field.measured && c < field.count(dim); ++c) names.push_back(field.component(c));
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' is of '{}', which is no number", quantity.name, quantity.of),
                fmt::format("write of = one of: {}", fmt::join(names, ", ")), quantity.where);
  }
}

void write_lines(const std::vector<LineParams>& lines, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                 Results& results, const std::filesystem::path& directory) {
  std::vector<std::unique_ptr<FieldValues>> values;  // [fields], of those that a line asks for
  for (const FieldInfo& field : fields)
    values.push_back(
        std::any_of(lines.begin(), lines.end(), [&](const LineParams& line) { return line.has(field.name); })
            ? std::make_unique<FieldValues>(field, &field == &fields.front(), s, results)
            : nullptr);
  Places places(s);
  for (const LineParams& line : lines) {
    std::vector<std::array<double, 3>> points;
    for (int i = 0; i < line.points; ++i) points.push_back(line.point(i));
    std::size_t width = 0;
    for (const FieldInfo& field : fields)
      if (line.has(field.name)) width += static_cast<std::size_t>(field.count(s.mesh.dim));
    const std::vector<double> table =
        at_points(s, places, points, width, [&](const assembly::Probe& probe, double* out) {
          for (std::size_t f = 0; f < fields.size(); ++f)
            for (int c = 0; line.has(fields[f].name) && c < fields[f].count(s.mesh.dim); ++c)
              *out++ = probe.value(values[f]->view(), c);
        });
    in_common::root(s.share, [&] {
      const double* row = table.data();
      write_line(
          line, s.mesh.dim, fields,
          [&](const std::array<double, 3>&, double* out) {
            std::copy_n(row, width, out);
            row += width;
          },
          directory);
    });
  }
}

}  // namespace tessera::physics
