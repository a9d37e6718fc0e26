#include "physics/run/rank_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "assembly/space/periodic_dof_map.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"
#include "linalg/halo.hpp"
#include "mesh/box.hpp"
#include "mesh/box_of_points.hpp"
#include "mesh/bricks.hpp"
#include "mesh/groups.hpp"
#include "mesh/make_mesh.hpp"
#include "mesh/quality.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/changed_mesh.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/report.hpp"
#include "physics/run/space.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics {

void check_over_ranks(const CommonParams& params, const Traits& traits, const deck::Deck& deck) {
  if (!solvers::is_direct(params.solver)) return;
  const deck::Where where = deck.where("solver.type");
  throw Error(
      ExitCode::usage, fmt::format("solver.type = \"{}\" works on one rank only", params.solver.type),
      fmt::format("choose {}\"bicgstab\" or \"gmres\", or start one rank", traits.solver.symmetric ? "\"cg\", " : ""),
      where ? where : params.solver.where);
}

void check_same_backend(Communicator& ranks, const CommonParams& params) {
  const bool on_cuda = resolve_backend(params.run.backend) == "cuda";
  const std::vector<char> all = gathered(ranks, static_cast<char>(on_cuda));
  const auto other = std::find_if(all.begin(), all.end(), [&](char one) { return one != all.front(); });
  if (other == all.end()) return;
  throw Error(ExitCode::usage,
              fmt::format("rank 0 computes on {}, rank {} on {}", all.front() ? "cuda" : "threads", other - all.begin(),
                          all.front() ? "threads" : "cuda"),
              "let every rank see a GPU (`tessera doctor` there says why it does not), or choose run.backend = "
              "\"threads\"",
              params.physics.where);
}

std::vector<int> owners_of_vertices(const mesh::Mesh& mesh, int ranks, const mesh::MeshParams& params,
                                    std::span<const Index> joined, const std::function<bool()>& stop) {
  try {
    return mesh::vertex_owners(mesh, ranks, params.partition, joined, stop);
  } catch (const Error& error) {
    if (error.where() || params.partition != "file") throw;
    throw Error(error.code(), error.what(), error.help(), params.where);
  }
}

mesh::RankMesh distribute_mesh(Communicator& ranks, const CommonParams& params, const Discretisation& whole,
                               std::span<const Index> joined, const mesh::CoupledCells& coupled, int threads,
                               const std::function<bool()>& stop) {
  Threads exec(threads);
  Scope scope(exec, "distribute");
  std::vector<int> owners;
  on_root(ranks, [&] { owners = owners_of_vertices(whole.mesh, ranks.size(), params.mesh, joined, stop); });
  return mesh::distribute(ranks, whole.mesh, owners, joined, coupled);
}

namespace {

/// A cell or facet belongs to the owner of its lowest vertex, as its dofs do.
Share share_of(Communicator& ranks, const mesh::Mesh& mesh, const std::vector<int>& owners) {
  Share share;
  share.ranks = &ranks;
  share.nodes = std::count(owners.begin(), owners.end(), ranks.rank());
  share.cells.resize(static_cast<std::size_t>(mesh.cells()));
  for (const mesh::CellBlock& block : mesh.blocks)
    parallel_for(default_threads(), block.cells(), [&](Offset c) {
      const Index* const cell = block.cell(static_cast<Index>(c));
      const Index lowest = *std::min_element(cell, cell + mesh::vertex_count(block.shape));
      share.cells[static_cast<std::size_t>(block.first_cell + c)] = owners[lowest] == ranks.rank();
    });
  for (Index f = 0; f < mesh.facets.size(); ++f) {
    const mesh::CellBlock& block = mesh.block_of(mesh.facets.cell[f]);
    const Index* const cell = block.cell(mesh.facets.cell[f] - block.first_cell);
    const mesh::Topology::Facet& side = mesh::topology(block.shape).facets[mesh.facets.side[f]];
    Index lowest = std::numeric_limits<Index>::max();
    for (int v = 0; v < mesh::vertex_count(side.shape); ++v) lowest = std::min(lowest, cell[side.vertices[v]]);
    share.facets.push_back(owners[lowest] == ranks.rank());
  }
  return share;
}

/// [dofs, 3] in the order of the new numbers.
std::vector<double> renumbered(const std::vector<double>& points, const std::vector<Index>& new_number) {
  const int threads = default_threads();
  std::vector<double> result;
  resize_by_all(result, points.size(), threads);
  parallel_for(threads, static_cast<Offset>(new_number.size()), [&](Offset dof) {
    std::copy_n(&points[static_cast<std::size_t>(3 * dof)], 3,
                &result[3 * static_cast<std::size_t>(new_number[static_cast<std::size_t>(dof)])]);
  });
  return result;
}

}  // namespace

