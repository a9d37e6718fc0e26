#include "mesh/abaqus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "mesh/abaqus_model.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/number_table.hpp"
#include "mesh/text_place.hpp"

namespace tessera::mesh {

namespace {

/// Nodes or elements by their numbers.
class Numbered {
 public:
  Numbered(const std::vector<Index>& numbers, AbaqusBudget& budget)
      : table(numbers), budget_(budget), seen_(numbers.size(), 0) {}

  /// Positions of what the members name, each once; adds to `unknown` the numbers that nothing has.
  std::vector<Index> positions(const AbaqusMembers& members, std::size_t& unknown) {
    ++stamp_;
    std::vector<Index> found;
    const auto take = [&](Index position) {
      if (std::exchange(seen_[position], stamp_) != stamp_) found.push_back(position);
    };
    budget_.spend(members.numbers.size());
    for (Index number : members.numbers) {
      const Index position = table(number);
      position < 0 ? void(++unknown) : take(position);
    }
    for (const AbaqusMembers::Range& range : members.ranges) {
      budget_.spend(table.steps(range.first, range.last, range.step));
      table.for_each(range.first, range.last, range.step, take);
    }
    for (const auto& [first, last] : members.spans) {
      budget_.spend(static_cast<std::size_t>(last - first));
      for (Index position = first; position < last; ++position) take(position);
    }
    return found;
  }

  const NumberTable table;

 private:
  AbaqusBudget& budget_;
  std::vector<int> seen_;  // the last stamp of each
  int stamp_ = 0;
};

class AbaqusMesher {
 public:
  AbaqusMesher(AbaqusModel&& model, const AbaqusLines& lines, AbaqusBudget& budget)
      : model_(std::move(model)),
        mesh_(model_.mesh),
        lines_(lines),
        nodes_(model_.node_numbers, budget),
        elements_(model_.element_numbers, budget) {}

  FileMesh run() {
    refuse_second(nodes_.table.second(), model_.node_numbers, model_.node_at, "node");
    refuse_second(elements_.table.second(), model_.element_numbers, model_.element_at, "element");
    number_nodes();
    for (const AbaqusSet& set : model_.element_sets.all)
      if (!set.internal || !set.of_surface)
        mesh_.add_group(group_name(set, model_.element_sets), elements_of(set.members, set.name));
    for (const AbaqusSurface& surface : model_.surfaces)
      if (!surface.of_nodes) add_surface(surface);
    for (const AbaqusSet& set : model_.node_sets.all) add_node_set(set);
    for (const AbaqusSurface& surface : model_.surfaces)
      if (surface.of_nodes) mesh_.node_sets.push_back({surface.name, nodes_of(surface.nodes, surface.name)});
    return std::move(mesh_);
  }

 private:
  void refuse_second(Index position, const std::vector<Index>& numbers, const std::vector<const char*>& at,
                     const char* what) const {
    if (position < 0) return;
    const auto first = std::find(numbers.begin(), numbers.end(), numbers[position]) - numbers.begin();
    const Position where = lines_.place(at[first]).value_or(Position{});
    lines_.fail(at[position],
                fmt::format("{} {} is there already, from {}:{}", what, numbers[position], where.file, where.line),
                fmt::format("give each {} a number of its own", what));
  }

  void number_nodes() {
    for (Index e = 0; e < mesh_.elements(); ++e)
      for (Offset n = mesh_.starts[e]; n < mesh_.starts[e + 1]; ++n) {
        const Index position = nodes_.table(mesh_.nodes[n]);
        if (position < 0)
          lines_.fail(model_.element_at[e],
                      fmt::format("element {} names the node {}, which is not there", model_.element_numbers[e],
                                  mesh_.nodes[n]),
                      "the deck is incomplete or corrupt: write it again with all its nodes");
        mesh_.nodes[n] = position;
      }
  }

