#pragma once
// What an assembler makes of a form, for comparisons.
#include "assembly/convection_support.hpp"

namespace tessera::testing {

/// The matrix and vector; the vector alone is the same.
template <class Form, class Exec>
convection::Filled assembled(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map,
                             const typename Form::Data& data, const std::string& strategy, const Form& form = {}) {
  using Space = typename Exec::Space;
  assembly::Assembler<Exec, Form> assembler(exec, mesh, map, {.strategy = strategy}, form);
  linalg::Crs<Space> A = assembler.make_matrix();
  Array<double, Space> b(map.dofs);
  assembler.assemble(data, A, b.view());
  const std::vector<double> with_matrix = to_vector(b);
  assembler.refill_vector(b.view());
  const std::vector<double> alone = to_vector(b);
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_NEAR(alone[i], with_matrix[i], 1e-13 * (1 + std::abs(with_matrix[i]))) << strategy;
  return {to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), alone};
}

inline void expect_close(const std::vector<double>& found, const std::vector<double>& expected,
                         const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12 * size) << what << " " << i;
}

inline const char* const all_strategies[] = {"colour", "colour_blocks", "atomic", "two_pass", "shared", "nonzeros"};

}  // namespace tessera::testing
