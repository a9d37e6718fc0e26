#include "mesh/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/geometry.hpp"

namespace tessera::mesh {
namespace {

/// Below this det(A) / (|A|_F / sqrt(dim))^dim, which lies in [-1, 1], a Jacobian is zero to round-off.
constexpr double degenerate_below = 1e-12;

/// Shape functions at the points where a cell's Jacobian is looked at, and the inverse of the ideal cell's Jacobian.
struct Table {
  int points = 0;
  std::vector<double> dphi;  // [points, nodes, dim]
  std::array<double, 9> inverse_ideal{1, 0, 0, 0, 1, 0, 0, 0, 1};
};

Table make_table(Shape shape, int order) {
  Table table;
  const int dim = dimension(shape), nodes = node_count(shape, order);
  const auto xi = reference_nodes(shape, order);
  const bool affine = order == 1 && (shape == Shape::interval || shape == Shape::triangle || shape == Shape::tet);
  table.points = affine ? 1 : nodes;
  table.dphi.resize(static_cast<std::size_t>(table.points) * nodes * dim);
  std::array<double, max_nodes> phi;
  for (int p = 0; p < table.points; ++p)
    shape_functions(shape, order, xi.data() + p * dim, phi.data(), table.dphi.data() + p * nodes * dim);
  // Ideal: equilateral triangle, regular tet, prism of unit edges (its reference height is 2); upper triangular.
  const double r3 = std::sqrt(3.0), r6 = std::sqrt(6.0);
  if (shape == Shape::triangle) table.inverse_ideal = {1, -1 / r3, 0, 0, 2 / r3, 0, 0, 0, 1};
  if (shape == Shape::prism) table.inverse_ideal = {1, -1 / r3, 0, 0, 2 / r3, 0, 0, 0, 2};
  if (shape == Shape::tet) table.inverse_ideal = {1, -1 / r3, -1 / r6, 0, 2 / r3, -1 / r6, 0, 0, 3 / r6};
  return table;
}

const Table& table(Shape shape, int order) {
  static const std::array<Table, 2 * shape_count> tables = [] {
    std::array<Table, 2 * shape_count> all;
    for (int s = 1; s < shape_count; ++s)
      for (int o : {1, 2}) all[2 * s + o - 1] = make_table(static_cast<Shape>(s), o);
    return all;
  }();
  return tables[2 * static_cast<int>(shape) + order - 1];
}

/// The planes of a box stand evenly where their distances differ by no more than this share.
constexpr double evenly = 1e-6;
/// Above this the quality of one of two cells that differ by `evenly` says that neither is degenerate.
constexpr double clearly_usable = 1e-7;

/// Cells of a box that stand for all: the cells of its first interval on every axis, of which the others are copies. 0
/// where the mesh is no box, or its planes do not stand evenly.
Index cells_that_repeat(const Mesh& mesh) {
  if (mesh.box_cells[0] == 0) return 0;
  Offset stride = 1, intervals = 1;
  for (int axis = 0; axis < mesh.dim; ++axis) {
    const Index count = mesh.order * mesh.box_cells[axis];
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (Index i = 0; i < count; ++i) {
      const double step =
          mesh.point(static_cast<Index>((i + 1) * stride))[axis] - mesh.point(static_cast<Index>(i * stride))[axis];
      least = std::min(least, step);
      most = std::max(most, step);
    }
    if (!(most < std::numeric_limits<double>::infinity() && least > 0 && most - least <= evenly * most)) return 0;
    stride *= count + 1;
    intervals *= mesh.box_cells[axis];
  }
  return static_cast<Index>(mesh.cells() / intervals);
}

/// Least over the points of the cell; sign and zero as cell_quality says.
double shape_quality(const Mesh& mesh, const CellBlock& block, Index local, const Table& at) {
  const int dim = mesh.dim;
  double worst = 1;
  for (int p = 0; p < at.points; ++p) {
    double J[9];
    jacobian(mesh, block, local, at.dphi.data() + static_cast<std::size_t>(p) * block.nodes_per_cell * dim, J);
    double A[9], norm = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) sum += J[3 * i + k] * at.inverse_ideal[3 * k + j];
        A[3 * i + j] = sum;
        if (i < dim && j < dim) norm += sum * sum;
      }
    const double mean = std::sqrt(norm / dim);
    if (!(mean > 0)) return std::isfinite(mean) ? std::min(worst, 0.0) : -1.0;
    // Scaled before the determinant, so that neither nanometres nor light years leave the range of doubles.
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) A[3 * i + j] /= mean;
    const double det =
        A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
    if (!std::isfinite(det)) return -1;
    const double eta = std::abs(det) < degenerate_below ? 0 : std::copysign(std::pow(std::abs(det), 2.0 / dim), det);
    worst = std::min(worst, eta);
  }
  return worst;
}

std::vector<double> all_qualities(const Mesh& mesh) {
  std::vector<double> eta(static_cast<std::size_t>(mesh.cells()));
  for (const CellBlock& block : mesh.blocks) {
    const Table& at = table(block.shape, block.order);
    const Index cells = block.cells();
    parallel_for(default_threads(), cells,
                 [&](Index c) { eta[block.first_cell + c] = shape_quality(mesh, block, c, at); });
  }
  return eta;
}

