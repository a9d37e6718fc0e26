// Which entries of the element vector add up to a row: made by the backend, it is the list of the host.
#include "assembly/matrix_free/gather_list_impl.hpp"
#include "assembly/meshes.hpp"
#include "assembly/space/dof_map.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using namespace assembly::matrix_free;

template <class Exec>
GatherList<typename Exec::Space> by_places(Exec& exec, const std::vector<Contributions>& blocks, Index dofs,
                                           bool only_touched) {
  if constexpr (std::is_same_v<Exec, Threads>)
    return gather_list_by_places(exec, blocks, dofs, only_touched);
  else
    return gather_list_on(exec, blocks, dofs, only_touched);
}

/// The dofs of the cells of a quad or hex block in lexicographic places, [cells, n^dim].
std::vector<Index> lexicographic_dofs(const assembly::DofBlock& block, int order) {
  const std::vector<int> nodes = lexicographic_nodes(assembly::lagrange(block.shape, order));
  std::vector<Index> result;
  for (Index cell = 0; cell < block.cells(); ++cell)
    for (const int node : nodes) result.push_back(block.cell(cell)[node]);
  return result;
}

template <class Exec>
struct GatherLists : ::testing::Test {
  using Space = typename Exec::Space;

  /// The blocks of a map, in rows of cells or in columns; dofs inside quads and hexes are left out.
  static void expect_same(const assembly::DofMap& map, bool columns, bool only_touched, Index rows) {
    Exec exec = testing::with_threads<Exec>(2);
    std::vector<std::vector<Index>> host;
    std::vector<Array<Index, Space>> placed;
    std::vector<Contributions> of_host, of_backend;
    Offset first = 0;
    for (const assembly::DofBlock& block : map.blocks) {
      const bool tensor = block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex;
      std::vector<Index> dofs =
          tensor ? lexicographic_dofs(block, map.order) : std::vector<Index>(block.dofs.begin(), block.dofs.end());
      if (columns)
        dofs = transposed(dofs, static_cast<std::size_t>(block.cells()), static_cast<std::size_t>(block.nodes));
      Contributions part{nullptr,
                         block.cells(),
                         block.nodes,
                         first,
                         columns ? 1 : block.nodes,
                         columns ? block.cells() : 1,
                         tensor ? map.order + 1 : 0,
                         mesh::dimension(block.shape)};
      placed.push_back(to_space<Space>(dofs));
      host.push_back(std::move(dofs));
      part.dofs = host.back().data();
      of_host.push_back(part);
      part.dofs = placed.back().data();
      of_backend.push_back(part);
      first += Offset{block.cells()} * block.nodes;
    }
    const HostGatherList expected = gather_list(of_host, rows, only_touched);
    const auto found = by_places(exec, of_backend, rows, only_touched);
    EXPECT_EQ(to_vector(found.rows), expected.rows);
    EXPECT_EQ(to_vector(found.ptr), expected.ptr);
    EXPECT_EQ(to_vector(found.entries), expected.entries);
  }
};
TYPED_TEST_SUITE(GatherLists, testing::Backends);

TYPED_TEST(GatherLists, OfTheBackendAreThoseOfTheHost) {
  TESSERA_REQUIRE(TypeParam);
  using mesh::Shape;
  for (const bool columns : {false, true})
    for (const bool only_touched : {false, true}) {
      // More rows than cells have dofs, and dofs without a row.
      const auto compare = [&](const assembly::DofMap& map) {
        for (const Index rows : {map.dofs + 3, map.dofs / 2}) this->expect_same(map, columns, only_touched, rows);
      };
      for (const Shape shape : {Shape::quad, Shape::hex, Shape::tet}) {
        mesh::Mesh mesh = test_meshes::box(shape, 3);
        test_meshes::turn_cells(mesh, 2);
        for (const int order : {1, 2, 4}) compare(assembly::make_dof_map(mesh, order));
      }
      compare(assembly::make_dof_map(test_meshes::mixed_2d(), 3));
      compare(assembly::make_dof_map(test_meshes::mixed_3d(), 3));
    }
}

}  // namespace
}  // namespace tessera
