#include "physics/scalar/contact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/facets/contact_points.hpp"
#include "assembly/facets/contact_slopes.hpp"
#include "base/counted.hpp"
#include "base/log.hpp"
#include "mesh/facet_map.hpp"
#include "mesh/overlap.hpp"
#include "mesh/split.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/groups.hpp"
#include "physics/scalar/axis.hpp"

namespace tessera::physics::scalar {

namespace {

/// Of a facet, and of a side: where the ends of sides are curved, facets that do not match reach over them.
constexpr double most_uncovered_of_facet = 0.1, most_uncovered = 0.01;

std::string text(const std::array<double, 3>& x) { return fmt::format("({:g}, {:g}, {:g})", x[0], x[1], x[2]); }

/// Of the second side; above it one of its facets lies before more than one of the first, but for coarse curved ones.
constexpr double most_covered = 1.25;

/// Whether a contact lies between two groups of cells. "rest" may be one of these and of facets at once.
bool is_between_cells(const BoundaryParams& contact, const mesh::Mesh& mesh) {
  return contact.on.size() == 2 && std::all_of(contact.on.begin(), contact.on.end(), [&](const std::string& name) {
           return (name == "rest" || !mesh.group(name, mesh.dim - 1)) && mesh.group(name, mesh.dim);
         });
}

/// Whether the mesh came apart for a contact, or has its two sides as they are.
bool is_split(const BoundaryParams& contact, const mesh::Mesh& mesh) {
  return contact.on.size() == 1 || is_between_cells(contact, mesh);
}

/// What the facets of a contact inside the mesh are called.
std::string interface_name(const BoundaryParams& contact) {
  return contact.on.size() == 1 ? contact.on.front() : contact.on[0] + "_" + contact.on[1];
}

/// "rest" is known here where it is what materials do not name.
void check_rest(const BoundaryParams& contact, const mesh::Mesh& mesh) {
  for (const std::string& name : contact.on)
    if (name == "rest" && !mesh.group(name, mesh.dim) && !mesh.group(name, mesh.dim - 1))
      throw Error(ExitCode::usage, "a contact names \"rest\", and no material does",
                  "\"rest\" of a contact is the cells of the material with on = \"rest\": write that, or name a group",
                  contact.where);
}

template <class Work>
void at(const deck::Where& where, Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.where()) throw;
    throw Error(error.code(), error.what(), error.help(), where);
  }
}

/// Facets that have u prescribed, or are one with others, are no sides of a contact, and no facet is in two.
void check_sides(const std::vector<ContactTerm>& contacts, const std::vector<BoundaryParams>& boundaries,
                 const std::vector<BoundaryParams>& periodic, const mesh::Mesh& mesh) {
  std::vector<char> claimed(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const ContactTerm& contact : contacts)
    for (const mesh::Group& side : contact.sides)
      for (const Index facet : side.entities) {
        if (claimed[facet])
          throw Error(ExitCode::usage, fmt::format("'{}' has a facet that is in a contact twice", side.name),
                      "a facet is on one side of one contact", contact.boundary->where);
        claimed[facet] = 1;
      }
  for (const std::vector<BoundaryParams>* list : {&boundaries, &periodic})
    for (const BoundaryParams& boundary : *list) {
      if (boundary.type != "dirichlet" && boundary.type != "periodic") continue;
      for (const std::string& name : boundary.on)
        if (const mesh::Group* group = mesh.group(name, mesh.dim - 1))
          if (std::any_of(group->entities.begin(), group->entities.end(), [&](Index f) { return claimed[f] != 0; }))
            throw Error(ExitCode::usage,
                        fmt::format("'{}' is {} and has a facet that is in a contact", name,
                                    boundary.type == "periodic" ? "periodic" : "of a dirichlet boundary"),
                        boundary.type == "periodic"
                            ? "a facet of a periodic side has no other condition"
                            : "a contact with something of a known u is a robin boundary: alpha = conductance, "
                              "value = conductance u",
                        boundary.where);
    }
}

const char* measure_of(const mesh::Mesh& mesh) { return mesh.dim == 1 ? "points" : mesh.dim == 2 ? "length" : "area"; }

mesh::Vector3 middle_of(const mesh::Mesh& mesh, Index facet) {
  const mesh::FacetMap map(mesh, {mesh.facets.cell[facet], mesh.facets.side[facet]});
  const std::array<double, 2> middle =
      map.shape == mesh::Shape::triangle ? std::array{1.0 / 3, 1.0 / 3} : std::array{0.0, 0.0};
  return map.at(middle.data());
}

