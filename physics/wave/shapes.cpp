#include "physics/wave/shapes.hpp"

#include <fmt/format.h>

#include "mesh/geometry.hpp"

namespace tessera::physics::wave {

void require_quads_or_hexes(const Params& params, const mesh::Mesh& mesh) {
  for (const mesh::CellBlock& block : mesh.blocks) {
    if (block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex || block.cells() == 0) continue;
    const std::array<double, 3> at = mesh::centroid(mesh, block.first_cell);
    const char* const name = mesh::name(block.shape);
    const char* const article = block.shape == mesh::Shape::interval ? "an" : "a";
    throw Error(ExitCode::usage,
                fmt::format("spectral elements are quads and hexes, and the mesh has {} {} around ({:.4g}, {:.4g}, "
                            "{:.4g}), one of {}",
                            article, name, at[0], at[1], at[2], block.cells()),
                "make a mesh of quads or hexes: in Gmsh `Recombine Surface` or `Mesh.SubdivisionAlgorithm`",
                params.physics.where);
  }
}

}  // namespace tessera::physics::wave
