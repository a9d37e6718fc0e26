#pragma once
// How a deck, files and tables call the fields of a model.
#include <string>
#include <vector>

namespace tessera::physics {

/// A field that a model solves for, or one that is derived from a solution.
struct FieldInfo {
  std::string name;                          ///< "u": in [exact], [output], [[quantity]] and [[line]]
  std::string unit = {};                     ///< of its values, for help texts
  bool vector = false;                       ///< one component an axis: u_x, u_y, u_z
  std::vector<std::string> components = {};  ///< suffixes of other components: stress_xx; empty: a number, or a vector
  bool measured = false;                     ///< a [[quantity]] may be of it, or of a component
  bool written = true;                       ///< into files whose [output] names no fields
  std::string rate = {};                     ///< name of its rate of change, of what accelerates: "v"
  std::vector<std::string> probed = {};      ///< what else a [[probe]] may look at: Model::receiver
  bool own_names = false;                    ///< components are fields by themselves: `components` are their names
  std::string axes = {};                     ///< behind those one more an axis: "momentum" of momentum_x, momentum_y

  /// Components on a mesh of `dim` dimensions.
  int count(int dim) const {
    if (vector) return dim;
    return components.empty() ? 1 : static_cast<int>(components.size()) + (axes.empty() ? 0 : dim);
  }
  /// Unknowns of a node that a matrix couples: fields by themselves are not.
  int block(int dim) const { return own_names ? 1 : count(dim); }
  /// Numbers a node of a derived field: a vector has 3, unused ones 0, as files want them.
  int stride() const { return vector ? 3 : count(0); }
  /// The field of its rate of change.
  FieldInfo rate_field() const {
    return {.name = rate, .unit = unit + "/s", .vector = vector, .components = components};
  }
  /// "u", "u_x", "stress_xy": the name of component c.
  std::string component(int c) const {
    if (const int scalars = static_cast<int>(components.size()); !axes.empty() && c >= scalars)
      return axes + "_" + "xyz"[c - scalars];
    if (own_names) return components[static_cast<std::size_t>(c)];
    if (vector) return name + "_" + "xyz"[c];
    return components.empty() ? name : name + "_" + components[static_cast<std::size_t>(c)];
  }
};

/// Whether that is the name of the field or of one of its components on a mesh of `dim` dimensions; `c` becomes its
/// number.
inline bool is_component(const FieldInfo& field, const std::string& name, int dim, int& c) {
  for (c = 0; c < field.count(dim); ++c)
    if (field.component(c) == name) return true;
  return false;
}

}  // namespace tessera::physics
