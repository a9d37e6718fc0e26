#include "assembly/matrix_free/host_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/facets/facet_terms_impl.hpp"
#include "assembly/matrix_free/element_tables.hpp"
#include "assembly/matrix_free/placement_impl.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly::matrix_free {

using mesh::Shape;

void check_options(const MatrixFreeOptions& options) {
  const auto check = [](const char* what, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) == known.end())
      throw Error(ExitCode::usage, fmt::format("unknown {} '{}' of a matrix-free operator", what, value),
                  fmt::format("use \"{}\"", fmt::join(known, "\" or \"")));
  };
  check("method", options.method, {"auto", "sum_factorisation", "local_matrices"});
  check("geometry", options.geometry, {"auto", "stored"});
}

bool by_sum_factorisation(const mesh::CellBlock& cells, int order, const MatrixFreeOptions& options, bool on_gpu) {
  if ((cells.shape != Shape::quad && cells.shape != Shape::hex) || cells.order > order) return false;
  if (options.method != "auto") return options.method == "sum_factorisation";
  // Order 1 on an H200 (bench/matrix_free): hexes 0.93 ms by their matrices, 1.10 ms by sum factorisation (8.1 M dofs);
  // quads 0.28 and 0.31 (5.8 M).
  const bool matrices_win = on_gpu && order == 1 && options.geometry == "auto";
  return !matrices_win;
}

std::vector<double> multilinear_maps(const mesh::Mesh& mesh, const mesh::CellBlock& cells) {
  std::vector<double> result;
  resize_by_all(result, static_cast<std::size_t>(cells.cells()) * map_numbers(mesh::dimension(cells.shape)),
                default_threads());
  Threads exec(default_threads());
  write_maps(exec, cells, mesh.points.data(), cells.nodes.data(), result.data(), map_numbers(mesh.dim), 1);
  return result;
}

Offset element_entries(const std::vector<Contributions>& blocks) {
  Offset entries = 0;
  for (const Contributions& block : blocks) entries += Offset{block.cells} * block.nodes;
  return entries;
}

namespace {

/// `element`: of the solution.
PointTables tables_of(const mesh::CellBlock& cells, const Element& element, bool with_basis) {
  const int order = element.order;
  const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, order));
  PointTables tables{rule.size(), rule.weights, {}, {}};
  std::vector<double> phi, dphi;
  const auto derivatives = [&](const Element& element, int rows, std::vector<double>& table) {
    tabulate(element, rule.points, phi, dphi);
    const int n = element.nodes, dim = element.dim;
    table.resize(static_cast<std::size_t>(rule.size()) * rows * n);
    for (int q = 0; q < rule.size(); ++q)
      for (int i = 0; i < n; ++i) {
        for (int a = 0; a < dim; ++a)
          table[(std::size_t(q) * rows + a) * n + i] = dphi[(std::size_t(q) * n + i) * dim + a];
        if (rows > dim) table[(std::size_t(q) * rows + dim) * n + i] = phi[std::size_t(q) * n + i];
      }
  };
  const int dim = mesh::dimension(cells.shape);
  derivatives(lagrange(cells.shape, cells.order), dim, tables.map);
  if (with_basis) derivatives(element, dim + 1, tables.basis);
  return tables;
}

}  // namespace

PointTables point_tables(const mesh::CellBlock& cells, int order, bool with_basis) {
  return tables_of(cells, lagrange(cells.shape, order), with_basis);
}
PointTables point_tables(const mesh::CellBlock& cells, const DofMap& map, bool with_basis) {
  return tables_of(cells, map.element(cells.shape), with_basis);
}

std::vector<Index> packed_pairs(int nodes) {
  std::vector<Index> pairs;
  for (int i = 0; i < nodes; ++i)
    for (int j = i; j < nodes; ++j) pairs.push_back(i * nodes + j);
  return pairs;
}

void check_entries(Offset entries) {
  if (entries > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("the element vector of {} entries exceeds 32-bit numbers", entries),
                "use a coarser mesh or a lower order");
}

