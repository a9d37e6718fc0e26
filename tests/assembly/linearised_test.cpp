// The form of Newton's method: against one that only says what stands at a point, and its transposed matrix, with every
// strategy on every backend.
#include "forms/linearised.hpp"
#include "assembly/forms_support.hpp"
#include "assembly/space/quadrature.hpp"
#include "support/backends.hpp"

namespace tessera::testing {
namespace {

using convection::Filled;
using forms::LinearisedData;

template <class Exec>
class LinearisedForm : public ::testing::Test {};
TYPED_TEST_SUITE(LinearisedForm, Backends);

/// Values at points that vary without a pattern, between -1 and 1; the same for the same `seed`.
forms::Coefficient varying(int components, Offset points, int seed) {
  forms::Coefficient result{components, true, {}};
  for (Offset i = 0; i < points * components; ++i)
    result.values.push_back(std::sin(1.7 * static_cast<double>(i) + 3.1 * seed));
  return result;
}

/// Every block, with a matrix of dim x dim between gradients.
LinearisedData varying_data(const mesh::Mesh& mesh, const assembly::DofMap& map) {
  const assembly::QuadraturePoints at(mesh, map);
  const Offset points = at.before(mesh.blocks.size());
  const int dim = mesh.dim;
  LinearisedData data;
  data.gg = varying(dim * dim, points, 1);
  data.gv = varying(dim, points, 2);
  data.vg = varying(dim, points, 3);
  data.vv = varying(1, points, 4);
  data.load_gradient = varying(dim, points, 5);
  data.load = varying(1, points, 6);
  return data;
}

LinearisedData transposed(LinearisedData data, int dim) {
  std::swap(data.gv, data.vg);
  for (std::size_t at = 0; at < data.gg.values.size(); at += static_cast<std::size_t>(dim * dim))
    for (int a = 0; a < dim; ++a)
      for (int b = 0; b < a; ++b) std::swap(data.gg.values[at + a * dim + b], data.gg.values[at + b * dim + a]);
  return data;
}

template <class Exec>
Filled fill(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map, const LinearisedData& data,
            const std::string& strategy) {
  return assembled<forms::Linearised>(exec, mesh, map, data, strategy);
}

/// Of which something is there.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_TRUE(std::any_of(expected.begin(), expected.end(), [](double value) { return value != 0; })) << what;
  expect_close(found, expected, what);
}

/// The matrix and vector of data by sums over cells and points of the basis in physical coordinates.
Filled by_definition(const mesh::Mesh& mesh, const assembly::DofMap& map, const LinearisedData& data,
                     const Filled& pattern) {
  Filled result = pattern;
  std::fill(result.values.begin(), result.values.end(), 0.0);
  std::fill(result.b.begin(), result.b.end(), 0.0);
  const int dim = mesh.dim;
  std::size_t place = 0;
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const mesh::CellBlock& cells = mesh.blocks[block];
    const assembly::Quadrature& rule = assembly::quadrature(cells.shape, assembly::quadrature_degree(cells, map.order));
    const assembly::GeometryMap geometry(cells, rule.points);
    const assembly::FieldMap field(cells.shape, map.order, rule.points);
    for (Index cell = 0; cell < cells.cells(); ++cell)
      for (int q = 0; q < rule.size(); ++q, ++place) {
        double J[9], inverse[9];
        const double w = rule.weights[q] * std::abs(geometry.jacobian(mesh, cells.cell(cell), q, J));
        assembly::GeometryMap::invert(J, dim, inverse);
        std::vector<std::array<double, 4>> B(static_cast<std::size_t>(field.nodes));  // gradient, value
        for (int i = 0; i < field.nodes; ++i) {
          for (int d = 0; d < dim; ++d) {
            B[i][d] = 0;
            for (int a = 0; a < dim; ++a) B[i][d] += inverse[a * dim + d] * field.dphi[(q * field.nodes + i) * dim + a];
          }
          B[i][3] = field.phi[q * field.nodes + i];
        }
        const Index* dofs = map.blocks[block].cell(cell);
        for (int i = 0; i < field.nodes; ++i) {
          double load = data.load.values[place] * B[i][3];
          for (int d = 0; d < dim; ++d) load += data.load_gradient.values[place * dim + d] * B[i][d];
          result.b[dofs[i]] += w * load;
          for (int j = 0; j < field.nodes; ++j) {
            double entry = data.vv.values[place] * B[i][3] * B[j][3];
            for (int d = 0; d < dim; ++d) {
              entry += B[i][d] * data.gv.values[place * dim + d] * B[j][3];
              entry += B[i][3] * data.vg.values[place * dim + d] * B[j][d];
              for (int e = 0; e < dim; ++e) entry += B[i][d] * data.gg.values[(place * dim + d) * dim + e] * B[j][e];
            }
            const auto first = result.col_ind.begin() + result.row_ptr[dofs[i]],
                       last = result.col_ind.begin() + result.row_ptr[dofs[i] + 1];
            result.values[std::lower_bound(first, last, dofs[j]) - result.col_ind.begin()] += w * entry;
          }
        }
      }
  }
  return result;
}

