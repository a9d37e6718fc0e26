#include "physics/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/fields/quantities.hpp"
#include "assembly/space/longest_way.hpp"
#include "base/backend.hpp"
#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/log.hpp"
#include "base/peer_bytes.hpp"
#include "mesh/box.hpp"
#include "mesh/entity_table.hpp"
#include "mesh/make_mesh.hpp"
#include "mesh/quality.hpp"
#include "mesh/rank_mesh.hpp"
#include "physics/run/chosen_on_the_way.hpp"
#include "physics/run/device_limits.hpp"
#include "physics/run/memory_estimate.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/report.hpp"
#include "solvers/automatic.hpp"

namespace tessera::physics {

namespace {

/// What each of several ranks has of a space.
struct OfRanks {
  double all_dofs = 0;
  std::vector<double> dofs, cells, ghosts;  ///< [ranks]
  double longest = 0;  ///< most dofs that one sees of one other, or no fewer: of a box in parts of all others

  /// Of the rank that sees most.
  double seen() const {
    double most = 0;
    for (std::size_t rank = 0; rank < dofs.size(); ++rank) most = std::max(most, dofs[rank] + ghosts[rank]);
    return most;
  }
  /// Bytes that GPUs of other ranks write into.
  double windows(int components) const {
    const auto ranks = static_cast<int>(dofs.size());
    if (ranks < 2 || ranks > peer::most_ranks) return 0;
    const auto bytes = static_cast<Offset>(8 * components * longest);
    return static_cast<double>(peer::inbox_bytes(ranks) + peer::window_bytes(ranks, peer::chunks_of(bytes)));
  }
};

OfRanks of_ranks(const CommonParams& params, const Discretisation& space, const PlannedRanks& planned) {
  if (const BoxSizes* const box = planned.box) {
    const double most = *std::max_element(box->rank_ghosts.begin(), box->rank_ghosts.end());
    return {box->dofs, box->rank_dofs, box->rank_cells, box->rank_ghosts, most};
  }
  if (planned.count == 1) return {};
  const std::vector<int> owners = owners_of_vertices(space.mesh, planned.count, params.mesh, planned.joined);
  const assembly::RankSizes sizes = assembly::rank_sizes(space.mesh, space.dofs, owners, planned.count);
  const auto numbers = [](const std::vector<Index>& of) { return std::vector<double>(of.begin(), of.end()); };
  return {1.0 * space.dofs.dofs, numbers(sizes.dofs), numbers(sizes.cells), numbers(sizes.ghosts),
          1.0 * assembly::longest_way(space.mesh, space.dofs, owners, planned.count)};
}

void print_ranks(const OfRanks& ranks, int components, bool in_parts, output::Summary& summary) {
  const std::size_t count = ranks.dofs.size();
  const auto [least, most] = std::minmax_element(ranks.dofs.begin(), ranks.dofs.end());
  const auto [few, many] = std::minmax_element(ranks.cells.begin(), ranks.cells.end());
  const double ghosts = *std::max_element(ranks.ghosts.begin(), ranks.ghosts.end());
  const double imbalance = *most * static_cast<double>(count) / ranks.all_dofs, halo = 8 * ghosts * components;
  fmt::print(
      "ranks      {}: {:.0f} to {:.0f} dofs, {:.0f} to {:.0f} cells each, imbalance {:.3f}\n  {:<10} up to {:.0f} dofs "
      "of others, {} an exchange\n  {:<10} below is that of the largest rank{}\n",
      count, *least, *most, *few, *many, imbalance, "halo", ghosts, human_bytes(halo), "memory",
      in_parts ? "" : "; the host of the first one has the whole mesh, too");
  summary.set("ranks.imbalance", imbalance);
}

/// What all ranks take of a machine's memory, where it has all of them.
void print_together(int ranks, double all, double in_use) {
  const double free = in_use + static_cast<double>(host_memory().free);
  fmt::print("  {:<10} about {} for {} ranks, {} on one machine with {} free\n", "together", human_bytes(all), ranks,
             all <= free ? "which fit" : "which would not fit", human_bytes(free));
}

/// What MPI takes in each rank: OpenMPI 4.1.4, two ranks of one machine.
constexpr double of_mpi = 16 << 20;

/// Host memory of the first rank, and of each other.
struct HostOfRanks {
  double first = 0, other = 0;
};
/// `host`: of the space at hand, which is that of all ranks where they have no parts. Code and libraries, which were
/// there `before` the mesh, each has for itself; the first has the whole mesh and space beside its part of all.
HostOfRanks host_of_ranks(double host, double now, double share, const PlannedRanks& ranks) {
  if (ranks.count == 1) return {host, host};
  if (ranks.box) return {host + of_mpi, host + of_mpi};
  const double other = ranks.before + share * (host - ranks.before) + of_mpi;
  return {other + std::max(0.0, now - ranks.before), other};
}

}  // namespace

void say_fit(const Room& room) {
  if (room.free <= 0) return;
  const bool fits = room.need <= room.free;
  const std::string words = fmt::format("it will not fit: {} needs about {}, {} are free", room.name,
                                        human_bytes(room.need), human_bytes(room.free));
  if (!fits && room.computes) throw Error(ExitCode::memory, words + room.of, room.way_out);
  const bool host = std::string_view(room.name) == "host";
  if (!fits && host)
    warn(words);
  else
    fmt::print("  {:<10} about {} of {} free: {}\n", room.name, human_bytes(room.need), human_bytes(room.free),
               fits ? "fits" : "would not fit");
}

std::string what_would_fit(double need, double free, double in_use, const std::string& other, double other_need) {
  std::string words;
  if (other_need <= free)
    words = fmt::format("preconditioner = \"{}\" would fit, with about {}; ", other, human_bytes(other_need));
  // Beside what is in use memory grows with the mesh; a twentieth is left for what does not.
  const double part = need > in_use ? 0.95 * (free - in_use) / (need - in_use) : 0;
  if (part >= 0.05)
    words += fmt::format("multigrid would on a mesh of about {:.0f} per cent of the cells; ", 100 * part);
  return words;
}

WaysOut usual_ways_out() {
  return {"use a coarser mesh, a lower order or a solver without factorisation, or raise the limit that is named",
          "use a coarser mesh, a lower order, a solver or preconditioner with less memory, or --backend threads"};
}

void print_memory(const std::string& backend, double host_bytes, double in_use, double device_bytes,
                  const WaysOut& way_out) {
  fmt::print("memory\n");
  const bool on_cuda = resolve_backend(backend) == "cuda";
  const HostMemory limits = host_memory();
  const std::string of = fmt::format(" of {}", limits.what.data());
  // What is in use already is part of the need, and free for this run.
  say_fit({.name = "host",
           .need = host_bytes,
           .free = in_use + static_cast<double>(limits.free),
           .computes = !on_cuda,
           .of = of.c_str(),
           .way_out = way_out.host.c_str()});
  const CudaInfo gpu = cuda_info();
  if (gpu.usable)
    say_fit({.name = "GPU",
             .need = device_bytes,
             .free = static_cast<double>(gpu.free_bytes),
             .computes = on_cuda,
             .way_out = way_out.gpu.c_str()});
  else
    fmt::print("  {:<10} about {}; {}\n", "GPU", human_bytes(device_bytes), gpu.why_not);
}

namespace {

void print_quality(const mesh::Mesh& mesh) {
  const mesh::QualityReport quality = mesh::quality(mesh);
  fmt::print("quality    {:.3f} to {:.3f}, mean {:.3f}; worst cell {}; angles {:.1f} to {:.1f} degrees\n", quality.min,
             quality.max, quality.mean, quality.worst_cell, quality.min_angle, quality.max_angle);
}

void print_mesh(const mesh::Mesh& mesh, const Traits& traits) {
  fmt::print("mesh       {}, {}, {}, geometric order {}\n", counted(mesh.nodes(), "node"),
             counted(mesh.cells(), "cell"), counted(mesh.facets.size(), "facet"), mesh.order);
  for (const mesh::CellBlock& block : mesh.blocks) fmt::print("  {:<10} {}\n", mesh::name(block.shape), block.cells());
  constexpr std::size_t most_rows = 30;
  const std::string table = mesh::entity_table(mesh, most_rows, false);
  fmt::print("groups     {}\n{}", table.empty() ? describe_groups(mesh) : "", table);
  std::vector<char> named(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim - 1)
      for (Index facet : group.entities) named[facet] = 1;
  const bool has_groups = std::any_of(named.begin(), named.end(), [](char in) { return in; });
  Index bare = 0;
  for (Index f = 0; f < mesh.facets.size(); ++f) bare += mesh.facets.exterior[f] && !named[f];
  if (bare > 0 && has_groups && !traits.natural.empty())
    fmt::print("  {} in no group: {} holds there\n", counted(bare, "exterior facet is", "exterior facets are"),
               traits.natural);
  print_quality(mesh);
}

/// Of a box that nobody has the whole of; all its cells are alike.
void print_box(const BoxSizes& sizes, const mesh::BoxParams& box, const mesh::Mesh& part) {
  const auto number = [](double count) { return static_cast<Offset>(count); };
  fmt::print("mesh       {}, {}, {}, geometric order {}\n  {:<10} {}\n", counted(number(sizes.nodes), "node"),
             counted(number(sizes.cells), "cell"), counted(number(sizes.facets), "facet"), part.order, box.shape,
             number(sizes.cells));
  std::vector<std::string> groups;
  for (std::size_t g = 0; g < sizes.names.size(); ++g)
    groups.push_back(fmt::format("{} ({})", sizes.names[g], number(sizes.entities[g])));
  fmt::print("groups     {}\n", fmt::join(groups, ", "));
  print_quality(mesh::make_box(one_cell(box), part.order));
}

void print_space(const Discretisation& space, const std::string& why_no_matrix, bool makes_steps, const Estimate& size,
                 const BoxSizes* box) {
  const double rows = box ? box->dofs * space.components : space.rows();
  const std::string fixed = box ? "" : fmt::format(" ({} fixed)", space.dirichlet.dofs.size());
  fmt::print("space      order {}, {:.0f} dofs{}, {}\n", space.dofs.order, rows, fixed,
             !why_no_matrix.empty() ? "no matrix (" + why_no_matrix + ")"
             : makes_steps          ? "steps are the model's own"
                                    : fmt::format("about {:.0f} non-zeros", size.nnz * rows / space.rows()));
  constexpr double long_factorisation = 30;
  if (size.set_up_seconds > long_factorisation)
    warn(fmt::format("the factorisation may take about {:.0f} {}; type = \"cg\" or \"gmres\" is likely to be faster",
                     size.set_up_seconds > 120 ? size.set_up_seconds / 60 : size.set_up_seconds,
                     size.set_up_seconds > 120 ? "minutes" : "seconds"));
}

}  // namespace

void print_check(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                 const std::string& why_no_matrix, bool nonlinear, const Traits& traits, const PlannedRanks& ranks,
                 output::Summary& summary) {
  const mesh::Mesh& mesh = space.mesh;
  const bool matrix_free = !why_no_matrix.empty();
  if (ranks.box)
    print_box(*ranks.box, mesh::refined(*params.mesh.box, params.mesh.refine), mesh);
  else
    print_mesh(mesh, traits);
  if (mesh.measure.weighs() && !ranks.box)
    fmt::print(
        "axis       {}: the body of revolution has the volume {:g}\n", mesh.measure.axis(),
        assembly::field_statistics(mesh, space.dofs, std::vector<double>(static_cast<std::size_t>(space.dofs.dofs)))
            .measure);
  const OfRanks of = of_ranks(params, space, ranks);
  const Ways ways{matrix_free, nonlinear, of.all_dofs * space.components};
  const Estimate size = estimate(params, space, coefficients, traits, ways);
  print_space(space, why_no_matrix, coefficients.steps.has_value(), size, ranks.box);
  if (ranks.count > 1) print_ranks(of, space.components, ranks.box != nullptr, summary);
  if (resolve_backend(params.run.backend) == "cuda")
    check_shared_memory(params, space, coefficients, matrix_free, shared_of_block());
  const double share = ranks.count == 1 || ranks.box ? 1 : of.seen() / of.all_dofs;
  const double windows = of.windows(space.components), in_use = bytes_in_use();
  const HostOfRanks host = host_of_ranks(size.host_bytes, in_use, share, ranks);
  WaysOut ways_out = usual_ways_out();
  if (solvers::is_multigrid(params.solver)) {
    CommonParams other = params;
    other.solver.preconditioner = solvers::jacobi_of(space.components);
    other.solver.preconditioning = {};
    const Estimate less = estimate(other, space, coefficients, traits, ways);
    const std::string& name = other.solver.preconditioner;
    ways_out.host = what_would_fit(host.first, in_use + static_cast<double>(host_memory().free), in_use, name,
                                   host_of_ranks(less.host_bytes, in_use, share, ranks).first) +
                    ways_out.host;
    ways_out.gpu = what_would_fit(size.device_bytes * share + windows, static_cast<double>(cuda_info().free_bytes), 0,
                                  name, less.device_bytes * share + windows) +
                   ways_out.gpu;
  }
  if (!matrix_free && (params.time || nonlinear) && may_choose_on_the_way(params, space) &&
      std::max(of.all_dofs, 1.0 * space.dofs.dofs) >= solvers::least_rows_of_many) {
    CommonParams later = params;
    later.solver.preconditioner = "amg";
    const Estimate more = estimate(later, space, coefficients, traits, ways);
    const bool on_cuda = resolve_backend(params.run.backend) == "cuda";
    const double beside = on_cuda ? more.device_bytes - size.device_bytes : more.host_bytes - size.host_bytes;
    fmt::print("solver     begins with {}; amg, which may take its place where there is room, takes {} more\n",
               params.solver.preconditioner, human_bytes(std::max(0.0, beside * share)));
  }
  print_memory(params.run.backend, host.first, in_use, size.device_bytes * share + windows, ways_out);
  if (ranks.count > 1) print_together(ranks.count, host.first + (ranks.count - 1) * host.other, in_use);
  if (!ranks.box) summarise_mesh(mesh, space, 0, summary);
}

}  // namespace tessera::physics