HostGatherList gather_list(const std::vector<Contributions>& blocks, Index dofs, bool only_touched) {
  check_entries(element_entries(blocks));
  std::vector<std::vector<char>> interior(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int i = 0; i < blocks[b].nodes; ++i)
      interior[b].push_back(blocks[b].n > 0 && is_interior(i, blocks[b].n, blocks[b].dim));
  // Least and greatest dof of each cell.
  struct Span {
    Index least, greatest;
  };
  std::vector<std::vector<Span>> spans(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Contributions& block = blocks[b];
    spans[b].resize(static_cast<std::size_t>(block.cells));
    parallel_for(default_threads(), block.cells, [&](Offset c) {
      Span span{std::numeric_limits<Index>::max(), -1};
      for (int i = 0; i < block.nodes; ++i) {
        const Index dof = block.dofs[c * block.cell_stride + i * block.node_stride];
        span = {std::min(span.least, dof), std::max(span.greatest, dof)};
      }
      spans[b][static_cast<std::size_t>(c)] = span;
    });
  }
  // Each part goes through all cells and takes the dofs of its own range, so the order of a row's entries is that of
  // the cells.
  const auto visit = [&](auto&& each) {
    parallel_ranges(default_threads(), dofs, [&](Offset low, Offset high, int) {
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Contributions& block = blocks[b];
        for (Index c = 0; c < block.cells; ++c) {
          const Span span = spans[b][static_cast<std::size_t>(c)];
          if (span.greatest < low || span.least >= high) continue;
          for (int i = 0; i < block.nodes; ++i) {
            const Offset place = c * block.cell_stride + i * block.node_stride;
            const Index dof = block.dofs[place];
            if (dof >= low && dof < high) each(dof, block.first + place, interior[b][i]);
          }
        }
      }
    });
  };
  std::vector<Index> count(static_cast<std::size_t>(dofs), 0);
  visit([&](Index dof, Offset, bool inside) {
    if (inside)
      count[dof] = -1;
    else
      ++count[dof];
  });
  HostGatherList list;
  std::vector<Index> next(static_cast<std::size_t>(dofs));
  const auto is_row = [&](Offset dof) { return count[dof] > 0 || (count[dof] == 0 && !only_touched); };
  const Offset rows = parallel_reduce(
      default_threads(), Offset{dofs}, Offset{0},
      [&](Offset low, Offset high) {
        Offset found = 0;
        for (Offset dof = low; dof < high; ++dof) found += is_row(dof);
        return found;
      },
      [](Offset a, Offset b) { return a + b; });
  list.rows.reserve(static_cast<std::size_t>(rows));
  list.ptr.reserve(static_cast<std::size_t>(rows) + 1);
  list.ptr.push_back(0);
  for (Index dof = 0; dof < dofs; ++dof) {
    if (!is_row(dof)) continue;
    next[dof] = list.ptr.back();
    list.rows.push_back(dof);
    list.ptr.push_back(list.ptr.back() + count[dof]);
  }
  resize_by_all(list.entries, static_cast<std::size_t>(list.ptr.back()), default_threads());
  visit([&](Index dof, Offset place, bool inside) {
    if (!inside) list.entries[next[dof]++] = static_cast<Index>(place);
  });
  return list;
}

FacetTerms facet_terms(const mesh::Mesh& mesh, const DofMap& map, const BoundaryData& boundary) {
  FacetTerms terms = boundary.terms;
  std::vector<double> matrix;
  for (const FacetIntegral& integral : boundary.facets) {
    const auto points =
        integral.group->entities.size() * static_cast<std::size_t>(facet_points_per_facet(mesh, map, *integral.group));
    check_facet_values(points, std::array<std::span<const double>, 2>{integral.alpha, integral.g}, std::array{1, 1});
    terms.load.resize(static_cast<std::size_t>(map.dofs));
    const auto at = [](const std::vector<double>& values, const forms::Place& x) {
      return values.empty() ? 0.0 : values[x.cell * x.points + x.point];
    };
    visit_facets(mesh, map, *integral.group, [&](const FacetPoints& of) {
      add_facet_term<1>(
          of, [&](const forms::Place& x, int, int) { return at(integral.alpha, x); },
          [&](const forms::Place& x, int) { return at(integral.g, x); }, matrix, terms);
    });
  }
  return terms;
}

void check_terms(const DofMap& map, int components, const FacetTerms& terms) {
  const Offset rows = Offset{map.dofs} * components;
  if (!terms.load.empty() && static_cast<Offset>(terms.load.size()) != rows)
    throw Error(ExitCode::internal, fmt::format("facet terms with {} loads for {} rows", terms.load.size(), rows),
                "take a form over facets with the components of the form of the cells");
}

}  // namespace tessera::assembly::matrix_free
