#include "physics/wave/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/collective.hpp"
#include "base/log.hpp"
#include "mesh/make_mesh.hpp"
#include "mesh/plane_facets.hpp"
#include "physics/entry.hpp"
#include "physics/groups.hpp"
#include "physics/wave/plane_wave.hpp"
#include "physics/wave/sides.hpp"

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

/// A side with its layer. Coordinates are those along its outward normal, sign * x.
struct Side {
  const BoundaryParams* entry;
  int axis;
  double sign;
  double outer = 0, inner = 0;
  double damping = 0, relaxation = 0;  ///< at the outside, and where the layer begins

  double at(const double* point) const { return sign * point[axis]; }
  double depth(const double* point, double tolerance) const {
    const double x = at(point);
    return x <= inner + tolerance ? 0 : std::min(1.0, (x - inner) / (outer - inner));
  }
  std::string plane(double coordinate) const { return mesh::describe_plane(axis, sign, coordinate); }
};

class Maker {
 public:
  explicit Maker(const Problem& problem) : problem_(problem), mesh_(problem.space.mesh), dim_(mesh_.dim) {
    double size = 0;
    for (int a = 0; a < dim_; ++a) {
      double least = std::numeric_limits<double>::infinity(), most = -least;
      for (Index node = 0; node < mesh_.nodes(); ++node) {
        least = std::min(least, mesh_.point(node)[a]);
        most = std::max(most, mesh_.point(node)[a]);
      }
      size = std::max(size, greatest(most) + greatest(-least));
    }
    tolerance_ = 1e-9 * size;
  }

  void find_sides() {
    for (const BoundaryParams& entry : problem_.params.boundaries)
      if (entry.is_pml()) add_sides(entry);
    for (Side& side : sides_) find_inner(side);
  }
  void check() {
    find_sides();
    refuse_nothing_left();
    refuse_what_crosses();
    refuse_sources();
    refuse_plane_waves();
    refuse_absorbing();
  }

  /// P and SV waves of a plate between two free sides that go on into a layer grow there.
  void warn_of_plates() const {
    if (problem_.params.medium != Medium::elastic || multiaxial() > 0) return;
    const std::vector<char> free = free_facets();
    for (const Side& side : sides_) {
      std::array<bool, 6> ends{};
      for (Index facet = 0; facet < mesh_.facets.size(); ++facet) {
        if (!free[static_cast<std::size_t>(facet)]) continue;
        const auto [axis, sign] = main_direction(facet);
        if (axis != side.axis && lies_in(side, mesh_.facets.cell[facet]))
          ends[2 * static_cast<std::size_t>(axis) + (sign > 0 ? 1 : 0)] = true;
      }
      for (int axis = 0; axis < dim_; ++axis) {
        const auto first = 2 * static_cast<std::size_t>(axis);
        if (!ends[first] || !ends[first + 1]) continue;
        warn(fmt::format(
            "the layer of type = \"pml\" at {} ends at free sides below and above along {}: waves of such a plate "
            "may grow in it without bound; give it multiaxial = 0.1, or one of those sides a layer as well",
            side.plane(side.outer), "xyz"[axis]));
      }
    }
  }

  Layers make() {
    check();
    Layers layers;
    take_cells(layers);
    for (Side& side : sides_) take_damping(side, layers);
    take_profile(layers);
    return layers;
  }

 private:
  double greatest(double mine) const { return problem_.space.ranks ? maximum(*problem_.space.ranks, mine) : mine; }
  bool anywhere(bool mine) const { return problem_.space.ranks ? any(*problem_.space.ranks, mine) : mine; }
  [[noreturn]] void refuse(const BoundaryParams& entry, const std::string& what, const std::string& help) const {
    throw Error(ExitCode::usage,
                fmt::format("the layer of type = \"pml\" on '{}': {}", fmt::join(entry.on, "', '"), what), help,
                entry.where);
  }