/// Throws where the first side does not lie on the second one, or more than once.
void check_cover(const ContactTerm& contact, const mesh::Mesh& mesh) {
  const auto& [first, second] = contact.sides;
  for (const mesh::Group* side : {&first, &second}) {
    if (side->entities.empty())
      throw Error(ExitCode::mesh, fmt::format("the side '{}' of a contact has no facets", side->name),
                  "name two groups of facets, or one inside the mesh");
    for (const Index facet : side->entities)
      if (!mesh.facets.exterior[facet])
        throw Error(ExitCode::mesh,
                    fmt::format("the side '{}' of a contact has facets inside the mesh: cells on either side share "
                                "their nodes",
                                side->name),
                    fmt::format("write on = [\"{}\"]: one group inside the mesh is split", side->name));
  }
  const assembly::ContactCover cover = assembly::contact_cover(mesh, contact.points, first.entities);
  if (cover.worst_share > most_uncovered_of_facet || cover.uncovered > most_uncovered * cover.area) {
    const mesh::Vector3 x = middle_of(mesh, cover.worst);
    throw Error(
        ExitCode::mesh,
        fmt::format("the side '{}' of a contact does not lie on '{}': {:.3g} of its {} {:.3g} have nothing before "
                    "them; a facet around {} is {:.3g} from the nearest one",
                    first.name, second.name, cover.uncovered, measure_of(mesh), cover.area, text(x),
                    assembly::distance_to(mesh, second.entities, x)),
        "name the smaller side first; sides that are apart want `gap`, a length that they are not farther from each "
        "other than");
  }
  const assembly::ContactCover other = assembly::contact_cover(mesh, contact.points, second.entities, true);
  if (other.most_covered > most_covered)
    throw Error(ExitCode::mesh,
                fmt::format("facets of '{}' lie before {:.3g} facets of '{}' each, one behind the other: around {}",
                            second.name, other.most_covered, first.name, text(middle_of(mesh, other.most))),
                "name the sides of one contact only, or a smaller `gap`", contact.boundary->where);
  log_info(fmt::format("contact '{}' on '{}': {} on {}, area {:.6g}, at most {:.2g} apart{}", first.name, second.name,
                       counted(first.entities.size(), "facet"), second.entities.size(), cover.area, cover.apart,
                       cover.uncovered > 1e-9 * cover.area ? fmt::format(", {:.2g} of it not covered", cover.uncovered)
                                                           : std::string()));
}

}  // namespace

void take_contacts(Params& params) {
  for (const BoundaryParams& boundary : params.boundaries) {
    if (boundary.type != "contact") continue;
    params.contacts.push_back(boundary);
    if (boundary.on.size() == 2)
      params.mesh.contacts.insert(params.mesh.contacts.end(), boundary.on.begin(), boundary.on.end());
  }
  std::erase_if(params.boundaries, [](const BoundaryParams& boundary) { return boundary.type == "contact"; });
}

void split_contacts(const std::vector<BoundaryParams>& contacts, mesh::Mesh& mesh) {
  std::vector<mesh::Seam> cuts;
  for (const BoundaryParams& contact : contacts) {
    check_rest(contact, mesh);
    if (!is_split(contact, mesh)) continue;
    if (contact.on.size() == 2)
      at(contact.where, [&] {
        mesh::add_interface(mesh, find_group(mesh, contact.on[0], mesh.dim, contact.where),
                            find_group(mesh, contact.on[1], mesh.dim, contact.where), interface_name(contact));
      });
    cuts.push_back({interface_name(contact), {}, contact.where});
  }
  if (cuts.empty()) return;
  // Each interface numbers the facets anew.
  for (mesh::Seam& cut : cuts) cut.facets = find_group(mesh, cut.name, mesh.dim - 1, cut.where).entities;
  const mesh::SplitMesh split = mesh::split_along(mesh, cuts);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const mesh::SplitMesh::Facets& facets = split.cuts[c];
    log_info(fmt::format("contact '{}': {} apart", cuts[c].name,
                         counted(facets.apart, "facet inside the mesh comes", "facets inside the mesh come")));
    if (facets.glued > 0)
      warn(fmt::format(
          "contact '{}': {} of its {}, {} {:.3g}, stay one: it ends inside the mesh, and there they have all of "
          "their vertices; nothing resists what flows through them. A finer mesh has fewer",
          cuts[c].name, facets.glued, counted(facets.glued + facets.apart, "facet"), measure_of(mesh),
          facets.glued_area));
  }
  log_info(fmt::format("contacts: {} more", counted(split.nodes, "node")));
}

std::array<std::string, 2> contact_sides(const BoundaryParams& contact, const mesh::Mesh& mesh) {
  if (!is_split(contact, mesh)) return {contact.on[0], contact.on[1]};
  return mesh::side_names(interface_name(contact));
}

