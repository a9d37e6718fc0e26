// Forms of several unknowns a node, by the form of elasticity: every strategy and backend against rows gathered on
// threads, and those against what is known of the exact integrals.
#include <cmath>
#include <limits>

#include "assembly/components_support.hpp"
#include "base/error.hpp"
#include "forms/traction.hpp"
#include "mesh/groups.hpp"
#include "support/errors.hpp"

namespace tessera::testing {
namespace {

using assembly::AssemblyOptions;
using forms::ElasticityData;
using namespace components;

template <class Exec>
using Assembler = assembly::Assembler<Exec, forms::Elasticity>;

struct Filled {
  int components;
  std::vector<Offset> row_ptr;
  std::vector<Index> col_ind;
  std::vector<double> values, b;

  Eigen::MatrixXd dense() const {
    const auto nodes = static_cast<Index>(row_ptr.size()) - 1;
    const int m = components;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(nodes * m, nodes * m);
    for (Index i = 0; i < nodes; ++i)
      for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < m; ++d) A(i * m + c, col_ind[k] * m + d) = values[(k * m + c) * m + d];
    return A;
  }
};

template <class Exec>
Filled fill(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map, const ElasticityData& data,
            const AssemblyOptions& options) {
  using Space = typename Exec::Space;
  Assembler<Exec> assembler(exec, mesh, map, options);
  linalg::BlockCrs<Space> A = assembler.make_block_matrix();
  copy(to_space<Space>(std::vector<double>(A.values.size(), 1e30)), A.values);  // refills do not rely on what was there
  const auto rows = static_cast<std::size_t>(A.rows);
  Array<double, Space> b = to_space<Space>(std::vector<double>(rows, 1e30));
  assembler.set_data(data);
  assembler.refill(A, b.view());
  const Filled result{A.block, to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), to_vector(b)};
  b = to_space<Space>(std::vector<double>(rows, 1e30));
  assembler.refill_vector(b.view());
  const std::vector<double> alone = to_vector(b);
  for (std::size_t i = 0; i < rows; ++i)
    EXPECT_NEAR(alone[i], result.b[i], 1e-12 * (1 + std::abs(result.b[i]))) << options.strategy << i;
  return result;
}

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12 * size) << what << " " << i;
}

template <class Exec>
class Components : public ::testing::Test {};
TYPED_TEST_SUITE(Components, Backends);

