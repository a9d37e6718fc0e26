// Every strategy against the plain one on threads.
#include "assembly/cells/strategy.hpp"

#include <cmath>
#include <random>

#include "assembly/meshes.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"
#include "support/errors.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
using Assembler = assembly::Assembler<Exec, forms::Diffusion>;
using assembly::AssemblyOptions;

struct Problem {
  std::string name;
  mesh::Mesh mesh;
  int order;
};

/// Two prisms for each cell of a box of hexes.
mesh::Mesh prisms(int cells) {
  mesh::Mesh mesh = box("hex", cells);
  mesh::CellBlock block{mesh::Shape::prism, 1, 6, {}, 0};
  for (Index cell = 0; cell < mesh.blocks[0].cells(); ++cell) {
    const Index* hex = mesh.blocks[0].cell(cell);
    for (const int v : {0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7}) block.nodes.push_back(hex[v]);
  }
  mesh.blocks = {block};
  mesh.facets = {};
  mesh.groups.clear();
  return mesh;
}

/// Two boxes that touch in one vertex, whose cells are thus two surfaces around it.
mesh::Mesh touching(const char* shape) {
  mesh::Mesh mesh = box(shape, 2), other = box(shape, 2);
  const Index last = mesh.nodes() - 1;  // the corner (1, 1, 1), and the other box's corner 0
  for (std::size_t i = 3; i < other.points.size(); ++i)
    mesh.points.push_back(other.points[i] + (static_cast<int>(i % 3) < mesh.dim ? 1 : 0));
  for (const Index node : other.blocks[0].nodes) mesh.blocks[0].nodes.push_back(last + node);
  mesh.facets = {};
  mesh.groups.clear();
  return mesh;
}

std::vector<Problem> problems() {
  std::vector<Problem> result;
  const auto add = [&](std::string name, mesh::Mesh mesh, int order) {
    deform(mesh);
    result.push_back({name + " order " + std::to_string(order), std::move(mesh), order});
  };
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 4; ++order)
      for (int geometry = 1; geometry <= (order == 2 ? 2 : 1); ++geometry) {
        const int dim = mesh::dimension(mesh::shape_from_name(shape));
        add(std::string(shape) + " geometry " + std::to_string(geometry),
            box(shape,
                dim == 3   ? 2
                : dim == 2 ? 4
                           : 40,
                geometry),
            order);
      }
  for (int order = 1; order <= 4; ++order) {
    add("prism", prisms(2), order);
    add("mixed 2-D", test_meshes::mixed_2d(), order);
    add("mixed 3-D", test_meshes::mixed_3d(), order);
  }
  mesh::Mesh shuffled = box("tet", 5);
  test_meshes::shuffle_nodes(shuffled, 7);
  add("shuffled tet", std::move(shuffled), 1);
  for (const char* shape : {"triangle", "tet"}) add(std::string("touching ") + shape, touching(shape), 1);
  for (const char* shape : {"interval", "triangle", "tet"}) add(std::string("one ") + shape, box(shape, 1), 1);
  for (const char* shape : {"interval", "triangle", "quad", "hex"}) add(std::string("one ") + shape, box(shape, 1), 2);
  for (const int order : {5, 8}) add("one quad", box("quad", 1), order), add("intervals", box("interval", 3), order);
  add("one hex", box("hex", 1), 5);
  return result;
}

enum class Given { constants, regions, points };