/// Least and greatest cosine between edges at the corners of faces.
std::array<double, 2> cosines(const Mesh& mesh) {
  using Range = std::array<double, 2>;
  Range all{1, -1};
  const auto wider = [](const Range& a, const Range& b) { return Range{std::min(a[0], b[0]), std::max(a[1], b[1])}; };
  for (const CellBlock& block : mesh.blocks) {
    const auto& faces = topology(block.shape).faces;
    const auto of_cells = [&](Offset first, Offset last) {
      double low = 1, high = -1;
      for (auto c = static_cast<Index>(first); c < last; ++c)
        for (const auto& face : faces) {
          const int n = vertex_count(face.shape);
          for (int v = 0; v < n; ++v) {
            const double* x = mesh.point(block.cell(c)[face.vertices[v]]);
            const double* a = mesh.point(block.cell(c)[face.vertices[(v + 1) % n]]);
            const double* b = mesh.point(block.cell(c)[face.vertices[(v + n - 1) % n]]);
            double ab = 0, aa = 0, bb = 0;
            for (int d = 0; d < 3; ++d) {
              ab += (a[d] - x[d]) * (b[d] - x[d]);
              aa += (a[d] - x[d]) * (a[d] - x[d]);
              bb += (b[d] - x[d]) * (b[d] - x[d]);
            }
            const double cosine = aa > 0 && bb > 0 ? ab / std::sqrt(aa) / std::sqrt(bb) : 1;
            low = std::min(low, cosine);
            high = std::max(high, cosine);
          }
        }
      return Range{low, high};
    };
    all = wider(all, parallel_reduce(default_threads(), block.cells(), all, of_cells, wider));
  }
  return all;
}

}  // namespace

double cell_quality(const Mesh& mesh, Index cell) {
  const CellBlock& block = mesh.block_of(cell);
  return shape_quality(mesh, block, cell - block.first_cell, table(block.shape, block.order));
}

QualityReport quality(const Mesh& mesh) {
  QualityReport report;
  const std::vector<double> eta = all_qualities(mesh);
  if (eta.empty()) return report;
  report.min = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t c = 0; c < eta.size(); ++c) {
    sum += eta[c];
    if (eta[c] < report.min) {
      report.min = eta[c];
      report.worst_cell = static_cast<Index>(c);
    }
    report.max = std::max(report.max, eta[c]);
    report.inverted += eta[c] < 0;
    report.degenerate += eta[c] == 0;
    ++report.histogram[std::clamp(static_cast<int>(10 * eta[c]), 0, 9)];
  }
  report.mean = sum / static_cast<double>(eta.size());
  if (mesh.dim > 1) {
    const auto [low, high] = cosines(mesh);
    report.min_angle = std::acos(std::clamp(high, -1.0, 1.0)) * 180 / std::numbers::pi;
    report.max_angle = std::acos(std::clamp(low, -1.0, 1.0)) * 180 / std::numbers::pi;
  }
  return report;
}

QualitySummary summarise_quality(const Mesh& mesh) {
  QualitySummary all{1, 0};
  Offset cells = 0;
  const Index repeated = cells_that_repeat(mesh);
  for (const CellBlock& block : mesh.blocks) {
    const Table& at = table(block.shape, block.order);
    const Offset count = repeated > 0 ? repeated : block.cells();
    std::vector<QualitySummary> of_chunk(static_cast<std::size_t>((count + reduce_chunk - 1) / reduce_chunk));
    parallel_for(default_threads(), static_cast<Offset>(of_chunk.size()), [&](Offset chunk) {
      QualitySummary own{1, 0};
      for (Offset c = chunk * reduce_chunk; c < std::min(count, (chunk + 1) * reduce_chunk); ++c) {
        const double eta = shape_quality(mesh, block, static_cast<Index>(c), at);
        own.min = std::min(own.min, eta);
        own.mean += eta;
      }
      of_chunk[static_cast<std::size_t>(chunk)] = own;
    });
    for (const QualitySummary& own : of_chunk) {
      all.min = std::min(all.min, own.min);
      all.mean += own.mean;
    }
    cells += count;
  }
  if (cells == 0) return {};
  all.mean /= static_cast<double>(cells);
  return all;
}

void check_box(const Mesh& mesh) {
  const Index repeated = cells_that_repeat(mesh);
  bool usable = repeated > 0;
  for (Index cell = 0; cell < repeated; ++cell) usable = usable && cell_quality(mesh, cell) > clearly_usable;
  if (!usable) check_cells(mesh);
}

void check_cells(const Mesh& mesh) {
  struct Found {
    Index first = -1, inverted = 0, degenerate = 0;
  };
  Found all;
  for (const CellBlock& block : mesh.blocks) {
    const Table& at = table(block.shape, block.order);
    const auto join = [](const Found& a, const Found& b) {
      return Found{a.first < 0 ? b.first : a.first, a.inverted + b.inverted, a.degenerate + b.degenerate};
    };
    const auto of_cells = [&](Offset first, Offset last) {
      Found found;
      for (auto c = static_cast<Index>(first); c < last; ++c) {
        const double eta = shape_quality(mesh, block, c, at);
        if (eta > 0) continue;
        if (found.first < 0) found.first = block.first_cell + c;
        ++(eta < 0 ? found.inverted : found.degenerate);
      }
      return found;
    };
    all = join(all, parallel_reduce(default_threads(), block.cells(), Found{}, of_cells, join));
  }
  const auto [first, inverted, degenerate] = all;
  if (first < 0) return;
  const auto x = centroid(mesh, first);
  throw Error(
      ExitCode::mesh,
      fmt::format("{} of {} cells are unusable ({} inverted, {} without volume); the first is cell {}, a {} near "
                  "({:g}, {:g}, {:g}){}",
                  inverted + degenerate, mesh.cells(), inverted, degenerate, first, name(mesh.block_of(first).shape),
                  x[0], x[1], x[2], cell_quality(mesh, first) < 0 ? ", inverted" : ", without volume"),
      mesh.order == 2
          ? "curved sides fold it: mesh finer where the boundary curves, or with geometric order 1"
          : "mesh again with a smaller mesh.size, or repair the file: its cells must not be folded or flat");
}

}  // namespace tessera::mesh
