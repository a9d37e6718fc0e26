#pragma once
// M u' = b - A u or M(u) u' = R(u) on a backend at the time at hand, and what is prescribed there.
#include <fmt/format.h>

#include <algorithm>

#include "base/collective.hpp"
#include "physics/run/changing_orders.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/rank_run.hpp"

namespace tessera::physics {

/// What a model says of its change in time. Where `nonlinear` is there, u' follows from its residual, and of the
/// evolution counts the mass alone.
template <class Exec>
struct Equations {
  Evolution<Exec>& evolution;
  const OverRanks<Exec>& ranks;  ///< of its space
  Nonlinear<Exec>* nonlinear = nullptr;
  bool sources_vary = false;              ///< they have loads that depend on time beside those of the model
  ChangingOrders<Exec>* lower = nullptr;  ///< of an implicit scheme, where its systems need lower orders
};

/// Vectors are those of all rows that a rank sees: its own, and behind these the ghosts of the space.
template <class Exec>
class Evolving {
 public:
  using Space = typename Exec::Space;

  /// At time t and state u [rows]. Collective, as all that moves is.
  Evolving(Exec& exec, Model& model, const Equations<Exec>& equations, const Discretisation& space, double t,
           std::span<const double> u)
      : exec_(exec),
        model_(model),
        evolution_(equations.evolution),
        nonlinear_(equations.nonlinear),
        lower_(equations.lower),
        space_(space),
        varying_(varying_of(model, equations)),
        ranks_(equations.ranks),
        mass_(evolution_.make_matrix()),
        t_(t) {
    if (!nonlinear_) {
      stiffness_ = evolution_.make_matrix();
      loads_ = Array<double, Space>(space.rows());
    }
    ranks_.each([&] {
      prescribed_ = model_.move_to(t);
      evolution_.fill_mass(t, u, mass_);
      if (nonlinear_) return nonlinear_->take_data(t);
      evolution_.fill(t, stiffness_, loads_.view());
      // By the same sums as later, so that a run that begins here is bitwise one that came by.
      if (varying_.loads && !varying_.stiffness) evolution_.fill_loads(t, stiffness_, loads_.view());
    });
    complete_prescribed();
  }

  /// A mass of u waits for the state.
  void move_to(double t) {
    if (t == t_) return;
    t_ = t;
    const bool matrix = varying_.mass || varying_.stiffness;
    if (!matrix && !varying_.loads && !varying_.prescribed) return;
    matrices_ += matrix;
    ranks_.each([&] {
      saying_when([&] {
        DirichletData prescribed = model_.move_to(t);
        if (varying_.prescribed) prescribed_ = std::move(prescribed);
        if (varying_.mass && !varying_.mass_of_solution) evolution_.fill_mass(t, {}, mass_);
        if (nonlinear_)
          nonlinear_->take_data(t);
        else if (varying_.stiffness)
          evolution_.fill(t, stiffness_, loads_.view());
        else if (varying_.loads)
          evolution_.fill_loads(t, stiffness_, loads_.view());
      });
    });
    if (varying_.prescribed) complete_prescribed();
  }
  /// How many mass and stiffness there have been: whoever made something of them compares.
  long matrices() const { return matrices_; }

  /// Of a nonlinear problem: residual, tangent and mass are those of this state [rows]; ranks each for themselves.
  /// Throws Error(usage) where coefficients cannot be evaluated there.
  void move_to_state(std::span<const double> u) {
    saying_when([&] {
      nonlinear_->move_to(u, 1);
      if (varying_.mass_of_solution) evolution_.fill_mass(t_, u, mass_);
    });
  }
  Nonlinear<Exec>* nonlinear() const { return nonlinear_; }
  ChangingOrders<Exec>* lower() const { return lower_; }

  double time() const { return t_; }
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
  /// Calls work; what it throws says at which time.
  template <class Work>
  void saying_when(Work work) const {
    try {
      work();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("at t = {:g}: {}", t_, error.what()), error.help(), error.where());
    }
  }

  static Varying varying_of(Model& model, const Equations<Exec>& equations) {
    Varying varying = model.varying();
    varying.loads |= equations.sources_vary;
    return varying;
  }

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
  Nonlinear<Exec>* nonlinear_;
  ChangingOrders<Exec>* lower_;
  const Discretisation& space_;
  const Varying varying_;
  const OverRanks<Exec>& ranks_;
  linalg::Crs<Space> mass_;
  linalg::Crs<Space> stiffness_;  ///< of a linear problem, as the loads
  Array<double, Space> loads_;
  DirichletData prescribed_;
  Array<Index, Space> own_fixed_;
  Array<double, Space> values_, own_values_;
  double t_;
  long matrices_ = 1;
};

}  // namespace tessera::physics
