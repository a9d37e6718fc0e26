// The matrix-free operator against the assembled matrix: every shape, order, backend, kind of coefficient and boundary
// condition.
#include <cmath>

#include "assembly/facets/integrals.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/meshes.hpp"
#include "assembly/support.hpp"
#include "linalg/spmv.hpp"

namespace tessera::testing {
namespace {

enum class Kind { constant, regions, points, tensor };

struct Case {
  std::string shape;
  int geometry_order;
  int order;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "prism", "hex"})
    for (int order = 1; order <= 4; ++order) {
      list.push_back({shape, 1, order});
      if (order <= 2) list.push_back({shape, 2, order});
    }
  for (const char* shape : {"interval", "quad", "hex"})
    for (int order = 5; order <= 8; ++order) list.push_back({shape, 1, order});
  list.push_back({"hex", 2, 6});
  return list;
}

mesh::Mesh make_mesh(const Case& c) {
  const int cells = c.order > 4 && c.shape == "hex" ? 1 : c.shape == "hex" || c.shape == "prism" ? 2 : 3;
  mesh::Mesh mesh = box(c.shape, cells, c.geometry_order);
  test_meshes::bend(mesh, 0.15);
  test_meshes::shuffle_nodes(mesh, 5);
  return mesh;
}

forms::DiffusionData make_data(Kind kind, const mesh::Mesh& mesh, const std::vector<double>& points) {
  forms::DiffusionData data{.region = {}, .k = constant(1.7), .c = {}, .f = constant(2)};
  if (kind == Kind::regions) {
    for (Index cell = 0; cell < mesh.cells(); ++cell) data.region.push_back(cell % 2);
    data.k.values = {1.5, 0.3};
    data.c.values = {0.0, 2.0};
    data.f.values = {1.0, -1.0};
  }
  if (kind == Kind::points || kind == Kind::tensor) data.f = data.c = {1, true, {}};
  if (kind == Kind::points) data.k = {1, true, {}};
  for (std::size_t i = 0; i < points.size() && data.f.per_point; i += 3) {
    data.f.values.push_back(std::sin(points[i] + points[i + 2]));
    data.c.values.push_back(1 + points[i] * points[i]);
    if (kind == Kind::points) data.k.values.push_back(1 + 0.5 * points[i] * points[i]);
  }
  if (kind == Kind::tensor) {
    data.k = {mesh.dim * (mesh.dim + 1) / 2, false, {}};
    if (mesh.dim == 1) data.k.values = {1.3};
    if (mesh.dim == 2) data.k.values = {2, 0.4, 1};
    if (mesh.dim == 3) data.k.values = {2, 0.4, -0.3, 1, 0.2, 1.5};
  }
  return data;
}

assembly::BoundaryData make_boundary(const mesh::Mesh& mesh, const assembly::DofMap& map, bool robin, bool dirichlet) {
  assembly::BoundaryData boundary;
  if (robin) {
    const mesh::Group* right = mesh.group("right", mesh.dim - 1);
    const std::vector<double> points = assembly::facet_quadrature_points(mesh, map, *right);
    assembly::FacetIntegral integral{right, {}, {}};
    for (std::size_t i = 0; i < points.size(); i += 3) {
      integral.alpha.push_back(1 + points[i + 1]);
      integral.g.push_back(2 - points[i]);
    }
    boundary.facets.push_back(integral);
  }
  if (dirichlet) {
    boundary.fixed = assembly::facet_dofs(mesh, map, *mesh.group("left", mesh.dim - 1));
    const std::vector<double> points = assembly::dof_points(mesh, map);
    for (const Index dof : boundary.fixed) boundary.values.push_back(1 + points[3 * std::size_t(dof) + 1]);
  }
  return boundary;
}

std::vector<double> field(Index size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) x[i] = std::sin(1.0 + 7.3 * i);
  return x;
}

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max(size, std::abs(a[i] - b[i]));
  return size;
}

/// What the assembled path gives: A x, the diagonal and b, on threads.
struct Reference {
  std::vector<double> product, diagonal, b;

  Reference(const mesh::Mesh& mesh, int order, const forms::DiffusionData& data,
            const assembly::BoundaryData& boundary) {
    System<Threads> system(mesh, order);
    system.assemble(data);
    for (const auto& term : boundary.facets)
      system.assembler.add_facets(forms::Robin{}, *system.mesh.group(term.group->name, mesh.dim - 1),
                                  {term.alpha, term.g}, system.A, system.b.view());
    assembly::eliminate_dirichlet(system.exec, system.A, system.b.view(), boundary.fixed, boundary.values);
    const auto x = to_space<Host>(field(system.map.dofs));
    Array<double> y(system.map.dofs), d(system.map.dofs);
    linalg::spmv(system.exec, linalg::CrsView<const double>(system.A.view()), x.view(), y.view());
    linalg::extract_diagonal(system.exec, system.A.view(), d.view());
    product = to_vector(y), diagonal = to_vector(d), b = to_vector(system.b);
  }
};