void make_part(Communicator& ranks, const deck::Deck& deck, const CommonParams& params, int components,
               mesh::RankMesh own, const Discretisation* whole, Discretisation& part) {
  Threads exec(part.threads);
  Scope scope(exec, "distribute");
  part.mesh = std::move(own.mesh);
  const assembly::LineNodes nodes = line_nodes(params.physics, part.mesh, &ranks);
  on_each_rank(ranks, [&] { make_space(deck, params.physics, components, own.joined, nodes, part); });
  own.mesh = {};
  assembly::RankSpace numbered =
      assembly::make_rank_space(ranks, own, std::move(part.dofs), components, whole != nullptr);
  static_cast<assembly::Space&>(part) = std::move(numbered.space);
  on_each_rank(ranks, [&] { part.dof_points = renumbered(part.dof_points, numbered.new_number); });
  part.ranks = &ranks;
  part.share = share_of(ranks, part.mesh, own.owners);
  // A ghost on a periodic side may stand at the other one, where on one rank no dof is.
  const auto own_points =
      std::span<const double>(part.dof_points).first(3 * static_cast<std::size_t>(part.index_map.owned()));
  const mesh::BoundingBox box = mesh::box_of_points(own_points, default_threads());
  for (std::size_t d = 0; d < 3; ++d) {
    part.share.low[d] = minimum(ranks, box.min[d]);
    part.share.high[d] = maximum(ranks, box.max[d]);
  }
  part.share.places = std::move(numbered.places);
  if (part.unfolded) {
    Unfolded& unfolded = *part.unfolded;
    assembly::RankSpace of_solution =
        assembly::make_rank_space(ranks, own, std::move(unfolded.dofs), components, whole != nullptr);
    static_cast<assembly::Space&>(unfolded) = std::move(of_solution.space);
    on_each_rank(ranks, [&] { unfolded.dof_points = renumbered(unfolded.dof_points, of_solution.new_number); });
    std::vector<Index> became(unfolded.became.size());
    for (std::size_t dof = 0; dof < became.size(); ++dof)
      became[of_solution.new_number[dof]] = numbered.new_number[unfolded.became[dof]];
    unfolded.became = std::move(became);
    part.share.places = std::move(of_solution.places);
  }
  part.share.cell_numbers = std::move(own.cell_numbers);
  part.share.has_whole = whole != nullptr;
  part.share.whole = ranks.is_root() ? whole : nullptr;
}

bool is_made_in_parts(const deck::Deck& deck, const CommonParams& params, int ranks) {
  const mesh::MeshParams& mesh = params.mesh;
  const deck::Where where = deck.where("mesh.partition");
  const bool wanted = mesh.partition == "bricks";
  const auto refuse = [&](const std::string& why) {
    if (wanted)
      throw Error(ExitCode::usage, fmt::format("mesh.partition = \"bricks\" {}", why),
                  "choose partition = \"auto\": the first rank then makes the whole mesh and shares it", where);
    return false;
  };
  if (!mesh.box) return refuse("is for boxes, this mesh is a file");
  if (!mesh::group_section().read_all(deck).empty()) return refuse("goes without [[group]]: nobody has the whole mesh");
  if (has_growing_layers(deck)) return refuse("goes without layers that grow out of it: nobody has the whole mesh");
  if (mesh.numbering == "metis") return refuse("goes without numbering = \"metis\": nobody has the whole mesh");
  if (params.output.write && params.output.has_format("csv"))
    return refuse("goes without output.formats = [\"csv\"]: nobody has the whole table");
  if (params.output.write && params.output.has_format("vtkhdf"))
    return refuse("goes without output.formats = [\"vtkhdf\"]: nobody has the whole of a state");
  const mesh::BoxParams box = mesh::refined(*mesh.box, mesh.refine);
  std::array<Index, 3> cells{0, 0, 0};
  std::copy(box.cells.begin(), box.cells.end(), cells.begin());
  double nodes = 1;
  for (const int along : box.cells) nodes *= 1.0 * along * params.physics.order + 1;
  if (!mesh::Bricks(cells, mesh::known_dimension(mesh), mesh.order, ranks).exist())
    return refuse(fmt::format("finds no {} bricks of {} cells", ranks, fmt::join(box.cells, " x ")));
  constexpr double most_on_one_host = 1 << 25;
  return wanted || (mesh.partition == "auto" && nodes > most_on_one_host);
}

