#include "mesh/msh_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "base/input_file.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/mapped_file.hpp"
#include "mesh/msh_cursor.hpp"

namespace tessera::mesh {

namespace {

/// Walks the sections of a .msh file; numbers are read as text or bytes, as the header says.
class MshWalk : private MshCursor {
 public:
  using MshCursor::MshCursor;

  std::map<std::pair<int, int>, std::string> names;  ///< MshFacts::names
  SplitEntities split;                               ///< in: entities whose elements are collected; out: their elements
  SplitEntities ambiguous() const {
    SplitEntities result;
    for (auto it = contents_.begin(); it != contents_.end(); ++it)
      if (const auto next = std::next(it); next != contents_.end() && next->first[0] == it->first[0] &&
                                           next->first[1] == it->first[1] && next->second != it->second)
        result[{it->first[0], it->first[1]}];
    return result;
  }

  void run() {
    bool nodes = false, elements = false;
    const std::string end1 = "$END", end2 = "$End";
    for (std::string name = next_section(); !name.empty(); name = next_section()) {
      if (!format_seen_ && name == "NOD") version1_ = format_seen_ = true;  // version 1.0 has no header
      if (!format_seen_ && name != "MeshFormat" && name != "Comments")
        fail(fmt::format("section ${} where $MeshFormat was expected", name));
      if (name == "MeshFormat") {
        format();
      } else if (name == "PhysicalNames") {
        physical_names();
      } else if (name == "Entities" && version4_) {
        entities();
      } else if (name == (version1_ ? "NOD" : "Nodes")) {
        if (nodes) fail("a second section $Nodes");
        nodes = true;
        version4_ ? nodes4() : nodes2();
      } else if (name == (version1_ ? "ELM" : "Elements")) {
        if (!nodes) fail("section $Elements before $Nodes");
        if (elements) fail("a second section $Elements");
        elements = true;
        version4_ ? elements4() : version1_ ? elements1() : elements2();
      } else {
        skip_section(name, version1_ ? end1 : end2);
        continue;
      }
      expect_end(name, version1_ ? end1 : end2);
    }
    go_to_end();
    if (!format_seen_) fail("no section $MeshFormat: this is not a Gmsh mesh", "give a mesh that Gmsh wrote");
    if (!nodes) fail("no section $Nodes");
    if (!elements) fail("no section $Elements");
  }

 private:
  void format() {
    const char* start = at();
    const double version = text_real();
    const std::int64_t type = text_integer(), size = text_integer();
    const bool version2 = version >= 2.0 && version < 2.205;
    version20_ = version2 && version < 2.05;
    version4_ = version > 4.095 && version < 4.105;
    if (!version2 && !version4_) {
      go_to(start);
      fail(fmt::format("format version {} is unknown here", version),
           "save the mesh as version 4.1 or 2.2 (gmsh -format msh41)");
    }
    if (type != 0 && type != 1) fail(fmt::format("file type {}: 0 (ascii) or 1 (binary) was expected", type));
    if (size != 8) fail(fmt::format("data size {}: 8 was expected", size));
    if (format_seen_) fail("a second section $MeshFormat");
    format_seen_ = true;
    if (type == 0) return;
    skip_line();
    set_binary();
    if (four_bytes() != 1)
      fail("the bytes are in the order of another machine, or the header is corrupt", "write the mesh again as ascii");
  }

  void physical_names() {
    const std::uint64_t count = fitting(text_count(), 4, "physical names");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t first = text_integer();
      skip_spaces();
      const bool old = version20_ && left() > 0 && *at() == '"';  // Gmsh 2.0 wrote no dimension
      const std::int64_t dim = old ? -1 : first, tag = old ? first : text_integer();
      if (!old && (dim < 0 || dim > 3)) fail(fmt::format("a physical name of dimension {}", dim));
      const std::string_view name = quoted_name();
      if (name.size() > 119) fail("a physical name is longer than 119 characters", "use a shorter name");
      if (version20_) names[{static_cast<int>(dim), static_cast<int>(tag)}] = name;
    }
  }

  void entities() {
    std::uint64_t counts[4];
    for (std::uint64_t& count : counts) count = large();
    for (int dim = 0; dim < 4; ++dim) {
      fitting(counts[dim], binary() ? 36 : 10, "entities");
      for (std::uint64_t e = 0; e < counts[dim]; ++e) {
        small();
        for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) real();
        integers("physical groups of an entity");
        if (dim > 0) integers("bounding entities");
      }
    }
  }
  void integers(const char* what) {
    const std::uint64_t count = fitting(large(), binary() ? 4 : 2, what);
    for (std::uint64_t i = 0; i < count; ++i) small();
  }

