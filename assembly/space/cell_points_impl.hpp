#pragma once
// write_points and write_field, written once for both backends.
#include "assembly/space/cell_points.hpp"
#include "assembly/space/jacobian.hpp"
#include "base/parallel.hpp"
#include "forms/tensor.hpp"

namespace tessera::assembly {

template <class Exec>
void write_points_on(Exec& exec, const CellPointsView& cells, const Index* places, Index first, Index count,
                     double* xyz) {
  const Offset all = Offset{count} * cells.points;
  // A thread takes a point: neighbours share a cell, whose nodes they read together.
  for_each(exec, all, [=] TESSERA_HD(Offset i) {
    const unsigned n = static_cast<unsigned>(cells.points), cell = static_cast<unsigned>(i) / n;
    const Offset place = places ? places[cell] : first + static_cast<Offset>(cell);
    double x[3];
    cells.point(place, static_cast<int>(static_cast<unsigned>(i) - cell * n), x);
    for (int d = 0; d < 3; ++d) xyz[d * all + i] = x[d];
  });
}

template <int dim, class Exec>
void write_field_on(Exec& exec, const CellPointsView& cells, const CellFieldView& field, const Index* places,
                    Index first, Index count, double* to) {
  const Offset all = Offset{count} * cells.points;
  for_each(exec, all, [=] TESSERA_HD(Offset i) {
    const unsigned n = static_cast<unsigned>(cells.points), cell = static_cast<unsigned>(i) / n;
    const Offset place = places ? places[cell] : first + static_cast<Offset>(cell);
    const int q = static_cast<int>(static_cast<unsigned>(i) - cell * n);
    const double* const map = field.map + q * cells.geometry_nodes * dim;
    double jacobian[dim][dim], inverse[dim][dim], reference[dim] = {}, value = 0;
    sum_jacobian<dim>(
        cells.geometry_nodes,
        [&](int g) {
          return cells.coordinates +
                 Offset{3} * cells.geometry[place * cells.geometry_stride + g * cells.geometry_step];
        },
        [&](int a, int g) { return map[g * dim + a]; }, jacobian);
    forms::invert<dim, double>(jacobian, inverse);
    const double* const phi = field.phi + q * field.nodes;
    const double* const dphi = field.dphi + q * field.nodes * dim;
    for (int node = 0; node < field.nodes; ++node) {
      const double u = field.u[field.dofs[place * field.dof_stride + node * field.dof_step]];
      value += phi[node] * u;
      for (int a = 0; a < dim; ++a) reference[a] += dphi[node * dim + a] * u;
    }
    to[i] = value;
    for (int d = 0; d < dim; ++d) {
      double slope = 0;
      for (int a = 0; a < dim; ++a) slope += inverse[a][d] * reference[a];
      to[(1 + d) * all + i] = slope;
    }
  });
}

template <class Exec>
void write_field_on(Exec& exec, const CellPointsView& cells, const CellFieldView& field, const Index* places,
                    Index first, Index count, double* to) {
  if (field.dim == 1) write_field_on<1>(exec, cells, field, places, first, count, to);
  if (field.dim == 2) write_field_on<2>(exec, cells, field, places, first, count, to);
  if (field.dim == 3) write_field_on<3>(exec, cells, field, places, first, count, to);
}

}  // namespace tessera::assembly
