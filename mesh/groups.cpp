#include "mesh/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "mesh/group_items.hpp"

namespace tessera::mesh {

namespace {

const std::vector<std::string> dimension_names{"points", "curves", "surfaces", "volumes"};

/// A box holds what reaches over its sides by less than this share of the mesh's extent: files round coordinates.
constexpr double box_tolerance = 1e-6;
/// Items whose condition is evaluated at once.
constexpr Index chunk = 65536;

[[noreturn]] void refuse(const GroupParams& group, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, fmt::format("group '{}' {}", group.name, what), help, group.place);
}

std::string text(const std::array<double, 3>& x, int dim) {
  return fmt::format("({:.6g})", fmt::join(x.begin(), x.begin() + dim, ", "));
}

int dimension_of(const GroupParams& group, const Mesh& mesh) {
  if (!group.of) return mesh.dim - 1;
  const auto found = std::find(dimension_names.begin(), dimension_names.end(), *group.of);
  const int dim = static_cast<int>(found - dimension_names.begin());
  if (dim > mesh.dim)
    refuse(group,
           fmt::format("is of {}, but the mesh has {} dimension{}", *group.of, mesh.dim, mesh.dim > 1 ? "s" : ""),
           fmt::format("its cells are {}, what bounds them are {}", dimension_names[mesh.dim],
                       dimension_names[mesh.dim - 1]));
  return dim;
}

void check_numbers(const GroupParams& group, const char* key, const std::vector<double>& numbers, int dim) {
  if (static_cast<int>(numbers.size()) != dim)
    refuse(group,
           fmt::format("has {} in `{}`, the mesh has {}", counted(numbers.size(), "number"), key,
                       counted(dim, "dimension")),
           "give one number an axis");
  for (double x : numbers)
    if (std::isnan(x)) refuse(group, fmt::format("has nan in `{}`", key), "give numbers");
}

void check_params(const GroupParams& group, const Mesh& mesh, int dim) {
  if (group.name.empty()) refuse(group, "has an empty name", "give it one, for `on` to use");
  if (group.name == "rest") refuse(group, "has a name that means what no entry names", "choose another name");
  const auto same = [&](const Group& other) { return other.name == group.name; };
  if (std::any_of(mesh.groups.begin(), mesh.groups.end(), same) ||
      std::any_of(mesh.entities.begin(), mesh.entities.end(), same))
    refuse(group, "has the name of a group that is there already", "choose another name");
  if (!group.where && group.entities.empty() && group.normal.empty() && !group.box)
    refuse(group, "does not say what it holds",
           "give it where = \"x < 1e-6\", entities = [...], normal = [...] or box = { min = [...], max = [...] }");
  if (group.where) group.where->require_axes(mesh.dim);
  if (group.where && group.where->depends_on_time())
    refuse(group, "depends on t in `where`", "groups are made once: use x, y and z");
  if (group.normal.empty() && group.angle != GroupParams().angle)
    refuse(group, "has an angle, and no normal that it is about", "give it normal = [...], or leave `angle` out");
  if (!group.normal.empty()) {
    if (dim != mesh.dim - 1)
      refuse(group, fmt::format("chooses {} by their normal", *group.of),
             fmt::format("only {} have one here", dimension_names[mesh.dim - 1]));
    check_numbers(group, "normal", group.normal, mesh.dim);
    double length = 0;
    for (double x : group.normal) length = std::max(length, std::abs(x));
    if (!(length > 0) || std::isinf(length))
      refuse(group, fmt::format("has normal = [{}]", fmt::join(group.normal, ", ")), "give it a direction");
  }
  if (!group.box) return;
  if (group.box->min.empty() && group.box->max.empty())
    refuse(group, "has a box without min and max", "give one of them");
  if (!group.box->min.empty()) check_numbers(group, "box.min", group.box->min, mesh.dim);
  if (!group.box->max.empty()) check_numbers(group, "box.max", group.box->max, mesh.dim);
  for (std::size_t axis = 0; axis < std::min(group.box->min.size(), group.box->max.size()); ++axis)
    if (group.box->min[axis] > group.box->max[axis])
      refuse(group,
             fmt::format("has a box with min {} above max {} on axis {}", group.box->min[axis], group.box->max[axis],
                         "xyz"[axis]),
             "swap them");
}

/// "surface_1, surface_2, ... (40 more: `tessera mesh DECK --list`)"
std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  if (names.empty()) return "there are none of this dimension in the mesh";
  std::string shown = fmt::format("{}", fmt::join(names.begin(), names.begin() + std::min(most, names.size()), ", "));
  if (names.size() > most) shown += fmt::format(", ... ({} more)", names.size() - most);
  return "there are: " + shown + "; `tessera mesh DECK --list` shows where each lies";
}

