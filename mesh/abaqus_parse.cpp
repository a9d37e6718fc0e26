#include "mesh/abaqus_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mesh/text_place.hpp"

namespace tessera::mesh {

namespace {

constexpr int most_entries = 16;  // of a line; a full one may go on without a comma
constexpr std::string_view makers[] = {"NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM"};
constexpr const char* one_instance =
    "let the preprocessor write a flat deck, without parts and instances, or one part that stays where it is";

class AbaqusParser {
 public:
  AbaqusParser(AbaqusLines& lines, AbaqusBudget& budget) : lines_(lines), budget_(budget) {}

  AbaqusModel run() {
    while (lines_.next_keyword(keyword_)) {
      const std::string& name = keyword_.name;
      if (name == "NODE") {
        nodes();
      } else if (name == "ELEMENT") {
        elements();
      } else if (name == "NSET") {
        node_set();
      } else if (name == "ELSET") {
        read_members(model_.element_sets, set_of(model_.element_sets, "ELSET"));
      } else if (name == "SURFACE") {
        surface();
      } else if (name == "PART" || name == "ASSEMBLY" || name == "ENDASSEMBLY" || name == "INSTANCE" ||
                 name == "ENDINSTANCE") {
        enter_or_leave();
      } else if (std::find(std::begin(makers), std::end(makers), name) != std::end(makers)) {
        lines_.fail(keyword_.at, fmt::format("*{} makes a mesh out of another, and is not read", name),
                    "let the preprocessor write out all nodes and elements, in global coordinates");
      }
    }
    if (model_.node_numbers.empty())
      lines_.fail(lines_.here(), "the deck has no *NODE", "give an input deck of Abaqus or CalculiX that has a mesh");
    if (model_.element_numbers.empty())
      lines_.fail(lines_.here(), "the deck has no *ELEMENT", "a mesh needs elements: is the deck cut off?");
    if (skipped_nodes_ > 0)
      model_.mesh.infos.push_back(fmt::format("{}: {} nodes of the assembly, outside of its instance, are left out",
                                              lines_.file(), skipped_nodes_));
    for (const auto& [type, count] : skipped_)
      model_.mesh.infos.push_back(
          fmt::format("{}: {} elements of type {} are no part of the mesh", lines_.file(), count, type));
    return std::move(model_);
  }

 private:
  bool outside() const { return in_assembly_ && !in_instance_; }
  AbaqusScope scope() const { return outside() ? AbaqusScope::assembly : AbaqusScope::part; }

  void enter_or_leave() {
    const std::string& name = keyword_.name;
    if (name == "PART") {
      ++part_;
    } else if (name == "ASSEMBLY") {
      in_assembly_ = true;
    } else if (name == "ENDASSEMBLY") {
      in_assembly_ = false;
    } else if (name == "ENDINSTANCE") {
      in_instance_ = false;
    } else {
      instance();
    }
  }

  void instance() {
    const AbaqusKeyword::Parameter* name = keyword_.find("NAME");
    if (has_instance_)
      lines_.fail(keyword_.at,
                  fmt::format("a second *INSTANCE{}: assemblies of several parts are not read",
                              name ? " '" + plain_text(name->value) + "'" : ""),
                  one_instance);
    has_instance_ = in_instance_ = true;
    if (name) model_.instance = checked(name->value);
    while (lines_.next_data()) {  // a translation; then two points of an axis, and an angle
      AbaqusFields fields(lines_.line());
      for (std::string_view field; fields.next(field);)
        if (abaqus_real(lines_, field) != 0)
          lines_.fail(field,
                      fmt::format("the *INSTANCE{} is moved, which is not read",
                                  name ? " '" + plain_text(name->value) + "'" : ""),
                      one_instance);
    }
  }

