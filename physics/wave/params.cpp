#include "physics/wave/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "deck/read_string.hpp"
#include "physics/wave/material_grid.hpp"
#include "physics/wave/rayleigh.hpp"

namespace tessera::physics::wave {

namespace {

struct PhysicsSection {
  std::string type;
  std::string medium = "elastic";
  int order = 4;
  deck::Where where;
};

deck::Section<PhysicsSection> physics_section() {
  return deck::Section<PhysicsSection>("physics", "What to solve: waves, by spectral elements on quads and hexes")
      .key("type", &PhysicsSection::type,
           {.help = "the physics module", .choices = {"wave"}, .required = true, .example = "\"wave\""})
      .key("medium", &PhysicsSection::medium,
           {.help = "elastic (displacement u; in 2-D plane strain: P and SV), acoustic (pressure p), or sh "
                    "(displacement u out of the plane of a 2-D mesh), or coupled (elastic solids beside fluids, which "
                    "are the materials with vp or bulk alone; or such fluids alone, as waves of a potential)",
            .choices = {"elastic", "acoustic", "sh", "coupled"}})
      .key("order", &PhysicsSection::order,
           {.help = "polynomial degree of the elements", .min = 2, .max = 8, .example = "4"})
      .position(&PhysicsSection::where);
}

deck::Section<MaterialParams> material_section() {
  return deck::Section<MaterialParams>("material", "Materials, for the whole mesh or for groups of cells",
                                       deck::SectionKind::array)
      .key("on", &MaterialParams::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("density", &MaterialParams::density, {.help = "rho", .unit = "kg/m^3", .example = "\"2500\""})
      .key("vp", &MaterialParams::vp, {.help = "speed of P waves, or of sound", .unit = "m/s", .example = "\"3000\""})
      .key("vs", &MaterialParams::vs, {.help = "speed of S waves", .unit = "m/s", .example = "\"1700\""})
      .key("lambda", &MaterialParams::lambda, {.help = "Lame's first parameter; with mu", .unit = "Pa"})
      .key("mu", &MaterialParams::mu, {.help = "shear modulus", .unit = "Pa"})
      .key("young", &MaterialParams::young, {.help = "Young's modulus E; with poisson", .unit = "Pa"})
      .key("poisson", &MaterialParams::poisson, {.help = "Poisson's ratio, in (-1, 0.5)"})
      .key("bulk", &MaterialParams::bulk, {.help = "of acoustic media: bulk modulus kappa", .unit = "Pa"})
      .key("vpv", &MaterialParams::vpv,
           {.help = "of solids in layers: speed of P waves across them; with vph, vsv, eta and in 3-D vsh",
            .unit = "m/s"})
      .key("vph", &MaterialParams::vph, {.help = "speed of P waves along the layers", .unit = "m/s"})
      .key("vsv", &MaterialParams::vsv,
           {.help = "speed of S waves across the layers, and of those along them that move across them", .unit = "m/s"})
      .key("vsh", &MaterialParams::vsh,
           {.help = "in 3-D: speed of S waves along the layers that move along them", .unit = "m/s"})
      .key("eta", &MaterialParams::eta, {.help = "F / (A - 2 L) of Love's moduli; 1 where there are no layers"})
      .key("axis", &MaterialParams::axis,
           {.help = "normal of the layers, of any length; left out: the last axis of the mesh"})
      .key("stiffness", &MaterialParams::stiffness,
           {.help =
                "of any solid: C_ij, the upper triangle by rows; in 2-D of xx yy xy (6 numbers), in 3-D of xx yy zz yz "
                "xz xy (21), which is not the order of source.moment",
            .unit = "Pa"})
      .key("q_kappa", &MaterialParams::q_kappa,
           {.help = "quality factor of the bulk modulus in the band of [attenuation]; left out: no loss"})
      .key("q_mu", &MaterialParams::q_mu, {.help = "quality factor of the shear modulus; left out: no loss"})
      .key("q", &MaterialParams::q,
           {.help = "quality factor of all moduli, in the place of both: of anisotropic solids the only one"})
      .key("rayleigh_alpha", &MaterialParams::rayleigh_alpha,
           {.help = "Rayleigh damping alpha M v + beta K v: alpha, which damps a motion of the angular frequency omega "
                    "by the ratio alpha / (2 omega); left out: 0",
            .unit = "1/s"})
      .key("rayleigh_beta", &MaterialParams::rayleigh_beta,
           {.help = "beta of it, by the ratio beta omega / 2; it shortens steps; left out: 0", .unit = "s"})
      .key("file", &MaterialParams::file,
           {.help = "table (CSV) of numbers on a grid, linear between its points: the first row names its columns, "
                    "coordinates x, y, z and keys of this section (axis_x, c11 of lists); then a row a point"})
      .key("outside", &MaterialParams::outside,
           {.help = "nodes outside of the grid of `file`: refuse, which holds where it is left out, or nearest, the "
                    "numbers of the nearest place in it",
            .choices = {"refuse", "nearest"}})
      .position(&MaterialParams::where);
}

deck::Section<AttenuationParams> attenuation_section() {
  return deck::Section<AttenuationParams>("attenuation",
                                          "Where the quality factors of materials hold: three standard "
                                          "linear solids each, fitted by least squares")
      .key("band", &AttenuationParams::band,
           {.help = "the least and the highest frequency", .unit = "Hz", .required = true})
      .key("reference", &AttenuationParams::reference,
           {.help =
                "frequency at which the speeds and moduli of materials are given; left out: the geometric mean of band",
            .unit = "Hz"})
      .key("memory", &AttenuationParams::memory,
           {.help = "where solids remember: nodes (of all displacements) or coarse (of the strain at a few points of "
                    "each cell, which is faster, and exact enough where waves are resolved)",
            .choices = {"nodes", "coarse"}})
      .position(&AttenuationParams::where);
}

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary",
                                       "Boundary conditions; sides without one are free, of acoustic media rigid walls",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "names of groups of facets; fixed and prescribed also on curves and points",
            .required = true,
            .example = "[\"left\"]"})
      .key("type", &BoundaryParams::type,
           {.help =
                "free (no traction; acoustic: p = 0) | fixed (u = 0; acoustic: a rigid wall, dp/dn = 0) | prescribed "
                "(u or p = value) | absorbing (lets waves out that come along the normal: Stacey) | pml (the outermost "
                "elements are a perfectly matched layer, which lets waves out at all angles)",
            .choices = {"free", "fixed", "prescribed", "absorbing", "pml"},
            .required = true,
            .example = "\"absorbing\""})
      .key("value", &BoundaryParams::value, {.help = "of prescribed: expressions of x, y, z and t, one a component"})
      .key(
          "layers", &BoundaryParams::layers,
          {.help = "of pml: how many elements across the side are the layer; left out: 3, or without grow as thickness "
                   "says",
           .min = 1,
           .max = 1000})
      .key("thickness", &BoundaryParams::thickness,
           {.help =
                "of pml: thickness of the layer; without grow in the place of layers, and elements have faces where it "
                "begins; with it of all layers together, left out: of each the mean size of the elements at the side",
            .unit = "length",
            .min = 0,
            .open_min = true})
      .key("grow", &BoundaryParams::grow,
           {.help = "of pml: the layer is no part of the mesh: elements grow outward from the side, a plane across an "
                    "axis, in as many layers as `layers` says; they are in the group 'grown'"})
      .key("reflection", &BoundaryParams::reflection,
           {.help = "of pml: part of a wave along the normal that comes back through the layer where the mesh resolves "
                    "it well; left out: 3e-4",
            .min = 1e-12,
            .max = 0.5})
      .key("multiaxial", &BoundaryParams::multiaxial,
           {.help = "of pml: damping along the side over that across it; 0.1 keeps plates between two free sides, and "
                    "solids whose waves go backward across the side, from growing, at the price of reflections; left "
                    "out: 0",
            .min = 0,
            .max = 1})
      .position(&BoundaryParams::where);
}