std::vector<const Group*> named_groups(const GroupParams& group, const Mesh& mesh, int dim) {
  std::vector<const Group*> found;
  std::vector<std::string> others;
  for_each_group(mesh, [&](const Group& other) {
    if (other.dim == dim) others.push_back(other.name);
  });
  for (const std::string& name : group.entities) {
    found.push_back(mesh.group(name, dim));
    if (found.back()) continue;
    const std::vector<std::string> near = nearest_names(name, others);
    throw Error(ExitCode::mesh,
                fmt::format("group '{}' is made of '{}', which is none of the {} of the mesh", group.name, name,
                            dimension_names[dim]),
                (near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near.front())) + list_names(others),
                group.place);
  }
  return found;
}

/// What a condition says when it leaves nothing: the item that came nearest.
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  Index item = -1;
  void offer(double value, Index candidate) {
    if (value < distance) {
      distance = value;
      item = candidate;
    }
  }
};

[[noreturn]] void catches_nothing(const GroupParams& group, const Mesh& mesh, const std::string& why) {
  const BoundingBox box = bounding_box(mesh);
  throw Error(ExitCode::mesh, fmt::format("group '{}' catches nothing: {}", group.name, why),
              fmt::format("the mesh lies between {} and {}; `tessera mesh DECK --list` shows its entities",
                          text(box.min, mesh.dim), text(box.max, mesh.dim)),
              group.place);
}

void keep_in_box(const GroupParams& group, const Mesh& mesh, GroupItems& items) {
  const BoundingBox extent = bounding_box(mesh);
  double diagonal = 0;
  for (int d = 0; d < 3; ++d) diagonal = std::hypot(diagonal, extent.max[d] - extent.min[d]);
  std::vector<char> kept(static_cast<std::size_t>(items.size()), 0);
  Nearest nearest;
  std::vector<double> places;
  for (Index i = 0; i < items.size(); ++i) {
    places.clear();
    items.append_places(i, places);
    double outside = 0;  // of the place that lies farthest out
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t axis = k % 3;
      if (axis < group.box->min.size()) outside = std::max(outside, group.box->min[axis] - places[k]);
      if (axis < group.box->max.size()) outside = std::max(outside, places[k] - group.box->max[axis]);
    }
    kept[i] = outside <= box_tolerance * diagonal;
    nearest.offer(outside, i);
  }
  const std::string why =
      nearest.item < 0
          ? std::string("there is nothing to choose from")
          : fmt::format("none of the {} {} lies in the box; the nearest, around {}, reaches {:.3g} out of it",
                        items.size(), items.noun(), text(items.centre(nearest.item), mesh.dim), nearest.distance);
  items.keep(kept);
  if (items.size() == 0) catches_nothing(group, mesh, why);
}

void keep_by_normal(const GroupParams& group, const Mesh& mesh, GroupItems& items) {
  std::array<double, 3> wanted{};
  std::copy(group.normal.begin(), group.normal.end(), wanted.begin());
  const double length = std::hypot(wanted[0], wanted[1], wanted[2]);
  std::vector<char> kept(static_cast<std::size_t>(items.size()), 0);
  Nearest nearest;
  for (Index i = 0; i < items.size(); ++i) {
    if (!items.exterior(i)) continue;
    const std::array<double, 3> n = items.normal(i);
    // The angle by half its tangent, which is exact for small ones where the cosine is not.
    double apart = 0, together = 0;
    for (int d = 0; d < 3; ++d) {
      apart = std::hypot(apart, n[d] - wanted[d] / length);
      together = std::hypot(together, n[d] + wanted[d] / length);
    }
    const double degrees = 2 * std::atan2(apart, together) * 180 / std::numbers::pi;
    kept[i] = degrees <= group.angle;
    nearest.offer(degrees, i);
  }
  const std::string why =
      nearest.item < 0
          ? std::string("no exterior facet is left to have a normal")
          : fmt::format("no outward normal is within {} degrees of [{}]; the nearest is {:.3g} degrees off, near {}",
                        group.angle, fmt::join(group.normal, ", "), nearest.distance,
                        text(items.centre(nearest.item), mesh.dim));
  items.keep(kept);
  if (items.size() == 0) catches_nothing(group, mesh, why);
}

/// A condition gives 1 or 0; another value is a slip of the pen, such as "x - 1".
void require_condition(const GroupParams& group, double value, const double* at, int dim) {
  if (value == 0 || value == 1) return;
  throw Error(ExitCode::usage,
              fmt::format("`where` of group '{}' is {:g} at {}, neither true nor false", group.name, value,
                          text({at[0], at[1], at[2]}, dim)),
              "write a condition, such as \"abs(x) < 1e-6\" or \"x < 1 && y > 2\"",
              group.where->where() ? group.where->where() : group.place);
}

