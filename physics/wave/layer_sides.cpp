#include "physics/wave/layer_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/collective.hpp"
#include "base/log.hpp"
#include "physics/entry.hpp"
#include "physics/groups.hpp"
#include "physics/wave/plane_wave.hpp"
#include "physics/wave/sides.hpp"

namespace tessera::physics::wave {

using assembly::spectral::Layers;

LayerSides::LayerSides(std::vector<const Problem*> media)
    : media_(std::move(media)), problem_(*media_.back()), mesh_(problem_.space.mesh), dim_(mesh_.dim) {
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

void LayerSides::find() {
  for (const BoundaryParams& entry : problem_.params.boundaries)
    if (entry.is_pml()) add_sides(entry);
  for (LayerSide& side : sides_) find_inner(side);
}

void LayerSides::check() {
  find();
  refuse_nothing_left();
  refuse_what_crosses();
  refuse_sources();
  refuse_plane_waves();
  refuse_absorbing();
}

namespace {

struct NumberRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double x) { least = std::min(least, x), most = std::max(most, x); }
  bool is(const NumberRange& other) const {
    constexpr double equal = 1e-6;
    const double size = std::max(std::abs(least), std::abs(most));
    return std::abs(least - other.least) <= equal * size && std::abs(most - other.most) <= equal * size;
  }
};

/// What materials of one medium differ by: speed, mass, and a sum of the components of the stiffness with weights of
/// their own, so that those of a law that is turned have another.
struct MaterialRanges {
  NumberRange speed, mass, stiffness;

  void add(const Problem& medium, Index cell, int q) {
    const Media& media = medium.media;
    speed.add(media.fast.at(medium.cells, cell, q));
    mass.add(media.mass.at(medium.cells, cell, q));
    double sum = 0;
    for (int c = 0; c < media.stiffness.components; ++c)
      sum += (1 + 0.1 * c) * media.stiffness.at(medium.cells, cell, q, c);
    stiffness.add(sum);
  }
  bool has_any() const { return speed.least <= speed.most; }
  bool are(const MaterialRanges& other) const {
    return speed.is(other.speed) && mass.is(other.mass) && stiffness.is(other.stiffness);
  }
};

}  // namespace

void LayerSides::warn_of_jumps() const {
  for (const LayerSide& side : sides_)
    for (const Problem* const medium : media_) {
      // Of each node between elements that lie behind each other the materials of those before and of those behind it:
      // an interface along the normal has both of its media on either side.
      std::map<Index, std::array<MaterialRanges, 2>> materials;
      each_cell([&](Index number, const Index* nodes, int count) {
        const Index cell = medium->own(number);
        const auto [least, most] = extent(side, nodes, count);
        if (cell < 0 || most <= side.inner + tolerance_) return;
        for (int q = 0; q < medium->cells.places; ++q) {
          const Index dof = medium->cells.cell(cell)[q];
          const double x = side.at(&problem_.space.dof_points[3 * static_cast<std::size_t>(dof)]);
          if (x <= side.inner + tolerance_ || (x > least + tolerance_ && x < most - tolerance_)) continue;
          materials[dof][x >= most - tolerance_ ? 0 : 1].add(*medium, cell, q);
        }
      });
      for (const auto& [dof, of] : materials) {
        if (!of[0].has_any() || !of[1].has_any() || of[0].are(of[1])) continue;
        const double* const x = &problem_.space.dof_points[3 * static_cast<std::size_t>(dof)];
        const std::string how =
            of[0].speed.is(of[1].speed)
                ? std::string("the speed stays, the density or a modulus does not")
                : fmt::format("the speed before it is {:.4g} and behind it {:.4g}", of[0].speed.most, of[1].speed.most);
        warn(
            fmt::format("the layer of type = \"pml\" at {}: the material jumps in it at ({:g}, {:g}, {:g}), where {}: "
                        "what is reflected there comes back; let materials end before the layer, or let it grow: grow "
                        "= true",
                        side.plane(side.outer), x[0], x[1], x[2], how));
        break;
      }
    }
}

