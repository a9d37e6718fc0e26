#include "physics/two_point_bvp/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "output/vtk_writer.hpp"
#include "physics/run/lines.hpp"
#include "physics/run/report.hpp"
#include "physics/two_point_bvp/right_hand_side.hpp"

namespace tessera::physics::two_point_bvp {

namespace {

/// Cells of a file where the deck leaves their number open.
constexpr Offset most_output_cells = 1 << 20;

/// Sum over i in [0, count), chunk by chunk: compensation is not needed, and the result does not depend on threads.
double sum(Offset count, const std::function<double(Offset)>& term) {
  double total = 0;
  for (Offset first = 0; first < count; first += reduce_chunk) {
    double part = 0;
    for (Offset i = first; i < std::min(count, first + reduce_chunk); ++i) part += term(i);
    total += part;
  }
  return total;
}

/// The cell that holds x, and how far x is from its left to its right end.
std::pair<Offset, double> place_of(const Solution& s, double x) {
  const double place = std::clamp((x - s.grid.min) / s.grid.h(), 0.0, static_cast<double>(s.grid.n));
  const Offset cell = std::min(static_cast<Offset>(place), s.grid.n - 1);
  return {cell, place - static_cast<double>(cell)};
}

double value_at(const Solution& s, double x) {
  const auto [cell, share] = place_of(s, x);
  return (1 - share) * s.at(cell) + share * s.at(cell + 1);
}

struct Statistics {
  double min, max, integral, measure, square;
};

/// Of the linear interpolant over one group of the interval: "left", "right" or "domain".
Statistics statistics(const Solution& s, const std::string& group) {
  if (group != "domain") {
    const double end = group == "left" ? s.at(0) : s.at(s.grid.n);
    return {end, end, end, 1, end * end};
  }
  const auto [low, high] = std::minmax_element(s.u.begin(), s.u.end());
  const double h = s.grid.h();
  const double integral = h * sum(s.grid.n, [&](Offset i) { return 0.5 * (s.at(i) + s.at(i + 1)); });
  const double square = h / 3 * sum(s.grid.n, [&](Offset i) {
                          const double a = s.at(i), b = s.at(i + 1);
                          return a * a + a * b + b * b;
                        });
  return {std::min(*low, 0.0), std::max(*high, 0.0), integral, s.grid.max - s.grid.min, square};
}

/// Each group once, however often the deck names it.
std::vector<std::string> groups_of(const QuantityParams& quantity) {
  if (quantity.on.empty()) return {"domain"};
  std::vector<std::string> groups = quantity.on;
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

double quantity_value(const QuantityParams& quantity, const Solution& s) {
  if (quantity.kind == "value") return value_at(s, quantity.at.front());
  const std::vector<std::string> groups = groups_of(quantity);
  if (quantity.kind == "flux") {
    double out = 0;
    for (const std::string& group : groups) out += group == "left" ? -s.flux(0) : s.flux(s.grid.n);
    return out;
  }
  Statistics all = statistics(s, groups.front());
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const Statistics more = statistics(s, groups[g]);
    all = {std::min(all.min, more.min), std::max(all.max, more.max), all.integral + more.integral,
           all.measure + more.measure, all.square + more.square};
  }
  if (quantity.kind == "min") return all.min;
  if (quantity.kind == "max") return all.max;
  if (quantity.kind == "integral") return all.integral;
  return quantity.kind == "average" ? all.integral / all.measure : std::sqrt(all.square);
}

}  // namespace

double Solution::flux(Offset i) const {
  const double h = grid.h();
  if (i == 0) return 0;
  if (i < grid.n) return (at(i - 1) - at(i + 1)) / (2 * h);
  return grid.n == 1 ? 2 * at(0) / h : (4 * at(i - 1) - at(i - 2)) / (2 * h);  // n = 1: the parabola with u'(a) = 0
}

bool report_errors(const ExactParams& exact, const Solution& s, const std::function<bool(Offset)>& go_on,
                   output::Summary& summary) {
  double difference2 = 0, exact2 = 0, max = 0, first2 = 0;
  const bool whole =
      evaluate_on_grid(exact.u.front(), s.grid, s.threads, go_on, [&](Offset first, const std::vector<double>& values) {
        double d2 = 0, e2 = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double d = s.u[first + static_cast<Offset>(i)] - values[i];
          d2 += d * d;
          e2 += values[i] * values[i];
          max = std::max(max, std::abs(d));
          if (first == 0 && i == 0) first2 = d * d;
        }
        difference2 += d2;
        exact2 += e2;
      });
  if (!whole) return false;
  const double l2 = std::sqrt(s.grid.h() * (difference2 - 0.5 * first2));
  if (exact2 > 0) summary.set("errors.u.relative", std::sqrt(difference2 / exact2));
  summary.set("errors.u.l2", l2);
  summary.set("errors.u.max", max);
  return true;
}

void report_quantities(const std::vector<QuantityParams>& quantities, const Solution& solution,
                       output::Summary& summary) {
  for (const QuantityParams& quantity : quantities) {
    const double value = quantity_value(quantity, solution);
    summary.set_in("quantities", quantity.name, value);
  }
}

Offset nodes_between_output(const Params& params) {
  Offset every = params.equation.output_every;
  if (every == 0)
    for (every = 1; params.grid.n / every > most_output_cells;) every *= 2;
  return std::min(every, params.grid.n);
}

void write_solution(const Params& params, const Solution& s, const std::filesystem::path& directory) {
  const Offset n = s.grid.n, every = nodes_between_output(params);
  std::vector<Offset> nodes;
  for (Offset i = 0; i < n; i += every) nodes.push_back(i);
  nodes.push_back(n);
  output::VtkData data;
  data.title = params.title;
  output::OutputCells cells{mesh::Shape::interval, 1, 2, {}};
  output::Field u{"u", 1, {}}, flux{"flux", 3, {}};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    data.points.insert(data.points.end(), {s.grid.x(nodes[k]), 0.0, 0.0});
    u.values.push_back(s.at(nodes[k]));
    flux.values.insert(flux.values.end(), {s.flux(nodes[k]), 0.0, 0.0});
    if (k > 0) cells.conn.insert(cells.conn.end(), {static_cast<Index>(k - 1), static_cast<Index>(k)});
  }
  data.blocks.push_back(std::move(cells));
  const auto& fields = params.output.fields;
  const auto asked = [&](const char* name) {
    return fields.empty() || std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  if (asked("u")) data.point_fields.push_back(std::move(u));
  if (asked("flux")) data.point_fields.push_back(std::move(flux));
  write_solution_files(params.output, data, directory);
  if (every > 1) log_info(fmt::format("the files hold every {}th node; errors and quantities are of all", every));
}

void write_lines(const Params& params, const Solution& s, const std::filesystem::path& directory) {
  for (const LineParams& line : params.lines)
    write_line(
        line, 1, fields(),
        [&](const std::array<double, 3>& x, double* out) {
          const auto [cell, share] = place_of(s, x[0]);
          if (line.has("u")) *out++ = value_at(s, x[0]);
          if (line.has("flux")) *out++ = (1 - share) * s.flux(cell) + share * s.flux(cell + 1);
        },
        directory);
}

}  // namespace tessera::physics::two_point_bvp
