#include "mesh/make_mesh.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/backend.hpp"
#include "base/counted.hpp"
#include "base/log.hpp"
#include "base/profile.hpp"
#include "mesh/box.hpp"
#include "mesh/conformity.hpp"
#include "mesh/curved_boundary.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/groups.hpp"
#include "mesh/numbering.hpp"
#include "mesh/quality.hpp"
#include "mesh/refine.hpp"

namespace tessera::mesh {

namespace {

std::string counts(const Mesh& mesh) {
  std::string shapes;
  for (const CellBlock& block : mesh.blocks)
    shapes += fmt::format("{}{}", shapes.empty() ? "" : " + ",
                          counted(block.cells(), fmt::format("{} cell", name(block.shape))));
  return fmt::format("mesh: {}, {}, {}, {}, geometric order {}", counted(mesh.nodes(), "node"), shapes,
                     counted(mesh.facets.size(), "facet"), counted(mesh.groups.size(), "group"), mesh.order);
}

void merge(Mesh& mesh, double tolerance) {
  const Index gone = merge_nodes(mesh, tolerance);
  gone > 0 ? log_info(gone == 1 ? std::string("1 node that lay where another one does is merged")
                                : fmt::format("{} nodes that lay where another one does are merged", gone))
           : warn(fmt::format("mesh.merge_nodes = {:g} merges nothing: no two boundary nodes lie so near", tolerance));
}

/// Reads the file; a geometry is refined by Gmsh, which puts new nodes onto it. Where that folds cells, as it may where
/// they are large beside the curvature, the mesh comes unrefined. `refinements`: in: those wanted; out: those left to
/// do.
Mesh read_and_refine(const std::filesystem::path& file, GmshOptions options, int& refinements) {
  if (!is_geometry(file) || options.refine == 0) return read_gmsh(file, options);
  try {
    Mesh mesh = read_gmsh(file, options);
    check_cells(mesh);
    refinements = 0;
    return mesh;
  } catch (const Error& error) {
    if (error.code() != ExitCode::mesh) throw;
    options.refine = 0;
    Mesh mesh = read_gmsh(file, options);
    warn(
        fmt::format("{}: new nodes of mesh.refine stay on the first mesh's sides, for on the geometry they fold cells "
                    "({}); a smaller "
                    "mesh.size avoids that",
                    file.string(), error.what()));
    return mesh;
  }
}

/// Calls work; an error without a place of its own gets that of the deck's entry.
template <class Work>
void with_place(const std::optional<Position>& where, Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.where() || !where) throw;
    throw Error(error.code(), error.what(), error.help(), where);
  }
}

/// Whether the cells fit together. Sides of contacts may be groups that the deck makes, which the mesh has here for a
/// while: it may still be refined.
void check_joints(const deck::Deck& deck, const MeshParams& params, const std::optional<Position>& where, Mesh& mesh) {
  const std::size_t groups = mesh.groups.size();
  if (!params.contacts.empty()) add_groups(mesh, group_section().read_all(deck));
  with_place(where, [&] { check_conformity(mesh, params.allow_cracks, params.contacts); });
  mesh.groups.resize(groups);
}

/// What can be said of mesh.axis before there is a mesh.
void check_axis(const deck::Deck& deck, const MeshParams& params, Revolution revolution) {
  if (!has_axis(params)) return;
  if (revolution == Revolution::refused)
    throw Error(ExitCode::usage,
                fmt::format("mesh.axis = \"{}\": this physics.type solves no axisymmetric problems", params.axis),
                "leave mesh.axis out, or use physics.type = \"poisson\" or \"convection_diffusion\"",
                deck.where("mesh.axis"));
  if (const int dim = known_dimension(params); dim == 1 || dim == 3) {
    Mesh box;
    box.dim = dim;
    with_place(deck.where("mesh.axis"), [&] { set_axis(box, params.axis); });
  }
}

}  // namespace

BoxParams refined(BoxParams box, int times) {
  for (int& cells : box.cells) {
    if (cells > (std::numeric_limits<int>::max() >> times))
      throw Error(ExitCode::mesh,
                  fmt::format("{} cells on an axis refined {} times are more than 32-bit numbers count", cells, times),
                  "use fewer cells or refinements", box.where);
    cells <<= times;
  }
  return box;
}

Mesh make_mesh(const deck::Deck& deck, const MeshParams& params, int threads, const MeshHooks& hooks,
               Revolution revolution) {
  validate(params);
  check_axis(deck, params, revolution);
  Threads exec(threads);
  Mesh mesh;
  int refinements = params.box ? 0 : params.refine;  // that are still to do
  std::optional<Position> where = deck.where(params.box ? "mesh.box" : "mesh.file");
  if (!where) where = params.where;
  if (params.box) {
    Scope scope(exec, "mesh.generate");
    with_place(where, [&] { mesh = make_box(refined(*params.box, params.refine), params.order); });
  } else {
    Scope scope(exec, "mesh.read");
    GmshOptions options{params.size, params.order,  params.trust, params.time_limit, where,
                        hooks,       params.refine, params.angle, params.glue};
    with_place(where, [&] { mesh = read_and_refine(deck.resolve(params.file), options, refinements); });
  }
  if (!params.box) {
    if (params.merge_nodes) with_place(where, [&] { merge(mesh, *params.merge_nodes); });
    Scope scope(exec, "mesh.check");
    with_place(where, [&] { check_cells(mesh); });
    check_joints(deck, params, where, mesh);
  }
  if (refinements > 0) {
    if (const Group* group = group_that_curves(mesh))
      warn(fmt::format(
          "mesh.refine keeps the polygon of '{}', which looks curved; a geometry, or a mesh of geometric order 2, "
          "knows the curve",
          group->name));
    Scope scope(exec, "mesh.refine");
    for (int level = 0; level < refinements; ++level) mesh = refine(mesh);
  }
  if (params.box || refinements > 0) {
    Scope scope(exec, "mesh.check");
    with_place(where, [&] { params.box ? check_box(mesh) : check_cells(mesh); });
  }
  // A box is in lexicographic order, which is banded as RCM makes it, and grid methods rely on it.
  if (params.numbering == "metis" || (params.numbering == "rcm" && !params.box)) {
    Scope scope(exec, "mesh.number");
    params.numbering == "metis" ? renumber_metis(mesh, hooks.stop) : renumber_rcm(mesh);
    mesh.box_cells.fill(0);
  }
  if (has_axis(params)) with_place(deck.where("mesh.axis"), [&] { set_axis(mesh, params.axis); });
  if (const std::vector<GroupParams> groups = group_section().read_all(deck); !groups.empty()) {
    Scope scope(exec, "mesh.groups");
    add_groups(mesh, groups);
  }
  log_info(counts(mesh));
  return mesh;
}

}  // namespace tessera::mesh
