#pragma once
// Terms of forms over facets as matrices of the facets, for operators that have no matrix of their own.
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"

namespace tessera::assembly {

/// Facets with as many rows: those of the dofs on a facet, of each dof its components.
struct FacetMatrices {
  std::vector<Index> rows;       ///< [facets, rows] dof * components + component
  std::vector<double> matrices;  ///< [facets, rows (rows + 1) / 2], packed upper triangles
};

/// What integrals over facets add to a symmetric operator, on the host.
struct FacetTerms {
  std::map<int, FacetMatrices> shapes;  ///< by the rows of a facet; facets whose matrix is zero are left out
  std::vector<double> load;             ///< [dofs, components]; empty: 0
};

/// Adds the term of a symmetric form over the facets of a group, by the quadrature of CellAssembler::add_facets.
/// Instantiated for a form by a source that includes facet_terms_impl.hpp. Throws Error(internal) where lengths do not
/// fit.
template <class Form>
void add_facet_terms(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, Form form,
                     const typename Form::Data& data, FacetTerms& terms);

/// A facet of a group with what its integrals need.
struct FacetPoints {
  Index facet = 0;              ///< its number in the group
  int stride = 0;               ///< points a facet of values at points
  std::span<const Index> dofs;  ///< [nodes]
  std::span<const double> ds;   ///< [points] with the weights of the rule
  std::span<const double> phi;  ///< [points, nodes]
};
/// Calls visit for each facet of the group, in their order.
void visit_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                  const std::function<void(const FacetPoints&)>& visit);

}  // namespace tessera::assembly
