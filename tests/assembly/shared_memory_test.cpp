// Shared memory of the elements of CUDA, which a run takes and its check foretells.
#include "assembly/cells/shared_memory.hpp"

#include "assembly/cells/assembler.hpp"
#include "assembly/support.hpp"
#include "base/backend.hpp"
#include "base/error.hpp"
#include "forms/convection.hpp"
#include "forms/diffusion.hpp"
#include "forms/elasticity.hpp"
#include "support/errors.hpp"

namespace tessera::testing {
namespace {

using assembly::ElementKind;
using assembly::ElementMemory;
using assembly::FormTraits;
using assembly::Strategy;

constexpr std::size_t KiB = 1024;

/// The block of elements of an order on a box of two cells along each axis, with coefficients that are constant.
assembly::BlockShape block_of(const std::string& shape, int order, const FormTraits& form, bool adds) {
  const mesh::Mesh mesh = box(shape, 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  assembly::BlockShape block = assembly::shape_of(mesh.blocks[0], map.blocks[0], order, form);
  block.adds = adds;
  block.by_columns = assembly::threads_take_cells(block);
  return block;
}

std::size_t least(const std::string& shape, int order, const FormTraits& form, Strategy strategy) {
  return assembly::least_shared(block_of(shape, order, form, false), form, strategy);
}

const FormTraits diffusion = assembly::traits_of(forms::Diffusion(), 3);
const FormTraits elasticity = assembly::traits_of(forms::Elasticity(), 3);
const FormTraits convection = assembly::traits_of(forms::Convection(), 3);
const FormTraits streamline = assembly::traits_of(forms::Convection{.supg = true}, 3);

struct Element {
  const char* shape;
  int order;
  const FormTraits& form;
  bool adds;
  ElementKind kind;
  std::size_t tables, work;
  int groups;  ///< of a block of 128 threads that has 99 KiB at most
};

TEST(SharedMemory, OfEachElementIsThatOfItsTablesAndPoints) {
  const FormTraits flat = assembly::traits_of(forms::Convection(), 2);
  const FormTraits flat_streamline = assembly::traits_of(forms::Convection{.supg = true}, 2);
  const std::vector<Element> elements{
      {"tet", 1, diffusion, false, ElementKind::linear_simplex, 0, 0, 128},
      {"tet", 1, diffusion, true, ElementKind::linear_simplex, 0, 0, 128},
      // 7 reference matrices of 55 entries.
      {"tet", 2, diffusion, false, ElementKind::affine_simplex, 8 * 7 * 55, 0, 128},
      // 8 points: 8 shape functions with 3 derivatives, and the weight; of prisms 6 and 6, of quads 4, 4 and 2.
      {"hex", 1, diffusion, false, ElementKind::small, 8 * 8 * 33, 0, 128},
      {"prism", 1, diffusion, false, ElementKind::small, 8 * 6 * 25, 0, 128},
      {"quad", 1, diffusion, false, ElementKind::small, 8 * 4 * 13, 0, 128},
      // Rows of 8 columns at each point: values, derivatives and, with SUPG, second derivatives that do not vanish.
      {"triangle", 1, flat, false, ElementKind::thread_a_cell, 8 * 3 * 3 * 8, 0, 128},
      {"triangle", 1, flat_streamline, true, ElementKind::thread_a_cell, 8 * 3 * 3 * 8, 0, 128},
      {"tet", 1, convection, false, ElementKind::thread_a_cell, 8 * 4 * 4 * 8, 0, 128},
      {"quad", 1, flat_streamline, false, ElementKind::thread_a_cell, 8 * 4 * 6 * 8, 0, 128},
      // A point is 15 numbers, in the plane 10.
      {"hex", 1, convection, false, ElementKind::columns, 8 * 8 * 4 * 8, 8 * 8 * 15, 16},
      {"hex", 1, streamline, true, ElementKind::columns, 8 * 8 * 10 * 8, 8 * 8 * 15, 16},
      {"triangle", 2, flat, false, ElementKind::columns, 8 * 6 * 3 * 8, 8 * 6 * 10, 16},
      // Padded tables of 4 rows at each point, up to 64 KiB; a point is 17 numbers, of forms without symmetry 20 and,
      // with second derivatives, 30.
      {"hex", 1, diffusion, true, ElementKind::tiled, 8 * 8 * 4 * 8, 8 * (16 * 8 + 8), 4},
      {"tet", 2, diffusion, true, ElementKind::tiled, 8 * 14 * 4 * 24, 8 * (16 * 14 + 14), 4},
      {"hex", 2, diffusion, false, ElementKind::tiled, 8 * 27 * 4 * 40, 8 * (16 * 27 + 28), 4},
      {"hex", 2, convection, false, ElementKind::tiled, 8 * 27 * 4 * 40, 8 * 27 * 20, 4},
      {"hex", 2, streamline, false, ElementKind::tiled, 8 * 27 * 4 * 40, 8 * 27 * 30, 4},
      {"tet", 1, elasticity, false, ElementKind::tiled, 8 * 4 * 4 * 8, 8 * 4 * 20, 4},
      {"hex", 1, elasticity, true, ElementKind::tiled, 8 * 8 * 4 * 8, 8 * 8 * 20, 4},
      {"hex", 3, diffusion, false, ElementKind::large, 0, 8 * (16 * 64 + 64), 4},
      {"hex", 4, diffusion, true, ElementKind::large, 0, 8 * (16 * 125 + 126), 4},
      {"hex", 3, elasticity, false, ElementKind::large_unsymmetric, 0, 8 * 64 * 20, 4},
      {"hex", 3, streamline, false, ElementKind::large_unsymmetric, 0, 8 * 64 * 30, 4},
      {"hex", 4, streamline, true, ElementKind::large_unsymmetric, 0, 8 * 125 * 30, 2},
  };
  for (const Element& e : elements) {
    const assembly::BlockShape block = block_of(e.shape, e.order, e.form, e.adds);
    const ElementMemory memory = assembly::element_memory(block, e.form);
    const std::string name = std::string(e.shape) + " " + std::to_string(e.order) + " of " + std::to_string(e.tables);
    EXPECT_EQ(static_cast<int>(assembly::element_kind(block)), static_cast<int>(e.kind)) << name;
    EXPECT_EQ(memory.tables, e.tables) << name;
    EXPECT_EQ(memory.work, e.work) << name;
    EXPECT_EQ(assembly::groups_of_block(memory, assembly::lanes_of(e.kind), 99 * KiB), e.groups) << name;
  }
}

TEST(SharedMemory, OfPartitionsAndRowsIsThatOfTheirThreads) {
  // 256 threads are 8 warps; those of large cells without symmetry are 64, of small cells 128.
  EXPECT_EQ(assembly::besides_values({100, 10}, ElementKind::tiled, 5), 100u + 8 * 10 + 24 * 5);
  EXPECT_EQ(assembly::besides_values({100, 10}, ElementKind::large, 0), 100u + 8 * 10);
  EXPECT_EQ(assembly::besides_values({100, 10}, ElementKind::large_unsymmetric, 0), 100u + 2 * 10);
  EXPECT_EQ(assembly::besides_values({100, 10}, ElementKind::columns, 0), 100u + 32 * 10);
  EXPECT_EQ(assembly::besides_values({100, 10}, ElementKind::small, 0), 100u + 128 * 10);
  // A warp that gathers has dim + 2 numbers a point, of forms without symmetry the point.
  EXPECT_EQ(assembly::gather_bytes(block_of("hex", 4, diffusion, false), diffusion), 8u * 125 * 5);
  EXPECT_EQ(assembly::gather_bytes(block_of("hex", 4, elasticity, false), elasticity), 8u * 125 * 5);
  EXPECT_EQ(assembly::gather_bytes(block_of("hex", 4, convection, false), convection), 8u * 125 * 15);
  EXPECT_EQ(assembly::warps_of_block(15000, 99 * KiB), 4);
  EXPECT_EQ(assembly::warps_of_block(30000, 99 * KiB), 2);
  EXPECT_EQ(assembly::warps_of_block(90000, 99 * KiB), 1);
}

TEST(SharedMemory, OfAStrategyIsThatOfOneCell) {
  // Hexes of order 4: 125 dofs and points, whose basis is too large.
  constexpr std::size_t cell = 8 * (16 * 125 + 126), of_pair = 8 * 20 * 125;
  EXPECT_EQ(least("hex", 4, diffusion, Strategy::two_pass), cell);
  EXPECT_EQ(least("hex", 4, diffusion, Strategy::colour), cell);
  EXPECT_EQ(least("hex", 4, diffusion, Strategy::shared), 8 * cell + 8 * (3 * 8) + 8 * (125 * 126 / 2 + 125));
  EXPECT_EQ(least("hex", 4, diffusion, Strategy::nonzeros), 4u * 8 * 125 * 5);
  EXPECT_EQ(least("hex", 4, elasticity, Strategy::nonzeros), 8u * 125 * 5);
  EXPECT_EQ(least("hex", 4, elasticity, Strategy::atomic), of_pair);
  EXPECT_EQ(least("hex", 4, elasticity, Strategy::shared),
            2 * of_pair + 8 * (3 * 8) + 8 * (125 * 126 / 2 * 9 + 125 * 3));
  // Linear simplices want nothing but the values of their partition.
  EXPECT_EQ(least("tet", 1, diffusion, Strategy::colour), 0u);
  EXPECT_EQ(least("tet", 1, diffusion, Strategy::nonzeros), 0u);
  EXPECT_EQ(least("tet", 1, diffusion, Strategy::shared), 8u * (3 * 4) + 8 * (10 + 4));
}

TEST(SharedMemory, OfStripsFitsWhateverADeviceHas) {
  // A row of one unknown has a column of 33 numbers in each of two warps, a block row one for each pair of unknowns.
  EXPECT_EQ(assembly::strip_bytes(36, 1), 36u * 33 * 8 * 2);
  EXPECT_EQ(assembly::strip_bytes(36, 3), 36u * 33 * 8 * 9);
  EXPECT_EQ(assembly::strip_columns(99 * KiB, 1), 96);
  EXPECT_EQ(assembly::strip_columns(99 * KiB, 2), 96);
  EXPECT_EQ(assembly::strip_columns(99 * KiB, 3), 42);
  EXPECT_EQ(assembly::strip_columns(64 * KiB, 3), 27);
  for (const int components : {1, 2, 3})
    for (const std::size_t most : {8 * KiB, 48 * KiB, 64 * KiB, 99 * KiB, 227 * KiB}) {
      const int columns = assembly::strip_columns(most, components);
      EXPECT_GT(columns, 0);
      EXPECT_LE(assembly::strip_bytes(columns, components), most);
    }
}

TEST(SharedMemory, IsRefusedFromOneByteLessOn) {
  const mesh::Mesh mesh = box("hex", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 3);
  for (const FormTraits& form : {diffusion, elasticity, streamline})
    for (const assembly::StrategyEntry& entry : assembly::strategy_table()) {
      const std::size_t wanted = least("hex", 3, form, entry.strategy);
      const auto check = [&](std::size_t most) {
        assembly::check_shared_memory(mesh, map, form, true, {.strategy = entry.name}, most);
      };
      ASSERT_GT(wanted, 0u) << entry.name;
      check(wanted);
      expect_refused([&] { check(wanted - 1); },
                     std::string("a cell (hex, order 3) by the strategy \"") + entry.name + "\" takes ",
                     ExitCode::memory);
    }
}

TEST(SharedMemory, OfSimplicesIsMoreWhereCoefficientsVaryInThem) {
  const mesh::Mesh mesh = box("tet", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 4);
  const auto check = [&](bool at_points, std::size_t most) {
    assembly::check_shared_memory(mesh, map, diffusion, at_points, {.strategy = "shared"}, most);
  };
  check(false, 99 * KiB);
  check(true, 163 * KiB);
  expect_refused([&] { check(true, 99 * KiB); }, "of shared memory, the GPU has 99 KiB", ExitCode::memory);
}

/// The words of an assembly on CUDA that is refused; empty: it is not.
template <class Form>
std::string refusal(const mesh::Mesh& mesh, const assembly::DofMap& map, const char* strategy,
                    const typename Form::Data& data) {
  try {
    Cuda exec;
    assembly::Assembler<Cuda, Form> assembler(exec, mesh, map, {.strategy = strategy});
    Array<double, Device> b(Index{map.dofs} * Form::components(3));
    auto A = assembler.make_block_matrix();
    assembler.assemble(data, A, b.view());
    exec.synchronize();
  } catch (const Error& error) {
    return error.what() + (" | " + error.help());
  }
  return "";
}

TEST(SharedMemory, IsRefusedByCheckInTheWordsOfTheRunOnCuda) {
  if (!cuda_info().usable) GTEST_SKIP() << cuda_info().why_not;
  const mesh::Mesh mesh = box("hex", 2);
  forms::ElasticityData data;
  data.stiffness.values.assign(21, 0.0);
  data.stiffness.components = 21;
  for (int order = 1; order <= 4; ++order) {
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    for (const assembly::StrategyEntry& entry : assembly::strategy_table()) {
      std::string said;
      try {
        assembly::check_shared_memory(mesh, map, elasticity, false, {.strategy = entry.name}, shared_of_block());
      } catch (const Error& error) {
        said = error.what() + (" | " + error.help());
      }
      EXPECT_EQ(said, refusal<forms::Elasticity>(mesh, map, entry.name, data)) << entry.name << " " << order;
    }
  }
}

}  // namespace
}  // namespace tessera::testing
