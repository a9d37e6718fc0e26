// Every strategy with a velocity against colours on threads.
#include "assembly/convection_support.hpp"
#include "assembly/meshes.hpp"

namespace tessera::testing {
namespace {

using namespace convection;
using assembly::AssemblyOptions;
using forms::ConvectionData;

/// Coefficients of three regions; one: the first for all cells.
ConvectionData region_data(const mesh::Mesh& mesh, int regions) {
  const std::vector<double> tensor = mesh.dim == 1   ? std::vector<double>{2}
                                     : mesh.dim == 2 ? std::vector<double>{2, 0.5, 3}
                                                     : std::vector<double>{2, 0.5, 0.2, 3, -0.4, 4};
  ConvectionData data;
  data.diffusion.k.components = static_cast<int>(tensor.size());
  data.velocity = data.divergence = {mesh.dim, false, {}};
  for (int region = 0; region < regions; ++region) {
    for (const double value : tensor) data.diffusion.k.values.push_back(0.01 * (region + 1) * value);
    data.diffusion.c.values.push_back(region + 0.5);
    data.diffusion.f.values.push_back(3 - region);
    for (int d = 0; d < mesh.dim; ++d) {
      data.velocity.values.push_back(1 + d - 0.7 * region);
      data.divergence.values.push_back(0.1 * d - 0.03 * region);
    }
  }
  if (regions > 1)
    for (Index cell = 0; cell < mesh.cells(); ++cell) data.diffusion.region.push_back(cell * 7 % 5 % regions);
  return data;
}

void expect_near(const Filled& expected, const Filled& found, const std::string& what) {
  const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b, const char* part) {
    ASSERT_EQ(a.size(), b.size()) << part << what;
    double size = 0, difference = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      size = std::max(size, std::abs(a[k]));
      difference = std::max(difference, std::isfinite(b[k]) ? std::abs(a[k] - b[k]) : INFINITY);
    }
    EXPECT_LE(difference, 1e-12 * size) << part << what;
  };
  compare(expected.values, found.values, "matrix of ");
  compare(expected.b, found.b, "vector of ");
}

struct Problem {
  std::string name;
  mesh::Mesh mesh;
  int order;
};

std::vector<Problem> problems() {
  std::vector<Problem> result;
  for (const Case& c : cases()) {
    if (c.order == 4 && (c.geometry == 2 || c.shape == "prism")) continue;  // seconds, and order 2 has what they have
    result.push_back({c.shape + " order " + std::to_string(c.order) + " geometry " + std::to_string(c.geometry),
                      mesh_of(c), c.order});
  }
  result.push_back({"triangle order 1 geometry 2", mesh_of({"triangle", 1, 2}), 1});
  for (int order = 1; order <= 3; ++order) {
    result.push_back({"mixed 2-D order " + std::to_string(order), test_meshes::mixed_2d(), order});
    result.push_back({"mixed 3-D order " + std::to_string(order), test_meshes::mixed_3d(), order});
  }
  for (const int order : {5, 8})
    for (const char* shape : {"interval", "quad"})
      result.push_back({std::string(shape) + " order " + std::to_string(order), mesh_of({shape, 4, 1}), order});
  mesh::Mesh shuffled = box("tet", 3);
  test_meshes::shuffle_nodes(shuffled, 7);
  result.push_back({"shuffled tet", std::move(shuffled), 1});
  return result;
}

template <class Exec>
struct ConvectionStrategies : ::testing::Test {};
TYPED_TEST_SUITE(ConvectionStrategies, Backends);

TYPED_TEST(ConvectionStrategies, AgreeWithColoursOnThreads) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  TypeParam exec;
  for (const Problem& problem : problems()) {
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    std::vector<ConvectionData> given{varying_data(problem.mesh, map, 1)};
    if (problem.order == 1) given.push_back(region_data(problem.mesh, 1));
    if (problem.order <= 2) given.push_back(region_data(problem.mesh, 3));
    for (const bool supg : {false, true}) {
      std::vector<Filled> expected;
      for (const ConvectionData& data : given)
        expected.push_back(fill(threads, problem.mesh, map, data, supg, {.strategy = "colour"}));
      for (const assembly::StrategyEntry& strategy : assembly::strategy_table())
        for (std::size_t k = 0; k < given.size(); ++k)
          expect_near(expected[k], fill(exec, problem.mesh, map, given[k], supg, {.strategy = strategy.name}),
                      problem.name + ", " + strategy.name + (supg ? ", supg" : "") + ", data " + std::to_string(k));
    }
  }
}

