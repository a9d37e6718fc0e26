#include "physics/wave/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/collective.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/wave/layer_sides.hpp"

namespace tessera::physics::wave {

namespace {

using assembly::spectral::Layers;

/// The profile of a layer: d grows as the square of the depth, alpha falls to 0 from what a wave makes of the
/// thickness. N. Roden & S. D. Gedney, Microw. Opt. Technol. Lett. 27 (2000) 334-339; F. Collino & C. Tsogka,
/// Geophysics 66 (2001) 294-307.
constexpr double profile_power = 2, relaxation_in_passages = 0.5;
/// Of the viscosity at the outside, in periods of the fastest mode of a cell over 2 pi. Short waves that the mesh does
/// not resolve travel against their phase; layers would let them grow, which this outweighs.
constexpr double viscosity_outside = 0.04;

void take_cells(const LayerSides& of, const Problem& medium, Layers& layers) {
  const std::vector<double> frequencies =
      assembly::spectral::highest_frequencies(medium.mesh(), medium.cells, medium.media.fast);
  layers.axes.assign(static_cast<std::size_t>(medium.cells.cells), 0);
  layers.lag.assign(layers.axes.size(), 0.0);
  of.each_cell([&](Index number, const Index* nodes, int count) {
    if (medium.own(number) < 0) return;
    const auto cell = static_cast<std::size_t>(medium.own(number));
    double deepest = 0;
    for (const LayerSide& side : of.sides()) {
      const auto [least, most] = of.extent(side, nodes, count);
      if (most <= side.inner + of.tolerance()) continue;
      layers.axes[cell] |= static_cast<unsigned char>(1U << side.axis);
      deepest = std::max(deepest, ((least + most) / 2 - side.inner) / (side.outer - side.inner));
    }
    layers.lag[cell] = viscosity_outside * deepest / frequencies[cell];
  });
  const auto all = static_cast<unsigned char>((1U << medium.cells.dim) - 1);
  if (of.multiaxial() > 0)
    for (unsigned char& axes : layers.axes)
      if (axes != 0) axes = all;
}

/// Of a side: d at the outside, and alpha where the layer begins. d = d_0 depth^2 with exp(-2 int d / c) the reflection
/// of waves along the normal that go to the end and back.
struct Profile {
  double damping, relaxation;
};
Profile profile_of(const LayerSides& of, const LayerSide& side) {
  double speed = 0;
  of.each_cell([&](Index cell, const Index* nodes, int count) {
    if (of.extent(side, nodes, count).second <= side.inner + of.tolerance()) return;
    for (const Problem* const medium : of.media())
      for (int q = 0; medium->own(cell) >= 0 && q < medium->cells.places; ++q)
        speed = std::max(speed, medium->media.fast.at(medium->cells, medium->own(cell), q));
  });
  speed = of.greatest(speed);
  const double thickness = side.outer - side.inner;
  return {
      (profile_power + 1) * speed * std::log(1 / side.entry->reflection.value_or(default_reflection)) / (2 * thickness),
      relaxation_in_passages * speed / thickness};
}

void take_profile(const LayerSides& of, const Problem& medium, const std::vector<Profile>& profiles, Layers& layers) {
  const auto dofs = static_cast<std::size_t>(medium.space.dofs.dofs), dim = static_cast<std::size_t>(medium.cells.dim);
  layers.damping.assign(dofs * dim, 0.0);
  layers.relaxation.assign(dofs * dim, 0.0);
  for (std::size_t dof = 0; dof < dofs; ++dof) {
    const double* const point = &medium.space.dof_points[3 * dof];
    double* const damping = &layers.damping[dof * dim];
    double* const alpha = &layers.relaxation[dof * dim];
    std::array<double, 3> other{};
    double slowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      const LayerSide& side = of.sides()[i];
      const double depth = side.depth(point, of.tolerance());
      if (depth <= 0) continue;
      const auto axis = static_cast<std::size_t>(side.axis);
      damping[axis] = profiles[i].damping * std::pow(depth, profile_power);
      alpha[axis] = profiles[i].relaxation * (1 - depth);
      slowest = std::min(slowest, alpha[axis]);
      for (std::size_t a = 0; a < dim; ++a)
        if (a != axis) other[a] += side.entry->multiaxial.value_or(0) * damping[axis];
    }
    if (of.multiaxial() <= 0 || !std::isfinite(slowest)) continue;
    for (std::size_t a = 0; a < dim; ++a) damping[a] += other[a], alpha[a] = slowest;
  }
}

/// Of each medium, of its own cells.
std::vector<Layers> make(LayerSides& sides) {
  sides.check();
  std::vector<Profile> profiles;
  for (const LayerSide& side : sides.sides()) profiles.push_back(profile_of(sides, side));
  std::vector<Layers> result;
  for (const Problem* const medium : sides.media()) {
    Layers& layers = result.emplace_back();
    take_cells(sides, *medium, layers);
    take_profile(sides, *medium, profiles, layers);
  }
  return result;
}

/// What is prescribed has no memory: S u of it is not known.
void refuse_prescribed(const CoupledProblem& problem, const Layers& layers) {
  const Problem& solid = problem.solid;
  bool within = false;
  for (std::size_t i = 0; i < solid.prescribed.rows.size(); ++i) {
    const Index dof = solid.dof_of(solid.prescribed.rows[i]);
    const deck::Expression& value = solid.prescribed.expressions[solid.prescribed.values[i]];
    within = within || (!(value.is_constant() && value.constant() == 0) && layers.has(dof, solid.cells.dim) &&
                        std::binary_search(problem.interface.dofs.begin(), problem.interface.dofs.end(), dof));
  }
  if (!(problem.space.ranks ? any(*problem.space.ranks, within) : within)) return;
  const auto entry = std::find_if(problem.params.boundaries.begin(), problem.params.boundaries.end(),
                                  [](const BoundaryParams& b) { return b.type == "prescribed"; });
  throw Error(ExitCode::usage,
              fmt::format("displacements are prescribed on '{}' where fluids and solids meet in a layer of type = "
                          "\"pml\"",
                          fmt::join(entry->on, "', '")),
              "prescribe them on sides that begin inside, or let that side be free or fixed", entry->where);
}

}  // namespace

