#include "physics/elasticity/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "physics/entry.hpp"

namespace tessera::physics::elasticity {

namespace {

struct PhysicsSection {
  std::string type;
  int order = 1;
  std::string plane = "strain";
  deck::Where where;
};

deck::Section<PhysicsSection> physics_section() {
  return deck::Section<PhysicsSection>("physics", "What to solve: -div sigma = f, sigma = D (eps(u) - eps_0)")
      .key("type", &PhysicsSection::type,
           {.help = "the physics module", .choices = {"elasticity"}, .required = true, .example = "\"elasticity\""})
      .key(
          "order", &PhysicsSection::order,
          {.help = "polynomial order of the displacement; up to 4 on triangles, tets and prisms, up to 8 on intervals, "
                   "quads and hexes",
           .min = 1,
           .max = 8,
           .example = "2"})
      .key(
          "plane", &PhysicsSection::plane,
          {.help = "of 2-D problems without mesh.axis: plane strain, or plane stress; forces are per unit of thickness",
           .choices = {"strain", "stress"}})
      .position(&PhysicsSection::where);
}

deck::Section<MaterialParams> material_section() {
  return deck::Section<MaterialParams>("material", "Materials, for the whole mesh or for groups of cells",
                                       deck::SectionKind::array)
      .key("on", &MaterialParams::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("young", &MaterialParams::young,
           {.help = "Young's modulus E; orthotropic: [E_x, E_y, E_z]", .unit = "Pa", .example = "\"210e9\""})
      .key("poisson", &MaterialParams::poisson,
           {.help =
                "Poisson's ratio nu, below 0.5; a bar needs none; orthotropic: [nu_xy, nu_yz, nu_xz], nu_xy = -eps_y / "
                "eps_x of a pull along x",
            .example = "\"0.3\""})
      .key("shear", &MaterialParams::shear,
           {.help = "shear moduli of orthotropic materials: [G_xy, G_yz, G_xz]", .unit = "Pa"})
      .key("stiffness", &MaterialParams::stiffness,
           {.help =
                "instead of all that: the upper half of the matrix D between engineering strains and stresses, row by "
                "row; 21 values in the order xx yy zz yz xz xy; plane problems also take 6 (xx yy xy), with mesh.axis "
                "10 (xx yy zz xy, zz the hoop)",
            .unit = "Pa"})
      .key("expansion", &MaterialParams::expansion,
           {.help = "coefficient of thermal expansion: one value, or one an axis [x, y, z]", .unit = "1/K"})
      .key("temperature", &MaterialParams::temperature, {.help = "temperature above that without stress", .unit = "K"})
      .key("body_force", &MaterialParams::body_force,
           {.help = "force per volume, one value an axis", .unit = "N/m^3", .example = "[\"0\", \"0\", \"-77e3\"]"})
      .key("density", &MaterialParams::density,
           {.help = "mass per volume, which modes ask for (solver.type = \"eigen\")", .unit = "kg/m^3"})
      .position(&MaterialParams::where);
}

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; facets without one are free",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "names of groups of facets; displacements also on groups of curves and points",
            .required = true,
            .example = "[\"left\"]"})
      .key("type", &BoundaryParams::type,
           {.help = "displacement (u = value, by component) | symmetry (no displacement along the normal) | traction "
                    "(sigma n = value) | pressure (sigma n = -value n) | spring (sigma n = -stiffness u)",
            .choices = {"displacement", "symmetry", "traction", "pressure", "spring"},
            .required = true,
            .example = "\"displacement\""})
      .key("value", &BoundaryParams::value,
           {.help = "displacement or traction, one value an axis; of a pressure one value",
            .example = "[\"0\", \"0\", \"0\"]"})
      .key("value_x", &BoundaryParams::value_x, {.help = "the same of one component: others stay as they are"})
      .key("value_y", &BoundaryParams::value_y, {.help = "along y"})
      .key("value_z", &BoundaryParams::value_z, {.help = "along z"})
      .key("stiffness", &BoundaryParams::stiffness,
           {.help = "of a spring, force per area and displacement: one value, or one an axis", .unit = "N/m^3"})
      .key("normal_stiffness", &BoundaryParams::normal_stiffness,
           {.help = "of a spring that acts along the normal alone", .unit = "N/m^3"})
      .position(&BoundaryParams::where);
}

[[noreturn]] void refuse(const std::string& what, const std::string& help, const deck::Where& where) {
  throw Error(ExitCode::usage, what, help, where);
}

