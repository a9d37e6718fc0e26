#pragma once
#include <optional>
#include <string>
#include <vector>

#include "deck/section.hpp"

namespace tessera::mesh {

/// A box generated here: mesh.box of a deck. `cells` has one number per axis; the shape says how many axes.
struct BoxParams {
  std::vector<double> min{0, 0, 0};
  std::vector<double> max{1, 1, 1};
  std::vector<int> cells;
  std::string shape = "tet";
  deck::Where where;
};

/// [mesh] of a deck.
struct MeshParams {
  std::string file;
  std::optional<BoxParams> box;
  std::optional<double> size;
  int order = 1;
  std::optional<double> angle;
  bool glue = true;
  int refine = 0;
  std::string numbering = "rcm";
  bool trust = false;
  std::optional<double> time_limit;
  std::optional<double> merge_nodes;
  bool allow_cracks = false;
  std::string axis = "none";
  std::string partition = "auto";
  /// Groups of facets that lie on each other and are meant to share no nodes, as contacts of the deck say; no key.
  std::vector<std::string> contacts = {};
  deck::Where where = {};
};

/// The schema of [mesh].
deck::Section<MeshParams> mesh_section();

/// What single keys cannot say: exactly one of `file` and `box`; the lists of a box have one number per axis and
/// min < max. Throws Error(usage) at the table's place in the deck.
void validate(const MeshParams& params);
void validate(const BoxParams& params);

/// Whether the mesh is half of a section of a body of revolution.
inline bool has_axis(const MeshParams& params) { return params.axis != "none"; }

/// Dimension of the mesh where it is known before there is one, that of a valid box; 0: of a file.
int known_dimension(const MeshParams& params);

}  // namespace tessera::mesh