forms::DiffusionData data_of(const mesh::Mesh& mesh, const std::vector<double>& points, Given given) {
  forms::DiffusionData data;
  std::mt19937 random(3);
  const auto number = [&] { return 1 + static_cast<double>(random() % 1000) / 1000; };
  const std::vector<double> tensor = mesh.dim == 1   ? std::vector<double>{2}
                                     : mesh.dim == 2 ? std::vector<double>{2, 0.5, 3}
                                                     : std::vector<double>{2, 0.5, 0.2, 3, -0.4, 4};
  if (given == Given::constants) {
    data = {.region = {}, .k = constant(1.7), .c = constant(0.4), .f = constant(2)};
  } else if (given == Given::regions) {
    data.region.resize(mesh.cells());
    for (Index& region : data.region) region = static_cast<Index>(random() % 3);
    data.k.components = static_cast<int>(tensor.size());
    for (int region = 0; region < 3; ++region) {
      for (const double value : tensor) data.k.values.push_back((region + 1) * value);
      data.c.values.push_back(region);
      data.f.values.push_back(3 - region);
    }
  } else {
    data.k.components = static_cast<int>(tensor.size());
    data.k.per_point = data.c.per_point = data.f.per_point = true;
    for (std::size_t i = 0; i < points.size(); i += 3) {
      const double factor = number();
      for (const double value : tensor) data.k.values.push_back(factor * value);
      data.c.values.push_back(number());
      data.f.values.push_back(number());
    }
  }
  return data;
}

struct Filled {
  std::vector<double> values, b;
};

template <class Exec>
struct Assembly {
  using Space = typename Exec::Space;
  Assembler<Exec> assembler;
  linalg::Crs<Space> A;
  Array<double, Space> b;

  Assembly(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map, const AssemblyOptions& options)
      : assembler(exec, mesh, map, options), A(assembler.make_matrix()), b(map.dofs) {
    // Refills must not rely on what was there.
    copy(to_space<Space>(std::vector<double>(A.nnz(), 1e30)), A.values);
    copy(to_space<Space>(std::vector<double>(map.dofs, 1e30)), b);
  }
  Filled fill(const forms::DiffusionData& data) {
    assembler.assemble(data, A, b.view());
    return {to_vector(A.values), to_vector(b)};
  }
  /// b alone, with the data of the last fill.
  std::vector<double> vector() {
    copy(to_space<Space>(std::vector<double>(b.size(), 1e30)), b);
    assembler.refill_vector(b.view());
    return to_vector(b);
  }
};

void expect_near(const std::vector<double>& expected, const std::vector<double>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    size = std::max(size, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - found[i]));
    if (!std::isfinite(found[i])) difference = INFINITY;
  }
  EXPECT_LE(difference, 1e-12 * size) << what;
}

std::vector<std::string> strategies() {
  std::vector<std::string> result;
  for (const assembly::StrategyEntry& entry : assembly::strategy_table()) result.push_back(entry.name);
  return result;
}

template <class Exec>
class Strategies : public ::testing::Test {};
TYPED_TEST_SUITE(Strategies, Backends);

TYPED_TEST(Strategies, AgreeWithColoursOnThreads) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  TypeParam exec;
  for (const Problem& problem : problems()) {
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    Assembly<Threads> reference(threads, problem.mesh, map, {.strategy = "colour"});
    const std::vector<double> points = reference.assembler.quadrature_points();
    for (const std::string& strategy : strategies()) {
      if (strategy == "shared" && map.blocks[0].nodes > 200) continue;  // the next test
      Assembly<TypeParam> under_test(exec, problem.mesh, map, {.strategy = strategy});
      for (const Given given : {Given::constants, Given::points, Given::regions}) {
        if (problem.order >= 4 && problem.mesh.dim == 3 && given != Given::points)
          continue;  // seconds, and order 3 has them
        const forms::DiffusionData data = data_of(problem.mesh, points, given);
        const Filled expected = reference.fill(data), found = under_test.fill(data);
        const std::string what =
            problem.name + ", " + strategy + ", coefficients " + std::to_string(static_cast<int>(given));
        expect_near(expected.values, found.values, "matrix of " + what);
        expect_near(expected.b, found.b, "vector of " + what);
        expect_near(expected.b, under_test.vector(), "vector alone of " + what);
      }
    }
  }
}