std::vector<ContactTerm> contact_terms(const Params& params, const std::vector<BoundaryParams>& periodic,
                                       const mesh::Mesh& mesh, const assembly::DofMap& dofs, bool whole) {
  std::vector<ContactTerm> terms;
  for (const BoundaryParams& contact : params.contacts) {
    ContactTerm term;
    term.boundary = &contact;
    const std::array<std::string, 2> names = contact_sides(contact, mesh);
    for (std::size_t side = 0; side < 2; ++side)
      term.sides[side] = find_group(mesh, names[side], mesh.dim - 1, contact.where);
    const auto& [first, second] = term.sides;
    term.points = assembly::contact_points(
        mesh, dofs,
        is_split(contact, mesh) ? mesh::find_copies(mesh, first.entities, second.entities)
                                : mesh::find_overlaps(mesh, first.entities, second.entities, contact.gap.value_or(-1)));
    if (whole) at(contact.where, [&] { check_cover(term, mesh); });
    terms.push_back(std::move(term));
  }
  if (whole) check_sides(terms, params.boundaries, periodic, mesh);
  return terms;
}

std::vector<assembly::DofBlock> contact_couplings(const std::vector<ContactTerm>& contacts, const mesh::Mesh& mesh,
                                                  const assembly::DofMap& dofs) {
  assembly::ContactPoints all;
  for (const ContactTerm& contact : contacts)
    all.pairs.insert(all.pairs.end(), contact.points.pairs.begin(), contact.points.pairs.end());
  return assembly::contact_blocks(mesh, dofs, all);
}

mesh::CoupledCells coupled_cells(const std::vector<ContactTerm>& contacts, const mesh::Mesh& mesh) {
  mesh::CoupledCells cells;
  for (const ContactTerm& contact : contacts)
    for (const assembly::ContactPair& pair : contact.points.pairs)
      cells.push_back({mesh.facets.cell[pair.first], mesh.facets.cell[pair.second]});
  return cells;
}

std::vector<double> conductance(const ContactTerm& contact, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                int threads, std::span<const double> u) {
  const deck::Expression& expression = contact.boundary->conductance;
  std::vector<double> mean;
  if (expression.depends_on_solution()) mean = assembly::contact_state(mesh, dofs, contact.points, u).mean;
  std::vector<double> h = evaluate(expression, contact.points.xyz, threads, mean);
  const auto bad = std::find_if(h.begin(), h.end(), [](double value) { return value < 0; });
  if (bad != h.end()) {
    const double* const x = &contact.points.xyz[3 * static_cast<std::size_t>(bad - h.begin())];
    throw Error(ExitCode::usage,
                fmt::format("the conductance of a contact is negative: {:g} at {}", *bad, text({x[0], x[1], x[2]})),
                "heat flows from the hotter side to the colder one: conductance >= 0", contact.boundary->where);
  }
  weigh(h, contact.points.xyz, mesh.measure);
  return h;
}

assembly::FacetTerms contact_matrices(const Problem& problem) {
  assembly::FacetTerms terms;
  for (const ContactTerm& contact : problem.contacts)
    assembly::add_contact_terms(problem.mesh, problem.dofs, contact.points,
                                conductance(contact, problem.mesh, problem.dofs, problem.space.threads), terms);
  return terms;
}

bool contacts_depend_on_solution(const Params& params) {
  const auto depends = [](const BoundaryParams& boundary) { return boundary.conductance.depends_on_solution(); };
  return std::any_of(params.boundaries.begin(), params.boundaries.end(), depends) ||
         std::any_of(params.contacts.begin(), params.contacts.end(), depends);
}

ContactEntries::ContactEntries(const Problem& problem, const Params& deck)
    : problem_(problem),
      varies_(std::any_of(deck.contacts.begin(), deck.contacts.end(),
                          [](const BoundaryParams& contact) { return contact.conductance.depends_on_time(); })),
      of_solution_(contacts_depend_on_solution(deck)) {}

const assembly::MatrixEntries& ContactEntries::at(std::span<const double> u, ContactSlopes slopes) {
  if (known_ && !of_solution_) return entries_;
  const mesh::Mesh& mesh = problem_.mesh;
  const int threads = problem_.space.threads;
  assembly::FacetTerms terms;
  assembly::MatrixEntries of_slopes;
  for (const ContactTerm& contact : problem_.contacts) {
    const deck::Expression& h = contact.boundary->conductance;
    assembly::add_contact_terms(mesh, problem_.dofs, contact.points,
                                conductance(contact, mesh, problem_.dofs, threads, u), terms);
    if (slopes == ContactSlopes::none || !h.depends_on_solution()) continue;
    const assembly::ContactState state = assembly::contact_state(mesh, problem_.dofs, contact.points, u);
    std::vector<double> slope = evaluate(derivative(h, deck::Variable::u), contact.points.xyz, threads, state.mean);
    for (std::size_t q = 0; q < slope.size(); ++q) slope[q] *= state.jump[q];
    weigh(slope, contact.points.xyz, mesh.measure);
    assembly::add_contact_slopes(mesh, problem_.dofs, contact.points, slope, of_slopes);
  }
  entries_ = assembly::entries_of(terms, of_slopes);
  known_ = true;
  return entries_;
}

}  // namespace tessera::physics::scalar
