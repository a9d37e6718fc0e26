#include "physics/wave/coupled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "assembly/spectral/operator.hpp"
#include "forms/spectral.hpp"
#include "physics/places.hpp"
#include "physics/wave/layers.hpp"

namespace tessera::physics::wave {

namespace {

using assembly::spectral::CellSide;
using assembly::spectral::SideNode;

std::vector<char> vertices_of(const mesh::Mesh& mesh) {
  std::vector<char> here(static_cast<std::size_t>(mesh.nodes()), 0);
  for (const mesh::CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < mesh::vertex_count(block.shape); ++v) here[static_cast<std::size_t>(block.cell(c)[v])] = 1;
  return here;
}

/// visit(side of a cell, its vertices in ascending order) of sides with all of their vertices in `among`.
template <class Visit>
void each_side(const mesh::Mesh& mesh, const std::vector<char>& among, Visit visit) {
  for (const mesh::CellBlock& block : mesh.blocks) {
    const auto& sides = mesh::topology(block.shape).facets;
    for (Index c = 0; c < block.cells(); ++c)
      for (std::size_t side = 0; side < sides.size(); ++side) {
        std::array<Index, 4> vertices{-1, -1, -1, -1};
        bool inside = true;
        for (int v = 0; v < mesh::vertex_count(sides[side].shape); ++v) {
          const auto at = static_cast<std::size_t>(v);
          vertices[at] = block.cell(c)[sides[side].vertices[at]];
          inside &= among[static_cast<std::size_t>(vertices[at])] != 0;
        }
        if (!inside) continue;
        std::sort(vertices.begin(), vertices.end());
        visit(CellSide{block.first_cell + c, static_cast<int>(side)}, vertices);
      }
  }
}

Interface make_interface(const Problem& fluid, const Problem& solid) {
  std::vector<char> both = vertices_of(fluid.mesh());
  const std::vector<char> of_solid = vertices_of(solid.mesh());
  for (std::size_t node = 0; node < both.size(); ++node) both[node] &= of_solid[node];
  std::set<std::array<Index, 4>> of_solids;
  each_side(solid.mesh(), both, [&](const CellSide&, const std::array<Index, 4>& side) { of_solids.insert(side); });
  std::vector<CellSide> sides;
  each_side(fluid.mesh(), both, [&](const CellSide& side, const std::array<Index, 4>& vertices) {
    if (of_solids.contains(vertices)) sides.push_back(side);
  });
  std::map<Index, std::array<double, 3>> normals;
  Interface interface;
  interface.sides = static_cast<Offset>(sides.size());
  assembly::spectral::for_each_side_node(fluid.mesh(), fluid.space.dofs, fluid.cells, sides, [&](const SideNode& node) {
    std::array<double, 3>& normal = normals[node.dof];
    for (std::size_t d = 0; d < 3; ++d) normal[d] += node.normal[d];
    interface.area += std::hypot(node.normal[0], node.normal[1], node.normal[2]);
  });
  for (const auto& [dof, normal] : normals) {
    interface.dofs.push_back(dof);
    interface.normals.insert(interface.normals.end(), normal.begin(), normal.begin() + fluid.cells.dim);
  }
  return interface;
}

/// On the whole mesh: there are both, and they touch.
void check_media(const CoupledProblem& problem) {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, problem.params.physics.where);
  };
  if (problem.fluid.cells.cells == 0)
    refuse("physics.medium = \"coupled\", and no cell is of a fluid",
           "a fluid is a [[material]] with density and vp, or bulk, alone; without one choose \"elastic\"");
  if (problem.solid.cells.cells > 0 && problem.interface.dofs.empty())
    refuse("fluids and solids have no side in common",
           "their cells must share nodes: mesh both as parts of one geometry, or mesh.merge_nodes");
}