void LayerSides::warn_of_plates() const {
  if (problem_.medium != Medium::elastic || problem_.cells.cells == 0 || multiaxial() > 0) return;
  const std::vector<char> free = free_facets();
  for (const LayerSide& side : sides_) {
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
          "may grow in it without bound; give {}one of those sides a layer as well",
          side.plane(side.outer), "xyz"[axis], media_.size() > 1 ? "" : "it multiaxial = 0.1, or "));
    }
  }
}

double LayerSides::greatest(double mine) const {
  return problem_.space.ranks ? maximum(*problem_.space.ranks, mine) : mine;
}
bool LayerSides::anywhere(bool mine) const { return problem_.space.ranks ? any(*problem_.space.ranks, mine) : mine; }
void LayerSides::refuse(const BoundaryParams& entry, const std::string& what, const std::string& help) const {
  throw Error(ExitCode::usage,
              fmt::format("the layer of type = \"pml\" on '{}': {}", fmt::join(entry.on, "', '"), what), help,
              entry.where);
}

std::pair<double, double> LayerSides::extent(const LayerSide& side, const Index* nodes, int count) const {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int i = 0; i < count; ++i) {
    least = std::min(least, side.at(mesh_.point(nodes[i])));
    most = std::max(most, side.at(mesh_.point(nodes[i])));
  }
  return {least, most};
}

