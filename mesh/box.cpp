#include "mesh/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"
#include "mesh/bricks.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/rank_mesh.hpp"

namespace tessera::mesh {

namespace {

using Lattice = std::array<int, 3>;

// The cells of the unit box as their vertices' corners, in Gmsh's vertex order and positively oriented.
std::vector<std::vector<Lattice>> cut(Shape shape) {
  switch (shape) {
    case Shape::interval: return {{{0, 0, 0}, {1, 0, 0}}};
    case Shape::triangle: return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
    case Shape::quad: return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
    case Shape::hex: return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    case Shape::prism:
      return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}},
              {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    default: break;
  }
  // Kuhn: walk from (0,0,0) to (1,1,1) along the axes in each order; odd orders are mirrored to be positive.
  std::vector<std::vector<Lattice>> tets;
  Lattice axes{0, 1, 2};
  do {
    std::vector<Lattice> tet{{0, 0, 0}};
    for (int axis : axes) {
      tet.push_back(tet.back());
      tet.back()[axis] = 1;
    }
    const bool odd = (axes[1] - axes[0] + 3) % 3 != 1;
    if (odd) std::swap(tet[1], tet[2]);
    tets.push_back(tet);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return tets;
}

// A side of the box that a cell of the cut unit box has one of its own sides on.
struct OnSide {
  int side;      // local side of the cell
  int box_side;  // 2*axis + (0: low, 1: high)
};

struct Plan {
  Shape shape;
  int dim, order;
  Lattice box{1, 1, 1};                       // cells of the whole box, 1 on unused axes
  Lattice first{0, 0, 0};                     // the lowest of these that is made
  Lattice cells{1, 1, 1};                     // how many are
  Lattice nodes{1, 1, 1};                     // lattice nodes per axis of what is made
  std::vector<std::vector<Lattice>> pieces;   // [pieces][nodes per cell]: lattice offset of each node
  std::vector<std::vector<OnSide>> on_sides;  // [pieces], in the order of their local sides
};

std::vector<OnSide> sides_on_box(Shape shape, const std::vector<Lattice>& vertices) {
  std::vector<OnSide> result;
  const auto& facets = topology(shape).facets;
  for (int side = 0; side < static_cast<int>(facets.size()); ++side)
    for (int axis = 0; axis < dimension(shape); ++axis)
      for (int high : {0, 1}) {
        bool all = true;
        for (int v = 0; v < vertex_count(facets[side].shape); ++v)
          all = all && vertices[facets[side].vertices[v]][axis] == high;
        if (all) result.push_back({side, 2 * axis + high});
      }
  return result;
}

void check_size(const Plan& plan) {
  double boxes = 1, nodes = 1;
  for (int axis = 0; axis < plan.dim; ++axis) {
    boxes *= plan.cells[axis];
    nodes *= static_cast<double>(plan.order) * plan.cells[axis] + 1;
  }
  const double cells = boxes * static_cast<double>(plan.pieces.size());
  const char* const what = plan.cells == plan.box ? "the box" : "a part of the box";
  const double limit = std::numeric_limits<Index>::max();
  if (cells > limit || nodes > limit)
    throw Error(ExitCode::mesh,
                fmt::format("{} would have {:.0f} cells and {:.0f} nodes, more than 32-bit numbers count ({:.0f})",
                            what, cells, nodes, limit),
                "use fewer cells per axis, or more ranks");
  // Coordinates and cells alone: the system promises more memory than it has and kills later.
  const double bytes = 24 * nodes + 4 * cells * static_cast<double>(plan.pieces.front().size());
  const double available = static_cast<double>(host_bytes_available());
  if (bytes > available)
    throw Error(ExitCode::memory,
                fmt::format("out of host memory: {} of {:.0f} cells takes more than {}, {} are free", what, cells,
                            human_bytes(bytes), human_bytes(available)),
                "use fewer cells per axis, or more ranks on more machines");
}

/// Of the whole box; `rank` of `ranks`: of the cells that have a vertex of its brick.
Plan make_plan(const BoxParams& params, int order, int ranks = 1, int rank = 0) {
  Plan plan{};
  plan.shape = shape_from_name(params.shape);
  plan.dim = dimension(plan.shape);
  plan.order = order;
  const auto vertices = cut(plan.shape);
  for (const auto& cell : vertices) {
    plan.on_sides.push_back(sides_on_box(plan.shape, cell));
    std::vector<Lattice> nodes;
    const auto& sets = node_vertices(plan.shape);
    for (int n = 0; n < node_count(plan.shape, order); ++n) {
      Lattice sum{0, 0, 0};
      for (int vertex : sets[n])
        for (int axis = 0; axis < 3; ++axis) sum[axis] += order * cell[vertex][axis];
      for (int& offset : sum) offset /= static_cast<int>(sets[n].size());
      nodes.push_back(sum);
    }
    plan.pieces.push_back(nodes);
  }
  std::copy(params.cells.begin(), params.cells.end(), plan.box.begin());
  plan.cells = plan.box;
  if (ranks > 1) {
    const Bricks bricks({plan.box[0], plan.box[1], plan.box[2]}, plan.dim, order, ranks);
    for (int axis = 0; axis < plan.dim; ++axis) {
      const auto [first, last] = bricks.cells(axis, rank);
      plan.first[axis] = first;
      plan.cells[axis] = last - first;
    }
  }
  check_size(plan);
  for (int axis = 0; axis < plan.dim; ++axis) plan.nodes[axis] = order * plan.cells[axis] + 1;
  return plan;
}

void fill_points(const Plan& plan, const BoxParams& params, std::vector<double>& points) {
  const Offset row = plan.nodes[0], plane = row * plan.nodes[1];
  const Offset count = plane * plan.nodes[2];
  resize_by_all(points, 3 * static_cast<std::size_t>(count), default_threads());
  std::array<std::vector<double>, 3> axis_points;
  for (int axis = 0; axis < 3; ++axis) {
    axis_points[axis].assign(plan.nodes[axis], 0.0);
    if (axis >= plan.dim) continue;
    const int first = plan.order * plan.first[axis], last = plan.order * plan.box[axis];
    // A weighted mean of both ends, so that the far end is hit exactly.
    for (int i = 0; i < plan.nodes[axis]; ++i)
      axis_points[axis][i] = (params.min[axis] * (last - first - i) + params.max[axis] * (first + i)) / last;
  }
  parallel_for(default_threads(), count / row, [&](Offset line) {
    const double y = axis_points[1][line % plan.nodes[1]], z = axis_points[2][line / plan.nodes[1]];
    double* point = points.data() + 3 * line * row;
    for (Offset i = 0; i < row; ++i, point += 3) {
      point[0] = axis_points[0][i];
      point[1] = y;
      point[2] = z;
    }
  });
}

void fill_cells(const Plan& plan, CellBlock& block) {
  const Offset lines = static_cast<Offset>(plan.cells[1]) * plan.cells[2];
  const Offset pieces = static_cast<Offset>(plan.pieces.size()), width = block.nodes_per_cell;
  std::vector<Index> offsets;  // of every node of every piece from the lowest corner
  for (const auto& piece : plan.pieces)
    for (const Lattice& node : piece)
      offsets.push_back(static_cast<Index>(node[0] + static_cast<Offset>(plan.nodes[0]) *
                                                         (node[1] + static_cast<Offset>(plan.nodes[1]) * node[2])));
  resize_by_all(block.nodes, static_cast<std::size_t>(lines * plan.cells[0] * pieces * width), default_threads());
  parallel_for(default_threads(), lines, [&](Offset line) {
    const Offset j = line % plan.cells[1], k = line / plan.cells[1];
    Index corner = static_cast<Index>(static_cast<Offset>(plan.order) * plan.nodes[0] * (j + plan.nodes[1] * k));
    Index* out = block.nodes.data() + line * plan.cells[0] * pieces * width;
    for (Index i = 0; i < plan.cells[0]; ++i, corner += plan.order)
      for (Index offset : offsets) *out++ = corner + offset;
  });
}

void add_box_facets(const Plan& plan, const Lattice& at, Mesh& mesh) {
  const Offset box = at[0] + static_cast<Offset>(plan.cells[0]) * (at[1] + static_cast<Offset>(plan.cells[1]) * at[2]);
  const int pieces = static_cast<int>(plan.pieces.size());
  for (int piece = 0; piece < pieces; ++piece)
    for (const OnSide& on : plan.on_sides[piece]) {
      const int axis = on.box_side / 2;
      if (plan.first[axis] + at[axis] != (on.box_side % 2 ? plan.box[axis] - 1 : 0)) continue;
      mesh.groups[on.box_side].entities.push_back(mesh.facets.size());
      mesh.facets.cell.push_back(static_cast<Index>(box * pieces + piece));
      mesh.facets.side.push_back(static_cast<std::int8_t>(on.side));
    }
}

void fill_facets(const Plan& plan, Mesh& mesh) {
  static constexpr const char* names[] = {"left", "right", "bottom", "top", "back", "front"};
  for (int side = 0; side < 2 * plan.dim; ++side) mesh.groups.push_back({names[side], plan.dim - 1, {}, {}});
  for (int k = 0; k < plan.cells[2]; ++k)
    for (int j = 0; j < plan.cells[1]; ++j) {
      const bool inner =
          (plan.dim < 3 || (k > 0 && k + 1 < plan.cells[2])) && (plan.dim < 2 || (j > 0 && j + 1 < plan.cells[1]));
      const int step =
          inner ? std::max(1, plan.cells[0] - 1) : 1;  // an inner line touches the sides with its ends only
      for (int i = 0; i < plan.cells[0]; i += step) add_box_facets(plan, {i, j, k}, mesh);
    }
  mesh.facets.exterior.assign(mesh.facets.cell.size(), 1);
  Group domain{"domain", plan.dim, {}, {}};
  resize_by_all(domain.entities, static_cast<std::size_t>(mesh.cells()), default_threads());
  parallel_for(default_threads(), mesh.cells(), [&](Offset cell) { domain.entities[cell] = static_cast<Index>(cell); });
  mesh.groups.push_back(std::move(domain));
}

/// What the plan says, without the numbers of a structured box.
Mesh make_cells(const Plan& plan, const BoxParams& params) {
  Mesh mesh;
  mesh.dim = plan.dim;
  mesh.order = plan.order;
  fill_points(plan, params, mesh.points);
  mesh.blocks.push_back({plan.shape, plan.order, node_count(plan.shape, plan.order), {}, 0});
  fill_cells(plan, mesh.blocks.front());
  fill_facets(plan, mesh);
  return mesh;
}

void check(const BoxParams& params, int order) {
  validate(params);
  if (order != 1 && order != 2)
    throw Error(ExitCode::usage, fmt::format("a box of geometric order {} was asked", order), "use order 1 or 2");
}

}  // namespace

Mesh make_box(const BoxParams& params, int order) {
  check(params, order);
  const Plan plan = make_plan(params, order);
  Mesh mesh = make_cells(plan, params);
  for (int axis = 0; axis < plan.dim; ++axis) {
    mesh.box_cells[axis] = plan.cells[axis];
    mesh.box_min[axis] = params.min[axis];
    mesh.box_max[axis] = params.max[axis];
  }
  return mesh;
}

RankMesh part_of_box(const BoxParams& params, int order, int ranks, int rank) {
  check(params, order);
  const Plan plan = make_plan(params, order, ranks, rank);
  const Bricks bricks({plan.box[0], plan.box[1], plan.box[2]}, plan.dim, order, ranks);
  const Mesh around = make_cells(plan, params);
  std::vector<int> owners(static_cast<std::size_t>(around.nodes()));
  parallel_for(default_threads(), around.nodes(), [&](Offset node) {
    const Offset line = node / plan.nodes[0];
    std::array<Offset, 3> at{node % plan.nodes[0], line % plan.nodes[1], line / plan.nodes[1]};
    for (int axis = 0; axis < 3; ++axis) at[axis] += Offset{plan.order} * plan.first[axis];
    owners[static_cast<std::size_t>(node)] = bricks.owner(at);
  });
  // At edges of the brick some simplices have no vertex in it.
  RankMesh part = part_of_rank(around, owners, rank);
  const auto pieces = static_cast<Offset>(plan.pieces.size());
  for (Offset& cell : part.cell_numbers) {
    const Offset box = cell / pieces, line = box / plan.cells[0];
    const Offset i = plan.first[0] + box % plan.cells[0], j = plan.first[1] + line % plan.cells[1],
                 k = plan.first[2] + line / plan.cells[1];
    cell = (i + plan.box[0] * (j + plan.box[1] * k)) * pieces + cell % pieces;
  }
  return part;
}

}  // namespace tessera::mesh