deck::Section<PointSourceParams> source_section() {
  auto section =
      deck::Section<PointSourceParams>("source", "Point sources: what they are, times a function of time",
                                       deck::SectionKind::array)
          .key("at", &PointSourceParams::at,
               {.help = "point, one number an axis", .unit = "length", .required = true, .example = "[0.5, 0.5, 0.5]"})
          .key("force", &PointSourceParams::force,
               {.help = "of elastic media: a force, one number an axis", .unit = "N", .example = "[0, 0, -1e9]"})
          .key("moment", &PointSourceParams::moment,
               {.help =
                    "of elastic media: a moment tensor, xx yy xy, in 3-D xx yy zz xy yz xz, which is not the order of "
                    "material.stiffness",
                .unit = "N m"})
          .position(&PointSourceParams::where);
  deck::add_time_function_keys(section);
  return section;
}

[[noreturn]] void refuse(const std::string& what, const std::string& help, const deck::Where& where) {
  throw Error(ExitCode::usage, what, help, where);
}

Medium medium_named(const std::string& name) {
  if (name == "coupled") return Medium::coupled;
  return name == "acoustic" ? Medium::acoustic : name == "sh" ? Medium::sh : Medium::elastic;
}

/// The descriptions that a medium takes beside the density.
std::vector<std::vector<std::string>> kinds(Medium medium) {
  if (medium == Medium::acoustic) return {{"vp"}, {"bulk"}};
  if (medium == Medium::sh) return {{"vs"}, {"mu"}};
  std::vector<std::vector<std::string>> all;
  if (medium == Medium::coupled) all = {{"vp"}, {"bulk"}};
  const std::vector<std::vector<std::string>> solids{{"vp", "vs"},
                                                     {"lambda", "mu"},
                                                     {"young", "poisson"},
                                                     {"vpv", "vph", "vsv", "eta"},
                                                     {"vpv", "vph", "vsv", "vsh", "eta"},
                                                     {"stiffness"}};
  all.insert(all.end(), solids.begin(), solids.end());
  return all;
}