TYPED_TEST(Components, EveryStrategyEqualsRowsGatheredOnThreads) {
  TESSERA_REQUIRE(TypeParam);
  Threads host(1);
  TypeParam exec;
  for (const Problem& problem : problems()) {
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    for (const bool hoop : {false, true}) {
      if (hoop && problem.mesh.dim != 2) continue;
      for (const bool varying : {false, true}) {
        const ElasticityData data = data_of(problem.mesh, map, varying, hoop);
        const Filled expected = fill(host, problem.mesh, map, data, {.strategy = "nonzeros"});
        for (const char* strategy : {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros"}) {
          const std::string name = problem.name + strategy + (varying ? " varying" : "") + (hoop ? " hoop" : "");
          Filled found;
          try {
            found = fill(exec, problem.mesh, map, data, {.strategy = strategy, .partition_size = 3});
          } catch (const Error& error) {  // a large cell does not fit the fast memory of a GPU
            EXPECT_EQ(strategy, std::string("shared"));
            EXPECT_GE(map.blocks[0].nodes, 60) << name;
            EXPECT_NE(std::string(error.what()).find("shared memory"), std::string::npos) << error.what();
            continue;
          }
          EXPECT_EQ(found.row_ptr, expected.row_ptr);
          EXPECT_EQ(found.col_ind, expected.col_ind);
          expect_close(found.values, expected.values, name);
          expect_close(found.b, expected.b, name + " load");
        }
      }
    }
  }
}

TYPED_TEST(Components, SmallBuffersGiveTheSame) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("tet", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const ElasticityData data = data_of(mesh, map, false, false);
  const Filled expected = fill(exec, mesh, map, data, {.strategy = "colour"});
  const Filled found = fill(exec, mesh, map, data, {.strategy = "two_pass", .buffer_bytes = 20000});
  expect_close(found.values, expected.values, "values");
  expect_close(found.b, expected.b, "load");
}

TYPED_TEST(Components, RefillsAreBitwiseRepeatable) {
  TESSERA_REQUIRE(TypeParam);
  const mesh::Mesh mesh = box("hex", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const ElasticityData data = data_of(mesh, map, true, false);
  for (const char* strategy : {"colour", "colour_blocks", "two_pass", "shared", "nonzeros"}) {
    TypeParam exec;
    const Filled first = fill(exec, mesh, map, data, {.strategy = strategy});
    const Filled second = fill(exec, mesh, map, data, {.strategy = strategy});
    EXPECT_EQ(first.values, second.values) << strategy;
    EXPECT_EQ(first.b, second.b) << strategy;
  }
}

TEST(ComponentsOnThreads, DoNotDependOnTheNumberOfThreads) {
  const mesh::Mesh mesh = box("tet", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const ElasticityData data = data_of(mesh, map, true, false);
  for (const char* strategy : {"colour", "colour_blocks", "two_pass", "shared", "nonzeros"}) {
    Threads one(1), three(3);
    const Filled first = fill(one, mesh, map, data, {.strategy = strategy});
    const Filled second = fill(three, mesh, map, data, {.strategy = strategy});
    EXPECT_EQ(first.values, second.values) << strategy;
  }
}

/// What is known of the integrals: u^T K v = eps(u) : D eps(v) |domain| of linear displacements, whatever the mesh.
TEST(ComponentsOnThreads, LinearDisplacementsHaveTheirEnergy) {
  Threads exec(2);
  for (const Problem& problem : problems()) {
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    const int dim = problem.mesh.dim, n = forms::voigt_size(dim, false);
    ElasticityData data;
    data.stiffness = {n * (n + 1) / 2, false, stiffness(n)};
    data.force = {dim, false, std::vector<double>(dim, 1.0)};
    const Filled filled = fill(exec, problem.mesh, map, data, {});
    const Eigen::MatrixXd K = filled.dense();
    EXPECT_LT((K - K.transpose()).norm(), 1e-12 * K.norm()) << problem.name;
    double volume = 0;
    for (std::size_t i = 0; i < filled.b.size(); i += dim) volume += filled.b[i];
    const std::vector<double> points = assembly::dof_points(problem.mesh, map);
    const auto linear = [&](int c, int a) {  // u_c = x_a
      Eigen::VectorXd u = Eigen::VectorXd::Zero(K.rows());
      for (Index node = 0; node < map.dofs; ++node) u[node * dim + c] = points[3 * node + a];
      return u;
    };
    const std::vector<double> D = stiffness(n);
    for (int c = 0; c < dim; ++c)
      for (int a = 0; a < dim; ++a) {
        const int row = forms::voigt_index(dim, false, c, a);
        for (int d = 0; d < dim; ++d)
          for (int b = 0; b < dim; ++b) {
            const int col = forms::voigt_index(dim, false, d, b);
            EXPECT_NEAR(linear(c, a).dot(K * linear(d, b)), volume * D[forms::packed_symmetric(row, col, n)],
                        1e-10 * K.norm())
                << problem.name << c << a << d << b;
          }
      }
    // A rotation is no strain.
    if (dim > 1) {
      EXPECT_LT((K * (linear(0, 1) - linear(1, 0))).norm(), 1e-10 * K.norm()) << problem.name;
    }
  }
}

/// The hoop's strain is u_r / r: of u_r = r both it and the radial one are 1.
TEST(ComponentsOnThreads, TheHoopIsStrained) {
  Threads exec(2);
  for (const char* shape : {"triangle", "quad"})
    for (const int radial : {0, 1}) {
      mesh::Mesh mesh = box(shape, 2);
      deform(mesh);
      const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
      const assembly::QuadraturePoints points(mesh, map);
      ElasticityData data;
      data.stiffness = {10, false, stiffness(4)};
      data.force = {2, false, {1, 1}};
      data.radius = {1, true, {}};
      std::vector<double> xyz(3 * static_cast<std::size_t>(mesh.cells()) * points.per_cell(0));
      points.of_cells(0, 0, mesh.cells(), xyz.data());
      for (std::size_t q = 0; q < xyz.size(); q += 3) data.radius.values.push_back(xyz[q + radial] + 1);
      forms::Elasticity form;
      form.radial = radial;
      assembly::Assembler<Threads, forms::Elasticity> assembler(exec, mesh, map, {}, form);
      linalg::BlockCrs<Host> A = assembler.make_block_matrix();
      Array<double> b(A.rows);
      assembler.assemble(data, A, b.view());
      const Eigen::MatrixXd K =
          Filled{2, to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), to_vector(b)}.dense();
      const std::vector<double> at = assembly::dof_points(mesh, map);
      Eigen::VectorXd u = Eigen::VectorXd::Zero(K.rows());
      for (Index node = 0; node < map.dofs; ++node) u[2 * node + radial] = at[3 * node + radial] + 1;
      const std::vector<double> D = stiffness(4);
      const auto entry = [&](int i, int j) { return D[forms::packed_symmetric(i, j, 4)]; };
      EXPECT_NEAR(u.dot(K * u), entry(radial, radial) + 2 * entry(radial, 2) + entry(2, 2), 1e-10);
    }
}

TYPED_TEST(Components, FacetsTakeTractionsAndSprings) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"}) {
    const mesh::Mesh mesh = box(shape, 2);
    const int dim = mesh.dim, tensor = dim * (dim + 1) / 2;
    const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
    Assembler<TypeParam> assembler(exec, mesh, map);
    linalg::BlockCrs<Space> A = assembler.make_block_matrix();
    Array<double, Space> b(A.rows);
    b.set_zero();
    const mesh::Group& right = *mesh.group("right", dim - 1);
    const std::size_t points = assembler.facet_points(right).size() / 3;
    std::vector<double> traction, spring;
    for (std::size_t q = 0; q < points; ++q) {
      for (int c = 0; c < dim; ++c) traction.push_back(1 + c);
      for (int k = 0; k < tensor; ++k) spring.push_back(3 + k);
    }
    assembler.add_facets(forms::Traction{}, right, {traction, spring}, A, b.view());
    const Filled filled{dim, to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), to_vector(b)};
    const Eigen::MatrixXd K = filled.dense();
    for (int c = 0; c < dim; ++c) {
      double force = 0;
      for (Index node = 0; node < map.dofs; ++node) force += filled.b[node * dim + c];
      EXPECT_NEAR(force, 1 + c, 1e-12) << shape;
      for (int d = 0; d < dim; ++d) {
        double sum = 0;
        for (Index i = 0; i < map.dofs; ++i)
          for (Index j = 0; j < map.dofs; ++j) sum += K(i * dim + c, j * dim + d);
        EXPECT_NEAR(sum, 3 + forms::packed_symmetric(c, d, dim), 1e-12) << shape;
      }
    }
  }
}

