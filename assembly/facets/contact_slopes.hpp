#pragma once
// Contacts whose conductance depends on the field: its values there, and the derivatives of what flows.
#include <span>
#include <vector>

#include "assembly/facets/contact.hpp"

namespace tessera::assembly {

/// A field at the points of a contact.
struct ContactState {
  std::vector<double> mean;  ///< (u_1 + u_2) / 2
  std::vector<double> jump;  ///< u_1 - u_2
};
ContactState contact_state(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                           std::span<const double> u);

/// Appends the entries of int s (v_1 - v_2) (w_1 + w_2) / 2 ds for s [points]: rows are those of v, columns those of w.
/// Such are the derivatives of what flows through a conductance that depends on the mean of both sides.
void add_contact_slopes(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                        std::span<const double> s, MatrixEntries& to);

/// The sum of the matrices of facets and of `more`, whose entries may come several times.
MatrixEntries entries_of(const FacetTerms& terms, const MatrixEntries& more);

}  // namespace tessera::assembly