std::string offered(Medium medium) {
  std::string text;
  for (const std::vector<std::string>& kind : kinds(medium))
    text += fmt::format("{}{}", text.empty() ? "density with " : ", or ",
                        fmt::join(kind, kind.size() == 2 ? " and " : " "));
  return text;
}

void check_material(const MaterialParams& m, Medium medium) {
  std::vector<std::string> given;
  const auto look = [&](const char* name, const std::optional<deck::Expression>& value) {
    if (value) given.emplace_back(name);
  };
  look("vp", m.vp), look("vs", m.vs), look("lambda", m.lambda), look("mu", m.mu), look("young", m.young);
  look("poisson", m.poisson), look("bulk", m.bulk), look("vpv", m.vpv), look("vph", m.vph), look("vsv", m.vsv);
  look("vsh", m.vsh), look("eta", m.eta);
  if (!m.stiffness.empty()) given.emplace_back("stiffness");
  if (medium == Medium::acoustic && m.vs)
    refuse("a fluid has no shear waves, and this material has a vs",
           "leave vs out, or choose physics.medium = \"elastic\"", m.where);
  std::vector<MaterialNumber> all = m.values();
  for (const auto* value : {&m.q_kappa, &m.q_mu, &m.q, &m.rayleigh_alpha, &m.rayleigh_beta})
    if (*value) all.push_back({**value});
  for (const MaterialNumber& value : all)
    if (value.expression.depends_on_time())
      refuse("a material that depends on t", "media stand still: write it in x, y, z", m.where);
  if (!m.density) refuse("a material without density", "give " + offered(medium), m.where);
  if (!m.axis.empty() && !m.vpv)
    refuse("a material with an axis that is the same in all directions", "axis is that of vpv, vph, vsv and eta",
           m.where);
  for (const std::vector<std::string>& kind : kinds(medium))
    if (kind == given) return;
  refuse(given.empty() ? "a material has a density alone"
                       : fmt::format("a material is described by {}", fmt::join(given, ", ")),
         "give " + offered(medium), m.where);
}