TYPED_TEST(ConvectionStrategies, AreBitwiseRepeatableButForAtomic) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads one(1), five(5);
  for (const auto& [shape, order] : std::vector<std::pair<const char*, int>>{
           {"triangle", 1}, {"quad", 1}, {"tet", 1}, {"hex", 1}, {"triangle", 2}, {"tet", 2}}) {
    mesh::Mesh mesh = box(shape, mesh::dimension(mesh::shape_from_name(shape)) == 3 ? 5 : 12);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    const ConvectionData data = region_data(mesh, 3);
    for (const assembly::StrategyEntry& strategy : assembly::strategy_table()) {
      if (!strategy.deterministic) continue;
      const AssemblyOptions options{.strategy = strategy.name, .partition_size = 40};
      const std::string what = std::string(shape) + std::to_string(order) + strategy.name;
      const Filled first = fill(exec, mesh, map, data, true, options),
                   again = fill(exec, mesh, map, data, true, options);
      EXPECT_EQ(first.values, again.values) << what;
      EXPECT_EQ(first.b, again.b) << what;
      if (!std::is_same_v<TypeParam, Threads>) continue;
      const Filled a = fill(one, mesh, map, data, true, options), b = fill(five, mesh, map, data, true, options);
      EXPECT_EQ(a.values, b.values) << what << " depends on the number of threads";
      EXPECT_EQ(a.b, b.b) << what;
    }
  }
}

TYPED_TEST(ConvectionStrategies, AgreeForEveryPartitionAndBuffer) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads threads;
  for (const auto& [shape, order] : std::vector<std::pair<const char*, int>>{{"tet", 1}, {"hex", 1}, {"triangle", 3}}) {
    mesh::Mesh mesh = box(shape, mesh::dimension(mesh::shape_from_name(shape)) == 3 ? 4 : 8);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    const ConvectionData data = region_data(mesh, 3);
    const Filled expected = fill(threads, mesh, map, data, true, {.strategy = "colour"});
    for (const char* strategy : {"colour_blocks", "shared"})
      for (const Index size : {1, 50, 100000})
        expect_near(expected, fill(exec, mesh, map, data, true, {.strategy = strategy, .partition_size = size}),
                    std::string(shape) + strategy + std::to_string(size));
    for (const double bytes : {1.0, 10000.0})
      expect_near(expected, fill(exec, mesh, map, data, true, {.strategy = "two_pass", .buffer_bytes = bytes}), shape);
  }
}

TYPED_TEST(ConvectionStrategies, FillColumnsDirectly) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"quad", "tet", "hex"}) {
    const mesh::Mesh mesh = mesh_of({shape, 1, 1});
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    const ConvectionData data = region_data(mesh, 1);
    for (const assembly::StrategyEntry& strategy : assembly::strategy_table()) {
      assembly::Assembler<TypeParam, forms::Convection> assembler(exec, mesh, map, {.strategy = strategy.name});
      EXPECT_EQ(assembler.report().strategy, strategy.name);
      EXPECT_EQ(assembler.report().deterministic, strategy.deterministic);
      linalg::Crs<Space> A = assembler.make_matrix();
      Array<double, Space> b(map.dofs), direct(map.dofs);
      assembler.set_data(data);
      assembler.refill(A, b.view());
      const std::vector<Offset> row_ptr = to_vector(A.row_ptr);
      Offset width = 0;
      for (Index row = 0; row < map.dofs; ++row) width = std::max(width, row_ptr[row + 1] - row_ptr[row]);
      auto values = to_space<Space>(std::vector<double>(width * map.dofs, 0.0));
      const auto starts = to_space<Space>(std::vector<Offset>{0, width * map.dofs});
      assembler.refill(A, {starts.data(), map.dofs}, values.view(), direct.view());
      const std::vector<double> columns = to_vector(values);
      Filled rows{row_ptr, to_vector(A.col_ind), to_vector(A.values), to_vector(direct)};
      for (Index row = 0; row < map.dofs; ++row)
        for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
          rows.values[k] = columns[(k - row_ptr[row]) * map.dofs + row];
      expect_near({row_ptr, rows.col_ind, to_vector(A.values), to_vector(b)}, rows, std::string(shape) + strategy.name);
    }
  }
}

}  // namespace
}  // namespace tessera::testing