bool is_outline(const Params& params, const mesh::Mesh& mesh) {
  const auto& box = params.mesh.box;
  if (!box || mesh.box_cells[0] == 0) return false;
  const mesh::BoxParams whole = mesh::refined(*box, params.mesh.refine);
  return !std::equal(whole.cells.begin(), whole.cells.end(), mesh.box_cells.begin());
}

Layers make_layers(const Problem& problem) {
  LayerSides sides({&problem});
  return make(sides).front();
}

std::array<Layers, 2> make_layers(const CoupledProblem& problem) {
  LayerSides sides({&problem.fluid, &problem.solid});
  std::vector<Layers> layers = make(sides);
  sides.check_interface(problem.interface, layers.back());
  refuse_prescribed(problem, layers.back());
  for (Layers& of : layers) of.pushed = true;
  return {std::move(layers.front()), std::move(layers.back())};
}

void check_layers(const Problem& problem) {
  LayerSides sides({&problem});
  if (is_outline(problem.params, problem.space.mesh))
    sides.find();
  else
    sides.check();
  sides.warn_of_jumps();
  sides.warn_of_plates();
  sides.warn_of_backward_waves();
}

void check_layers(const CoupledProblem& problem) {
  LayerSides sides({&problem.fluid, &problem.solid});
  sides.find();
  if (!is_outline(problem.solid.params, problem.space.mesh)) make_layers(problem);
  sides.warn_of_jumps();
  sides.warn_of_plates();
  sides.warn_of_backward_waves();
}

}  // namespace tessera::physics::wave