void check_qualities(const MaterialParams& m, const Params& params, bool anisotropic) {
  if (m.q && (m.q_kappa || m.q_mu))
    refuse("a material with q and another quality factor", "q is that of all moduli: leave it or the other ones out",
           m.where);
  if (params.medium == Medium::sh && m.q_kappa)
    refuse("a q_kappa of waves without compression", "of physics.medium = \"sh\" there is q_mu", m.where);
  const bool fluid = params.medium == Medium::acoustic || (params.medium == Medium::coupled && m.is_fluid());
  if (fluid && m.q_mu)
    refuse("a q_mu of a fluid", "fluids have no shear: q_kappa is the quality factor of their bulk modulus", m.where);
  if (!fluid && anisotropic && !m.q)
    refuse("q_kappa or q_mu where a material is anisotropic",
           "there all moduli have one quality factor: give the materials q", m.where);
  if (!params.attenuation)
    refuse("a material with a quality factor, and the deck has no [attenuation]",
           "add [attenuation] with band = [least, highest] in Hz, where the factor holds", m.where);
}

/// What cannot remember at coarse points.
void check_coarse(const Params& params, const deck::Where& where) {
  const auto solid = [&](const MaterialParams& m) {
    return m.attenuates() && params.medium != Medium::acoustic && !(params.medium == Medium::coupled && m.is_fluid());
  };
  if (std::none_of(params.materials.begin(), params.materials.end(), solid))
    refuse("memory = \"coarse\", and no solid has a quality factor",
           "it says how solids remember, fluids do at their nodes: leave it out", where);
  if (params.has_layers())
    refuse("memory = \"coarse\" beside a perfectly matched layer, whose cells remember at their nodes",
           "choose memory = \"nodes\", or type = \"absorbing\" in the place of \"pml\"", where);
}

void check_attenuation(const Params& params, const deck::Deck& deck) {
  const bool anisotropic = std::any_of(params.materials.begin(), params.materials.end(), [](const MaterialParams& m) {
    return m.vpv.has_value() || !m.stiffness.empty();
  });
  for (const MaterialParams& m : params.materials)
    if (m.attenuates()) check_qualities(m, params, anisotropic);
  if (!params.attenuation) return;
  const AttenuationParams& a = *params.attenuation;
  if (!params.attenuates())
    refuse("[attenuation], and no material has a quality factor", "give a [[material]] q, q_mu or q_kappa", a.where);
  if (a.band.size() != 2 || !(a.band[0] > 0) || !(a.band[1] > a.band[0]))
    refuse(fmt::format("band = [{}]", fmt::join(a.band, ", ")), "band = [least, highest], both above 0", a.where);
  if (a.reference && !(*a.reference > 0))
    refuse(fmt::format("reference = {:g}", *a.reference), "a frequency above 0", deck.where("attenuation.reference"));
  if (a.is_coarse()) check_coarse(params, deck.where("attenuation.memory"));
  // Beyond, three solids say nothing of most of the band, and their times leave the range of numbers.
  constexpr double widest = 1e12;
  if (a.band[1] / a.band[0] > widest)
    refuse(fmt::format("band = [{:g}, {:g}] is {:.0f} decades wide", a.band[0], a.band[1],
                       std::log10(a.band[1]) - std::log10(a.band[0])),
           "three standard linear solids hold a quality factor over two to three decades: give the band of the sources",
           deck.where("attenuation.band"));
}

void check_boundary(const BoundaryParams& b) {
  if (b.on.empty())
    refuse("a boundary names no group", "on = [\"...\"]; `tessera mesh DECK --list` shows what there is", b.where);
  if (b.type == "prescribed" && b.value.empty())
    refuse("a prescribed boundary without a value", "value = [\"0\", \"0\"], one expression a component", b.where);
  const std::string kind = fmt::format("{} {}", b.type == "absorbing" ? "an" : "a", b.type);
  if (b.type != "prescribed" && !b.value.empty())
    refuse(fmt::format("{} boundary with a value", kind), "value is that of type = \"prescribed\"", b.where);
  if (!b.is_pml() && (b.layers || b.thickness || b.grow || b.reflection || b.multiaxial))
    refuse(fmt::format("{} boundary with keys of a layer", kind),
           "layers, thickness, grow, reflection and multiaxial are those of type = \"pml\"", b.where);
  if (b.layers && b.thickness && !b.grow)
    refuse("a layer with layers and a thickness", "give how many elements it has, or how thick it is", b.where);
}

