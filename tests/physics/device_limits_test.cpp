// What check refuses of a GPU with less shared memory than a run takes, whichever GPU is there.
#include "physics/run/device_limits.hpp"

#include <gtest/gtest.h>

#include "assembly/space/dof_map.hpp"
#include "base/error.hpp"
#include "forms/diffusion.hpp"
#include "forms/elasticity.hpp"
#include "mesh/box.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics {
namespace {

constexpr std::size_t KiB = 1024;

struct Case {
  CommonParams params;
  Discretisation space;
  AtPoints coefficients{.form = assembly::traits_of(forms::Elasticity(), 3)};

  explicit Case(int order, const char* shape = "hex") {
    mesh::BoxParams box;
    box.cells = {1, 1, 1};
    box.min = {0, 0, 0};
    box.max = {1, 1, 1};
    box.shape = shape;
    space.mesh = mesh::make_box(box, 1);
    space.dofs = assembly::make_dof_map(space.mesh, order);
  }
  /// The words and the help of the error; empty: it is let through.
  std::string refusal(bool matrix_free, std::size_t most) const {
    try {
      check_shared_memory(params, space, coefficients, matrix_free, most);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::memory);
      return error.what() + (" | " + error.help());
    }
    return "";
  }
};

TEST(DeviceLimits, HoldForMatrices) {
  Case hexes(4);
  hexes.params.assembly.strategy = "shared";
  EXPECT_EQ(hexes.refusal(false, 227 * KiB),
            "a cell (hex, order 4) by the strategy \"shared\" takes 596 KiB of shared memory, the GPU has 227 KiB | "
            "choose another assembly.strategy (two_pass and colour take least), a lower order, or backend threads");
  hexes.params.assembly.strategy = "two_pass";
  EXPECT_EQ(hexes.refusal(false, 64 * KiB), "");
  hexes.coefficients.form.reset();
  EXPECT_EQ(hexes.refusal(false, 0), "");
}

TEST(DeviceLimits, HoldForCoefficientsThatVaryInSimplices) {
  Case tets(4, "tet");
  tets.params.assembly.strategy = "shared";
  tets.coefficients = {.form = assembly::traits_of(forms::Diffusion(), 3)};
  EXPECT_EQ(tets.refusal(false, 99 * KiB), "");
  tets.coefficients.varies = true;
  EXPECT_NE(tets.refusal(false, 99 * KiB), "");
  EXPECT_EQ(tets.refusal(false, 163 * KiB), "");
}

/// A reaction is of the matrix as a diffusivity is; a source is not.
TEST(DeviceLimits, AreThoseOfWhateverVariesInTheMatrix) {
  const auto varies = [](forms::Coefficient forms::DiffusionData::*which) {
    forms::ConvectionData data;
    (data.diffusion.*which).per_point = true;
    return scalar::at_points(data).varies;
  };
  EXPECT_TRUE(varies(&forms::DiffusionData::k));
  EXPECT_TRUE(varies(&forms::DiffusionData::c));
  EXPECT_FALSE(varies(&forms::DiffusionData::f));
}

TEST(DeviceLimits, HoldWithoutMatrix) {
  Case hexes(8);  // 3 unknowns and their gradients at 9^3 points
  EXPECT_EQ(hexes.refusal(true, 99 * KiB), "");
  EXPECT_EQ(hexes.refusal(true, 64 * KiB),
            "a cell (hex, order 8) by the strategy \"matrix_free\" takes 68.3 KiB of shared memory, the GPU has 64 KiB "
            "| choose another assembly.strategy (two_pass and colour take least), a lower order, or backend threads");
  hexes.params.run.precision = "float";
  EXPECT_EQ(hexes.refusal(true, 64 * KiB), "");
}

}  // namespace
}  // namespace tessera::physics