/// On the whole mesh: in a body of fluid of which no side is free or absorbing a pressure p that stays makes chi grow
/// as -p t^2 / 2, the same at all of its nodes, and with it the rounding of what its slopes are found from.
void refuse_closed_fluids_in_float(const CoupledProblem& problem) {
  const Problem& fluid = problem.fluid;
  if (problem.params.run.precision != "float") return;
  std::vector<Index> body(static_cast<std::size_t>(problem.space.dofs.dofs));
  std::iota(body.begin(), body.end(), Index{0});
  const auto find = [&](Index dof) {
    auto at = static_cast<std::size_t>(dof);
    while (body[at] != static_cast<Index>(at)) {
      body[at] = body[static_cast<std::size_t>(body[at])];
      at = static_cast<std::size_t>(body[at]);
    }
    return at;
  };
  for (Index c = 0; c < fluid.cells.cells; ++c)
    for (int q = 1; q < fluid.cells.places; ++q)
      body[find(fluid.cells.cell(c)[q])] = static_cast<Index>(find(fluid.cells.cell(c)[0]));
  std::vector<char> open(body.size(), 0);
  for (const Index row : fluid.prescribed.rows) open[find(fluid.dof_of(row))] = 1;
  for (const CellSide& side : fluid.absorbing) open[find(fluid.cells.cell(side.cell)[0])] = 1;
  for (const Index dof : fluid.cells.dofs) {
    if (open[find(dof)]) continue;
    const double* const x = &problem.space.dof_points[3 * static_cast<std::size_t>(dof)];
    throw Error(
        ExitCode::usage,
        fmt::format("run.precision = \"float\", and no side of the fluid at ({:g}, {:g}, {:g}) is free or absorbing",
                    x[0], x[1], x[2]),
        "in a closed fluid the potential grows with any pressure that stays, and float loses its slopes: leave "
        "precision out",
        problem.params.physics.where);
  }
}

}  // namespace

CoupledProblem make_coupled_problem(const Params& params, const Discretisation& space) {
  const std::vector<Index> material = material_of_cells(places(params.materials), space.mesh);
  CoupledProblem problem{params,
                         space,
                         material,
                         make_part(params, space, Medium::acoustic, material),
                         make_part(params, space, Medium::elastic, material),
                         {}};
  problem.interface = make_interface(problem.fluid, problem.solid);
  problem.fluid.interface = problem.solid.interface = problem.interface.dofs;
  if (!space.ranks) check_media(problem);
  if (!space.ranks) refuse_closed_fluids_in_float(problem);
  const auto medium_of_cell = [&](Index cell) {
    return problem.fluid.own(cell) >= 0 ? Medium::acoustic : Medium::elastic;
  };
  check_sources(params, space, medium_of_cell);
  warn_of_boundaries(params, space.mesh, medium_of_cell);
  const std::array<const Problem*, 2> media{&problem.fluid, &problem.solid};
  warn_of_rest(media);
  if (params.has_layers() && !space.ranks) check_layers(problem);
  warn_of_losses(media);
  return problem;
}

void refuse_moved_fluid(const CoupledProblem& problem, std::span<const double> u, std::span<const double> v,
                        Index owned) {
  const Problem& fluid = problem.fluid;
  const Discretisation& space = problem.space;
  const auto moves = [&](std::span<const double> x, Index row) {
    return static_cast<std::size_t>(row) < x.size() && x[static_cast<std::size_t>(row)] != 0;
  };
  for (const Index dof : fluid.cells.dofs) {
    if (dof >= owned || std::binary_search(fluid.interface.begin(), fluid.interface.end(), dof)) continue;
    for (int d = 0; d < fluid.cells.dim; ++d) {
      if (!moves(u, space.row(dof, d)) && !moves(v, space.row(dof, d))) continue;
      const double* const x = &space.dof_points[3 * static_cast<std::size_t>(dof)];
      const Params& params = problem.params;
      throw Error(ExitCode::usage, fmt::format("[[initial]] moves the fluid at ({:g}, {:g}, {:g})", x[0], x[1], x[2]),
                  "fluids begin at rest beside solids: give [[initial]] the groups of solids with on = [...], or move "
                  "the fluid by a [[source]]",
                  params.initial.empty() ? params.physics.where : params.initial.front().where);
    }
  }
}