void check_layers(const Params& params) {
  for (const BoundaryParams& b : params.boundaries) {
    if (!b.is_pml()) continue;
    if (params.medium == Medium::coupled && b.multiaxial)
      refuse("a multiaxial layer of coupled media",
             "leave multiaxial out: fluids beside solids are stretched along "
             "the normal of the layer alone",
             b.where);
  }
}

void check_source(const PointSourceParams& s, Medium medium) {
  if (medium == Medium::coupled && (s.force.empty() || s.moment.empty())) return;  // where it lies says the mesh
  if (medium != Medium::elastic && medium != Medium::coupled && !(s.force.empty() && s.moment.empty()))
    refuse(fmt::format("a source with a {} in a medium of one number a node", s.force.empty() ? "moment" : "force"),
           "its strength is its amplitude: leave force and moment out", s.where);
  if (s.force.empty() == s.moment.empty() && (medium == Medium::elastic || medium == Medium::coupled))
    refuse(s.force.empty() ? "a source without force or moment" : "a source with a force and a moment",
           "force = [...], one number an axis, or moment = [...]; of both make two sources", s.where);
}

}  // namespace

std::array<double, 3> PointSourceParams::point() const {
  std::array<double, 3> x{};
  std::copy_n(at.begin(), std::min<std::size_t>(at.size(), 3), x.begin());
  return x;
}

bool Params::attenuates() const {
  return std::any_of(materials.begin(), materials.end(), [](const MaterialParams& m) { return m.attenuates(); });
}

bool Params::damps() const {
  return std::any_of(materials.begin(), materials.end(), [](const MaterialParams& m) { return m.damps(); });
}

bool Params::has_layers() const {
  return std::any_of(boundaries.begin(), boundaries.end(), [](const BoundaryParams& b) { return b.is_pml(); });
}

bool Params::grows() const {
  return std::any_of(boundaries.begin(), boundaries.end(), [](const BoundaryParams& b) { return b.grows(); });
}

bool MaterialParams::is_fluid() const { return bulk || (vp && !vs); }

Medium medium_of(const deck::Deck& deck) {
  return medium_named(deck.has("physics.medium") ? deck::read_string(deck, "physics.medium", "the medium") : "elastic");
}

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }
deck::SectionDescription boundary_description() { return boundary_section().description(); }
deck::SectionDescription attenuation_description() { return attenuation_section().description(); }
deck::SectionDescription source_description() { return source_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  const PhysicsSection physics = physics_section().read(deck, true);
  params.physics.type = physics.type;
  params.physics.order = physics.order;
  params.physics.nodes = assembly::LineNodes::lobatto;
  params.physics.where = physics.where;
  params.medium = medium_named(physics.medium);
  params.materials = material_section().read_all(deck);
  params.boundaries = boundary_section().read_all(deck);
  params.point_sources = source_section().read_all(deck);
  if (params.materials.empty())
    refuse("the deck has no [[material]]", "give " + offered(params.medium), params.physics.where);
  for (MaterialParams& material : params.materials) {
    take_grid(deck, material);
    check_material(material, params.medium);
  }
  if (deck.has("attenuation")) params.attenuation = attenuation_section().read(deck, true);
  check_attenuation(params, deck);
  for (const BoundaryParams& boundary : params.boundaries) check_boundary(boundary);
  check_layers(params);
  check_rayleigh(params);
  for (PointSourceParams& source : params.point_sources) {
    check_source(source, params.medium);
    source.function = deck::TimeFunction(source, deck, source.where);
    if (params.time) source.function.require_range(params.time->start, params.time->end);
  }
  read_plane_waves(deck, params);
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const MaterialParams& m : params.materials)
    for (const MaterialNumber& value : m.values()) all.push_back(value.expression);
  for (const MaterialParams& m : params.materials)
    for (const auto* value : {&m.q_kappa, &m.q_mu, &m.q, &m.rayleigh_alpha, &m.rayleigh_beta})
      if (*value) all.push_back(**value);
  for (const BoundaryParams& b : params.boundaries) all.insert(all.end(), b.value.begin(), b.value.end());
  return all;
}

}  // namespace tessera::physics::wave