/// K u = b with some components of some nodes fixed, of which other values are asked for afterwards.
TYPED_TEST(Components, DirichletByComponentKeepsTheSolution) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"interval", "triangle", "hex"}) {
    const mesh::Mesh mesh = box(shape, 2);
    const int m = mesh.dim;
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    Assembler<TypeParam> assembler(exec, mesh, map);
    linalg::BlockCrs<Space> A = assembler.make_block_matrix();
    Array<double, Space> b(A.rows);
    assembler.assemble(data_of(mesh, map, false, false), A, b.view());
    const auto filled = [&] {
      return Filled{m, to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), to_vector(b)};
    };
    const auto vector = [](const std::vector<double>& v) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size())));
    };
    const Eigen::MatrixXd K = filled().dense();
    const std::vector<double> load = to_vector(b);
    std::vector<Index> fixed;
    for (const Index node : assembly::facet_dofs(mesh, map, *mesh.group("left", m - 1)))
      for (int c = 0; c < m; ++c)
        if (c != 1 || node > 0) fixed.push_back(node * m + c);
    const auto values_of = [&](double factor) {
      std::vector<double> values;
      for (std::size_t i = 0; i < fixed.size(); ++i) values.push_back(factor * (1 + std::sin(1.0 * i)));
      return values;
    };
    const auto expect_solution = [&](const std::vector<double>& values) {
      const Eigen::MatrixXd eliminated = filled().dense();
      EXPECT_LT((eliminated - eliminated.transpose()).norm(), 1e-14 * K.norm());
      const Eigen::VectorXd u = eliminated.partialPivLu().solve(vector(to_vector(b)));
      const Eigen::VectorXd residual = K * u - vector(load);
      for (std::size_t i = 0, next = 0; i < load.size(); ++i) {
        if (next < fixed.size() && fixed[next] == static_cast<Index>(i))
          EXPECT_NEAR(u[i], values[next++], 1e-12);
        else
          EXPECT_NEAR(residual[i], 0, 1e-10 * K.norm()) << shape << i;
      }
    };
    const linalg::BlockCrs<Space> copied{A.rows,
                                         A.cols,
                                         m,
                                         to_space<Space>(to_vector(A.row_ptr)),
                                         to_space<Space>(to_vector(A.col_ind)),
                                         to_space<Space>(to_vector(A.values))};
    assembly::eliminate_dirichlet(exec, A, b.view(), fixed, values_of(1));
    expect_solution(values_of(1));
    const std::vector<double> eliminated = to_vector(A.values), lifted = to_vector(b);
    copy(copied.values, A.values);
    const assembly::RemovedColumns<Space> removed = assembly::remove_columns(exec, A, fixed);
    EXPECT_EQ(to_vector(A.values), eliminated);
    for (const double factor : {1.0, -3.0}) {
      b = to_space<Space>(load);
      const auto values = to_space<Space>(values_of(factor));
      assembly::prescribe(exec, removed, View<const double>(values.view()), b.view());
      if (factor == 1) {
        expect_close(to_vector(b), lifted, "lifted");
      }
      expect_solution(values_of(factor));
    }
    EXPECT_THROW(assembly::prescribe(exec, removed, View<const double>{}, b.view()), Error);
    EXPECT_THROW(assembly::remove_columns(exec, A, {A.rows}), Error);
  }
}