  /// The value of a parameter that a keyword must have, as the name of a set.
  std::string_view name_in(std::string_view parameter) const {
    const AbaqusKeyword::Parameter* found = keyword_.find(parameter);
    if (!found || found->value.empty())
      lines_.fail(keyword_.at, fmt::format("*{} without {}=", keyword_.name, parameter),
                  fmt::format("write *{}, {}=name", keyword_.name, parameter));
    return checked(found->value);
  }
  std::string_view checked(std::string_view name) const {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (name.size() > 200 || std::any_of(name.begin(), name.end(), is_control))
      lines_.fail(name.substr(0, 40), "a name of more than 200 characters, or with characters that cannot be shown",
                  "use a plain name");
    return name;
  }

  AbaqusSet& set_of(AbaqusSets& sets, std::string_view parameter) {
    const std::string_view name = name_in(parameter);
    const bool fresh = !sets.find(scope(), name);
    AbaqusSet& set = sets.make(scope(), name);
    set.internal = keyword_.find("INTERNAL") && (fresh || set.internal);
    return set;
  }

  void include_input() {
    if (const AbaqusKeyword::Parameter* input = keyword_.find("INPUT"))
      lines_.include(std::string(input->value), keyword_.at);
  }

  void nodes() {
    if (const AbaqusKeyword::Parameter* system = keyword_.find("SYSTEM"); system && upper_case(system->value) != "R")
      lines_.fail(system->value, "nodes in cylindrical or spherical coordinates are not read",
                  "let the preprocessor write global coordinates");
    if (!outside() && !model_.node_numbers.empty() && part_ != part_of_nodes_)
      lines_.fail(keyword_.at, "a second *PART with nodes: assemblies of several parts are not read", one_instance);
    part_of_nodes_ = part_;
    include_input();
    const auto first = static_cast<Index>(model_.node_numbers.size());
    while (lines_.next_data()) {
      if (outside())
        ++skipped_nodes_;
      else
        read_node();
    }
    if (keyword_.find("NSET") && !outside())
      set_of(model_.node_sets, "NSET").members.spans.push_back({first, static_cast<Index>(model_.node_numbers.size())});
  }

