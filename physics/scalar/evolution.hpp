#pragma once
// rho du/dt = div(k grad u) - c u + f on a backend.
#include <memory>
#include <span>
#include <vector>

#include "physics/run/evolution.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::scalar {

/// What stands before du/dt.
struct Storage {
  std::vector<deck::Expression> coefficients;  ///< [materials]
  bool lumped = false;
  const char* keys = "";  ///< what the deck calls the coefficient

  bool depends_on_solution() const;
};

/// The coefficient of du/dt as that of a reaction. Throws Error(usage) at a material where it is not positive. On a
/// mesh with an axis it carries the weight 2 pi r. u [dofs]: the solution that it may depend on.
forms::DiffusionData storage_data(const Storage& storage, const std::vector<MaterialParams>& materials,
                                  const std::vector<Index>& material, const mesh::Mesh& mesh,
                                  const assembly::DofMap& dofs, int threads, std::span<const double> u = {});

/// `problem` and `now` are as they are at the time that the model was moved to; `deck` and `storage` have t in their
/// expressions, for backends that evaluate them. Says in the summary which strategy was taken and why. Borrows all.
template <class Exec>
std::unique_ptr<Evolution<Exec>> make_evolution(Exec& exec, const Problem& problem, const Params& deck,
                                                const Storage& storage, const Storage& now, output::Summary& summary);

}  // namespace tessera::physics::scalar
