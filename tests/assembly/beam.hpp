#pragma once
// A beam of linear elasticity and its rigid motions, for tests of multigrid.
#include <memory>

#include "assembly/space/quadrature_points.hpp"
#include "assembly/support.hpp"
#include "forms/elasticity.hpp"
#include "linalg/operator.hpp"
#include "support/matrices.hpp"

namespace tessera::testing {

/// A beam of boxes of `cells`, clamped at x = 0.
struct Beam {
  const char* shape = "hex";
  int order = 1;
  std::vector<int> cells = {16, 4, 4};
  double nu = 0.3;
  double jitter = 0;     ///< of inner nodes, in cell sizes
  bool clamped = true;   ///< else nothing holds it
  bool sliding = false;  ///< at y = 0 u_y = 0
  double young = 1;
};

/// Its matrix with u = 0 where it is held, and its rigid motions.
template <class Exec>
struct BeamSystem {
  using Space = typename Exec::Space;
  Exec exec;
  linalg::BlockCrs<Space> A;
  std::shared_ptr<linalg::NearKernel<Space>> motions;
  std::vector<double> on_host;  ///< the motions
  std::vector<Index> fixed;
  int dim;

  explicit BeamSystem(const Beam& beam, int threads = 2)
      : exec(with_threads<Exec>(threads)), dim(static_cast<int>(beam.cells.size())) {
    mesh::BoxParams box;
    box.shape = beam.shape;
    box.cells = beam.cells;
    box.min.assign(beam.cells.size(), 0);
    box.max.clear();
    for (const int cells : beam.cells) box.max.push_back(cells);
    mesh::Mesh mesh = mesh::make_box(box);
    distort(beam, mesh);
    const assembly::DofMap dofs = assembly::make_dof_map(mesh, beam.order);
    assembly::Assembler<Exec, forms::Elasticity> assembler(exec, mesh, dofs);
    A = assembler.make_block_matrix();
    Array<double, Space> b(A.rows);
    assembler.set_data(data_of(beam));
    assembler.refill(A, b.view());
    const std::vector<double> points = assembly::dof_points(mesh, dofs);
    for (Index dof = 0; dof < dofs.dofs; ++dof)
      for (int c = 0; c < dim; ++c) {
        const double* x = &points[3 * static_cast<std::size_t>(dof)];
        if ((beam.clamped && x[0] == 0) || (beam.sliding && c == 1 && x[1] == 0)) fixed.push_back(dof * dim + c);
      }
    assembly::eliminate_dirichlet(exec, A, b.view(), fixed, std::vector<double>(fixed.size(), 0.0));
    describe_motions(points, dofs.dofs);
  }

  std::vector<double> right_side() const {
    auto b = random_vector(A.rows, 3);
    for (const Index row : fixed) b[static_cast<std::size_t>(row)] = 0;
    return b;
  }

 private:
  static void distort(const Beam& beam, mesh::Mesh& mesh) {
    const auto shift = random_vector(static_cast<Offset>(mesh.points.size()), 7);
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
      const std::size_t c = i % 3;
      if (c >= beam.cells.size()) continue;
      double& x = mesh.points.data()[i];
      if (x > 0 && x < beam.cells[c]) x += beam.jitter * shift[i];
    }
  }
  static forms::ElasticityData data_of(const Beam& beam) {
    const int dim = static_cast<int>(beam.cells.size()), n = forms::voigt_size(dim, false);
    const double lambda = beam.young * beam.nu / ((1 + beam.nu) * (1 - 2 * beam.nu)),
                 mu = beam.young / (2 * (1 + beam.nu));
    forms::ElasticityData data;
    data.stiffness.components = n * (n + 1) / 2;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j)
        data.stiffness.values.push_back((j < dim ? lambda : 0) + (i == j ? (i < dim ? 2 * mu : mu) : 0));
    return data;
  }
  void describe_motions(const std::vector<double>& points, Index dofs) {
    const int modes = forms::Elasticity::kernel_size(dim);
    for (Index dof = 0; dof < dofs; ++dof)
      for (int c = 0; c < dim; ++c)
        for (int mode = 0; mode < modes; ++mode)
          on_host.push_back(forms::Elasticity::kernel(
              dim, mode, &points[3 * static_cast<std::size_t>(dof)])[static_cast<std::size_t>(c)]);
    motions = std::make_shared<linalg::NearKernel<Space>>();
    motions->modes = modes;
    motions->vectors = to_space<Space>(on_host);
  }
};

}  // namespace tessera::testing