  void read_node() {
    AbaqusFields fields(lines_.line());
    std::string_view field;
    fields.next(field);
    const Index number = abaqus_number(lines_, field, "the number of a node");
    std::array<double, 3> x{};
    int count = 0;
    for (; fields.next(field); ++count) {
      if (count == 6)
        lines_.fail(field, fmt::format("node {} has more than three coordinates and a normal", number),
                    "a line of *NODE is: number, x, y, z");
      const double value = abaqus_real(lines_, field);
      if (count < 3) x[count] = value;
    }
    if (model_.node_numbers.size() >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      lines_.fail(lines_.line(), "more nodes than 32-bit numbers count", "use a coarser mesh");
    if (count == 0)
      lines_.fail(lines_.line(), fmt::format("node {} has no coordinates", number),
                  "a line of *NODE is: number, x, y, z");
    model_.node_numbers.push_back(number);
    model_.node_at.push_back(lines_.line().data());
    model_.mesh.points.insert(model_.mesh.points.end(), x.begin(), x.end());
  }

  void elements() {
    const std::string name = upper_case(name_in("TYPE"));
    const std::optional<AbaqusType> type = abaqus_type(name);
    const bool skipped = outside() || has_no_geometry(name);
    if (!skipped && !type)
      lines_.fail(keyword_.find("TYPE")->value, fmt::format("elements of type {} are unknown here", plain_text(name)),
                  abaqus_type_help());
    include_input();
    const Index first = model_.mesh.elements();
    std::size_t count = 0;
    if (!skipped) model_.sections.push_back({first, name, *type});
    while (lines_.next_data()) {
      if (skipped)
        ++count;
      else
        read_element(model_.sections.back());
    }
    if (skipped) skipped_[plain_text(name)] += count;
    if (keyword_.find("ELSET"))
      set_of(model_.element_sets, "ELSET").members.spans.push_back({first, model_.mesh.elements()});
  }

  void read_element(const AbaqusModel::Section& section) {
    const AbaqusType& type = section.type;
    const char* at = lines_.line().data();
    AbaqusFields fields(lines_.line());
    std::string_view field;
    fields.next(field);
    const Index number = abaqus_number(lines_, field, "the number of an element");
    std::array<Index, 40> named;
    const int most = type.nodes + type.more_nodes;
    int count = 0, entries = 1;
    const auto fail_of_count = [&](const std::string& found) {
      lines_.fail(at,
                  fmt::format("element {} has {} nodes, but {} has {}", number, found, section.type_name, type.nodes),
                  "a line of *ELEMENT is: number, nodes; it goes on with the next line where it ends with a comma");
    };
    for (;;) {
      for (; fields.next(field); ++entries) {
        if (count == most) fail_of_count(fmt::format("more than {}", most));
        named[count++] = abaqus_number(lines_, field, "the number of a node");
      }
      if (count >= type.nodes) break;
      const bool goes_on = lines_.line().ends_with(',') || entries >= most_entries;
      if (!goes_on || !lines_.next_data()) fail_of_count(std::to_string(count));
      fields = AbaqusFields(lines_.line());
      entries = 0;
    }
    std::array<Index, 27> nodes;
    for (int n = 0; n < type.nodes; ++n) nodes[n] = named[type.places[n]];
    model_.mesh.add(type.gmsh, {nodes.data(), static_cast<std::size_t>(type.nodes)});
    model_.element_numbers.push_back(number);
    model_.element_at.push_back(at);
  }

  /// The set of that name, which may be of the instance ("Part-1-1.top"), and must have been there before.
  AbaqusSet& find_set(AbaqusSets& sets, std::string_view name) {
    const std::string_view own = within_instance(name);
    const bool qualified = own.size() < name.size() || keyword_.find("INSTANCE");
    AbaqusSet* set = qualified ? nullptr : sets.find(scope(), own);
    if (!set) set = sets.find(AbaqusScope::part, own);
    if (!set && !qualified) set = sets.find(AbaqusScope::assembly, own);  // from a step, behind the assembly
    if (!set) {
      std::vector<std::string> names;
      for (const AbaqusSet& known : sets.all)
        if (names.size() < 1000) names.push_back(plain_text(known.name));
      lines_.fail(name, fmt::format("there is no set '{}' above", plain_text(name.substr(0, 80))),
                  names.empty() ? "define it with *NSET or *ELSET first" : suggest(plain_text(own), names));
    }
    return *set;
  }
  std::string_view within_instance(std::string_view name) const {
    const std::size_t prefix = model_.instance.size();
    const bool inside = prefix > 0 && name.size() > prefix && name[prefix] == '.' &&
                        upper_case(name.substr(0, prefix)) == upper_case(model_.instance);
    return inside ? name.substr(prefix + 1) : name;
  }
  static bool is_number(std::string_view field) {
    return !field.empty() && ((field[0] >= '0' && field[0] <= '9') || field[0] == '-' || field[0] == '+');
  }

  /// Adds what a field names to `members`. A number in the assembly is of a node or element of the assembly, unless
  /// it says more.
  void add_member(AbaqusSets& sets, std::string_view field, AbaqusMembers& members) {
    const std::string_view own = within_instance(field);
    const bool known = !outside() || own.size() < field.size() || keyword_.find("INSTANCE");
    if (is_number(own)) {
      const Index number = abaqus_number(lines_, own, "a number or the name of a set");
      if (known) members.numbers.push_back(number);
      return;
    }
    const AbaqusMembers copied = find_set(sets, checked(field)).members;  // which may be those that are added to
    budget_.spend(copied.size(), field.data());
    members.append(copied);
  }

  void read_members(AbaqusSets& sets, AbaqusSet& set) {
    const bool generate = keyword_.find("GENERATE");
    include_input();
    while (lines_.next_data()) {
      AbaqusFields fields(lines_.line());
      std::string_view field;
      if (generate) {
        add_range(set.members);
      } else {
        while (fields.next(field))
          if (!field.empty()) add_member(sets, field, set.members);
      }
    }
  }

  void add_range(AbaqusMembers& members) {
    AbaqusFields fields(lines_.line());
    std::array<Index, 3> numbers{0, 0, 1};
    std::size_t count = 0;
    for (std::string_view field; fields.next(field);) {
      if (field.empty()) continue;
      if (count == 3) lines_.fail(field, "more than three numbers", "a line of GENERATE is: first, last, step");
      numbers[count++] = abaqus_number(lines_, field, "a number");
    }
    if (count < 2 || numbers[0] > numbers[1])
      lines_.fail(lines_.line(), "this is no range", "a line of GENERATE is: first, last, step, with first <= last");
    if (!outside() || keyword_.find("INSTANCE")) members.ranges.push_back({numbers[0], numbers[1], numbers[2]});
  }

  void node_set() {
    AbaqusSet& set = set_of(model_.node_sets, "NSET");
    if (const AbaqusKeyword::Parameter* elements = keyword_.find("ELSET")) {
      const AbaqusMembers& members = find_set(model_.element_sets, checked(elements->value)).members;
      budget_.spend(members.size(), keyword_.at);
      set.of_elements.append(members);
    }
    read_members(model_.node_sets, set);
  }

  void surface() {
    AbaqusSurface surface{std::string(name_in("NAME")), {}, false, {}};
    const AbaqusKeyword::Parameter* type = keyword_.find("TYPE");
    const std::string kind = type ? upper_case(type->value) : "ELEMENT";
    surface.of_nodes = kind == "NODE";
    const bool combined = keyword_.find("COMBINE");
    if (combined || (kind != "ELEMENT" && kind != "NODE")) {
      leave_out(surface.name, combined ? "it combines others" : fmt::format("it is of type {}", plain_text(kind)));
      return;
    }
    while (lines_.next_data()) {
      AbaqusFields fields(lines_.line());
      std::string_view field, label;
      fields.next(field);
      if (field.empty()) continue;
      if (surface.of_nodes) {
        add_member(model_.node_sets, field, surface.nodes);
        continue;
      }
      AbaqusSurface::Sides sides;
      sides.at = field.data();
      add_member(model_.element_sets, field, sides.elements);
      if (!fields.next(label) || label.empty()) {
        leave_out(surface.name, "it names elements without a side (S1, SPOS, ...)");
        return;
      }
      sides.label = upper_case(label);
      if (!is_number(within_instance(field))) find_set(model_.element_sets, field).of_surface = true;
      surface.sides.push_back(std::move(sides));
    }
    model_.surfaces.push_back(std::move(surface));
  }
  void leave_out(const std::string& surface, const std::string& why) {
    model_.mesh.warnings.push_back(
        fmt::format("{}: the surface '{}' is left out: {}", lines_.file(), plain_text(surface), why));
  }

  AbaqusLines& lines_;
  AbaqusBudget& budget_;
  AbaqusKeyword keyword_;
  AbaqusModel model_;
  bool in_assembly_ = false, in_instance_ = false, has_instance_ = false;
  int part_ = 0, part_of_nodes_ = 0;
  std::size_t skipped_nodes_ = 0;
  std::map<std::string, std::size_t> skipped_;  // type -> elements
};

}  // namespace

AbaqusSet* AbaqusSets::find(AbaqusScope scope, std::string_view name) {
  const auto found = position_.find({scope, upper_case(name)});
  return found == position_.end() ? nullptr : &all[found->second];
}

AbaqusSet& AbaqusSets::make(AbaqusScope scope, std::string_view name) {
  const auto [found, added] = position_.try_emplace({scope, upper_case(name)}, all.size());
  if (added) all.push_back({std::string(name), scope, false, false, {}, {}});
  return all[found->second];
}

AbaqusModel parse_abaqus(AbaqusLines& lines, AbaqusBudget& budget) { return AbaqusParser(lines, budget).run(); }

}  // namespace tessera::mesh
