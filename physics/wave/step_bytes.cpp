#include "physics/wave/step_bytes.hpp"

#include <bit>

#include "assembly/spectral/operator_bytes.hpp"
#include "base/backend.hpp"
#include "physics/wave/coarse_memory.hpp"
#include "solvers/time/scheme.hpp"

namespace tessera::physics::wave {
namespace {

constexpr int mechanisms = 3;  // of attenuation, as Media::times

/// What cells in layers remember, of each part of a law, and their profiles, and what follows the rate of their nodes.
double layer_bytes(const Problem& problem, const assembly::spectral::Layers& layers, double number) {
  const int C = problem.components(), dim = problem.cells.dim;
  const Media& media = problem.media;
  const bool both = media.attenuated.components > 0 && !media.anisotropic && problem.medium == Medium::elastic;
  const double rates = media.compliance.components > 0 ? 2 * mechanisms : media.alpha.components;
  double numbers = 0;
  for (const unsigned char axes : layers.axes) {
    const int m = std::popcount(axes);
    if (m > 0)
      numbers +=
          problem.cells.places * ((both ? 2 : 1) * C * (dim * m + 1) + 2.0 * m + C * (dim + 2) + 2.0 * dim + rates);
  }
  return number * numbers;
}

/// What the points of cells remember, and on the host the order of the cells.
double coarse_bytes(const Problem& problem, int lanes, double number) {
  double cells = 0;  // with those that fill the lanes of their last batch
  for (const mesh::CellBlock& block : problem.mesh().blocks) cells += (block.cells() + lanes - 1) / lanes * lanes;
  return cells * (number * CoarseNumbers(problem).remembered() + sizeof(Index));
}

}  // namespace

StepBytes step_bytes(const Problem& problem, const assembly::spectral::Layers* layers) {
  const Params& params = problem.params;
  const Media& media = problem.media;
  const bool leaps = solvers::find_scheme(params.time->scheme).kind == solvers::SchemeKind::second_order;
  const std::size_t number = params.run.precision == "float" ? sizeof(float) : sizeof(double);
  const auto T = static_cast<double>(number);
  const int C = problem.components();
  const double nodes = problem.space.dofs.dofs, rows = nodes * C;
  const bool on_cuda = resolve_backend(params.run.backend) == "cuda";
  const auto layout = on_cuda
                          ? assembly::spectral::patch_layout(problem.cells.dim, problem.cells.n, C, number)
                          : assembly::spectral::patch_layout_of_threads(problem.cells.dim, problem.cells.n, C, number);
  const bool attenuates = media.attenuated.components > 0, at_nodes = attenuates && !media.coarse;
  const auto force =
      assembly::spectral::operator_bytes(problem.mesh(), problem.cells, attenuates ? media.attenuated : media.stiffness,
                                         C, number, at_nodes && !on_cuda ? layout.without_patches() : layout);
  StepBytes bytes{force.kept, force.set_up + 8 * nodes};
  bytes.kept += T * nodes;                             // one over the mass
  bytes.kept += leaps ? T * 3 * rows : 8 * 12 * rows;  // u, v and a look ahead, or stages of both
  if (at_nodes) bytes.kept += T * mechanisms * rows;
  if (media.coarse) bytes.kept += coarse_bytes(problem, layout.lanes, T);
  if (media.compliance.components > 0) bytes.kept += T * (2 * mechanisms + 1) * nodes;
  if (media.alpha.components > 0) bytes.kept += T * nodes;
  if (media.beta.components > 0)
    bytes.kept +=
        T * 2 * rows +
        assembly::spectral::operator_bytes(problem.mesh(), problem.cells, media.stiffness, C, number, layout).kept;
  if (layers) bytes.kept += layer_bytes(problem, *layers, T);
  return bytes;
}

}  // namespace tessera::physics::wave