  /// Calls visit(cell, nodes, count) for the cells of the mesh.
  template <class Visit>
  void each_cell(Visit visit) const {
    for (const mesh::CellBlock& block : mesh_.blocks)
      for (Index c = 0; c < block.cells(); ++c) visit(block.first_cell + c, block.cell(c), block.nodes_per_cell);
  }
  /// The least and the greatest coordinate of a cell along the normal of a side.
  std::pair<double, double> extent(const Side& side, const Index* nodes, int count) const {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int i = 0; i < count; ++i) {
      least = std::min(least, side.at(mesh_.point(nodes[i])));
      most = std::max(most, side.at(mesh_.point(nodes[i])));
    }
    return {least, most};
  }

  /// The axis to which the outward normal of a facet is closest, and its sign.
  std::pair<int, double> main_direction(Index facet) const {
    const mesh::CellBlock& block = mesh_.block_of(mesh_.facets.cell[facet]);
    const Index* const cell = block.cell(mesh_.facets.cell[facet] - block.first_cell);
    const auto nodes = mesh::facet_nodes(block.shape, mesh_.facets.side[facet], block.order);
    std::array<double, 3> outward{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim_); ++a) {
      for (const std::int8_t node : nodes) outward[a] += mesh_.point(cell[node])[a] / static_cast<double>(nodes.size());
      for (int i = 0; i < block.nodes_per_cell; ++i) outward[a] -= mesh_.point(cell[i])[a] / block.nodes_per_cell;
    }
    const auto longest =
        std::max_element(outward.begin(), outward.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    return {static_cast<int>(longest - outward.begin()), *longest > 0 ? 1.0 : -1.0};
  }
  bool lies_in(const Side& side, Index cell) const {
    const mesh::CellBlock& block = mesh_.block_of(cell);
    return extent(side, block.cell(cell - block.first_cell), block.nodes_per_cell).second > side.inner + tolerance_;
  }
  /// [facets] 1: outside, where no entry says anything but that it is free.
  std::vector<char> free_facets() const {
    const auto facets = static_cast<std::size_t>(mesh_.facets.size());
    std::vector<char> free(facets);
    for (std::size_t facet = 0; facet < facets; ++facet) free[facet] = mesh_.facets.exterior[facet] ? 1 : 0;
    for (const BoundaryParams& entry : problem_.params.boundaries) {
      if (entry.type == "free") continue;
      const mesh::Group group = sides_of(mesh_, entry);
      if (group.dim != dim_ - 1) continue;
      for (const Index facet : group.entities) free[static_cast<std::size_t>(facet)] = 0;
    }
    return free;
  }

  void add_sides(const BoundaryParams& entry) {
    const mesh::Group group = sides_of(mesh_, entry);
    constexpr double none = -std::numeric_limits<double>::infinity();
    std::array<double, 6> least, most;
    least.fill(none), most.fill(none);
    bool inside = false, slanted = false;
    for (const Index facet : group.entities) {
      inside = inside || !mesh_.facets.exterior[static_cast<std::size_t>(facet)];
      const std::optional<mesh::OuterPlane> plane = mesh::plane_of_facet(mesh_, facet, tolerance_);
      slanted = slanted || !plane;
      if (!plane) continue;
      const std::size_t number = 2 * static_cast<std::size_t>(plane->axis) + (plane->sign > 0 ? 1 : 0);
      most[number] = std::max(most[number], plane->coordinate);
      least[number] = std::max(least[number], -plane->coordinate);
    }
    if (anywhere(inside))
      refuse(entry, "the side has facets inside the mesh",
             "a layer lies at the outside: name a side of the mesh, or choose another type for this one");
    if (anywhere(slanted))
      refuse(entry, "the side is curved or slanted",
             "layers lie at plane sides across an axis of coordinates; elsewhere choose type = \"absorbing\"");
    for (int number = 0; number < 2 * dim_; ++number) {
      const auto at = static_cast<std::size_t>(number);
      const double outer = greatest(most[at]), other = -greatest(least[at]);
      if (!std::isfinite(outer)) continue;
      Side side{.entry = &entry, .axis = number / 2, .sign = number % 2 == 1 ? 1.0 : -1.0, .outer = outer};
      if (outer - other > tolerance_)
        refuse(entry, fmt::format("the side lies in several planes, {} and {}", side.plane(outer), side.plane(other)),
               "a layer lies at one plane: name that which is outermost");
      for (const Side& before : sides_)
        if (before.axis == side.axis && before.sign == side.sign)
          refuse(entry, fmt::format("{} has one already", side.plane(outer)), "one entry a side: take one of them out");
      sides_.push_back(side);
    }
  }

  void find_inner(Side& side) const {
    double beyond = -std::numeric_limits<double>::infinity();
    each_cell(
        [&](Index, const Index* nodes, int count) { beyond = std::max(beyond, extent(side, nodes, count).second); });
    if (greatest(beyond) > side.outer + tolerance_)
      refuse(*side.entry, fmt::format("cells lie behind {}", side.plane(side.outer)),
             "a layer lies at the outermost plane of the mesh; elsewhere choose type = \"absorbing\"");
    if (side.entry->thickness && !side.entry->grow) {
      if (*side.entry->thickness <= tolerance_)
        refuse(*side.entry, fmt::format("thickness = {:g} is nothing beside the mesh", *side.entry->thickness),
               "give the thickness of one or more of the outermost elements, or layers = 3");
      side.inner = side.outer - *side.entry->thickness;
      return;
    }
    side.inner = side.outer;
    for (int layer = 0; layer < side.entry->layers.value_or(default_layers); ++layer) side.inner = next_plane(side);
  }

  /// Where the cells end that begin at side.inner, inwards; -infinity where there are none.
  double next_plane(const Side& side) const {
    double shortest = -std::numeric_limits<double>::infinity(), longest = shortest;
    each_cell([&](Index, const Index* nodes, int count) {
      const auto [least, most] = extent(side, nodes, count);
      if (std::abs(most - side.inner) > tolerance_) return;
      shortest = std::max(shortest, least);
      longest = std::max(longest, -least);
    });
    shortest = greatest(shortest);
    longest = greatest(longest);
    if (std::isfinite(shortest) && shortest + longest > tolerance_)
      refuse(*side.entry,
             fmt::format("the cells at {} end at {} and at {}", side.plane(side.inner), side.plane(shortest),
                         side.plane(-longest)),
             "layers of elements have equal thickness along the side: extrude them, or give the layer's thickness");
    return shortest;
  }

  void refuse_nothing_left() const {
    for (const Side& side : sides_) {
      double first = -std::numeric_limits<double>::infinity();
      each_cell(
          [&](Index, const Index* nodes, int count) { first = std::max(first, -extent(side, nodes, count).first); });
      bool left = std::isfinite(side.inner) && side.inner > -greatest(first) + tolerance_;
      for (const Side& other : sides_)
        if (other.axis == side.axis && other.sign != side.sign) left = left && side.inner + other.inner > tolerance_;
      if (!left)
        refuse(*side.entry, fmt::format("nothing is left between it and the other side along {}", "xyz"[side.axis]),
               "make the mesh larger, or the layer thinner: layers = 3, or thickness, take the outermost elements");
    }
  }

  void refuse_what_crosses() const {
    for (const Side& side : sides_) {
      bool crosses = false;
      each_cell([&](Index, const Index* nodes, int count) {
        const auto [least, most] = extent(side, nodes, count);
        crosses = crosses || (least < side.inner - tolerance_ && most > side.inner + tolerance_);
      });
      if (anywhere(crosses))
        refuse(*side.entry, fmt::format("cells cross {}, where it would begin", side.plane(side.inner)),
               "mesh the layer with faces there, or choose another thickness");
    }
  }

  void refuse_sources() const {
    for (std::size_t s = 0; s < problem_.params.point_sources.size(); ++s) {
      const PointSourceParams& source = problem_.params.point_sources[s];
      const std::array<double, 3> at = source.point();
      for (const Side& side : sides_)
        if (side.depth(at.data(), tolerance_) > 0)
          throw Error(ExitCode::usage,
                      fmt::format("{}: it acts in the perfectly matched layer on '{}', which begins at {}",
                                  entry("source", s, {}), fmt::join(side.entry->on, "', '"), side.plane(side.inner)),
                      "waves begin inside: move the source, or make the mesh larger", source.where);
    }
  }

  void refuse_plane_waves() const {
    for (const Side& side : sides_) {
      std::vector<char> within(static_cast<std::size_t>(problem_.space.dofs.dofs));
      for (std::size_t dof = 0; dof < within.size(); ++dof)
        within[dof] = side.depth(&problem_.space.dof_points[3 * dof], tolerance_) > 0 ? 1 : 0;
      refuse_plane_waves_in(problem_, within,
                            fmt::format("the perfectly matched layer on '{}', which begins at {}",
                                        fmt::join(side.entry->on, "', '"), side.plane(side.inner)));
    }
  }

  void refuse_absorbing() const {
    for (const Side& side : sides_) {
      bool within = false;
      for (const auto& [cell, facet] : problem_.absorbing) {
        const mesh::CellBlock& block = mesh_.block_of(cell);
        for (const std::int8_t node : mesh::facet_nodes(block.shape, facet, block.order))
          within = within || side.depth(mesh_.point(block.cell(cell - block.first_cell)[node]), tolerance_) > 0;
      }
      if (anywhere(within))
        refuse(*side.entry, "an absorbing side reaches into it",
               "give that side a layer as well, type = \"pml\", or leave it free or fixed");
    }
  }

  void take_cells(Layers& layers) const {
    const std::vector<double> frequencies =
        assembly::spectral::highest_frequencies(mesh_, problem_.cells, problem_.media.fast);
    layers.axes.assign(static_cast<std::size_t>(mesh_.cells()), 0);
    layers.lag.assign(layers.axes.size(), 0.0);
    each_cell([&](Index number, const Index* nodes, int count) {
      const auto cell = static_cast<std::size_t>(number);
      double deepest = 0;
      for (const Side& side : sides_) {
        const auto [least, most] = extent(side, nodes, count);
        if (most <= side.inner + tolerance_) continue;
        layers.axes[cell] |= static_cast<unsigned char>(1U << side.axis);
        deepest = std::max(deepest, ((least + most) / 2 - side.inner) / (side.outer - side.inner));
      }
      layers.lag[cell] = viscosity_outside * deepest / frequencies[cell];
    });
    const auto all = static_cast<unsigned char>((1U << dim_) - 1);
    if (multiaxial() > 0)
      for (unsigned char& axes : layers.axes)
        if (axes != 0) axes = all;
  }
  double multiaxial() const {
    double most = 0;
    for (const Side& side : sides_) most = std::max(most, side.entry->multiaxial.value_or(0));
    return most;
  }

  /// d = d_0 depth^2 with exp(-2 int d / c) the reflection of waves along the normal that go to the end and back.
  void take_damping(Side& side, const Layers& layers) const {
    double speed = 0;
    each_cell([&](Index cell, const Index* nodes, int count) {
      if (layers.axes[static_cast<std::size_t>(cell)] == 0 ||
          extent(side, nodes, count).second <= side.inner + tolerance_)
        return;
      for (int q = 0; q < problem_.cells.places; ++q)
        speed = std::max(speed, problem_.media.fast.at(problem_.cells, cell, q));
    });
    speed = greatest(speed);
    const double thickness = side.outer - side.inner;
    side.damping = (profile_power + 1) * speed * std::log(1 / side.entry->reflection.value_or(default_reflection)) /
                   (2 * thickness);
    side.relaxation = relaxation_in_passages * speed / thickness;
  }

  void take_profile(Layers& layers) const {
    const auto dofs = static_cast<std::size_t>(problem_.space.dofs.dofs), dim = static_cast<std::size_t>(dim_);
    layers.damping.assign(dofs * dim, 0.0);
    layers.relaxation.assign(dofs * dim, 0.0);
    for (std::size_t dof = 0; dof < dofs; ++dof) {
      const double* const point = &problem_.space.dof_points[3 * dof];
      double* const damping = &layers.damping[dof * dim];
      double* const alpha = &layers.relaxation[dof * dim];
      std::array<double, 3> other{};
      double slowest = std::numeric_limits<double>::infinity();
      for (const Side& side : sides_) {
        const double depth = side.depth(point, tolerance_);
        if (depth <= 0) continue;
        const auto axis = static_cast<std::size_t>(side.axis);
        damping[axis] = side.damping * std::pow(depth, profile_power);
        alpha[axis] = side.relaxation * (1 - depth);
        slowest = std::min(slowest, alpha[axis]);
        for (std::size_t a = 0; a < dim; ++a)
          if (a != axis) other[a] += side.entry->multiaxial.value_or(0) * damping[axis];
      }
      if (multiaxial() <= 0 || !std::isfinite(slowest)) continue;
      for (std::size_t a = 0; a < dim; ++a) damping[a] += other[a], alpha[a] = slowest;
    }
  }

  const Problem& problem_;
  const mesh::Mesh& mesh_;
  int dim_;
  double tolerance_ = 0;
  std::vector<Side> sides_;
};

/// Whether the mesh has the sides of the deck's box, but not its cells.
bool is_outline(const Problem& problem) {
  const auto& box = problem.params.mesh.box;
  if (!box || problem.space.mesh.box_cells[0] == 0) return false;
  const mesh::BoxParams whole = mesh::refined(*box, problem.params.mesh.refine);
  return !std::equal(whole.cells.begin(), whole.cells.end(), problem.space.mesh.box_cells.begin());
}

}  // namespace

Layers make_layers(const Problem& problem) { return Maker(problem).make(); }

void check_layers(const Problem& problem) {
  Maker maker(problem);
  if (is_outline(problem))
    maker.find_sides();
  else
    maker.check();
  maker.warn_of_plates();
}

}  // namespace tessera::physics::wave