TEST(ComponentsOnThreads, MatricesOfAnotherKindAreRefused) {
  Threads exec(1);
  const mesh::Mesh mesh = box("quad", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  Assembler<Threads> assembler(exec, mesh, map);
  EXPECT_THROW(assembler.make_matrix(), Error);
  linalg::BlockCrs<Host> A = assembler.make_block_matrix();
  assembler.set_data(data_of(mesh, map, false, false));
  Array<double> of_nodes(map.dofs), of_all(A.rows);
  EXPECT_THROW(assembler.refill(A, of_nodes.view()), Error);
  EXPECT_NO_THROW(assembler.refill(A, of_all.view()));
  ElasticityData wrong = data_of(mesh, map, false, false);
  wrong.stiffness.components = 3;
  EXPECT_THROW(assembler.set_data(wrong), Error);
}

// The halves of a symmetric matrix have values of their own here.
TEST(ComponentStrategies, SharedTakesCellsWhoseValuesHave16BitNumbersAlone) {
  Threads exec;
  const mesh::Mesh mesh = box("hex", 1);
  const assembly::DofMap five = assembly::make_dof_map(mesh, 5), six = assembly::make_dof_map(mesh, 6);
  EXPECT_NO_THROW(Assembler<Threads>(exec, mesh, five, {.strategy = "shared"}));
  expect_refused([&] { Assembler<Threads>(exec, mesh, six, {.strategy = "shared"}); }, "343 nodes");
}

TEST(ComponentStrategies, RefuseMoreRowsThan32BitsCount) {
  Threads exec;
  const mesh::Mesh mesh = box("hex", 1);
  assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  map.dofs = std::numeric_limits<Index>::max() / 3 + 1;
  try {
    Assembler<Threads>(exec, mesh, map);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::mesh);
  }
}

}  // namespace
}  // namespace tessera::testing
