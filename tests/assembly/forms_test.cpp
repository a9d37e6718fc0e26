// Forms as types: one that only says what stands at a point equals one that brings more structure, and forms that leave
// blocks out equal those that have no data for them. The forms of this file are instantiated by it, as a plugin would
// do.
#include <gtest/gtest.h>

#include "assembly/cells/instantiate_threads.hpp"
#include "assembly/forms_support.hpp"
#include "assembly/matrix_free/instantiate_threads.hpp"
#include "forms/mass.hpp"
#include "forms/source.hpp"

namespace tessera::testing {
namespace {

/// int k grad u . grad v + ((1 - s) b . grad u) v + s u b . grad v + c u v = int f v, with nothing but at_point.
struct Transport {
  using Number = double;
  using Data = forms::ConvectionData;
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  static constexpr unsigned couples = forms::gradient_gradient | forms::value_gradient | forms::gradient_value |
                                      forms::value_value | forms::load_value | forms::load_gradient;
  forms::Field k = {}, c = {}, f = {}, b = {};
  double transposed = 0;

  template <int dim>
  void at_point(const forms::Place& x, forms::Tangent<dim>& C, forms::Load<dim>& l) const {
    C.gg = {k.at(x), k.components};
    for (int d = 0; d < dim; ++d) {
      C.vg[d] = (1 - transposed) * b.at(x)[d];
      C.gv[d] = transposed * b.at(x)[d];
      l.gradient[d] = 0;
    }
    C.vv = *c.at(x);
    l.value = *f.at(x);
  }
  bool present(forms::Block) const { return true; }
  bool constant() const { return false; }
  static bool needs_second() { return false; }
  static constexpr std::array<forms::Field Transport::*, 4> members() {
    return {&Transport::k, &Transport::c, &Transport::f, &Transport::b};
  }
  static std::array<forms::NamedCoefficient, 4> coefficients(const Data& data) {
    return {{{"k", &data.diffusion.k, forms::Rank::scalar_or_tensor},
             {"c", &data.diffusion.c, forms::Rank::scalar},
             {"f", &data.diffusion.f, forms::Rank::scalar},
             {"b", &data.velocity, forms::Rank::vector}}};
  }
  static const std::vector<Index>& region(const Data& data) { return data.diffusion.region; }
};

template <class Form>
convection::Filled assembled(const mesh::Mesh& mesh, const assembly::DofMap& map, const typename Form::Data& data,
                             const std::string& strategy, const Form& form = {}) {
  Threads exec(2);
  return testing::assembled<Form>(exec, mesh, map, data, strategy, form);
}

TEST(Forms, OneThatOnlySaysWhatStandsAtAPointEqualsOneWithStructure) {
  for (const convection::Case& c : convection::cases()) {
    const mesh::Mesh mesh = convection::mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    forms::ConvectionData data = convection::varying_data(mesh, map, 1);
    const convection::Filled expected = assembled<forms::Convection>(mesh, map, data, "colour");
    for (const char* strategy : all_strategies) {
      const convection::Filled found = assembled<Transport>(mesh, map, data, strategy);
      expect_close(found.values, expected.values, c.shape + strategy);
      expect_close(found.b, expected.b, c.shape + strategy);
    }
  }
}

TEST(Forms, ValuesBesideGradientsAreTheTranspose) {
  const mesh::Mesh mesh = box("tet", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const forms::ConvectionData data = convection::varying_data(mesh, map, 1);
  Transport transposed;
  transposed.transposed = 1;
  const convection::Filled plain = assembled<Transport>(mesh, map, data, "colour"),
                           turned = assembled<Transport>(mesh, map, data, "colour", transposed);
  const double size = plain.norm();
  double difference = 0;
  for (Index row = 0; row < map.dofs; ++row)
    for (Offset k = turned.row_ptr[row]; k < turned.row_ptr[row + 1]; ++k) {
      const Index col = turned.col_ind[k];
      const auto first = plain.col_ind.begin() + plain.row_ptr[col],
                 last = plain.col_ind.begin() + plain.row_ptr[col + 1];
      const Offset mirror = std::lower_bound(first, last, row) - plain.col_ind.begin();
      ASSERT_NEAR(turned.values[k], plain.values[mirror], 1e-12 * size);
      difference = std::max(difference, std::abs(turned.values[k] - plain.values[k]));
    }
  EXPECT_GT(difference, 1e-3 * size) << "the form is symmetric: nothing was shown";
}

TEST(Forms, BlocksThatAFormDoesNotCoupleEqualThoseWithoutData) {
  for (const convection::Case& c : convection::cases()) {
    const mesh::Mesh mesh = convection::mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    const forms::ConvectionData varying = convection::varying_data(mesh, map, 1);
    for (const bool at_points : {false, true}) {
      const forms::Coefficient value = at_points ? varying.diffusion.c : constant(1.5),
                               load = at_points ? varying.diffusion.f : constant(-2);
      for (const char* strategy : all_strategies) {
        const convection::Filled both =
            assembled<forms::Diffusion>(mesh, map, {.region = {}, .k = {}, .c = value, .f = load}, strategy);
        const std::string name = c.shape + std::to_string(c.order) + strategy;
        expect_close(assembled<forms::Mass>(mesh, map, {.region = {}, .rho = value}, strategy).values, both.values,
                     name);
        const convection::Filled source = assembled<forms::Source>(mesh, map, {.region = {}, .f = load}, strategy);
        expect_close(source.b, both.b, name);
        EXPECT_EQ(source.norm(), 0);
      }
    }
  }
}

TEST(Forms, TheMassMatrixSumsToTheVolume) {
  for (const convection::Case& c : convection::cases()) {
    const mesh::Mesh mesh = box(c.shape, 2, c.geometry);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    double sum = 0;
    for (const double value : assembled<forms::Mass>(mesh, map, {.region = {}, .rho = constant(3)}, "colour").values)
      sum += value;
    EXPECT_NEAR(sum, 3, 1e-11) << c.shape << c.order;
  }
}

TEST(Forms, AMassWithoutAMatrixIsTheAssembledOne) {
  for (const convection::Case& c : convection::cases()) {
    if (c.geometry > 1) continue;
    const mesh::Mesh mesh = convection::mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    const forms::MassData data{.region = {}, .rho = convection::varying_data(mesh, map, 1).diffusion.c};
    std::vector<double> u;
    for (Index dof = 0; dof < map.dofs; ++dof) u.push_back(std::sin(1.0 + dof));
    const std::vector<double> expected = assembled<forms::Mass>(mesh, map, data, "colour").times(u);
    for (const char* geometry : {"auto", "stored"}) {
      Threads exec(2);
      Array<double> b(map.dofs), y(map.dofs);
      const auto A =
          assembly::make_matrix_free<forms::Mass>(exec, mesh, map, data, {}, {.geometry = geometry}, b.view());
      A->apply(exec, to_space<Host>(u).view(), y.view());
      expect_close(to_vector(y), expected, c.shape + geometry);
    }
  }
}

}  // namespace
}  // namespace tessera::testing

template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Mass>;
template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Source>;
template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::Mass>;
template class tessera::assembly::MatrixFree<tessera::Threads, tessera::forms::BasicMass<float>>;