// One element of order 5 has 217 KiB of values, and its points come beside them.
TYPED_TEST(Strategies, SharedRefusesWhatFastMemoryCannotHold) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("hex", 1);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 5);
  const auto fill = [&] {
    Assembly<TypeParam> under_test(exec, mesh, map, {.strategy = "shared"});
    under_test.fill(data_of(mesh, under_test.assembler.quadrature_points(), Given::points));
  };
  if constexpr (std::is_same_v<TypeParam, Threads>)
    EXPECT_NO_THROW(fill());
  else
    expect_refused(fill, "of shared memory", ExitCode::memory);
}

// One element of order 7 has 131,840 values.
TYPED_TEST(Strategies, SharedRefusesCellsWhoseValuesExceed16Bits) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("hex", 1);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 7);
  const auto make = [&] { Assembler<TypeParam>(exec, mesh, map, {.strategy = "shared"}); };
  if constexpr (std::is_same_v<TypeParam, Threads>)
    expect_refused(make, "131840");
  else  // no GPU has room for them
    expect_refused(make, "of shared memory", ExitCode::memory);
}

TYPED_TEST(Strategies, FillAVectorWithoutAMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads threads;
  for (const Problem& problem : problems()) {
    if (problem.order != 2) continue;
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = {}, .f = constant(2)};
    const Filled expected = Assembly<Threads>(threads, problem.mesh, map, {.strategy = "colour"}).fill(data);
    Assembler<TypeParam> assembler(exec, problem.mesh, map);
    auto b = to_space<typename TypeParam::Space>(std::vector<double>(map.dofs, 1e30));
    assembler.set_data(data);
    assembler.refill_vector(b.view());
    const std::vector<double> first = to_vector(b);
    expect_near(expected.b, first, problem.name);
    assembler.refill_vector(b.view());
    EXPECT_EQ(first, to_vector(b)) << problem.name;
    data.f = {};
    assembler.set_data(data);
    assembler.refill_vector(b.view());
    EXPECT_EQ(std::vector<double>(map.dofs, 0.0), to_vector(b)) << problem.name;
  }
}

TYPED_TEST(Strategies, AreBitwiseRepeatableButForAtomic) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto& [shape, order] :
       std::vector<std::pair<const char*, int>>{{"tet", 1}, {"triangle", 1}, {"hex", 1}, {"tet", 2}, {"hex", 2}}) {
    mesh::Mesh mesh = box(shape, 5);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    for (const std::string& strategy : strategies()) {
      Assembly<TypeParam> first(exec, mesh, map, {.strategy = strategy}),
          second(exec, mesh, map, {.strategy = strategy});
      EXPECT_EQ(first.assembler.report().deterministic, strategy != "atomic");
      EXPECT_EQ(first.assembler.report().strategy, strategy);
      if (!first.assembler.report().deterministic) continue;
      const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
      const Filled a = first.fill(data), again = first.fill(data), b = second.fill(data);
      EXPECT_EQ(a.values, again.values) << shape << order << strategy;
      EXPECT_EQ(a.values, b.values) << shape << order << strategy;
      EXPECT_EQ(a.b, b.b) << shape << order << strategy;
    }
  }
}

TYPED_TEST(Strategies, AgreeForEveryPartitionAndBuffer) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads threads;
  for (const auto& [shape, order] : std::vector<std::pair<const char*, int>>{{"tet", 1}, {"hex", 1}, {"triangle", 3}}) {
    mesh::Mesh mesh = box(shape, mesh::dimension(mesh::shape_from_name(shape)) == 3 ? 4 : 8);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
    const Filled expected = Assembly<Threads>(threads, mesh, map, {.strategy = "colour"}).fill(data);
    for (const char* strategy : {"colour_blocks", "shared"})
      for (const char* partition : {"metis", "geometric"})
        for (const Index size : {1, 50, 100000}) {
          Assembly<TypeParam> under_test(exec, mesh, map,
                                         {.strategy = strategy, .partition_size = size, .partition = partition});
          const assembly::AssemblyReport& report = under_test.assembler.report();
          EXPECT_LE(report.partition_size, size);
          EXPECT_GE(Offset{report.partitions} * report.partition_size, mesh.cells());
          const Filled found = under_test.fill(data);
          const std::string what = std::string(shape) + strategy + partition + std::to_string(size);
          expect_near(expected.values, found.values, what);
          expect_near(expected.b, found.b, what);
        }
    for (const double bytes : {1.0, 10000.0, 1e9}) {
      Assembly<TypeParam> under_test(exec, mesh, map, {.strategy = "two_pass", .buffer_bytes = bytes});
      EXPECT_EQ(under_test.assembler.report().partitions == 1, bytes == 1e9);
      expect_near(expected.values, under_test.fill(data).values, shape);
      expect_near(expected.b, under_test.fill(data).b, shape);
    }
  }
}

