#include "physics/model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::physics {

double level_of(const DirichletData& dirichlet) {
  if (dirichlet.level) return *dirichlet.level;
  if (dirichlet.values.empty()) return 0;
  const auto [least, most] = std::minmax_element(dirichlet.values.begin(), dirichlet.values.end());
  return *least == *most ? *least : 0.5 * *least + 0.5 * *most;
}

DirichletData below(DirichletData dirichlet, double level) {
  for (double& value : dirichlet.values) value -= level;
  dirichlet.level.reset();
  return dirichlet;
}

mesh::Group NodalSolution::own(const mesh::Group* group) const {
  mesh::Group result{group ? group->name : "", group ? group->dim : mesh.dim, {}, {}};
  const auto take = [&](Index entity) {
    if (!share || (result.dim == mesh.dim ? share->cells : share->facets)[static_cast<std::size_t>(entity)])
      result.entities.push_back(entity);
  };
  if (group)
    std::for_each(group->entities.begin(), group->entities.end(), take);
  else
    for (Index cell = 0; cell < mesh.cells(); ++cell) take(cell);
  return result;
}

void NodalSolution::keep_own(std::span<const Index> dofs, std::span<double> values) const {
  if (!share || dofs.empty()) return;
  const std::size_t width = values.size() / dofs.size();
  for (std::size_t i = 0; i < dofs.size(); ++i)
    if (dofs[i] >= own_dofs()) std::fill_n(&values[i * width], width, 0.0);
}

double Results::quantity(const QuantityParams& quantity) const {
  throw Error(ExitCode::internal, fmt::format("the model has no quantity of kind '{}'", quantity.kind), "");
}

std::vector<double> Results::field(const std::string& name) {
  throw Error(ExitCode::internal, fmt::format("the model has no field '{}'", name), "");
}

}  // namespace tessera::physics
