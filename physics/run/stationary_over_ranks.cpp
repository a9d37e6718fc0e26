// Runs that ranks share.
#include <algorithm>

#include "base/collective.hpp"
#include "base/muted.hpp"
#include "linalg/halo.hpp"
#include "mesh/box.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/run/forecast.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/report.hpp"
#include "physics/run/stationary.hpp"

namespace tessera::physics {

/// The box of the deck with few cells.
mesh::Mesh StationaryRun::outline() const {
  const mesh::MeshParams& params = model().params().mesh;
  mesh::Mesh box = mesh::make_box(physics::outline(mesh::refined(*params.box, params.refine)), params.order);
  if (mesh::has_axis(params)) mesh::set_axis(box, params.axis);
  return box;
}

bool StationaryRun::makes_parts(const deck::Deck& deck, int ranks) const {
  const CommonParams& params = model().params();
  if (!is_made_in_parts(deck, params, ranks)) return false;
  const Muted again;
  mesh::Mesh box = outline();
  model().add_groups(box);
  if (model().joined_vertices(deck, box).empty()) return true;
  if (params.mesh.partition != "bricks") return false;
  throw Error(ExitCode::usage, "mesh.partition = \"bricks\" goes without periodic sides: nobody has both of them",
              "choose partition = \"auto\": the first rank then makes the whole mesh and shares it",
              deck.where("mesh.partition"));
}

/// A part of a box that nobody has.
mesh::RankMesh StationaryRun::part_of_outlined(int ranks, int rank) const {
  const mesh::MeshParams& params = model().params().mesh;
  const Muted again;
  mesh::RankMesh part = mesh::part_of_box(mesh::refined(*params.box, params.refine), params.order, ranks, rank);
  part.mesh.measure = outline().measure;
  model().add_groups(part.mesh);
  return part;
}

/// That of this rank.
mesh::RankMesh StationaryRun::make_own_part(Communicator& ranks, int threads) const {
  Threads exec(threads);
  Scope scope(exec, "mesh.generate");
  mesh::RankMesh own;
  on_each_rank(ranks, [&] { own = part_of_outlined(ranks.size(), ranks.rank()); });
  return own;
}

/// The deck on the outline of a box that ranks are to make in parts, and a forecast from the part of the largest: as
/// one rank would have it, which owns all that it sees.
void StationaryRun::check_in_parts(Context& context) {
  const CommonParams& params = model().params();
  Discretisation whole, part;
  whole.threads = part.threads = Threads(params.run.threads).count();
  whole.mesh = outline();
  make_checked_space(context, whole);
  set_up(whole);
  check_values_of(whole);
  part.why_without_matrix = plan_of(whole).why;
  const BoxSizes sizes = sizes_of_box(mesh::refined(*params.mesh.box, params.mesh.refine), params.mesh.order,
                                      params.physics.order, context.planned_ranks, part.threads);
  mesh::RankMesh own = part_of_outlined(context.planned_ranks, sizes.largest());
  std::fill(own.owners.begin(), own.owners.end(), alone().rank());
  make_part(alone(), context.deck, params, whole.components, std::move(own), nullptr, part);
  settle(part, context.planned_ranks, context.summary);
  {
    const Muted again;
    part.dirichlet = model().set_up(part);
  }
  const AtPoints coefficients = model().evaluate(part, nonlinear_start(part), context.summary);
  print_check(params, part, coefficients, plan_of(part).why, model().is_nonlinear(), model().traits(),
              {.count = context.planned_ranks, .box = &sizes}, context.summary);
}

/// The root makes and checks the whole, or of a box that is made in parts its outline; each rank has its part, and says
/// what it finds there.
ExitCode StationaryRun::run_over_ranks(Context& context) {
  Communicator& ranks = *context.ranks;
  const CommonParams& params = model().params();
  check_over_ranks(params, model().traits(), context.deck);
  check_same_backend(ranks, params);
  bool in_parts = false;
  on_each_rank(ranks, [&] { in_parts = !context.checkpoint && makes_parts(context.deck, ranks.size()); });
  Discretisation whole, part;
  part.threads = Threads(params.run.threads).count();
  std::vector<Index> joined;
  mesh::CoupledCells coupled;
  on_root(ranks, [&] {
    if (in_parts) {
      whole.threads = part.threads;
      whole.mesh = outline();
      make_checked_space(context, whole);
    } else {
      joined = discretise(context, whole);
    }
    set_up(whole);
    coupled = model().coupled_cells();
  });
  int dim = whole.mesh.dim;
  ranks.broadcast(0, &dim, sizeof dim);
  // Of the whole: a part may lack one of its shapes.
  part.why_without_matrix = first_text(ranks, ranks.is_root() ? plan_of(whole).why : std::string());
  make_part(ranks, context.deck, params, model().traits().fields.front().count(dim),
            in_parts ? make_own_part(ranks, part.threads)
                     : distribute_mesh(ranks, params, whole, joined, coupled, part.threads, context.stop),
            in_parts ? nullptr : &whole, part);
  settle(part, ranks.size(), context.summary);
  const auto set_up_part = [&] {
    const Muted again;
    return model().set_up(part);
  };
  on_each_rank(ranks, [&] {
    part.dirichlet = set_up_part();
    part.coupled = model().coupled_cells();
  });
  complete_dirichlet(part);
  make_sources(part);
  summarise_ranks(part, context.summary);
  const Waited before = waited(ranks);
  Solved solved = solve(part, context);
  summarise_waiting(ranks, before, waited(ranks) - before, context.summary);
  solved.u.resize(static_cast<std::size_t>(part.rows()));
  linalg::update_ghosts(ranks, part.index_map, part.components, solved.u);
  on_each_rank(ranks, set_up_part);  // operators without a matrix have set up their own cells
  return report(part, solved, context);
}

}  // namespace tessera::physics
