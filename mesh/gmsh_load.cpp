#include "mesh/gmsh_load.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <cctype>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child_process.hpp"
#include "mesh/abaqus.hpp"
#include "mesh/file_mesh.hpp"
#include "mesh/gmsh_reader_session.hpp"
#include "mesh/gmsh_size.hpp"
#include "mesh/vtu_reader.hpp"

namespace tessera::mesh {

namespace {

// A closed triangulated surface becomes a volume, as in Gmsh's tutorial t13: split at sharp edges, parametrise, fill.
void fill_triangulation(double angle) {
  gmsh::model::mesh::classifySurfaces(angle * std::numbers::pi / 180, true, true);
  gmsh::model::mesh::createGeometry();
  gmsh::vectorpair surfaces;
  gmsh::model::getEntities(surfaces, 2);
  std::vector<int> loop;
  for (const auto& surface : surfaces) loop.push_back(surface.second);
  gmsh::model::geo::addVolume({gmsh::model::geo::addSurfaceLoop(loop)});
  gmsh::model::geo::synchronize();
}

// CAD files hold each part with faces of its own: where two parts touch, their faces become one, so that the mesh fits.
void glue_parts() {
  gmsh::vectorpair parts;
  gmsh::model::getEntities(parts, gmsh::model::getDimension());
  if (parts.size() < 2) return;
  gmsh::model::occ::removeAllDuplicates();
  gmsh::model::occ::synchronize();
}

bool is_cad(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* known : {".step", ".stp", ".brep", ".iges", ".igs"})
    if (extension == known) return true;
  return false;
}

void generate(GmshSession& session, const std::string& file, GmshKind kind, const GmshOptions& options) {
  const std::optional<double>& size = options.size;
  const std::string help = "check the geometry in Gmsh, or try another mesh.size";
  session.call("meshing " + file, help, 0, [&] {
    if (kind == GmshKind::triangulation) fill_triangulation(options.angle.value_or(40));
    if (options.glue && is_cad(file)) glue_parts();
    if (size) {
      check_size(file, *size, options.refine);
      gmsh::option::setNumber("Mesh.CharacteristicLengthMin", *size);
      gmsh::option::setNumber("Mesh.CharacteristicLengthMax", *size);
    }
    // Gmsh refines linear cells, and puts new nodes onto the geometry; then it curves them.
    const bool curve_last = options.refine > 0 && options.order == 2;
    gmsh::option::setNumber("Mesh.ElementOrder", curve_last ? 1 : options.order);
    gmsh::option::setNumber("Mesh.SecondOrderLinear", 0);
    gmsh::option::setNumber("Mesh.SecondOrderIncomplete", 0);
    const int dim = gmsh::model::getDimension();
    if (dim < 1)
      throw Error(ExitCode::mesh, fmt::format("{} has no curve, surface or volume to mesh", file),
                  "give the geometry at least one curve");
    gmsh::model::mesh::generate(dim);
    for (int level = 0; level < options.refine; ++level) gmsh::model::mesh::refine();
    if (curve_last) gmsh::model::mesh::setOrder(options.order);
  });
}

}  // namespace

GmshModel load_in_gmsh(const std::filesystem::path& file, GmshKind kind, const MshFacts& facts,
                       const GmshOptions& options) {
  GmshSession session;
  const std::string name = file.string(), help = "check that Gmsh itself opens the file";
  GmshModel model;
  if (kind == GmshKind::abaqus || kind == GmshKind::vtu) {
    FileMesh mesh = kind == GmshKind::abaqus ? read_abaqus(file) : read_vtu_mesh(file);
    session.call("reading " + name, help, 0, [&] { model = model_of(name, std::move(mesh)); });
    return model;
  }
  std::error_code ignored;
  const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(file, ignored));
  const std::size_t sane_bytes = ignored ? 0 : (std::size_t{256} << 20) + 50 * bytes;
  session.call("reading " + name, help, sane_bytes, [&] { gmsh::open(std::filesystem::absolute(file).string()); });
  if (is_geometry(kind) && !options.time_limit) allow_cpu_seconds(3600);
  if (is_geometry(kind)) generate(session, name, kind, options);
  session.call("reading " + name, help, 0, [&] { model = copy_model(name, is_geometry(kind), facts); });
  for (const std::string& warning : session.warnings()) model.notes.push_back("Gmsh: " + warning);
  return model;
}

}  // namespace tessera::mesh
