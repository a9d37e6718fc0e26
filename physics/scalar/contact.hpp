#pragma once
// Thermal contact: through two sides that lie on each other flows conductance (u_1 - u_2).
#include "assembly/facets/contact.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// Takes the contacts out of params.boundaries into params.contacts, and tells the mesh which sides may touch.
void take_contacts(Params& params);

/// Splits the mesh where contacts name one group of facets inside it, or two groups of cells: of these the group
/// "<first>_<second>" is made first, and then all come apart at once. Warns of facets that stay one. Throws Error(mesh)
/// where it cannot be, Error(usage) for names that are taken, or for a "rest" that no material has made.
void split_contacts(const std::vector<BoundaryParams>& contacts, mesh::Mesh& mesh);

/// The contacts on the mesh. `whole`: the mesh is no part of a rank, and each first side is to lie on its second one.
/// Throws Error(mesh) naming the place where it does not, Error(usage) where facets have a condition that goes not with
/// it.
std::vector<ContactTerm> contact_terms(const Params& params, const std::vector<BoundaryParams>& periodic,
                                       const mesh::Mesh& mesh, const assembly::DofMap& dofs, bool whole);

/// The dofs that contacts couple, for patterns.
std::vector<assembly::DofBlock> contact_couplings(const std::vector<ContactTerm>& contacts, const mesh::Mesh& mesh,
                                                  const assembly::DofMap& dofs);

/// Cells on the two sides of all contacts.
mesh::CoupledCells coupled_cells(const std::vector<ContactTerm>& contacts, const mesh::Mesh& mesh);

/// The conductance at the points of a contact, with the weight 2 pi r on a mesh with an axis; u [dofs]: the solution,
/// where it depends on that, of which it takes the mean of both sides. Throws Error(usage) where it is negative or not
/// finite.
std::vector<double> conductance(const ContactTerm& contact, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                int threads, std::span<const double> u = {});

/// Whether a conductance depends on the solution; also before contacts are taken out of the boundaries.
bool contacts_depend_on_solution(const Params& params);

/// The matrices of all contacts at the time of the problem; without any: none.
assembly::FacetTerms contact_matrices(const Problem& problem);

/// What depends on the solution in the entries of contacts in a matrix.
enum class ContactSlopes { none, all };

/// The entries of all contacts in a matrix, made anew only where a conductance of the deck depends on time or on the
/// solution. Borrows.
class ContactEntries {
 public:
  ContactEntries(const Problem& problem, const Params& deck);
  /// The problem has been moved to another time.
  void take_time() { known_ = known_ && !varies_; }
  /// At the time of the problem and at u [dofs], which may be left out where nothing depends on it: those of what flows
  /// through the contacts, A u, or of its derivative.
  const assembly::MatrixEntries& at(std::span<const double> u = {}, ContactSlopes slopes = ContactSlopes::none);

 private:
  const Problem& problem_;
  bool varies_, of_solution_, known_ = false;
  assembly::MatrixEntries entries_;
};

/// Sides, [contact][first, second]: the names by which a deck knows them.
std::array<std::string, 2> contact_sides(const BoundaryParams& contact, const mesh::Mesh& mesh);

}  // namespace tessera::physics::scalar