template <class Exec>
class MatrixFreeEquivalence : public ::testing::Test {
 protected:
  using Space = typename Exec::Space;
  void compare(const Case& c, Kind kind, bool robin, bool dirichlet, const assembly::MatrixFreeOptions& options) {
    SCOPED_TRACE(c.shape + " order " + std::to_string(c.order) + " geometry " + std::to_string(c.geometry_order) +
                 " kind " + std::to_string(int(kind)) + (robin ? " robin" : "") + (dirichlet ? " dirichlet" : "") +
                 " " + options.method + " " + options.geometry);
    const mesh::Mesh mesh = make_mesh(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    std::vector<double> points;
    {
      Threads threads;
      points = assembly::Assembler<Threads, forms::Diffusion>(threads, mesh, map).quadrature_points();
    }
    const forms::DiffusionData data = make_data(kind, mesh, points);
    const assembly::BoundaryData boundary = make_boundary(mesh, map, robin, dirichlet);
    const Reference reference(mesh, c.order, data, boundary);

    Exec exec;
    Array<double, Space> b(map.dofs), y(map.dofs), d(map.dofs);
    const auto A = assembly::make_matrix_free<forms::Diffusion>(exec, mesh, map, data, boundary, options, b.view());
    const auto x = to_space<Space>(field(map.dofs));
    A->apply(exec, x.view(), y.view());
    A->diagonal(exec, d.view());
    exec.synchronize();
    EXPECT_LE(difference(to_vector(y), reference.product), 1e-12 * largest(reference.product));
    EXPECT_LE(difference(to_vector(d), reference.diagonal), 1e-12 * largest(reference.diagonal));
    EXPECT_LE(difference(to_vector(b), reference.b), 1e-12 * largest(reference.b));

    const std::vector<double> first = to_vector(y);
    A->apply(exec, x.view(), y.view());
    EXPECT_EQ(first, to_vector(y)) << "not repeatable";

    const auto single = A->to_float(exec);
    ASSERT_TRUE(single);
    const std::vector<double> field_of = field(map.dofs);
    const auto xf = to_space<Space>(std::vector<float>(field_of.begin(), field_of.end()));
    Array<float, Space> yf(map.dofs);
    single->apply(exec, xf.view(), yf.view());
    const std::vector<float> rounded = to_vector(yf);
    EXPECT_LE(difference({rounded.begin(), rounded.end()}, reference.product), 2e-5 * largest(reference.product));
  }
};
TYPED_TEST_SUITE(MatrixFreeEquivalence, Backends);

TYPED_TEST(MatrixFreeEquivalence, OfEveryShapeAndOrder) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : cases()) {
    const bool heavy = c.order > 4 && c.shape == "hex";
    this->compare(c, Kind::tensor, true, true, {});
    if (!heavy) this->compare(c, Kind::points, false, false, {});
  }
}

TYPED_TEST(MatrixFreeEquivalence, OfEveryCoefficient) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c :
       {Case{"quad", 1, 3}, Case{"hex", 1, 2}, Case{"hex", 2, 3}, Case{"tet", 1, 3}, Case{"triangle", 2, 2}})
    for (const Kind kind : {Kind::constant, Kind::regions, Kind::points, Kind::tensor})
      for (const bool robin : {false, true})
        for (const bool dirichlet : {false, true}) this->compare(c, kind, robin, dirichlet, {});
}

TYPED_TEST(MatrixFreeEquivalence, OfStoredTensorsAndOfElementMatrices) {
  TESSERA_REQUIRE(TypeParam);
  for (const Kind kind : {Kind::constant, Kind::tensor}) {
    for (const char* shape : {"quad", "hex"})
      for (int order = 1; order <= 4; ++order) {
        this->compare({shape, 1, order}, kind, true, true, {.method = "local_matrices", .geometry = "auto"});
        this->compare({shape, 1, order}, kind, true, true, {.method = "sum_factorisation", .geometry = "auto"});
        this->compare({shape, 1, order}, kind, true, true, {.method = "auto", .geometry = "stored"});
      }
    this->compare({"hex", 1, 8}, kind, false, true, {.method = "auto", .geometry = "stored"});
  }
}

TYPED_TEST(MatrixFreeEquivalence, OfMixedMeshes) {
  TESSERA_REQUIRE(TypeParam);
  for (mesh::Mesh mesh : {test_meshes::mixed_2d(), test_meshes::mixed_3d()})
    for (int order = 1; order <= 4; ++order) {
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      const forms::DiffusionData data{.region = {}, .k = constant(1.7), .c = constant(0.5), .f = constant(2)};
      const Reference reference(mesh, order, data, {});
      TypeParam exec;
      Array<double, typename TypeParam::Space> b(map.dofs), y(map.dofs);
      const auto A = assembly::make_matrix_free<forms::Diffusion>(exec, mesh, map, data, {}, {}, b.view());
      const auto x = to_space<typename TypeParam::Space>(field(map.dofs));
      A->apply(exec, x.view(), y.view());
      EXPECT_LE(difference(to_vector(y), reference.product), 1e-12 * largest(reference.product));
      EXPECT_LE(difference(to_vector(b), reference.b), 1e-12 * largest(reference.b));
    }
}

}  // namespace
}  // namespace tessera::testing
