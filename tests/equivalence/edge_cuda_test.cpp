// Edges and edge loops on CUDA against the threads reference.
#include <cmath>

#include "assembly/edge/functions.hpp"
#include "assembly/edge_meshes.hpp"
#include "assembly/meshes.hpp"
#include "assembly/space/sparsity.hpp"
#include "physics/forms/euler_edges.hpp"

namespace tessera::testing {
namespace {

using assembly::EdgeStrategy;

void expect_close(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  EXPECT_LE(difference, 1e-12 * size) << what;
}

struct Results {
  std::vector<double> lumped_mass, residual, matrix;
};

template <int dim, class Exec>
Results results_of(const mesh::Mesh& mesh, int order, EdgeStrategy strategy) {
  using Space = typename Exec::Space;
  Exec exec;
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  const auto edges = assembly::make_edges(exec, mesh, map);
  auto loop = assembly::make_edge_loop(exec, edges, strategy);
  std::vector<double> u(static_cast<std::size_t>(map.dofs) * (dim + 2)), v(static_cast<std::size_t>(map.dofs) * dim);
  for (std::size_t k = 0; k < u.size(); ++k)
    u[k] = (k < static_cast<std::size_t>(map.dofs) * (dim + 1) ? 1.5 : 8.0) + 0.5 * std::sin(0.7 * k);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::cos(0.3 * k);
  const auto u_there = to_space<Space>(u), v_there = to_space<Space>(v);
  Array<double, Space> f(u_there.size());
  assembly::run_edges(exec, loop, physics::euler::EulerRusanov<dim>{}, View<const double>(u_there), f.view());
  linalg::Crs<Space> A = assembly::make_sparsity(exec, map);
  assembly::assemble_edges(exec, loop, assembly::DiscreteUpwinding<dim>{}, View<const double>(v_there), A);
  exec.synchronize();
  return {to_vector(edges.node_lumped_mass), to_vector(f), to_vector(A.values)};
}

template <int dim>
void expect_same(const mesh::Mesh& mesh, int order, const std::string& what) {
  for (const auto& entry : assembly::edge_strategies()) {
    const Results threads = results_of<dim, Threads>(mesh, order, entry.strategy);
    const Results cuda = results_of<dim, Cuda>(mesh, order, entry.strategy);
    expect_close(threads.lumped_mass, cuda.lumped_mass, what + " mass");
    expect_close(threads.residual, cuda.residual, what + " " + entry.name + " residual");
    expect_close(threads.matrix, cuda.matrix, what + " " + entry.name + " matrix");
  }
}

TEST(EdgeEquivalence, CudaAgreesWithThreads) {
  TESSERA_REQUIRE(Cuda);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 3; ++order) {
      const int dim = mesh::dimension(mesh::shape_from_name(shape));
      mesh::Mesh mesh = prism_or_box(shape, dim == 3 && order == 3 ? 2 : 5);
      test_meshes::bend(mesh);
      const std::string what = std::string(shape) + " order " + std::to_string(order);
      if (dim == 1) expect_same<1>(mesh, order, what);
      if (dim == 2) expect_same<2>(mesh, order, what);
      if (dim == 3) expect_same<3>(mesh, order, what);
    }
  expect_same<2>(test_meshes::mixed_2d(), 2, "mixed 2-D");
  expect_same<3>(test_meshes::mixed_3d(), 2, "mixed 3-D");
}

}  // namespace
}  // namespace tessera::testing
