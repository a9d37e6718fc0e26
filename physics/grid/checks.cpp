#include "physics/grid/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "physics/scalar/problem.hpp"

namespace tessera::physics::grid {

namespace {

deck::Where place(const deck::Expression& expression, const MaterialParams& material) {
  return expression.where() ? expression.where() : material.where;
}

}  // namespace

void GridChecks::refuse(const std::string& what, const std::string& help, deck::Where where) const {
  if (!where) where = params_.physics.where;
  throw Error(ExitCode::usage, fmt::format("{} {}", words_.asker, what),
              fmt::format("{}, or choose {}", help, words_.way_out), where);
}

void GridChecks::mesh() const {
  const mesh::MeshParams& mesh = params_.mesh;
  if (mesh::has_axis(mesh))
    refuse(fmt::format("needs coefficients that are the same on the whole grid, mesh.axis = \"{}\" gives them the "
                       "weight 2 pi r",
                       mesh.axis),
           "leave mesh.axis out", deck_.where("mesh.axis"));
  if (!mesh.box)
    refuse("needs a box mesh, this one is a file", "use [mesh] box = " + words_.box, deck_.where("mesh.file"));
  if (deck_.has("group"))
    refuse("knows the sides of the box by their names only, the deck has a [[group]]",
           "name left, right, bottom, top, back, front or domain", deck_.where("group[0]"));
  if (mesh.order != 1)
    refuse("needs straight cells, mesh.order is 2", "leave mesh.order out", deck_.where("mesh.order"));
  if (mesh.numbering == "metis")
    refuse("needs the nodes of the box in their order, mesh.numbering is \"metis\"", "leave mesh.numbering out",
           deck_.where("mesh.numbering"));
  for (int cells : mesh.box->cells)
    if (Offset{cells} << mesh.refine < 2)
      refuse("needs an unknown inside: an axis of the box has one cell only", "use at least 2 cells an axis",
             mesh.box->where);
}

double GridChecks::constant(const char* name, const deck::Expression& expression,
                            const MaterialParams& material) const {
  const deck::Where where = place(expression, material);
  if (!expression.is_constant())
    refuse(fmt::format("needs a constant {}, this one is {}", name, expression.text()), "use a number", where);
  if (!std::isfinite(expression.constant())) refuse(fmt::format("needs a finite {}", name), "use a number", where);
  return expression.constant();
}

double GridChecks::diffusivity(const MaterialParams& material) const {
  if (material.diffusivity.size() != 1)
    refuse("needs a scalar diffusivity, this one is a tensor",
           "use one number, and stretch the box for different ones along the axes", material.where);
  const deck::Expression& expression = material.diffusivity.front();
  const double k = constant("diffusivity", expression, material);
  if (!(k > 0))
    throw Error(ExitCode::usage, fmt::format("diffusivity [{}] is not positive", k),
                "the problem is elliptic only where k is positive", place(expression, material));
  return k;
}

void GridChecks::boundaries(const mesh::Mesh& outline) const {
  std::vector<bool> given(static_cast<std::size_t>(2 * outline.dim), false);
  for (const BoundaryParams& boundary : params_.boundaries) {
    if (boundary.type != "dirichlet" && !(words_.neumann && boundary.type == "neumann"))
      refuse(words_.neumann
                 ? fmt::format("needs Dirichlet or Neumann values, this boundary is {}", boundary.type)
                 : fmt::format("needs Dirichlet values on {}, this boundary is {}", words_.all_sides, boundary.type),
             words_.neumann ? "use type = \"dirichlet\" or \"neumann\"" : "use type = \"dirichlet\"", boundary.where);
    for (const std::string& name : boundary.on)
      for (std::size_t side = 0; side < given.size(); ++side)
        if (outline.groups[side].name == name) given[side] = true;
  }
  const assembly::DofMap corners = assembly::make_dof_map(outline, 1, 1);
  dirichlet_data(params_.boundaries, outline, corners, assembly::dof_points(outline, corners),
                 GroupList::names);  // unknown names, contradictions
  if (words_.neumann) {
    facet_terms(params_.boundaries, outline, GroupList::names);  // the same of Neumann sides
    return;
  }
  for (std::size_t side = 0; side < given.size(); ++side)
    if (!given[side])
      refuse(fmt::format("needs Dirichlet values on {}, '{}' {}", words_.all_sides, outline.groups[side].name,
                         words_.bare_side),
             "add the side to a [[boundary]] of type = \"dirichlet\"",
             params_.boundaries.empty() ? params_.physics.where : params_.boundaries.front().where);
}

}  // namespace tessera::physics::grid