  std::vector<Index> elements_of(const AbaqusMembers& members, const std::string& name) {
    std::size_t unknown = 0;
    std::vector<Index> positions = elements_.positions(members, unknown);
    tell_unknown(unknown, name, "elements");
    return positions;
  }
  std::vector<Index> nodes_of(const AbaqusMembers& members, const std::string& name) {
    std::size_t unknown = 0;
    std::vector<Index> positions = nodes_.positions(members, unknown);
    tell_unknown(unknown, name, "nodes");
    return positions;
  }
  void tell_unknown(std::size_t unknown, const std::string& name, const char* what) {
    if (unknown > 0)
      mesh_.infos.push_back(fmt::format("{}: '{}' names {} {} that are no part of the mesh", lines_.file(),
                                        plain_text(name), unknown, what));
  }

  /// A set of the assembly hides that of the part, which Abaqus then calls by its instance.
  std::string group_name(const AbaqusSet& set, AbaqusSets& sets) const {
    const bool hidden = set.scope == AbaqusScope::part && sets.find(AbaqusScope::assembly, set.name);
    return hidden ? fmt::format("{}.{}", model_.instance, set.name) : set.name;
  }

  void add_node_set(const AbaqusSet& set) {
    std::vector<Index> nodes = nodes_of(set.members, set.name);
    for (Index e : elements_of(set.of_elements, set.name)) {
      const auto element = mesh_.element(e);
      nodes.insert(nodes.end(), element.begin(), element.end());
    }
    if (!nodes.empty()) mesh_.node_sets.push_back({group_name(set, model_.node_sets), std::move(nodes)});
  }

  void add_surface(const AbaqusSurface& surface) {
    std::vector<Index> members;
    for (const AbaqusSurface::Sides& sides : surface.sides) {
      const AbaqusModel::Section* section = nullptr;
      std::vector<int> face;
      for (Index e : elements_of(sides.elements, surface.name)) {
        if (const AbaqusModel::Section* own = &model_.section_of(e); own != section) {
          section = own;
          face = abaqus_face(own->type, sides.label);
          if (face.empty())
            lines_.fail(sides.at,
                        fmt::format("the surface '{}' names the side {} of element {}, but {} has none",
                                    plain_text(surface.name), plain_text(sides.label), model_.element_numbers[e],
                                    own->type_name),
                        "sides of solids are S1 to S6; of shells SPOS, SNEG and the edges E1 to E4");
        }
        members.push_back(side(e, face));
      }
    }
    mesh_.add_group(surface.name, members);
  }

  /// The element that is a side of another: itself where the side has all its vertices, else a new one.
  Index side(Index e, const std::vector<int>& face) {
    if (static_cast<int>(face.size()) == gmsh_type(mesh_.types[e])->vertices()) return e;
    std::array<Index, 4> vertices;
    for (std::size_t v = 0; v < face.size(); ++v) vertices[v] = mesh_.element(e)[static_cast<std::size_t>(face[v])];
    constexpr std::array<int, 5> types{0, 15, 1, 2, 3};  // Gmsh's, by vertices
    mesh_.add(types[face.size()], {vertices.data(), face.size()});
    return mesh_.elements() - 1;
  }

  AbaqusModel model_;
  FileMesh& mesh_;
  const AbaqusLines& lines_;
  Numbered nodes_, elements_;
};

}  // namespace

const AbaqusModel::Section& AbaqusModel::section_of(Index element) const {
  const auto behind = std::upper_bound(sections.begin(), sections.end(), element,
                                       [](Index e, const Section& section) { return e < section.first; });
  return *(behind - 1);
}

FileMesh mesh_of(AbaqusModel&& model, const AbaqusLines& lines, AbaqusBudget& budget) {
  return AbaqusMesher(std::move(model), lines, budget).run();
}

FileMesh read_abaqus(const std::filesystem::path& file) {
  AbaqusLines lines(file);
  AbaqusBudget budget(lines);
  return mesh_of(parse_abaqus(lines, budget), lines, budget);
}

}  // namespace tessera::mesh
