// The parts that multigrid of elasticity is made of: orthonormal rigid motions of aggregates, and P.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "assembly/beam.hpp"
#include "solvers/amg/node_setup.hpp"
#include "solvers/amg/prolongation.hpp"

namespace tessera {
namespace {

using testing::Beam;
using testing::BeamSystem;

template <class Exec>
struct NodeParts : ::testing::Test {
  using Space = typename Exec::Space;
};
TYPED_TEST_SUITE(NodeParts, testing::Backends);

TYPED_TEST(NodeParts, ColumnsOfAnAggregateAreOrthonormalAndMakeTheKernel) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TestFixture::Space;
  const BeamSystem<TypeParam> system({.cells = {3, 2, 2}, .jitter = 0.2});
  TypeParam exec = testing::with_threads<TypeParam>(2);
  const Index nodes = system.A.rows / 3;
  // Aggregates of 1, 2 and 3 nodes, the rest, and one node that is in none.
  std::vector<Index> aggregate(static_cast<std::size_t>(nodes), 3);
  for (std::size_t n = 0; n < 7; ++n) aggregate[n] = n == 0 ? 0 : n < 3 ? 1 : n < 6 ? 2 : -1;
  const std::vector<double>& before = system.on_host;
  auto kernel = to_space<Space>(before);
  Array<double, Space> factors(4 * 36);
  const auto of = to_space<Space>(aggregate);
  solvers::amg::orthonormalise(exec, of.view(), 4, 3, 6, kernel.view(), factors.view());
  const auto T = to_vector(kernel), R = to_vector(factors);
  const int independent[] = {3, 5, 6, 6};
  for (Index a = 0; a < 4; ++a) {
    int columns = 0;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        double sum = 0;
        for (std::size_t row = 0; row < before.size() / 6; ++row)
          if (aggregate[row / 3] == a) sum += T[row * 6 + i] * T[row * 6 + j];
        if (i == j) columns += sum > 0.5;
        ASSERT_NEAR(sum, i == j && sum > 0.5 ? 1 : 0, 1e-13);
      }
    EXPECT_EQ(columns, independent[a]) << a;
  }
  for (std::size_t row = 0; row < before.size() / 6; ++row)
    for (std::size_t j = 0; j < 6; ++j) {
      const Index a = aggregate[row / 3];
      double sum = 0;
      for (std::size_t k = 0; a >= 0 && k < 6; ++k)
        sum += T[row * 6 + k] * R[(static_cast<std::size_t>(a) * 6 + k) * 6 + j];
      ASSERT_NEAR(sum, a < 0 ? 0 : before[row * 6 + j], 1e-12);
      if (a < 0) {
        ASSERT_EQ(T[row * 6 + j], 0);
      }
    }
}

/// One level down, of a body that nothing holds.
template <class Exec>
struct Coarsened {
  using Space = typename Exec::Space;
  BeamSystem<Exec> system;
  Array<double, Space> kernel, coarse_kernel;
  solvers::amg::NodeMatrix<Space, double> P, R;

  explicit Coarsened(const Beam& beam) : system(beam) {
    using namespace solvers::amg;
    Exec& exec = system.exec;
    const auto A = as_node_matrix(std::as_const(system.A).view());
    Array<double, Space> numbers(A.col_ind.size());
    condense(exec, A, A.height, numbers.view());
    const auto condensed = A.pattern(std::as_const(numbers).view());
    const auto scales = find_scales(exec, condensed);
    const Strength strength{scales.largest.view(), Strength::square(0.35)};
    auto graph = make_strong_graph(exec, condensed, strength);
    const auto aggregates = aggregate(exec, condensed, scales.diagonal.view(), strength, graph);
    const int modes = system.motions->modes;
    P = NodeMatrix<Space, double>(prolongation_pattern<Exec, double>(exec, aggregates, std::move(graph)), A.height,
                                  modes);
    P.allocate_values();
    kernel = to_space<Space>(system.on_host);
    coarse_kernel = Array<double, Space>(Offset{aggregates.count} * modes * modes);
    orthonormalise(exec, aggregates.of_row.view(), aggregates.count, A.height, modes, kernel.view(),
                   coarse_kernel.view());
    const auto diagonal = invert_diagonal(exec, A, true);
    EXPECT_EQ(diagonal.bad, 0);
    prolongation_values(
        exec, A, std::as_const(numbers).view(), strength, diagonal.inverse.view(), 0.6,
        Tentative{modes, aggregates.of_row.view(), std::as_const(kernel).view(), std::as_const(coarse_kernel).view()},
        P.view());
  }
};

TYPED_TEST(NodeParts, ProlongationKeepsRigidMotionsThoughWeakEntriesAreLeftOut) {
  TESSERA_REQUIRE(TypeParam);
  for (const Beam& beam : {Beam{.cells = {9, 8, 7}, .jitter = 0.15, .clamped = false},
                           Beam{.shape = "tet", .order = 2, .cells = {5, 4, 4}, .clamped = false},
                           Beam{.shape = "triangle", .cells = {20, 9}, .jitter = 0.15, .clamped = false}}) {
    const Coarsened<TypeParam> coarse(beam);
    const auto modes = static_cast<std::size_t>(coarse.system.motions->modes);
    const auto height = static_cast<std::size_t>(coarse.P.height);
    const auto row_ptr = to_vector(coarse.P.row_ptr);
    const auto col_ind = to_vector(coarse.P.col_ind);
    const auto values = to_vector(coarse.P.values), below = to_vector(coarse.coarse_kernel);
    for (std::size_t node = 0; node + 1 < row_ptr.size(); ++node)
      for (std::size_t i = 0; i < height; ++i)
        for (std::size_t mode = 0; mode < modes; ++mode) {
          double sum = 0;
          for (auto k = static_cast<std::size_t>(row_ptr[node]); k < static_cast<std::size_t>(row_ptr[node + 1]); ++k)
            for (std::size_t j = 0; j < modes; ++j)
              sum += values[(k * height + i) * modes + j] *
                     below[(static_cast<std::size_t>(col_ind[k]) * modes + j) * modes + mode];
          ASSERT_NEAR(sum, coarse.system.on_host[(node * height + i) * modes + mode], 1e-10) << node;
        }
  }
}

