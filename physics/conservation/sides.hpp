#pragma once
// Sides of the mesh and their conditions, as conservation laws of all kinds ask for them.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "physics/groups.hpp"
#include "physics/model.hpp"

namespace tessera::physics::conservation {

/// An entry of [[boundary]] without what it says there.
struct Side {
  std::vector<std::string> on;
  std::string type;
  deck::Where where;
};

/// Those of a module's own entries.
template <class Entry>
std::vector<Side> sides(const std::vector<Entry>& entries) {
  std::vector<Side> result;
  for (const Entry& entry : entries) result.push_back({entry.on, entry.type, entry.where});
  return result;
}

/// [nodes] the vertex that each is one with, of entries of type "periodic"; empty: there are none. `others`: the rest
/// of the entries. Throws as scalar::periodic_vertices.
std::vector<Index> joined_vertices(const deck::Deck& deck, const CommonParams& params, const std::vector<Side>& others,
                                   const std::vector<Side>& periodic, const mesh::Mesh& mesh);

/// The facets of an entry. Throws Error(usage) for groups with facets inside of the mesh.
mesh::Group facets_of(const Side& side, const mesh::Mesh& mesh);

/// The mean of the vertices of a facet.
std::array<double, 3> centre_of(const mesh::Mesh& mesh, Index facet);

/// Which facets have a condition, of all entries. Throws Error(usage) where two entries have one facet.
class Conditions {
 public:
  explicit Conditions(const mesh::Mesh& mesh) : mesh_(mesh), has_(static_cast<std::size_t>(mesh.facets.size()), 0) {}
  void add_periodic(const std::vector<Side>& periodic);
  void add(const Side& side, const mesh::Group& facets);
  /// Throws Error(usage) that names the sides without one.
  void require_all() const;

 private:
  const mesh::Mesh& mesh_;
  std::vector<char> has_;
};

/// Values of expressions at dofs at a time, [expressions, dofs].
std::vector<double> evaluate_all(const Discretisation& space, const std::vector<deck::Expression>& of,
                                 std::span<const Index> dofs, double t);

}  // namespace tessera::physics::conservation