assembly::NumbersOfCells united(const CoupledProblem& problem, const assembly::NumbersOfCells& fluid,
                                const assembly::NumbersOfCells& solid) {
  assembly::NumbersOfCells result{.width = std::max(fluid.width, solid.width), .cells = {}, .values = {}};
  const auto add = [&](const Problem& medium, const assembly::NumbersOfCells& numbers) {
    std::vector<Index> in_whole(static_cast<std::size_t>(medium.cells.cells));
    for (std::size_t cell = 0; cell < medium.part->number.size(); ++cell)
      if (const Index own = medium.part->number[cell]; own >= 0)
        in_whole[static_cast<std::size_t>(own)] = static_cast<Index>(cell);
    for (std::size_t i = 0; i < numbers.cells.size(); ++i) {
      result.cells.push_back(in_whole[static_cast<std::size_t>(numbers.cells[i])]);
      const auto first = numbers.values.begin() + static_cast<std::ptrdiff_t>(i * numbers.width);
      result.values.insert(result.values.end(), first, first + static_cast<std::ptrdiff_t>(numbers.width));
      result.values.resize(result.cells.size() * result.width, 0.0);
    }
  };
  add(problem.fluid, fluid);
  add(problem.solid, solid);
  return result;
}

assembly::NumbersOfCells part_of(const Problem& medium, const assembly::NumbersOfCells& numbers) {
  assembly::NumbersOfCells result{.width = numbers.width, .cells = {}, .values = {}};
  for (std::size_t i = 0; i < numbers.cells.size(); ++i) {
    const Index own = medium.own(numbers.cells[i]);
    if (own < 0) continue;
    result.cells.push_back(own);
    const auto first = numbers.values.begin() + static_cast<std::ptrdiff_t>(i * numbers.width);
    result.values.insert(result.values.end(), first, first + static_cast<std::ptrdiff_t>(numbers.width));
  }
  return result;
}

std::vector<double> fluid_displacements(const Problem& fluid, std::span<const double> chi) {
  constexpr Index together = 4096;  // cells whose geometry is in memory at a time
  const assembly::spectral::Cells& cells = fluid.cells;
  const assembly::spectral::Rule& rule = assembly::spectral::rule(cells.n - 1);
  const int dim = cells.dim, n = cells.n;
  const auto axes = static_cast<std::size_t>(dim);
  const auto dofs = static_cast<std::size_t>(fluid.space.dofs.dofs);
  std::vector<double> u(dofs * axes, 0.0), volume(dofs, 0.0);
  for (Index first = 0; first < cells.cells; first += together) {
    const Index count = std::min(together, cells.cells - first);
    const std::vector<double> geometry = assembly::spectral::stored_geometry(fluid.mesh(), cells, first, count);
    for (Index c = 0; c < count; ++c) {
      const Index* const nodes = cells.cell(first + c);
      const double* const J = geometry.data() + Offset{c} * (dim * dim + 1) * cells.places;
      for (int q = 0; q < cells.places; ++q) {
        double along[3] = {};
        for (int axis = 0, step = 1; axis < dim; ++axis, step *= n) {
          const int at = q / step % n, line = q - at * step;
          for (int m = 0; m < n; ++m)
            along[axis] += rule.slope[at * n + m] * chi[static_cast<std::size_t>(nodes[line + m * step])];
        }
        const auto dof = static_cast<std::size_t>(nodes[q]);
        const double weight = J[Offset{dim * dim} * cells.places + q],
                     by = weight * fluid.media.stiffness.at(cells, first + c, q);
        volume[dof] += weight;
        for (int d = 0; d < dim; ++d)
          for (int a = 0; a < dim; ++a)
            u[dof * axes + static_cast<std::size_t>(d)] += by * J[Offset{a * dim + d} * cells.places + q] * along[a];
      }
    }
  }
  for (std::size_t dof = 0; dof < dofs; ++dof)
    for (std::size_t d = 0; d < axes && volume[dof] > 0; ++d) u[dof * axes + d] /= volume[dof];
  return u;
}

std::vector<double> fluid_stiffness(const Problem& fluid, std::span<const double> chi, int threads) {
  Threads exec(threads);
  assembly::SpectralOperator<Threads, forms::GradientFlux> K(exec, fluid.mesh(), fluid.space.dofs, fluid.cells,
                                                             fluid.media.stiffness);
  const std::vector<double> ones(chi.size(), -1.0);
  std::vector<double> f(chi.size(), 0.0);
  K.apply(exec, {chi.data(), static_cast<Offset>(chi.size())}, {ones.data(), static_cast<Offset>(ones.size())},
          {f.data(), static_cast<Offset>(f.size())});
  return f;
}

}  // namespace tessera::physics::wave
