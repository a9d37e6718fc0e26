#include "mesh/abaqus_elements.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "mesh/gmsh_types.hpp"
#include "mesh/node_orders.hpp"

namespace tessera::mesh {

namespace {

// What the number behind the letters of a family says.
enum class Number { nodes, order };

struct Family {
  std::string_view letters;
  int dim;
  Number number;
  bool shell;
};
// In the order of the help text. Where several fit, the one with most letters does.
constexpr Family families[] = {
    {"C3D", 3, Number::nodes, false},   {"DC3D", 3, Number::nodes, false},  {"DCC3D", 3, Number::nodes, false},
    {"AC3D", 3, Number::nodes, false},  {"F3D", 3, Number::nodes, false},   {"FC3D", 3, Number::nodes, false},
    {"EMC3D", 3, Number::nodes, false}, {"Q3D", 3, Number::nodes, false},   {"SC", 3, Number::nodes, false},
    {"CPS", 2, Number::nodes, false},   {"CPE", 2, Number::nodes, false},   {"CPEG", 2, Number::nodes, false},
    {"CAX", 2, Number::nodes, false},   {"CGAX", 2, Number::nodes, false},  {"DC2D", 2, Number::nodes, false},
    {"DCC2D", 2, Number::nodes, false}, {"DCAX", 2, Number::nodes, false},  {"DCCAX", 2, Number::nodes, false},
    {"AC2D", 2, Number::nodes, false},  {"ACAX", 2, Number::nodes, false},  {"S", 2, Number::nodes, true},
    {"STRI", 2, Number::nodes, true},   {"DS", 2, Number::nodes, true},     {"M3D", 2, Number::nodes, true},
    {"R3D", 2, Number::nodes, true},    {"SFM3D", 2, Number::nodes, true},  {"T2D", 1, Number::nodes, false},
    {"T3D", 1, Number::nodes, false},   {"DC1D", 1, Number::nodes, false},  {"AC1D", 1, Number::nodes, false},
    {"R2D", 1, Number::nodes, false},   {"RAX", 1, Number::nodes, false},   {"B2", 1, Number::order, false},
    {"B3", 1, Number::order, false},    {"PIPE2", 1, Number::order, false}, {"PIPE3", 1, Number::order, false},
    {"SAX", 1, Number::order, false},   {"DSAX", 1, Number::order, false},
};

constexpr std::string_view without_geometry[] = {"MASS",     "ROTARYI",  "SPRING1", "SPRING2", "SPRINGA", "DASHPOT1",
                                                 "DASHPOT2", "DASHPOTA", "HEATCAP", "GAPUNI",  "GAPCYL",  "GAPSPHER",
                                                 "CONN2D2",  "CONN3D2",  "DCOUP2D", "DCOUP3D"};

// Gmsh's types by dimension and nodes.
struct Counted {
  int dim, nodes, gmsh;
};
constexpr Counted counted[] = {{1, 2, 1},   {1, 3, 8},   {2, 3, 2},   {2, 4, 3},  {2, 6, 9}, {2, 8, 16},
                               {2, 9, 10},  {3, 4, 4},   {3, 5, 7},   {3, 6, 6},  {3, 8, 5}, {3, 10, 11},
                               {3, 13, 19}, {3, 15, 18}, {3, 20, 17}, {3, 27, 12}};

// The nodes of an element beyond its vertices, in the order of Abaqus (Analysis User's Manual, "Three-dimensional
// solid elements").
VertexSets abaqus_sets(int gmsh) {
  VertexSets sets = common_edges(gmsh);
  if (gmsh == 10) sets.push_back({0, 1, 2, 3});
  if (gmsh == 12)  // the middle, then the faces S1 to S6
    sets.insert(
        sets.end(),
        {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}});
  return sets;
}

/// The letters, number and suffix of a name; empty where it is not made like that.
const Family* family_of(std::string_view name, int& number) {
  const Family* best = nullptr;
  for (const Family& family : families) {
    if (!name.starts_with(family.letters) || (best && best->letters.size() > family.letters.size())) continue;
    const std::string_view rest = name.substr(family.letters.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || rest.front() == '-') continue;
    best = &family;
    number = value;
  }
  return best;
}

const VertexSets& faces_of(int dim, int vertices) {
  static const VertexSets none, ends{{0}, {1}}, triangle{{0, 1}, {1, 2}, {2, 0}}, quad{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      tet{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
      pyramid{{0, 1, 2, 3}, {0, 4, 1}, {1, 4, 2}, {2, 4, 3}, {3, 4, 0}},
      prism{{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
      hex{{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  if (dim == 1) return ends;
  if (dim == 2) return vertices == 3 ? triangle : quad;
  return vertices == 4 ? tet : vertices == 5 ? pyramid : vertices == 6 ? prism : vertices == 8 ? hex : none;
}

}  // namespace

std::optional<AbaqusType> abaqus_type(std::string_view name) {
  if (name == "STRI65") name = "STRI6";  // of 6 nodes with 5 degrees of freedom
  int number = 0;
  const Family* family = family_of(name, number);
  if (!family) return {};
  const bool line_of_order = family->number == Number::order;
  if (line_of_order) number = number == 1 || number == 3 ? 2 : number == 2 ? 3 : 0;  // B33 is cubic in its slopes
  const auto fits = [&](const Counted& type) { return type.dim == family->dim && type.nodes == number; };
  const auto found = std::find_if(std::begin(counted), std::end(counted), fits);
  if (found == std::end(counted)) return {};
  AbaqusType type{found->gmsh, found->nodes, line_of_order ? 1 : 0, family->shell, {}};
  // Of lines the middle node is the second.
  type.places = found->gmsh == 8 ? std::vector<int>{0, 2, 1} : places_of_nodes(found->gmsh, abaqus_sets(found->gmsh));
  return type;
}

bool has_no_geometry(std::string_view name) {
  return std::find(std::begin(without_geometry), std::end(without_geometry), name) != std::end(without_geometry);
}

std::string abaqus_type_help() {
  std::string text = "types that are read, with the number of their nodes and any suffix (C3D20R):";
  for (const Family& family : families) text += " " + std::string(family.letters);
  return text;
}

std::vector<int> abaqus_face(const AbaqusType& type, std::string_view label) {
  const GmshType& cell = *gmsh_type(type.gmsh);
  const VertexSets& faces = faces_of(cell.dim(), cell.vertices());
  const auto all = [&] {
    std::vector<int> vertices;
    for (int v = 0; v < cell.vertices(); ++v) vertices.push_back(v);
    return vertices;
  };
  if (cell.dim() == 2 && (label == "SPOS" || label == "SNEG" || label == "POS" || label == "NEG")) return all();
  const std::string_view letters = cell.dim() == 1 ? "END" : label.starts_with('E') && cell.dim() == 2 ? "E" : "S";
  if (!label.starts_with(letters) || label.size() != letters.size() + 1) return {};
  int face = label.back() - '1';
  if (type.shell && letters == "S") {  // CalculiX numbers the two sides, then the edges
    if (face == 0 || face == 1) return all();
    face -= 2;
  }
  return face >= 0 && face < static_cast<int>(faces.size()) ? faces[static_cast<std::size_t>(face)]
                                                            : std::vector<int>{};
}

}  // namespace tessera::mesh
