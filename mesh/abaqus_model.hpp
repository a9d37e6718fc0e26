#pragma once
// What an input deck of Abaqus says of its mesh, by its own numbers.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mesh/abaqus_elements.hpp"
#include "mesh/abaqus_lines.hpp"
#include "mesh/file_mesh.hpp"

namespace tessera::mesh {

/// Nodes or elements that a set names.
struct AbaqusMembers {
  struct Range {  ///< of GENERATE
    Index first = 0, last = 0, step = 1;
  };
  std::vector<Index> numbers;
  std::vector<Range> ranges;
  std::vector<std::pair<Index, Index>> spans;  ///< positions [first, last): all of one *NODE or *ELEMENT

  std::size_t size() const { return numbers.size() + ranges.size() + spans.size(); }
  void append(const AbaqusMembers& other) {
    numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
    ranges.insert(ranges.end(), other.ranges.begin(), other.ranges.end());
    spans.insert(spans.end(), other.spans.begin(), other.spans.end());
  }
};

/// Sets are of the part, or of a deck without parts, or of the assembly; each of these has its own names.
enum class AbaqusScope { part, assembly };

struct AbaqusSet {
  std::string name;
  AbaqusScope scope = AbaqusScope::part;
  bool internal = false;    ///< made by a preprocessor for its own use
  bool of_surface = false;  ///< a surface is made of it
  AbaqusMembers members;
  AbaqusMembers of_elements;  ///< node sets: elements whose nodes it has
};

/// Sets by their names, which mean the same in upper and lower case.
class AbaqusSets {
 public:
  /// The set of that name; a new one where there is none.
  AbaqusSet& make(AbaqusScope scope, std::string_view name);
  /// nullptr where there is none.
  AbaqusSet* find(AbaqusScope scope, std::string_view name);
  std::vector<AbaqusSet> all;  ///< in the order of the deck

 private:
  std::map<std::pair<AbaqusScope, std::string>, std::size_t> position_;
};

struct AbaqusSurface {
  /// The sides of that label of some elements.
  struct Sides {
    AbaqusMembers elements;
    std::string label;
    const char* at = nullptr;
  };
  std::string name;
  std::vector<Sides> sides;
  bool of_nodes = false;
  AbaqusMembers nodes;
};

struct AbaqusModel {
  /// Elements from `first` on, up to the next section.
  struct Section {
    Index first = 0;
    std::string type_name;
    AbaqusType type;
  };
  FileMesh mesh;  ///< points; elements, that name nodes by their numbers
  std::vector<Index> node_numbers, element_numbers;
  std::vector<const char*> node_at, element_at;  ///< their lines
  std::vector<Section> sections;
  AbaqusSets node_sets, element_sets;
  std::vector<AbaqusSurface> surfaces;
  std::string instance;  ///< name of the only one; empty: none

  const Section& section_of(Index element) const;
};

/// Sets of sets of sets, and ranges within ranges, name more than a file can have lines: what they name in all may
/// grow with the size of the files only, so that reading does too.
class AbaqusBudget {
 public:
  explicit AbaqusBudget(const AbaqusLines& lines) : lines_(lines) {}
  void spend(std::size_t members, const char* at = nullptr) {
    spent_ += members;
    if (spent_ > 1000000 + 20 * lines_.bytes())
      lines_.fail(at, "the sets of this deck hold each other, and more members than its size allows",
                  "leave out sets that are not needed");
  }

 private:
  const AbaqusLines& lines_;
  std::size_t spent_ = 0;
};

/// Reads the deck. Throws Error(mesh) with the place of what is wrong.
AbaqusModel parse_abaqus(AbaqusLines& lines, AbaqusBudget& budget);

/// The mesh of a deck: numbers become positions, sets and surfaces groups. Throws as parse_abaqus.
FileMesh mesh_of(AbaqusModel&& model, const AbaqusLines& lines, AbaqusBudget& budget);

}  // namespace tessera::mesh
