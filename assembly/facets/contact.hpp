#pragma once
// Integrals over two sides of a mesh that lie on each other without sharing nodes: int h (u_1 - u_2)(v_1 - v_2) ds.
#include <array>
#include <span>
#include <vector>

#include "assembly/facets/facet_terms.hpp"
#include "assembly/fields/side_loads.hpp"
#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "mesh/overlap.hpp"

namespace tessera::assembly {

/// A facet of the first side with one of the second that lies before it.
struct ContactPair {
  Index first = -1, second = -1;  ///< numbers in Mesh::facets
  int first_nodes = 0, second_nodes = 0;
  Offset first_point = 0;  ///< its quadrature points stand together
  int points = 0;
  Offset first_phi = 0;
};

/// The quadrature points of a contact, on the first side, with the functions of both sides there.
struct ContactPoints {
  std::vector<ContactPair> pairs;
  std::vector<double> xyz;    ///< [points, 3]
  std::vector<double> ds;     ///< [points] with the weights of the rule
  std::vector<double> apart;  ///< [points] how far the other side is
  std::vector<double> phi;    ///< pair after pair: [points, first_nodes + second_nodes]
};

/// Integrates over the parts that a facet of the first side and one of the second have in common, with the point of the
/// second side that is nearest: exact for products of functions of straight facets (intervals, triangles,
/// parallelograms), whether the facets match or not, and for facets that match as the integrals over the boundary are.
/// So what leaves one side is what enters the other. (A. Popp et al., Int. J. Numer. Methods Eng. 79 (2009) 1354-1391,
/// has the segments of contact in 2-D, M. A. Puso, T. A. Laursen, Comput. Methods Appl. Mech. Eng. 193 (2004) 601-629,
/// in 3-D.) Points farther from the other side than the reach of their overlap are left out. Bytes: 8 (5 + nodes of
/// both facets) a point.
ContactPoints contact_points(const mesh::Mesh& mesh, int order, const std::vector<mesh::Overlap>& overlaps);

/// How much of a side lies before the other one.
struct ContactCover {
  double area = 0, uncovered = 0;  ///< of all facets, as their vertices span them
  Index worst = -1;                ///< the facet of which most is uncovered
  double worst_share = 0;          ///< of its own area
  Index most = -1;                 ///< the facet that lies most often before others
  double most_covered = 0;         ///< how often, by its own area; once, but for the curvature of facets
  double apart = 0;                ///< the largest distance of a point to the other side
};
/// Of the first side; that of the second by swapped = true.
ContactCover contact_cover(const mesh::Mesh& mesh, const ContactPoints& points, const std::vector<Index>& side,
                           bool swapped = false);

/// About how far the vertices and centres of the facets of a side are from a point, at least.
double distance_to(const mesh::Mesh& mesh, const std::vector<Index>& side, const std::array<double, 3>& x);

/// The dofs of each pair, as cells without integrals, for patterns: AssemblyOptions::couplings.
std::vector<DofBlock> contact_blocks(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points);

/// Adds the matrices of the pairs for h [points], for operators without a matrix and contact_entries.
void add_contact_terms(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                       std::span<const double> h, FacetTerms& terms);

/// Entries of a matrix, each once, by rows and columns.
struct MatrixEntries {
  std::vector<Index> rows, cols;
  std::vector<double> values;
};
/// The sum of the matrices of facets with one unknown a node.
MatrixEntries entries_of(const FacetTerms& terms);
/// A += entries, which the pattern of A must have; they go to the backend for the call.
template <class Exec>
void add_entries(Exec& exec, const MatrixEntries& entries, linalg::Crs<typename Exec::Space>& A);
/// y += factor entries u
void add_product(const MatrixEntries& entries, double factor, std::span<const double> u, std::span<double> y);

/// int lambda phi_i ds of the dofs of each facet of `side`, sorted, where lambda = h (u_other - u_own) flows in: of the
/// first side, or, swapped, of the second.
SideLoads contact_loads(const mesh::Mesh& mesh, const DofMap& map, const ContactPoints& points,
                        std::span<const double> h, std::span<const double> u, const std::vector<Index>& side,
                        bool swapped);

}  // namespace tessera::assembly
