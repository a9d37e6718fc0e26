#include <fmt/format.h>

#include <algorithm>

#include "base/backend.hpp"
#include "base/log.hpp"
#include "mesh/quality.hpp"
#include "physics/scalar/report.hpp"
#include "solvers/solve.hpp"

namespace tessera::physics::scalar {

namespace {

struct Estimate {
  double nnz = 0, host_bytes = 0, device_bytes = 0;
};

/// Non-zeros, from the exact length of about 512 rows spread over the numbering.
double estimate_nnz(const assembly::DofMap& dofs) {
  constexpr Index samples = 512;
  const Index step = std::max<Index>(1, dofs.dofs / samples);
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(dofs.dofs / step) + 1);
  for (const assembly::DofBlock& block : dofs.blocks)
    for (Index cell = 0; cell < block.cells(); ++cell)
      for (int i = 0; i < block.nodes; ++i)
        if (block.cell(cell)[i] % step == 0) {
          std::vector<Index>& row = rows[block.cell(cell)[i] / step];
          row.insert(row.end(), block.cell(cell), block.cell(cell) + block.nodes);
        }
  double total = 0, count = 0;
  for (std::vector<Index>& row : rows) {
    std::sort(row.begin(), row.end());
    total += static_cast<double>(std::unique(row.begin(), row.end()) - row.begin());
    count += row.empty() ? 0 : 1;
  }
  return count > 0 ? total / count * dofs.dofs : 0;
}

/// Without a matrix: lists and maps or tensors of quads and hexes, element matrices of the others, the element vector.
double matrix_free_bytes(const mesh::Mesh& mesh, const assembly::DofMap& dofs) {
  double bytes = 0;
  for (std::size_t b = 0; b < dofs.blocks.size(); ++b) {
    const double cells = dofs.blocks[b].cells(), n = dofs.blocks[b].nodes;
    const bool tensor = dofs.blocks[b].shape == mesh::Shape::quad || dofs.blocks[b].shape == mesh::Shape::hex;
    const double map =
        mesh.blocks[b].order == 1 ? 8.0 * mesh.dim * ((1 << mesh.dim) - 1) : 8.0 * n * (mesh.dim == 2 ? 3 : 6);
    bytes += cells * (4 * n + 12 * n + (tensor ? map : 8 * n * (n + 1) / 2));
  }
  return bytes;
}

Estimate estimate(const Params& params, const mesh::Mesh& mesh, const assembly::DofMap& dofs, bool matrix_free) {
  Estimate result;
  if (matrix_free) {
    result.device_bytes = matrix_free_bytes(mesh, dofs) + solvers::solver_bytes(params.solver, dofs.dofs, 0) +
                          16.0 * dofs.dofs + 24.0 * mesh.nodes();
    result.host_bytes = result.device_bytes + 48.0 * dofs.dofs + 4.0 * mesh.cells() * 8;
    return result;
  }
  result.nnz = estimate_nnz(dofs);
  double connectivity = 0, slots = 0;
  for (std::size_t b = 0; b < dofs.blocks.size(); ++b) {
    const double cells = dofs.blocks[b].cells(), n = dofs.blocks[b].nodes;
    connectivity += cells * (4 * n + 4.0 * mesh.blocks[b].nodes_per_cell + 16);
    slots += n <= 30 ? cells * 2 * n * n : 0;
  }
  const double matrix = 12 * result.nnz + 8.0 * dofs.dofs;
  const double solver = solvers::solver_bytes(params.solver, dofs.dofs, static_cast<Offset>(result.nnz));
  const double vectors = 8.0 * 2 * dofs.dofs;
  const double mesh_bytes = 24.0 * mesh.nodes() + connectivity;
  result.device_bytes = matrix + solver + vectors + mesh_bytes + slots;
  result.host_bytes = result.device_bytes + 24.0 * dofs.dofs + connectivity;
  return result;
}

}  // namespace

void say_fit(const char* where, double need, double have) {
  if (have <= 0) return;
  if (need > have)
    warn(fmt::format("it will not fit: {} needs about {}, {} are free", where, human_bytes(need), human_bytes(have)));
  else
    fmt::print("  {:<10} about {} of {} free: fits\n", where, human_bytes(need), human_bytes(have));
}

void print_check(const Problem& problem, const std::string& why_no_matrix, output::Summary& summary) {
  const mesh::Mesh& mesh = problem.mesh;
  const assembly::DofMap& dofs = problem.dofs;
  const bool matrix_free = !why_no_matrix.empty();
  const mesh::QualityReport quality = mesh::quality(mesh);
  fmt::print("mesh       {} nodes, {} cells, {} facets, geometric order {}\n", mesh.nodes(), mesh.cells(),
             mesh.facets.size(), mesh.order);
  for (const mesh::CellBlock& block : mesh.blocks) fmt::print("  {:<10} {}\n", mesh::name(block.shape), block.cells());
  fmt::print("groups     {}\n", describe_groups(mesh));
  std::vector<char> named(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim - 1)
      for (Index facet : group.entities) named[facet] = 1;
  Index bare = 0;
  for (Index f = 0; f < mesh.facets.size(); ++f) bare += mesh.facets.exterior[f] && !named[f];
  if (bare > 0) fmt::print("  {} exterior facets are in no group: k du/dn = 0 holds there\n", bare);
  fmt::print("quality    {:.3f} to {:.3f}, mean {:.3f}; worst cell {}; angles {:.1f} to {:.1f} degrees\n", quality.min,
             quality.max, quality.mean, quality.worst_cell, quality.min_angle, quality.max_angle);
  const Estimate size = estimate(problem.params, mesh, dofs, matrix_free);
  fmt::print("space      order {}, {} dofs ({} fixed), {}\n", dofs.order, dofs.dofs, problem.dirichlet.dofs.size(),
             matrix_free ? "no matrix (" + why_no_matrix + ")" : fmt::format("about {:.0f} non-zeros", size.nnz));
  fmt::print("memory\n");
  say_fit("host", size.host_bytes, static_cast<double>(host_bytes_available()));
  const CudaInfo gpu = cuda_info();
  if (gpu.usable)
    say_fit("GPU", size.device_bytes, static_cast<double>(gpu.free_bytes));
  else
    fmt::print("  {:<10} about {}; {}\n", "GPU", human_bytes(size.device_bytes), gpu.why_not);
  summarise_mesh(mesh, dofs, 0, summary);
}

}  // namespace tessera::physics::scalar