  void see_node(std::uint64_t tag) {
    if (tag == 0 || tag > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2))
      fail(fmt::format("a node with the tag {}", static_cast<std::int64_t>(tag)), "tags are 1 or more");
    least_node_ = std::min(least_node_, tag);
    most_node_ = std::max(most_node_, tag);
  }
  void check_node(std::uint64_t tag) const {
    if (tag < least_node_ || tag > most_node_)
      fail(fmt::format("an element names the node {}, but nodes run from {} to {}", static_cast<std::int64_t>(tag),
                       least_node_, most_node_));
  }

  void nodes2() {
    const std::uint64_t count = fitting(text_count(), binary() ? 28 : 8, "nodes");
    if (binary()) skip_line();
    for (std::uint64_t i = 0; i < count; ++i) {
      see_node(static_cast<std::uint64_t>(small()));
      for (int axis = 0; axis < 3; ++axis) real();
    }
  }

  void nodes4() {
    const std::uint64_t blocks = fitting(large(), binary() ? 20 : 8, "node blocks");
    const std::uint64_t count = fitting(large(), binary() ? 32 : 8, "nodes");
    const std::uint64_t least = large(), most = large();
    std::uint64_t seen = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = entity_dim();
      const std::int64_t parametric = small();
      if (parametric != 0 && parametric != 1) fail(fmt::format("parametric flag {} of a node block", parametric));
      const std::uint64_t in_block = fitting(large(), binary() ? 32 : 8, "nodes");
      for (std::uint64_t i = 0; i < in_block; ++i) {
        const std::uint64_t tag = large();
        see_node(tag);
        if (tag < least || tag > most)
          fail(fmt::format("node {} is outside of the declared tags {} to {}", tag, least, most));
      }
      const std::uint64_t numbers = in_block * (3 + (parametric ? static_cast<std::uint64_t>(dim) : 0));
      for (std::uint64_t i = 0; i < numbers; ++i) real();
      seen += in_block;
    }
    if (seen != count) fail(fmt::format("{} nodes in the blocks, but {} declared", seen, count));
  }

  std::int64_t entity_dim() {
    const std::int64_t dim = small();
    if (dim < 0 || dim > 3) fail(fmt::format("an entity of dimension {}", dim));
    small();  // its tag
    return dim;
  }

  const GmshType& element_type(std::int64_t id) const {
    const GmshType* type = id > 0 && id < 1000 ? gmsh_type(static_cast<int>(id)) : nullptr;
    if (!type)
      fail(fmt::format("elements of the unknown or unsupported Gmsh type {}", id),
           "points, lines, triangles, quadrangles, tetrahedra, hexahedra and prisms of order 1 or 2 are supported; "
           "other "
           "numbers mean a corrupt file");
    return *type;
  }

  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  void see_element(const GmshType& type, std::int64_t element, std::int64_t physical, std::int64_t entity,
                   std::uint64_t hash) {
    const std::array<int, 3> key{type.dim(), static_cast<int>(entity), static_cast<int>(std::abs(physical))};
    if (!last_ || *last_ != key) {
      last_ = key;
      last_content_ = &contents_[key];
      const auto found = split.find({key[0], key[1]});
      last_split_ = found == split.end() ? nullptr : &found->second;
    }
    *last_content_ += hash;
    if (last_split_) last_split_->emplace_back(static_cast<std::uint64_t>(element), key[2]);
  }

  void elements1() {
    const std::uint64_t count = fitting(text_count(), 12, "elements");
    for (std::uint64_t e = 0; e < count; ++e) {
      const std::int64_t element = text_integer();
      const GmshType& type = element_type(text_integer());
      const std::int64_t physical = text_integer(), entity = text_integer(), nodes = text_integer();
      if (nodes != type.nodes) fail(fmt::format("a {} with {} nodes", type.name, nodes));
      see_element(type, element, physical, entity, nodes_of(type));
    }
  }

  /// Reads the nodes of an element; a number that is the same in whatever order they stand.
  std::uint64_t nodes_of(const GmshType& type) {
    std::uint64_t sum = 0;
    for (int n = 0; n < type.nodes; ++n) {
      const auto node = static_cast<std::uint64_t>(small());
      check_node(node);
      sum += mixed(node);
    }
    return mixed(sum);
  }

  void elements2() {
    const std::uint64_t count = fitting(text_count(), 8, "elements");
    if (binary()) skip_line();
    for (std::uint64_t seen = 0; seen < count;) {
      std::uint64_t run = 1;
      std::int64_t element = binary() ? 0 : small();
      const GmshType& type = element_type(small());
      if (binary()) {
        const std::int64_t claimed = small();
        if (claimed < 1 || static_cast<std::uint64_t>(claimed) > count - seen)
          fail(fmt::format("a block of {} elements where {} are left", claimed, count - seen));
        run = static_cast<std::uint64_t>(claimed);
      }
      const std::int64_t tags = small();
      if (tags < 0 || static_cast<std::uint64_t>(tags) > left()) fail(fmt::format("an element with {} tags", tags));
      fitting(run, static_cast<std::uint64_t>(type.nodes + tags) * (binary() ? 4 : 2), "elements");
      for (std::uint64_t e = 0; e < run; ++e) {
        if (binary()) element = small();
        std::int64_t physical = 0, entity = 0;
        for (std::int64_t t = 0; t < tags; ++t) {
          const std::int64_t tag = small();
          (t == 0 ? physical : entity) = t < 2 ? tag : entity;
        }
        const std::uint64_t hash = nodes_of(type);
        if (tags >= 2) see_element(type, element, physical, entity, hash);
      }
      seen += run;
    }
  }

  void elements4() {
    const std::uint64_t blocks = fitting(large(), binary() ? 20 : 8, "element blocks");
    const std::uint64_t count = fitting(large(), binary() ? 16 : 4, "elements");
    large();
    large();
    std::uint64_t seen = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = entity_dim();
      const GmshType& type = element_type(small());
      if (type.dim() != dim) fail(fmt::format("elements of the type {} in an entity of dimension {}", type.name, dim));
      const std::uint64_t in_block =
          fitting(large(), static_cast<std::uint64_t>(type.nodes + 1) * (binary() ? 8 : 2), "elements");
      for (std::uint64_t e = 0; e < in_block; ++e) {
        large();
        for (int n = 0; n < type.nodes; ++n) check_node(large());
      }
      seen += in_block;
    }
    if (seen != count) fail(fmt::format("{} elements in the blocks, but {} declared", seen, count));
  }

  bool format_seen_ = false, version1_ = false, version20_ = false, version4_ = false;
  std::map<std::array<int, 3>, std::uint64_t> contents_;  // (dim, entity, physical) -> sum of its elements' hashes
  std::optional<std::array<int, 3>> last_;
  std::uint64_t* last_content_ = nullptr;
  std::vector<std::pair<std::uint64_t, int>>* last_split_ = nullptr;
  std::uint64_t least_node_ = std::numeric_limits<std::uint64_t>::max(), most_node_ = 0;
};

}  // namespace