void keep_where(const GroupParams& group, const Mesh& mesh, GroupItems& items) {
  deck::Evaluator condition(*group.where);
  std::vector<char> kept(static_cast<std::size_t>(items.size()), 0);
  Index partly = 0, first_partly = -1;
  std::vector<double> places, values;
  std::vector<std::size_t> ends;
  for (Index begin = 0; begin < items.size(); begin += chunk) {
    const Index end = std::min(items.size(), begin + chunk);
    places.clear();
    ends.clear();
    for (Index i = begin; i < end; ++i) {
      items.append_places(i, places);
      ends.push_back(places.size() / 3);
    }
    values.resize(places.size() / 3);
    condition.evaluate(places.data(), values.size(), 0, values.data());
    std::size_t at = 0;
    for (Index i = begin; i < end; ++i) {
      std::size_t holds = 0;
      const std::size_t first = at;
      for (; at < ends[i - begin]; ++at) {
        require_condition(group, values[at], places.data() + 3 * at, mesh.dim);
        holds += values[at] != 0;
      }
      kept[i] = holds == at - first;
      if (holds > 0 && !kept[i] && partly++ == 0) first_partly = i;
    }
  }
  std::string why = fmt::format("{} holds on none of {} {}", group.where->text(), items.size(), items.noun());
  if (partly > 0)
    why += fmt::format("; {} have it at some of their nodes, the first around {}", partly,
                       text(items.centre(first_partly), mesh.dim));
  items.keep(kept);
  if (items.size() == 0) catches_nothing(group, mesh, why);
}

Group make_group(const GroupParams& params, const Mesh& mesh) {
  const int dim = dimension_of(params, mesh);
  check_params(params, mesh, dim);
  GroupItems items =
      params.entities.empty() ? GroupItems(mesh, dim) : GroupItems(mesh, dim, named_groups(params, mesh, dim));
  if (items.size() == 0) catches_nothing(params, mesh, "what it is made of is empty");
  if (params.box) keep_in_box(params, mesh, items);
  if (!params.normal.empty()) keep_by_normal(params, mesh, items);
  if (params.where) keep_where(params, mesh, items);
  return items.group(params.name);
}

}  // namespace

deck::Section<GroupParams> group_section() {
  deck::Section<GroupBox> box("box", "A box, to a millionth of the mesh's extent");
  box.key("min", &GroupBox::min, {.help = "lower corner, one number per axis; left out: open", .unit = "length"})
      .key("max", &GroupBox::max, {.help = "upper corner, one number per axis; left out: open", .unit = "length"});
  return deck::Section<GroupParams>("group",
                                    "Groups beside those of the mesh; several conditions of one entry hold together",
                                    deck::SectionKind::array)
      .key("name", &GroupParams::name, {.help = "what `on` calls it", .required = true})
      .key("of", &GroupParams::of,
           {.help = "of which dimension; left out: what bounds the cells (surfaces in 3-D, curves in 2-D)",
            .choices = dimension_names})
      .key("entities", &GroupParams::entities,
           {.help = "made of these: \"surface_3\" or another group; see `tessera mesh DECK --list`; left out: of all "
                    "exterior facets, or cells"})
      .key("where", &GroupParams::where,
           {.help = "a condition such as \"x < 1e-6 && y < 1\": on all nodes of facets, at the centre of cells"})
      .key("normal", &GroupParams::normal, {.help = "outward normal of exterior facets, one number per axis"})
      .key("angle", &GroupParams::angle,
           {.help = "by how much the normal may differ", .unit = "degrees", .min = 0, .max = 180})
      .table("box", &GroupParams::box, box, {.help = "the part of the mesh in a box"})
      .position(&GroupParams::place);
}

void add_groups(Mesh& mesh, const std::vector<GroupParams>& groups) {
  for (const GroupParams& group : groups) mesh.groups.push_back(make_group(group, mesh));
}

Group rest_of(const Mesh& mesh, int dim, std::span<const std::string> named) {
  std::vector<char> taken(static_cast<std::size_t>(dim == mesh.dim ? mesh.cells() : mesh.facets.size()), 0);
  for (const std::string& name : named)
    if (const Group* group = mesh.group(name, dim))
      for (Index i : group->entities) taken[i] = 1;
  Group rest{"rest", dim, {}, {}};
  for (Index i = 0; i < static_cast<Index>(taken.size()); ++i)
    if (!taken[i] && (dim == mesh.dim || mesh.facets.exterior[i])) rest.entities.push_back(i);
  return rest;
}

}  // namespace tessera::mesh