void check_material(const MaterialParams& m) {
  if (!m.stiffness.empty()) {
    if (!m.young.empty() || !m.poisson.empty() || !m.shear.empty())
      refuse("a material has `stiffness` beside young, poisson or shear", "give the matrix or the moduli, not both",
             m.where);
    const std::size_t n = m.stiffness.size();
    if (n != 1 && n != 6 && n != 10 && n != 21)
      refuse(fmt::format("stiffness has {}", counted(n, "value")),
             "the upper half of a symmetric matrix has 21 (xx yy zz yz xz xy), in the plane 6, with mesh.axis 10, of a "
             "bar 1",
             m.where);
  } else {
    if (m.young.empty())
      refuse("a material has neither `young` nor `stiffness`", "e.g. young = \"210e9\" and poisson = \"0.3\"", m.where);
    const std::size_t n = m.young.size();
    if (n != 1 && n != 3)
      refuse(fmt::format("young has {}", counted(n, "value")), "give one, or [E_x, E_y, E_z]", m.where);
    if (m.poisson.size() > 3 || m.poisson.size() == 2 || (n == 3 && m.poisson.size() != 3) ||
        (n == 1 && m.poisson.size() == 3))
      refuse(fmt::format("poisson has {} beside {} of young", counted(m.poisson.size(), "value"), n),
             "isotropic materials have one of each, orthotropic ones three", m.where);
    if ((n == 3) != (m.shear.size() == 3) || (n == 1 && !m.shear.empty()))
      refuse(fmt::format("shear has {} beside {} of young", counted(m.shear.size(), "value"), n),
             "orthotropic materials have [G_xy, G_yz, G_xz]; of isotropic ones it follows from young and poisson",
             m.where);
  }
  if (m.expansion.empty() && !is_zero(m.temperature))
    refuse("a temperature without thermal expansion has no effect",
           "add expansion = \"12e-6\" (steel), or leave temperature out", m.where);
  if (m.expansion.size() > 3 || m.expansion.size() == 2)
    refuse(fmt::format("expansion has {}", counted(m.expansion.size(), "value")), "give one, or one an axis [x, y, z]",
           m.where);
}

void check_boundary(const BoundaryParams& b) {
  if (b.on.empty())
    refuse("a boundary names no group", "on = [\"...\"]; `tessera mesh DECK --list` shows what there is", b.where);
  const bool by_component = b.value_x || b.value_y || b.value_z;
  if (!b.value.empty() && by_component)
    refuse("a boundary has `value` beside value_x, value_y or value_z", "say all components or some, not both",
           b.where);
  const bool springs = !b.stiffness.empty() || !is_zero(b.normal_stiffness);
  if (b.type == "spring") {
    if (!springs) refuse("a spring without stiffness", "stiffness = \"1e9\", or normal_stiffness", b.where);
    if (!b.value.empty() || by_component)
      refuse("a spring with a value", "add a boundary of type traction for a force beside it", b.where);
  } else if (springs) {
    refuse(fmt::format("a {} boundary with a stiffness", b.type), "stiffness is that of type = \"spring\"", b.where);
  }
  if (b.type == "symmetry" && (!b.value.empty() || by_component))
    refuse("a symmetry boundary with a value", "it fixes the component along the normal at 0; take type = displacement",
           b.where);
  if (b.type == "pressure" && (by_component || b.value.size() != 1))
    refuse("a pressure has one value", "value = \"1e6\": positive into the body", b.where);
  if ((b.type == "displacement" || b.type == "traction") && b.value.empty() && !by_component)
    refuse(fmt::format("a {} boundary without a value", b.type),
           "value = [\"0\", \"0\", \"0\"], or value_x = \"0\" for one component", b.where);
}

}  // namespace

std::optional<deck::Expression> BoundaryParams::component(int c) const {
  if (!value.empty()) {
    if (static_cast<std::size_t>(c) >= value.size()) return {};
    return value[static_cast<std::size_t>(c)];
  }
  return c == 0 ? value_x : c == 1 ? value_y : value_z;
}

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }
deck::SectionDescription boundary_description() { return boundary_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  const PhysicsSection physics = physics_section().read(deck, true);
  params.physics.type = physics.type;
  params.physics.order = physics.order;
  params.physics.where = physics.where;
  params.plane = physics.plane;
  params.where_plane = deck.where("physics.plane");
  params.materials = material_section().read_all(deck);
  params.boundaries = boundary_section().read_all(deck);
  if (params.materials.empty())
    refuse("the deck has no [[material]]", "e.g. [[material]] with young = \"210e9\" and poisson = \"0.3\"",
           params.physics.where);
  for (const MaterialParams& material : params.materials) check_material(material);
  for (const BoundaryParams& boundary : params.boundaries) check_boundary(boundary);
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  const auto add = [&](const std::vector<deck::Expression>& some) { all.insert(all.end(), some.begin(), some.end()); };
  for (const MaterialParams& m : params.materials) {
    for (const auto* list : {&m.young, &m.poisson, &m.shear, &m.stiffness, &m.expansion, &m.body_force}) add(*list);
    all.insert(all.end(), {m.temperature, m.density});
  }
  for (const BoundaryParams& b : params.boundaries) {
    add(b.value);
    add(b.stiffness);
    all.push_back(b.normal_stiffness);
    for (const auto* value : {&b.value_x, &b.value_y, &b.value_z})
      if (*value) all.push_back(**value);
  }
  return all;
}

}  // namespace tessera::physics::elasticity