mesh::BoxParams outline(const mesh::BoxParams& box) {
  constexpr int enough = 4;
  mesh::BoxParams result = box;
  for (int& cells : result.cells) cells = std::min(cells, enough);
  return result;
}

mesh::BoxParams one_cell(const mesh::BoxParams& box) {
  mesh::BoxParams first = box;
  first.min.resize(box.cells.size());
  first.max.resize(box.cells.size());
  for (std::size_t axis = 0; axis < box.cells.size(); ++axis) {
    first.max[axis] = first.min[axis] + (box.max[axis] - box.min[axis]) / box.cells[axis];
    first.cells[axis] = 1;
  }
  return first;
}

void complete_dirichlet(Discretisation& part) { part.dirichlet = completed(part, std::move(part.dirichlet)); }

DirichletData completed(const Discretisation& part, DirichletData fixed) {
  Communicator& ranks = *part.ranks;
  // Free rows carry what no value is.
  std::vector<double> values(static_cast<std::size_t>(part.rows()), 0.0), marks(values.size(), 0.0);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::size_t i = 0; i < fixed.dofs.size(); ++i) {
    if (fixed.dofs[i] >= part.owned_rows()) continue;
    values[fixed.dofs[i]] = fixed.values[i];
    marks[fixed.dofs[i]] = 1;
    least = std::min(least, fixed.values[i]);
    most = std::max(most, fixed.values[i]);
  }
  linalg::update_ghosts(ranks, part.index_map, part.components, values);
  linalg::update_ghosts(ranks, part.index_map, part.components, marks);
  fixed = {};
  for (Index row = 0; row < part.rows(); ++row) {
    if (marks[row] == 0) continue;
    fixed.dofs.push_back(row);
    fixed.values.push_back(values[row]);
  }
  least = minimum(ranks, least);
  most = maximum(ranks, most);
  fixed.level = !std::isfinite(least) ? 0 : least == most ? least : 0.5 * least + 0.5 * most;
  return fixed;
}

