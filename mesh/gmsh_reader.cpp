#include "mesh/gmsh_reader.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <algorithm>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/gmsh_reader_session.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

namespace {

enum class Kind { geometry, triangulation, mesh };

struct Format {
  const char* extension;
  Kind kind;
};
constexpr Format formats[] = {
    {".msh", Kind::mesh},      {".geo", Kind::geometry}, {".geo_unrolled", Kind::geometry},
    {".step", Kind::geometry}, {".stp", Kind::geometry}, {".brep", Kind::geometry},
    {".iges", Kind::geometry}, {".igs", Kind::geometry}, {".stl", Kind::triangulation},
    {".unv", Kind::mesh},      {".vtk", Kind::mesh},     {".mesh", Kind::mesh},
    {".bdf", Kind::mesh},      {".nas", Kind::mesh},     {".med", Kind::mesh},
    {".cgns", Kind::mesh},
};

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Kind kind_of(const std::filesystem::path& file, const std::optional<Position>& where) {
  const std::string extension = lower_case(file.extension().string());
  std::string known;
  for (const Format& format : formats) {
    if (extension == format.extension) return format.kind;
    known += fmt::format("{}{}", known.empty() ? "" : " ", format.extension);
  }
  throw Error(ExitCode::mesh,
              extension.empty() ? fmt::format("{} has no extension, so its format is unknown", file.string())
                                : fmt::format("{}: unknown mesh format '{}'", file.string(), extension),
              "known formats: " + known, where);
}

// Gmsh's parser drops a last line that has no end, silently: a lost group would be found much later, or never.
void warn_of_open_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size <= 0) return;
  in.seekg(size - 1);
  if (const int last = in.get(); last != '\n' && last != '\r')
    warn(fmt::format("{} does not end with a newline, so Gmsh may ignore its last line", file.string()));
}

// A closed triangulated surface becomes a volume, as in Gmsh's tutorial t13: split at sharp edges, parametrise, fill.
void fill_triangulation() {
  gmsh::model::mesh::classifySurfaces(40 * std::numbers::pi / 180, true, true);
  gmsh::model::mesh::createGeometry();
  gmsh::vectorpair surfaces;
  gmsh::model::getEntities(surfaces, 2);
  std::vector<int> loop;
  for (const auto& surface : surfaces) loop.push_back(surface.second);
  gmsh::model::geo::addVolume({gmsh::model::geo::addSurfaceLoop(loop)});
  gmsh::model::geo::synchronize();
}

void generate(GmshSession& session, const std::string& file, Kind kind, std::optional<double> size, int order) {
  const std::string help = "check the geometry in Gmsh, or try another mesh.size";
  session.call("meshing " + file, help, [&] {
    if (kind == Kind::triangulation) fill_triangulation();
    if (size) {
      gmsh::option::setNumber("Mesh.CharacteristicLengthMin", *size);
      gmsh::option::setNumber("Mesh.CharacteristicLengthMax", *size);
    }
    gmsh::option::setNumber("Mesh.ElementOrder", order);
    gmsh::option::setNumber("Mesh.SecondOrderIncomplete", 0);
    const int dim = gmsh::model::getDimension();
    if (dim < 1)
      throw Error(ExitCode::mesh, fmt::format("{} has no curve, surface or volume to mesh", file),
                  "give the geometry at least one curve");
    gmsh::model::mesh::generate(dim);
  });
}

GmshModel load(const std::filesystem::path& file, Kind kind, const SplitEntities& split, std::optional<double> size,
               int order) {
  GmshSession session;
  const std::string name = file.string();
  session.call("reading " + name, "check that Gmsh itself opens the file",
               [&] { gmsh::open(std::filesystem::absolute(file).string()); });
  if (kind != Kind::mesh) generate(session, name, kind, size, order);
  GmshModel model;
  session.call("reading " + name, "check that Gmsh itself opens the file",
               [&] { model = copy_model(name, kind != Kind::mesh, split); });
  for (const std::string& warning : session.warnings()) log_debug("Gmsh: " + warning);
  return model;
}

}  // namespace

Mesh read_gmsh(const std::filesystem::path& file, std::optional<double> size, int order,
               std::optional<Position> where) {
  check_readable(file, where);
  const Kind kind = kind_of(file, where);
  if (order != 1 && order != 2)
    throw Error(ExitCode::usage, fmt::format("geometric order {} was asked", order), "orders 1 and 2 are supported",
                where);
  SplitEntities split;
  if (lower_case(file.extension().string()) == ".msh") split = check_msh(file);
  if (lower_case(file.extension().string()) == ".geo") warn_of_open_line(file);
  if (kind == Kind::mesh && size) warn(fmt::format("mesh.size is not used: {} is a mesh already", file.string()));
  return make_mesh_of(load(file, kind, split, size, order), file.string());
}

}  // namespace tessera::mesh
