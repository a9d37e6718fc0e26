#pragma once
// Scalar laws on boxes without a deck: the scheme and its steps alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "mesh/box.hpp"
#include "physics/advection/flux_program.hpp"
#include "physics/advection/scheme.hpp"
#include "physics/conservation/steps.hpp"
#include "support/backends.hpp"

namespace advection_test {

using namespace tessera;
using namespace tessera::physics::advection;
using physics::conservation::Limiter;
using physics::conservation::LimitParams;

using Point = std::array<double, 3>;
using OfPoint = std::function<double(const Point&)>;

/// A box of the unit interval, square or cube, of which all sides but those where the velocity leaves hold their first
/// values. The law is v u with the given velocity, and f(u) where `function` is not empty.
template <class Exec>
class Carried {
 public:
  using Space = typename Exec::Space;

  Carried(Exec& exec, const std::string& shape, int dim, int cells, std::array<OfPoint, 3> velocity,
          const std::vector<deck::Expression>& function, OfPoint start, const LimitParams& params, bool closed = false,
          const std::string& scheme = "ssp_rk3")
      : exec_(exec), mesh_(make_mesh(shape, dim, cells)), dofs_(assembly::make_dof_map(mesh_, 1)) {
    auto made = make_scheme(exec, mesh_, dofs_, !function.empty(), params, dofs_.dofs);
    scheme_ = std::move(made.scheme);
    points_.resize(static_cast<std::size_t>(dofs_.dofs));
    for (Index node = 0; node < mesh_.nodes(); ++node)
      for (std::size_t d = 0; d < 3; ++d)
        points_[static_cast<std::size_t>(dofs_.vertex_dofs[static_cast<std::size_t>(node)])][d] = mesh_.point(node)[d];
    std::vector<double> u, v;
    for (const Point& x : points_) u.push_back(start(x));
    for (int d = 0; d < dim; ++d)
      for (const Point& x : points_)
        v.push_back(velocity[static_cast<std::size_t>(d)] ? velocity[static_cast<std::size_t>(d)](x) : 0);
    velocity_ = to_space<Space>(v);
    LawView law;
    law.velocity = velocity_.data();
    law.range = range_.data();
    if (!function.empty()) {
      FluxParams flux;
      flux.function = function;
      const FluxPrograms programs = programs_of(flux);
      const auto view = [&](const deck::expressions::NodeProgram& program, std::size_t which) {
        steps_of_[which] = to_space<Space>(program.steps);
        numbers_of_[which] = to_space<Space>(program.numbers);
        return deck::expressions::NodeProgramView{steps_of_[which].data(), numbers_of_[which].data(),
                                                  static_cast<std::int32_t>(program.steps.size())};
      };
      law.flux = view(programs.flux, 0);
      law.slopes = view(programs.slopes, 1);
    }
    made.set_law(law);
    std::vector<Index> held;
    std::vector<double> values;
    for (std::size_t i = 0; !closed && i < points_.size(); ++i)
      for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d)
        if (std::abs(points_[i][d] - 0.5) > 0.5 - 1e-12 && (held.empty() || held.back() != static_cast<Index>(i))) {
          held.push_back(static_cast<Index>(i));
          values.push_back(u[i]);
        }
    held_ = to_space<Space>(held);
    values_ = to_space<Space>(values);
    steps_ = std::make_unique<physics::conservation::SchemeSteps<Exec>>(
        exec, *scheme_, physics::conservation::stages_of(scheme),
        [this](double, View<double> x) { prescribe(exec_, held_.view(), values_.view(), x); }, nullptr,
        [this](double, View<const double> x) { find_range(exec_, x, scratch_.view(), range_.view()); });
    copy_bytes(Host{}, u.data(), Space{}, steps_->state().data(), u.size() * sizeof(double));
    scheme_->set_prescribed({{held_.view(), values_.view()}});
    scheme_->set_measure(1);
    EXPECT_TRUE(steps_->begin());
  }

  void run(double end, double cfl, int most = 1 << 30) {
    double t = 0;
    for (int step = 0; t < end && step < most; ++step) {
      const auto done = steps_->step(t, cfl, end - t);
      ASSERT_GT(done.dt, 0);
      t = done.dt >= end - t ? end : t + done.dt;
    }
  }
  std::vector<double> u() {
    std::vector<double> result(points_.size());
    copy_bytes(Space{}, steps_->state().data(), Host{}, result.data(), result.size() * sizeof(double));
    return result;
  }
  std::vector<double> masses() const {
    std::vector<double> m(points_.size());
    copy_bytes(Space{}, scheme_->lumped_mass().data(), Host{}, m.data(), m.size() * sizeof(double));
    return m;
  }
  double total() {
    double sum = 0;
    const std::vector<double> m = masses(), now = u();
    for (std::size_t i = 0; i < m.size(); ++i) sum += m[i] * now[i];
    return sum;
  }
  double l1(const OfPoint& exact) {
    double sum = 0;
    const std::vector<double> m = masses(), now = u();
    for (std::size_t i = 0; i < m.size(); ++i) sum += m[i] * std::abs(now[i] - exact(points_[i]));
    return sum;
  }

 private:
  static mesh::Mesh make_mesh(const std::string& shape, int dim, int cells) {
    const auto axes = static_cast<std::size_t>(dim);
    mesh::BoxParams params;
    params.shape = shape;
    params.cells = std::vector<int>(axes, cells);
    params.min = std::vector<double>(axes, 0.0);
    params.max = std::vector<double>(axes, 1.0);
    return mesh::make_box(params, 1);
  }

  Exec& exec_;
  mesh::Mesh mesh_;
  assembly::DofMap dofs_;
  std::unique_ptr<physics::conservation::Scheme<Exec>> scheme_;
  std::unique_ptr<physics::conservation::SchemeSteps<Exec>> steps_;
  std::vector<Point> points_;
  Array<double, Space> velocity_, numbers_of_[2], values_, range_{2}, scratch_{range_scratch};
  Array<deck::expressions::Step, Space> steps_of_[2];
  Array<Index, Space> held_;
};

/// Around the middle of the unit square in the time 1.
inline std::array<OfPoint, 3> rotation() {
  const double omega = 2 * std::acos(-1.0);
  return {
      [=](const Point& x) { return omega * (0.5 - x[1]); }, [=](const Point& x) { return omega * (x[0] - 0.5); }, {}};
}
/// Zalesak's slotted disk, a cone and a hump.
inline double three_bodies(const Point& x) {
  const auto distance = [&](double a, double b) { return std::hypot(x[0] - a, x[1] - b) / 0.15; };
  if (distance(0.5, 0.75) <= 1) return std::abs(x[0] - 0.5) >= 0.025 || x[1] >= 0.85 ? 1 : 0;
  if (distance(0.5, 0.25) <= 1) return 1 - distance(0.5, 0.25);
  if (distance(0.25, 0.5) <= 1) return 0.25 * (1 + std::cos(std::acos(-1.0) * distance(0.25, 0.5)));
  return 0;
}

}  // namespace advection_test
