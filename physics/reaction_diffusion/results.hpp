#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "physics/model.hpp"

namespace tessera::physics::reaction_diffusion {

/// Each field by itself, for files and lines.
class FieldResults final : public Results {
 public:
  /// Borrows the solution.
  FieldResults(const NodalSolution& solution, std::vector<std::string> fields)
      : solution_(solution), fields_(std::move(fields)) {}

  std::vector<double> field(const std::string& name) override {
    const auto c = static_cast<int>(std::find(fields_.begin(), fields_.end(), name) - fields_.begin());
    std::vector<double> values(static_cast<std::size_t>(solution_.space.dofs.dofs));
    for (Index dof = 0; dof < solution_.space.dofs.dofs; ++dof)
      values[static_cast<std::size_t>(dof)] = solution_.u[static_cast<std::size_t>(solution_.space.row(dof, c))];
    return values;
  }

 private:
  const NodalSolution& solution_;
  std::vector<std::string> fields_;
};

}  // namespace tessera::physics::reaction_diffusion