namespace {

/// The marked cells, with dofs of these numbers [dofs of the part], `count` of them; -1: a dof that none has.
void take_cells(const Discretisation& part, std::vector<char> cells, const std::vector<Index>& numbers, Index count,
                Discretisation& to) {
  mesh::RankMesh of_cells = mesh::part_of_cells(part.mesh, std::move(cells));
  to.mesh = std::move(of_cells.mesh);
  assembly::DofMap dofs{
      .order = part.dofs.order, .nodes = part.dofs.nodes, .dofs = count, .blocks = {}, .vertex_dofs = {}};
  dofs.vertex_dofs.assign(static_cast<std::size_t>(to.mesh.nodes()), -1);
  for (const mesh::CellBlock& block : to.mesh.blocks) {
    const assembly::DofBlock& from = part.dofs.block_of(of_cells.cell_numbers[block.first_cell]);
    std::vector<Index> own;
    own.reserve(static_cast<std::size_t>(block.cells()) * static_cast<std::size_t>(from.nodes));
    for (Index c = 0; c < block.cells(); ++c) {
      const Index* const old = from.cell(of_cells.cell_numbers[block.first_cell + c] - from.first_cell);
      for (int v = 0; v < mesh::vertex_count(block.shape); ++v) dofs.vertex_dofs[block.cell(c)[v]] = numbers[old[v]];
      for (int node = 0; node < from.nodes; ++node) own.push_back(numbers[old[node]]);
    }
    dofs.blocks.push_back(
        {from.shape, from.geometry_order, from.nodes, assembly::CellDofs(std::move(own)), block.first_cell});
  }
  static_cast<assembly::Space&>(to) = assembly::Space(std::move(dofs), part.components);
  // Spaces of lower orders have no places of dofs.
  if (!part.dof_points.empty()) to.dof_points.resize(3 * static_cast<std::size_t>(count));
  for (std::size_t dof = 0; !part.dof_points.empty() && dof < numbers.size(); ++dof)
    if (numbers[dof] >= 0)
      std::copy_n(&part.dof_points[3 * dof], 3, &to.dof_points[3 * static_cast<std::size_t>(numbers[dof])]);
  for (std::size_t i = 0; i < part.dirichlet.dofs.size(); ++i) {
    const Index row = part.dirichlet.dofs[i], dof = numbers[part.dof_of(row)];
    if (dof < 0) continue;
    to.dirichlet.dofs.push_back(to.row(dof, part.component_of(row)));
    to.dirichlet.values.push_back(part.dirichlet.values[i]);
  }
  to.dirichlet.level = part.dirichlet.level;
  to.threads = part.threads;
  to.ranks = part.ranks;
  to.why_without_matrix = part.why_without_matrix;
}

/// [cells] whether they have a ghost, or are coupled with one that has: both of these go together.
std::vector<char> have_ghosts(const Discretisation& part) {
  std::vector<char> result(static_cast<std::size_t>(part.mesh.cells()), 0);
  const Index owned = part.index_map.owned();
  for (const assembly::DofBlock& block : part.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      result[block.first_cell + c] =
          std::any_of(block.cell(c), block.cell(c) + block.nodes, [&](Index dof) { return dof >= owned; });
  for (bool more = !part.coupled.empty(); more;) {
    more = false;
    for (const auto& [a, b] : part.coupled) {
      more = more || result[a] != result[b];
      result[a] = result[b] = result[a] | result[b];
    }
  }
  return result;
}

}  // namespace

CellsOfPart cells_without_ghosts(const Discretisation& part) {
  std::vector<char> cells = have_ghosts(part);
  for (char& cell : cells) cell = !cell;
  std::vector<Index> numbers(static_cast<std::size_t>(part.dofs.dofs), -1);
  std::iota(numbers.begin(), numbers.begin() + part.index_map.owned(), 0);
  CellsOfPart result;
  take_cells(part, std::move(cells), numbers, part.index_map.owned(), result.space);
  return result;
}

CellsOfPart cells_with_ghosts(const Discretisation& part) {
  std::vector<char> cells = have_ghosts(part);
  const Index owned = part.index_map.owned();
  std::vector<Index> numbers(static_cast<std::size_t>(part.dofs.dofs), -1);
  for (const assembly::DofBlock& block : part.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      if (cells[block.first_cell + c])
        for (int node = 0; node < block.nodes; ++node) numbers[block.cell(c)[node]] = 0;
  CellsOfPart result;
  Index next = 0;
  for (Index dof = 0; dof < part.dofs.dofs; ++dof) {
    if (dof < owned && numbers[dof] < 0) continue;  // all ghosts are taken, in their order
    numbers[dof] = next++;
    if (dof < owned) result.own.push_back(dof);
  }
  take_cells(part, std::move(cells), numbers, next, result.space);
  return result;
}

DirichletData of_owned_rows(DirichletData fixed, Index rows) {
  const auto owned =
      static_cast<std::size_t>(std::lower_bound(fixed.dofs.begin(), fixed.dofs.end(), rows) - fixed.dofs.begin());
  fixed.dofs.resize(owned);
  fixed.values.resize(owned);
  return fixed;
}

void summarise_parts(const Discretisation& part, const mesh::BoxParams& box, Offset nnz, output::Summary& summary) {
  const Share& share = part.share;
  std::vector<double> counts{static_cast<double>(share.nodes),
                             static_cast<double>(std::count(share.cells.begin(), share.cells.end(), 1)),
                             static_cast<double>(std::count(share.facets.begin(), share.facets.end(), 1))};
  for (const mesh::Group& group : part.mesh.groups) {
    const std::vector<char>& own = group.dim == part.mesh.dim ? share.cells : share.facets;
    counts.push_back(static_cast<double>(
        std::count_if(group.entities.begin(), group.entities.end(), [&](Index entity) { return own[entity]; })));
  }
  in_common::add(&share, counts);
  const auto count = [&](std::size_t i) { return static_cast<Offset>(counts[i]); };
  summary.set("mesh.nodes", count(0));
  summary.set("mesh.cells", count(1));
  summary.set("mesh.facets", count(2));
  if (part.mesh.measure.weighs()) summary.set("mesh.axis", part.mesh.measure.axis());
  for (std::size_t g = 0; g < part.mesh.groups.size(); ++g)
    summary.set_in("mesh.groups", part.mesh.groups[g].name, count(3 + g));
  const mesh::QualitySummary quality = mesh::summarise_quality(mesh::make_box(one_cell(box), part.mesh.order));
  summary.set("mesh.quality.min", quality.min);
  summary.set("mesh.quality.mean", quality.mean);
  summarise_space(part, part.index_map.global_size() * part.components, nnz, summary);
}

void summarise_ranks(const Discretisation& part, output::Summary& summary) {
  Communicator& ranks = *part.ranks;
  const auto of_ranks = [&](Index mine) { return gathered(ranks, static_cast<double>(mine)); };
  const std::vector<double> dofs = of_ranks(part.index_map.owned()), cells = of_ranks(part.mesh.cells());
  const double mean = static_cast<double>(part.index_map.global_size()) / ranks.size();
  const double imbalance = *std::max_element(dofs.begin(), dofs.end()) / mean;
  summary.set("backend.ranks", ranks.size());
  const auto numbers = [](const std::vector<double>& of) {
    return nlohmann::ordered_json(std::vector<Offset>(of.begin(), of.end()));
  };
  summary.set_json("ranks.dofs", numbers(dofs));
  summary.set_json("ranks.cells", numbers(cells));
  summary.set("ranks.imbalance", imbalance);
  log_info(fmt::format("{} ranks: {} to {} dofs each, imbalance {:.3f}", ranks.size(),
                       *std::min_element(dofs.begin(), dofs.end()), *std::max_element(dofs.begin(), dofs.end()),
                       imbalance));
}

void summarise_waiting(Communicator& ranks, const Waited& before, const Waited& since, output::Summary& summary) {
  const auto numbers = [&](double mine) { return nlohmann::ordered_json(gathered(ranks, mine)); };
  summary.set_json("ranks.seconds_waiting.set_up", numbers(before.collectives + before.exchange));
  summary.set_json("ranks.seconds_waiting.collectives", numbers(since.collectives));
  summary.set_json("ranks.seconds_waiting.exchange", numbers(since.exchange));
}

void summarise_devices(Communicator& ranks, output::Summary& summary) {
  const std::vector<int> devices = gathered(ranks, cuda_device());
  const std::vector<int> machines = first_ranks_of_machines(ranks);
  std::vector<std::string> words;
  for (std::size_t rank = 0; rank < devices.size(); ++rank)
    words.push_back(fmt::format("rank {} GPU {}{}", rank, devices[rank],
                                machines[rank] == 0 ? "" : fmt::format(" of the machine of rank {}", machines[rank])));
  summary.set_json("ranks.devices", nlohmann::ordered_json(devices));
  log_info(fmt::format("{}", fmt::join(words, ", ")));
}

void summarise_link(const Link& link, const std::string& why_through_host, Offset sent, Offset ghosts,
                    output::Summary& summary) {
  Communicator& ranks = link.ranks();
  const std::vector<Offset> all_sent = gathered(ranks, sent), all_ghosts = gathered(ranks, ghosts);
  summary.set("ranks.link", link.name());
  if (!why_through_host.empty()) warn(fmt::format("vectors go through the host, which is slow: {}", why_through_host));
  std::vector<Offset> bytes;
  for (std::size_t rank = 0; rank < all_sent.size(); ++rank) bytes.push_back(8 * (all_sent[rank] + all_ghosts[rank]));
  summary.set_json("ranks.halo_bytes", nlohmann::ordered_json(bytes));
}

}  // namespace tessera::physics
