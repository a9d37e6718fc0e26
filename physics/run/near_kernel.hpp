#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "linalg/near_kernel.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// What a form says that its operator makes small, at the nodes of a space, in the rows that this rank owns. Points are
/// taken from the middle of the body, of all ranks, in units of its size, so that no vector is the difference of large
/// ones.
template <class Space, class Form>
std::shared_ptr<const linalg::NearKernel<Space>> near_kernel_of(const Discretisation& space) {
  const int dim = space.mesh.dim, modes = Form::kernel_size(dim), components = space.components;
  const auto dofs = static_cast<std::size_t>(space.owned_rows() / components);
  std::array<double, 3> low = space.share.low, high = space.share.high;
  for (std::size_t n = 0; n < (space.ranks ? 0 : dofs); ++n)
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = space.dof_points[3 * n + d];
      low[d] = n == 0 ? x : std::min(low[d], x);
      high[d] = n == 0 ? x : std::max(high[d], x);
    }
  double size = 0;
  for (std::size_t d = 0; d < 3; ++d) size = std::max(size, 0.5 * (high[d] - low[d]));
  std::vector<double> vectors;
  vectors.reserve(dofs * static_cast<std::size_t>(components * modes));
  for (std::size_t n = 0; n < dofs; ++n) {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < 3; ++d)
      x[d] = (space.dof_points[3 * n + d] - 0.5 * (low[d] + high[d])) / (size > 0 ? size : 1);
    std::array<std::array<double, 3>, 6> at{};
    for (int mode = 0; mode < modes; ++mode) at[static_cast<std::size_t>(mode)] = Form::kernel(dim, mode, x.data());
    for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c)
      for (std::size_t mode = 0; mode < static_cast<std::size_t>(modes); ++mode) vectors.push_back(at[mode][c]);
  }
  auto result = std::make_shared<linalg::NearKernel<Space>>();
  result->modes = modes;
  result->vectors = to_space<Space>(vectors);
  return result;
}

}  // namespace tessera::physics