void check_readable(const std::filesystem::path& file, const std::optional<Position>& where) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const auto fail = [&](const std::string& message, const std::string& help) {
    throw Error(ExitCode::file_system, message, help, where);
  };
  if (!std::filesystem::exists(status))
    fail(fmt::format("mesh file {} does not exist", file.string()), "paths in a deck are relative to the deck");
  if (std::filesystem::is_directory(status))
    fail(fmt::format("mesh file {} is a folder", file.string()), "name a file");
  require_regular_file(file, "mesh file", "give a file that Gmsh reads: a pipe or a device may never end", where);
  if (access(file.c_str(), R_OK) != 0)
    fail(fmt::format("cannot read mesh file {}: {}", file.string(), std::strerror(errno)), "check its permissions");
  if (std::filesystem::file_size(file, error) == 0)
    throw Error(ExitCode::mesh, fmt::format("mesh file {} is empty", file.string()), "write the mesh again", where);
}

MshFacts check_msh(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  MshWalk walk(file.string(), mapped.text());
  walk.run();
  MshFacts facts{walk.ambiguous(), std::move(walk.names)};
  if (facts.split.empty()) return facts;
  MshWalk collect(file.string(), mapped.text());
  collect.split = std::move(facts.split);
  collect.run();
  for (auto& [entity, elements] : collect.split) std::sort(elements.begin(), elements.end());
  facts.split = std::move(collect.split);
  return facts;
}

}  // namespace tessera::mesh
