#include "mesh/gmsh_size.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::mesh {
namespace {

/// Length of a curve, from below: a polygon of 64 sides.
double curve_length(int tag) {
  std::vector<double> low, high;
  gmsh::model::getParametrizationBounds(1, tag, low, high);
  if (low.empty() || high.empty()) return 0;
  constexpr int sides = 64;
  std::vector<double> parameters, points;
  for (int i = 0; i <= sides; ++i) parameters.push_back(low[0] + (high[0] - low[0]) * i / sides);
  gmsh::model::getValue(1, tag, parameters, points);
  double length = 0;
  for (std::size_t i = 3; i + 2 < points.size(); i += 3)
    length += std::hypot(points[i] - points[i - 3], points[i + 1] - points[i - 2], points[i + 2] - points[i - 1]);
  return std::isfinite(length) ? length : 0;
}

/// Area or volume of an entity that OpenCASCADE made; 0: it is none.
double mass(int dim, int tag) {
  std::string type;
  double result = 0;
  try {
    gmsh::model::occ::getMass(dim, tag, result);
  } catch (...) {  // Gmsh 4.8 throws integers where the entity is not of OpenCASCADE
    return 0;
  }
  return std::isfinite(result) && result > 0 ? result : 0;
}

double box_volume(int tag) {
  double low[3], high[3];
  gmsh::model::getBoundingBox(3, tag, low[0], low[1], low[2], high[0], high[1], high[2]);
  const double volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
  return std::isfinite(volume) && volume > 0 ? volume : 0;
}

}  // namespace

double least_nodes(double size) {
  gmsh::vectorpair entities;
  gmsh::model::getEntities(entities);
  std::vector<std::pair<int, int>> of_occ;
  try {
    gmsh::model::occ::getEntities(of_occ);
  } catch (...) {
  }
  double nodes = 0;
  for (const auto& [dim, tag] : entities) {
    const bool occ = std::find(of_occ.begin(), of_occ.end(), std::pair{dim, tag}) != of_occ.end();
    if (dim == 1) nodes += 0.5 * curve_length(tag) / size;  // a curve that two surfaces share may stand twice
    if (dim == 2 && occ) nodes += 0.5 * mass(2, tag) / (size * size);
    if (dim == 3) nodes += (occ ? 0.5 * mass(3, tag) : 0.1 * box_volume(tag)) / (size * size * size);
  }
  return nodes;
}

void check_size(const std::string& file, double size, int refine) {
  const double fine = std::ldexp(size, -refine), nodes = least_nodes(fine);
  const std::string asked = refine > 0 ? fmt::format("mesh.size = {:g} refined {} times", size, refine)
                                       : fmt::format("mesh.size = {:g}", size);
  if (nodes > std::numeric_limits<std::int32_t>::max())
    throw Error(ExitCode::usage,
                fmt::format("{} makes at least {:.1e} nodes of {}, more than 32-bit numbers count", asked, nodes, file),
                "choose a larger mesh.size; the file's unit of length may be another one");
  constexpr double bytes_a_node = 500;  // Gmsh takes about 600 in the plane and 1500 in space
  const double bytes = nodes * bytes_a_node, available = static_cast<double>(host_bytes_available());
  if (available > 0 && bytes > available)
    throw Error(
        ExitCode::memory,
        fmt::format("{} makes at least {:.1e} nodes of {}, for which Gmsh needs about {} of memory; {} are free", asked,
                    nodes, file, human_bytes(bytes), human_bytes(available)),
        "choose a larger mesh.size; the file's unit of length may be another one");
}

}  // namespace tessera::mesh
