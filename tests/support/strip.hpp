#pragma once
#include <cmath>

#include "output/vtk_writer.hpp"

namespace tessera::testing {

/// A strip of cells of two shapes, n of each, with fields of all kinds at a time; "steady" never changes.
inline output::VtkData strip(double t, int n = 5) {
  output::VtkData data;
  data.title = "Strip";
  output::OutputCells quads{mesh::Shape::quad, 1, 4, {}}, triangles{mesh::Shape::triangle, 1, 3, {}};
  for (int i = 0; i <= n; ++i)
    for (const double y : {0.0, 1.0, 2.0}) data.points.insert(data.points.end(), {0.1 * i, y / 3, 0.0});
  for (Index i = 0; i < n; ++i) {
    const Index a = 3 * i, b = 3 * (i + 1);
    quads.conn.insert(quads.conn.end(), {a, b, b + 1, a + 1});
    triangles.conn.insert(triangles.conn.end(), {a + 1, b + 1, a + 2});
  }
  data.blocks = {quads, triangles};
  output::Field u{"u", 1, {}}, flux{"flux", 3, {}}, steady{"steady", 1, {}}, group{"in a/b", 1, {}, true};
  for (std::size_t p = 0; p < data.points.size() / 3; ++p) {
    u.values.push_back(std::sin(t + data.points[3 * p]) / 3);
    flux.values.insert(flux.values.end(), {t, data.points[3 * p] / 7, -t / (1.0 + static_cast<double>(p))});
    steady.values.push_back(static_cast<double>(p) / 3);
  }
  for (int c = 0; c < 2 * n; ++c) group.values.push_back(c % 3);
  data.point_fields = {u, flux, steady};
  data.cell_fields = {group};
  return data;
}

/// What is left of it in files of floats.
inline output::VtkData as_floats(output::VtkData data) {
  for (std::vector<output::Field>* fields : {&data.point_fields, &data.cell_fields})
    for (output::Field& field : *fields)
      for (double& value : field.values) value = static_cast<float>(value);
  return data;
}

}  // namespace tessera::testing