/// Blocks on the host, in one of so many columns by chance; the first row has all of its columns.
struct HostBlocks {
  Index rows, cols;
  int height, width;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_ind;
  std::vector<double> values;

  HostBlocks(Index rows, Index cols, int height, int width, unsigned seed, unsigned one_of = 5)
      : rows(rows), cols(cols), height(height), width(width) {
    std::mt19937 engine(seed);
    for (Index row = 0; row < rows; ++row) {
      for (Index col = 0; col < cols; ++col)
        if (row == 0 || engine() % one_of == 0) col_ind.push_back(col);
      row_ptr.push_back(static_cast<Offset>(col_ind.size()));
    }
    values.resize(col_ind.size() * static_cast<std::size_t>(height * width));
    for (double& value : values) value = static_cast<double>(engine() % 2001) / 1000 - 1;
  }
  double& number(Offset block, int i, int j) {
    return values[static_cast<std::size_t>((block * height + i) * width + j)];
  }
  Offset find(Index row, Index col) const {
    const auto first = col_ind.begin() + row_ptr[row], last = col_ind.begin() + row_ptr[row + 1];
    const auto found = std::lower_bound(first, last, col);
    return found != last && *found == col ? found - col_ind.begin() : Offset{-1};
  }
  template <class Space, class T>
  solvers::amg::NodeMatrix<Space, T> to() const {
    solvers::amg::NodeMatrix<Space, T> result;
    result.rows = rows, result.cols = cols, result.height = height, result.width = width;
    result.row_ptr = to_space<Space>(row_ptr);
    result.col_ind = to_space<Space>(col_ind);
    result.values = to_space<Space>(std::vector<T>(values.begin(), values.end()));
    return result;
  }
};

TYPED_TEST(NodeParts, BlocksOfAnyShapeAreMultipliedAndTransposed) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  struct Shape {
    int height, inner, width;
  };
  for (const Shape s :
       {Shape{2, 2, 3}, {3, 3, 3}, {3, 3, 6}, {6, 3, 6}, {6, 6, 6}, {6, 6, 5}, {4, 4, 4}, {1, 5, 1}, {16, 16, 16}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", s.height, s.inner, s.width));
    HostBlocks A(23, 50, s.height, s.inner, 1), B(50, 31, s.inner, s.width, 2), C(23, 31, s.height, s.width, 3, 1);
    for (double& value : B.values) value = static_cast<double>(static_cast<float>(value));
    const auto a_there = A.to<Space, double>();
    const auto b_there = B.to<Space, float>();
    auto c_there = C.to<Space, double>();
    multiply_values(exec, a_there.view(), b_there.view(), c_there.view());
    C.values = to_vector(c_there.values);
    for (Index row = 0; row < C.rows; ++row)
      for (Offset c = C.row_ptr[row]; c < C.row_ptr[row + 1]; ++c)
        for (int i = 0; i < s.height; ++i)
          for (int j = 0; j < s.width; ++j) {
            double sum = 0;
            for (Offset a = A.row_ptr[row]; a < A.row_ptr[row + 1]; ++a)
              if (const Offset b = B.find(A.col_ind[a], C.col_ind[c]); b >= 0)
                for (int e = 0; e < s.inner; ++e) sum += A.number(a, i, e) * B.number(b, e, j);
            ASSERT_NEAR(C.number(c, i, j), sum, 1e-12) << row << " " << c;
          }

    HostBlocks R(31, 50, s.width, s.inner, 4);  // with the pattern of B, transposed
    R.row_ptr = {0}, R.col_ind = {};
    for (Index row = 0; row < R.rows; ++row) {
      for (Index col = 0; col < R.cols; ++col)
        if (B.find(col, row) >= 0) R.col_ind.push_back(col);
      R.row_ptr.push_back(static_cast<Offset>(R.col_ind.size()));
    }
    R.values.assign(R.col_ind.size() * static_cast<std::size_t>(s.width * s.inner), -7);
    auto transposed = R.to<Space, float>();
    transpose_values(exec, b_there.view(), transposed.view());
    const auto found = to_vector(transposed.values);
    R.values.assign(found.begin(), found.end());
    for (Index row = 0; row < R.rows; ++row)
      for (Offset r = R.row_ptr[row]; r < R.row_ptr[row + 1]; ++r)
        for (int i = 0; i < s.width; ++i)
          for (int j = 0; j < s.inner; ++j)
            ASSERT_EQ(R.number(r, i, j), B.number(B.find(R.col_ind[r], row), j, i)) << row << " " << r;
  }
}

}  // namespace
}  // namespace tessera