/// Where the rows of a sliced format begin; a slice is as wide as its longest row.
std::vector<Offset> slice_starts(const std::vector<Offset>& row_ptr, Index slice) {
  const Index rows = static_cast<Index>(row_ptr.size()) - 1;
  std::vector<Offset> starts{0};
  for (Index first = 0; first < rows; first += slice) {
    Offset width = 0;
    for (Index row = first; row < std::min(rows, first + slice); ++row)
      width = std::max(width, row_ptr[row + 1] - row_ptr[row]);
    starts.push_back(starts.back() + width * slice);
  }
  return starts;
}

TYPED_TEST(Strategies, FillOtherFormatsDirectly) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const Problem& problem : problems()) {
    if (problem.order > 2) continue;
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
    for (const std::string& strategy : strategies()) {
      Assembly<TypeParam> assembly(exec, problem.mesh, map, {.strategy = strategy});
      const Filled expected = assembly.fill(data);
      const std::vector<Offset> row_ptr = to_vector(assembly.A.row_ptr);
      for (const Index slice : {32, std::max<Index>(2, map.dofs)}) {
        const std::vector<Offset> starts = slice_starts(row_ptr, slice);
        const auto starts_there = to_space<Space>(starts);
        auto values = to_space<Space>(std::vector<double>(starts.back(), 0.0));
        assembly.assembler.refill(assembly.A, {starts_there.data(), slice}, values.view(), assembly.b.view());
        const std::vector<double> found = to_vector(values);
        std::vector<double> rows(expected.values.size());
        double sum = 0, all = 0;
        const linalg::RowLayout layout{starts.data(), slice};
        for (Index row = 0; row < map.dofs; ++row)
          for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            rows[k] = found[layout.first(row) + (k - row_ptr[row]) * layout.step()];
            sum += std::abs(rows[k]);
          }
        for (const double value : found) all += std::abs(value);
        EXPECT_NEAR(sum, all, 1e-12 * all) << "padding is not zero";
        expect_near(expected.values, rows, problem.name + strategy + std::to_string(slice));
        expect_near(expected.b, to_vector(assembly.b), problem.name + strategy);
      }
    }
  }
}

TYPED_TEST(Strategies, TakeAnEmptyMesh) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  mesh::Mesh mesh;
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  for (const std::string& strategy : strategies()) {
    Assembly<TypeParam> assembly(exec, mesh, map, {.strategy = strategy});
    EXPECT_TRUE(assembly.fill({.region = {}, .k = constant(1), .c = {}, .f = {}}).values.empty());
  }
}

/// A vertex with more neighbours than a lane keeps: the apex of a fan.
TYPED_TEST(Strategies, TakeLongRows) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  TypeParam exec;
  mesh::Mesh mesh;
  mesh.dim = 2;
  constexpr int spokes = 3000;
  mesh.points = {0, 0, 0};
  mesh.blocks = {{mesh::Shape::triangle, 1, 3, {}, 0}};
  for (int k = 0; k < spokes; ++k) {
    const double angle = 2 * 3.14159265358979 * k / spokes;
    mesh.points.insert(mesh.points.end(), {std::cos(angle), std::sin(angle), 0});
    mesh.blocks[0].nodes.insert(mesh.blocks[0].nodes.end(), {0, 1 + k, 1 + (k + 1) % spokes});
  }
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
  const Filled expected = Assembly<Threads>(threads, mesh, map, {.strategy = "colour"}).fill(data);
  for (const std::string strategy : {"nonzeros", "two_pass", "shared", "colour_blocks"}) {
    const Filled found = Assembly<TypeParam>(exec, mesh, map, {.strategy = strategy}).fill(data);
    expect_near(expected.values, found.values, strategy);
    expect_near(expected.b, found.b, strategy);
  }
}