TYPED_TEST(LinearisedForm, IsWhatItsDefinitionSays) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const convection::Case& c : convection::cases()) {
    if (c.order > 3) continue;
    const mesh::Mesh mesh = convection::mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    const LinearisedData data = varying_data(mesh, map);
    Filled expected;
    for (const char* strategy : all_strategies) {
      const std::string what = c.shape + std::to_string(c.order) + strategy;
      const Filled found = fill(exec, mesh, map, data, strategy);
      if (expected.values.empty()) expected = by_definition(mesh, map, data, found);
      expect_same(found.values, expected.values, what);
      expect_same(found.b, expected.b, what);
    }
  }
}

TYPED_TEST(LinearisedForm, WithoutABlockIsThatWithZeros) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* shape : {"interval", "triangle", "tet", "hex"}) {
    mesh::Mesh mesh = box(shape, 2);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    for (forms::Coefficient LinearisedData::*block :
         {&LinearisedData::gg, &LinearisedData::gv, &LinearisedData::vg, &LinearisedData::vv,
          &LinearisedData::load_gradient, &LinearisedData::load}) {
      LinearisedData without = varying_data(mesh, map), zero = without;
      without.*block = {};
      std::fill((zero.*block).values.begin(), (zero.*block).values.end(), 0.0);
      for (const char* strategy : all_strategies) {
        const Filled expected = fill(exec, mesh, map, zero, strategy), found = fill(exec, mesh, map, without, strategy);
        expect_same(found.values, expected.values, std::string(shape) + strategy);
        expect_same(found.b, expected.b, std::string(shape) + strategy);
      }
    }
  }
}

TYPED_TEST(LinearisedForm, TakesASymmetricTensorAndConstants) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const char* shape : {"triangle", "tet"}) {
    const mesh::Mesh mesh = box(shape, 2);
    const int dim = mesh.dim;
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    LinearisedData packed, full;
    packed.gg = {dim * (dim + 1) / 2, false,
                 dim == 2 ? std::vector<double>{2, 0.5, 3} : std::vector<double>{2, 0.5, 0.2, 3, -0.4, 4}};
    full.gg = {
        dim * dim, false,
        dim == 2 ? std::vector<double>{2, 0.5, 0.5, 3} : std::vector<double>{2, 0.5, 0.2, 0.5, 3, -0.4, 0.2, -0.4, 4}};
    packed.gv = full.gv = {dim, false, std::vector<double>(static_cast<std::size_t>(dim), 0.7)};
    packed.load = full.load = {1, false, {1.5}};
    packed.load_gradient = full.load_gradient = {dim, false, std::vector<double>(static_cast<std::size_t>(dim), -0.3)};
    for (const char* strategy : all_strategies) {
      const Filled one = fill(exec, mesh, map, packed, strategy), other = fill(exec, mesh, map, full, strategy);
      expect_same(one.values, other.values, std::string(shape) + strategy);
      expect_same(one.b, other.b, std::string(shape) + strategy);
    }
  }
}

TYPED_TEST(LinearisedForm, TransposedDataAreTheTransposedMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("tet", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const LinearisedData data = varying_data(mesh, map);
  const Filled plain = fill(exec, mesh, map, data, "colour"),
               turned = fill(exec, mesh, map, transposed(data, 3), "colour");
  for (Index row = 0; row < map.dofs; ++row)
    for (Offset k = turned.row_ptr[row]; k < turned.row_ptr[row + 1]; ++k) {
      const Index col = turned.col_ind[k];
      const auto first = plain.col_ind.begin() + plain.row_ptr[col],
                 last = plain.col_ind.begin() + plain.row_ptr[col + 1];
      const Offset mirror = std::lower_bound(first, last, row) - plain.col_ind.begin();
      ASSERT_NEAR(turned.values[k], plain.values[mirror], 1e-12 * plain.norm());
    }
}

TEST(Linearised, RefusesAMatrixOfAnotherSize) {
  const mesh::Mesh mesh = box("triangle", 1);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  LinearisedData data;
  data.gg = {5, false, {1, 2, 3, 4, 5}};
  Threads exec(1);
  assembly::Assembler<Threads, forms::Linearised> assembler(exec, mesh, map);
  EXPECT_THROW(assembler.set_data(data), Error);
}

}  // namespace
}  // namespace tessera::testing
