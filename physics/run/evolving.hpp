#pragma once
// M u' = b - A u on a backend at the time at hand, and what is prescribed there.
#include <fmt/format.h>

#include <algorithm>

#include "base/collective.hpp"
#include "physics/run/evolution.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rank_run.hpp"

namespace tessera::physics {

/// Vectors are those of all rows that a rank sees: its own, and behind these the ghosts of the space.
template <class Exec>
class Evolving {
 public:
  using Space = typename Exec::Space;

  /// At time t. Collective, as all that moves is.
  Evolving(Exec& exec, Model& model, Evolution<Exec>& evolution, const Discretisation& space, Context& context,
           double t)
      : exec_(exec),
        model_(model),
        evolution_(evolution),
        space_(space),
        varying_(model.varying()),
        ranks_(exec, space, context.summary),
        mass_(evolution.make_matrix()),
        stiffness_(evolution.make_matrix()),
        loads_(space.rows()),
        t_(t) {
    ranks_.each([&] {
      prescribed_ = model_.move_to(t);
      evolution_.fill_mass(t, mass_);
      evolution_.fill(t, stiffness_, loads_.view());
      // By the same sums as later, so that a run that begins here is bitwise one that came by.
      if (varying_.loads && !varying_.stiffness) evolution_.fill_loads(t, stiffness_, loads_.view());
    });
    complete_prescribed();
  }

  /// Whether mass and stiffness are others than before.
  bool move_to(double t) {
    if (t == t_) return false;
    t_ = t;
    const bool matrix = varying_.mass || varying_.stiffness;
    if (!matrix && !varying_.loads && !varying_.prescribed) return false;
    ranks_.each([&] {
      try {
        DirichletData prescribed = model_.move_to(t);
        if (varying_.prescribed) prescribed_ = std::move(prescribed);
        if (varying_.mass) evolution_.fill_mass(t, mass_);
        if (varying_.stiffness)
          evolution_.fill(t, stiffness_, loads_.view());
        else if (varying_.loads)
          evolution_.fill_loads(t, stiffness_, loads_.view());
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("at t = {:g}: {}", t, error.what()), error.help(), error.where());
      }
    });
    if (varying_.prescribed) complete_prescribed();
    return matrix;
  }

  linalg::Crs<Space> make_matrix() { return evolution_.make_matrix(); }
  const Varying& varying() const { return varying_; }
  const OverRanks<Exec>& ranks() const { return ranks_; }
  const Discretisation& space() const { return space_; }
  linalg::Crs<Space>& mass() { return mass_; }
  linalg::Crs<Space>& stiffness() { return stiffness_; }
  View<const double> loads() const { return loads_.view(); }
  const DirichletData& prescribed() const { return prescribed_; }
  /// Its values, and rows and values of those that this rank owns.
  View<const double> prescribed_values() const { return values_.view(); }
  View<const Index> own_fixed() const { return own_fixed_.view(); }
  View<const double> own_values() const { return own_values_.view(); }
  /// du/dt of what is prescribed, of the same rows: a rank sees all facets at those that it owns.
  std::vector<double> prescribed_rates() {
    DirichletData rates;
    ranks_.each([&] { rates = model_.prescribed_rates(); });
    return of_owned_rows(std::move(rates), ranks_.rows()).values;
  }

 private:
  /// Ghosts have the values of their owners; all are on the backend.
  void complete_prescribed() {
    if (ranks_) prescribed_ = completed(space_, std::move(prescribed_));
    const DirichletData own = of_owned_rows(prescribed_, ranks_.rows());
    values_ = to_space<Space>(prescribed_.values);
    own_fixed_ = to_space<Space>(own.dofs);
    own_values_ = to_space<Space>(own.values);
  }

  Exec& exec_;
  Model& model_;
  Evolution<Exec>& evolution_;
  const Discretisation& space_;
  const Varying varying_;
  OverRanks<Exec> ranks_;
  linalg::Crs<Space> mass_, stiffness_;
  Array<double, Space> loads_;
  DirichletData prescribed_;
  Array<Index, Space> own_fixed_;
  Array<double, Space> values_, own_values_;
  double t_;
};

}  // namespace tessera::physics