/// Double pyramids, whose middle vertex has 2 n tets and n + 2 neighbours: in a strip, in more tets than one takes, in
/// more columns than a lane keeps.
TYPED_TEST(Strategies, TakeManyCellsAroundAVertex) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  TypeParam exec;
  for (const int n : {45, 80, 100}) {
    mesh::Mesh mesh;
    mesh.dim = 3;
    mesh.points = {0, 0, 0, 0, 0, 1, 0, 0, -1};
    mesh.blocks = {{mesh::Shape::tet, 1, 4, {}, 0}};
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * 3.14159265358979 * k / n;
      mesh.points.insert(mesh.points.end(), {std::cos(angle), std::sin(angle), 0});
      const int here = 3 + k, next = 3 + (k + 1) % n;
      mesh.blocks[0].nodes.insert(mesh.blocks[0].nodes.end(), {0, here, next, 1, here, 0, next, 2});
    }
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
    const Filled expected = Assembly<Threads>(threads, mesh, map, {.strategy = "colour"}).fill(data);
    const Filled found = Assembly<TypeParam>(exec, mesh, map, {.strategy = "nonzeros"}).fill(data);
    expect_near(expected.values, found.values, std::to_string(n));
    expect_near(expected.b, found.b, std::to_string(n));
  }
}

TEST(StrategiesOnThreads, DoNotDependOnTheNumberOfThreads) {
  for (const char* shape : {"tet", "hex"}) {
    mesh::Mesh mesh = box(shape, 7);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    const forms::DiffusionData data{.region = {}, .k = constant(1.1), .c = constant(0.3), .f = constant(2)};
    for (const std::string& strategy : strategies()) {
      if (strategy == "atomic") continue;
      Threads one(1), five(5);
      const AssemblyOptions options{.strategy = strategy, .partition_size = 50};
      const Filled a = Assembly<Threads>(one, mesh, map, options).fill(data),
                   b = Assembly<Threads>(five, mesh, map, options).fill(data);
      EXPECT_EQ(a.values, b.values) << shape << strategy;
      EXPECT_EQ(a.b, b.b) << shape << strategy;
    }
  }
}

TEST(StrategyTable, NamesAreCheckedAndListed) {
  try {
    (void)assembly::choose_strategy({.strategy = "magic"}, false, box("tet", 1), 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    for (const assembly::StrategyEntry& entry : assembly::strategy_table())
      EXPECT_NE(std::string(error.help()).find(entry.name), std::string::npos);
  }
  for (const bool on_gpu : {false, true})
    for (const int order : {1, 2}) {
      const assembly::StrategyChoice choice = assembly::choose_strategy({}, on_gpu, box("tet", 1), order);
      EXPECT_TRUE(assembly::strategy_entry(choice.strategy).deterministic);
      EXPECT_FALSE(choice.why.empty());
    }
  EXPECT_EQ(assembly::choose_strategy({}, true, box("tet", 1), 1).strategy, assembly::Strategy::nonzeros);
  EXPECT_EQ(assembly::choose_strategy({}, true, box("hex", 1), 1).strategy, assembly::Strategy::two_pass);
  EXPECT_EQ(assembly::choose_strategy({.vector_at_points = true}, true, box("tet", 1), 1).strategy,
            assembly::Strategy::two_pass);
  Threads exec;
  const mesh::Mesh mesh = box("tet", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  EXPECT_THROW((Assembler<Threads>(exec, mesh, map, {.strategy = "shared", .partition = "magic"})), Error);
}

}  // namespace
}  // namespace tessera::testing