std::pair<int, double> LayerSides::main_direction(Index facet) const {
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

bool LayerSides::lies_in(const LayerSide& side, Index cell) const {
  const mesh::CellBlock& block = mesh_.block_of(cell);
  return extent(side, block.cell(cell - block.first_cell), block.nodes_per_cell).second > side.inner + tolerance_;
}

std::vector<char> LayerSides::free_facets() const {
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

void LayerSides::add_sides(const BoundaryParams& entry) {
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
    LayerSide side{.entry = &entry, .axis = number / 2, .sign = number % 2 == 1 ? 1.0 : -1.0, .outer = outer};
    if (outer - other > tolerance_)
      refuse(entry, fmt::format("the side lies in several planes, {} and {}", side.plane(outer), side.plane(other)),
             "a layer lies at one plane: name that which is outermost");
    for (const LayerSide& before : sides_)
      if (before.axis == side.axis && before.sign == side.sign)
        refuse(entry, fmt::format("{} has one already", side.plane(outer)), "one entry a side: take one of them out");
    refuse_part(side, group);
    sides_.push_back(side);
  }
}

void LayerSides::refuse_part(const LayerSide& side, const mesh::Group& group) const {
  std::vector<Index> named = group.entities;
  std::sort(named.begin(), named.end());
  std::optional<Index> other;
  for (Index facet = 0; facet < mesh_.facets.size() && !other; ++facet) {
    if (!mesh_.facets.exterior[static_cast<std::size_t>(facet)]) continue;
    if (std::binary_search(named.begin(), named.end(), facet)) continue;
    const std::optional<mesh::OuterPlane> plane = mesh::plane_of_facet(mesh_, facet, tolerance_);
    if (plane && plane->axis == side.axis && (plane->sign > 0) == (side.sign > 0) &&
        std::abs(plane->coordinate - side.outer) <= tolerance_)
      other = facet;
  }
  if (!anywhere(other.has_value())) return;
  std::string place;
  if (other) {
    const mesh::CellBlock& block = mesh_.block_of(mesh_.facets.cell[*other]);
    const auto nodes = mesh::facet_nodes(block.shape, mesh_.facets.side[*other], block.order);
    const double* const x = mesh_.point(block.cell(mesh_.facets.cell[*other] - block.first_cell)[*nodes.begin()]);
    place = fmt::format(": one at ({:g}, {:g}, {:g}) is not in it", x[0], x[1], x[2]);
  }
  refuse(*side.entry, fmt::format("the side has a part alone of the facets at {}{}", side.plane(side.outer), place),
         "a layer lies behind a whole plane: name all of it, on = [...] takes several groups; or choose type = "
         "\"absorbing\"");
}

void LayerSides::find_inner(LayerSide& side) const {
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

double LayerSides::next_plane(const LayerSide& side) const {
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

void LayerSides::refuse_nothing_left() const {
  for (const LayerSide& side : sides_) {
    double first = -std::numeric_limits<double>::infinity();
    each_cell(
        [&](Index, const Index* nodes, int count) { first = std::max(first, -extent(side, nodes, count).first); });
    bool left = std::isfinite(side.inner) && side.inner > -greatest(first) + tolerance_;
    for (const LayerSide& other : sides_)
      if (other.axis == side.axis && other.sign != side.sign) left = left && side.inner + other.inner > tolerance_;
    if (!left)
      refuse(*side.entry, fmt::format("nothing is left between it and the other side along {}", "xyz"[side.axis]),
             "make the mesh larger, or the layer thinner: layers = 3, or thickness, take the outermost elements");
  }
}

void LayerSides::refuse_what_crosses() const {
  for (const LayerSide& side : sides_) {
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

void LayerSides::refuse_sources() const {
  for (std::size_t s = 0; s < problem_.params.point_sources.size(); ++s) {
    const PointSourceParams& source = problem_.params.point_sources[s];
    const std::array<double, 3> at = source.point();
    for (const LayerSide& side : sides_)
      if (side.depth(at.data(), tolerance_) > 0)
        throw Error(ExitCode::usage,
                    fmt::format("{}: it acts in the perfectly matched layer on '{}', which begins at {}",
                                entry("source", s, {}), fmt::join(side.entry->on, "', '"), side.plane(side.inner)),
                    "waves begin inside: move the source, or make the mesh larger", source.where);
  }
}

void LayerSides::refuse_plane_waves() const {
  for (const LayerSide& side : sides_) {
    std::vector<char> within(static_cast<std::size_t>(problem_.space.dofs.dofs));
    for (std::size_t dof = 0; dof < within.size(); ++dof)
      within[dof] = side.depth(&problem_.space.dof_points[3 * dof], tolerance_) > 0 ? 1 : 0;
    refuse_plane_waves_in(problem_, within,
                          fmt::format("the perfectly matched layer on '{}', which begins at {}",
                                      fmt::join(side.entry->on, "', '"), side.plane(side.inner)));
  }
}

void LayerSides::refuse_absorbing() const {
  for (const LayerSide& side : sides_) {
    bool within = false;
    for (const Problem* const medium : media_)
      for (const auto& [cell, facet] : medium->absorbing) {
        const mesh::CellBlock& block = medium->mesh().block_of(cell);
        for (const std::int8_t node : mesh::facet_nodes(block.shape, facet, block.order))
          within = within || side.depth(mesh_.point(block.cell(cell - block.first_cell)[node]), tolerance_) > 0;
      }
    if (anywhere(within))
      refuse(*side.entry, "an absorbing side reaches into it",
             "give that side a layer as well, type = \"pml\", or leave it free or fixed");
  }
}

void LayerSides::check_interface(const Interface& interface, const Layers& layers) const {
  for (const LayerSide& side : sides_) {
    const Index* slanted = nullptr;
    for (std::size_t i = 0; i < interface.dofs.size() && !slanted; ++i) {
      const double* const normal = &interface.normals[i * static_cast<std::size_t>(dim_)];
      double size = 0;
      for (int a = 0; a < dim_; ++a) size = std::hypot(size, normal[a]);
      const auto number = static_cast<std::size_t>(Offset{interface.dofs[i]} * dim_ + side.axis);
      if (layers.damping[number] > 0 && std::abs(normal[side.axis]) > 1e-6 * size) slanted = &interface.dofs[i];
    }
    if (!anywhere(slanted != nullptr)) continue;
    std::string place;
    if (slanted) {
      const double* const x = &problem_.space.dof_points[3 * static_cast<std::size_t>(*slanted)];
      place = fmt::format(", at ({:g}, {:g}, {:g})", x[0], x[1], x[2]);
    }
    refuse(*side.entry, "fluids and solids meet in it at another angle than 90 degrees to its side" + place,
           "let their interface run straight through the layer, or let the layer grow: grow = true");
  }
}

double LayerSides::multiaxial() const {
  double most = 0;
  for (const LayerSide& side : sides_) most = std::max(most, side.entry->multiaxial.value_or(0));
  return most;
}

}  // namespace tessera::physics::wave
