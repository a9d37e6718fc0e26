// The elements that kernels are launched with, beside what their check foretells. Nothing is launched.
#include <gtest/gtest.h>

#include "assembly/cells/launch.cuh"
#include "assembly/space/dof_map.hpp"
#include "forms/convection.hpp"
#include "forms/diffusion.hpp"
#include "forms/elasticity.hpp"
#include "mesh/box.hpp"

namespace tessera::testing {
namespace {

mesh::Mesh box(const char* shape) {
  mesh::BoxParams params;
  const int dim = mesh::dimension(mesh::shape_from_name(shape));
  params.min.assign(dim, 0.0);
  params.max.assign(dim, 1.0);
  params.cells.assign(dim, 2);
  params.shape = shape;
  return mesh::make_box(params, 1);
}

template <bool adds, class Form>
void compare(const char* shape, int order, const Form& form) {
  const mesh::Mesh mesh = box(shape);
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  const assembly::FormTraits traits = assembly::traits_of(form, mesh.dim);
  assembly::BlockData<Device> block;
  static_cast<assembly::BlockShape&>(block) = assembly::shape_of(mesh.blocks[0], map.blocks[0], order, traits);
  block.adds = adds;
  block.by_columns = assembly::threads_take_cells(block);
  const assembly::ElementMemory foretold = assembly::element_memory(block, traits);
  assembly::kernels::with_element<adds>(block, form, [&](const auto& element) {
    const assembly::ElementMemory taken = element.memory();
    EXPECT_EQ(taken.tables, foretold.tables) << shape << order;
    EXPECT_EQ(taken.work, foretold.work) << shape << order;
    EXPECT_EQ(static_cast<int>(element.kind), static_cast<int>(assembly::element_kind(block))) << shape << order;
  });
}

TEST(ElementMemory, OfKernelsIsWhatCheckForetells) {
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 4; ++order) {
      compare<false>(shape, order, forms::Diffusion());
      compare<true>(shape, order, forms::Diffusion());
      for (const bool supg : {false, true}) {
        compare<false>(shape, order, forms::Convection{.supg = supg});
        compare<true>(shape, order, forms::Convection{.supg = supg});
      }
      compare<false>(shape, order, forms::Elasticity());
      compare<true>(shape, order, forms::Elasticity());
    }
}

}  // namespace
}  // namespace tessera::testing
