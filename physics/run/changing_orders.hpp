#pragma once
// Operators of lower order whose values change: of the steps of a run through time, of the states of Newton's method.
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linalg/lower_orders.hpp"
#include "physics/run/evolution.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics {

/// What a model says in a space of lower order: of a run through time its mass, and of a linear one its stiffness;
/// where coefficients depend on the solution its tangent.
template <class Exec>
struct LowerEquations {
  std::unique_ptr<Evolution<Exec>> evolution;
  std::unique_ptr<Nonlinear<Exec>> nonlinear;
};
template <class Exec>
using MakeEquations = std::function<LowerEquations<Exec>(const Discretisation& space, output::Summary& summary)>;

/// sigma M + A, or the tangent at a state in its place, in the orders below that of a space, down to 1. Spaces,
/// transfers, patterns and formats are made once; what `fill` changes are numbers.
template <class Exec>
class ChangingOrders {
 public:
  using Space = typename Exec::Space;
  using Orders = linalg::LowerOrders<Exec>;

  /// The space of `ranks` is what the model has set up, and `params` are those of the model. Borrows all but `make`.
  /// Phase: lower orders; its parts: lower spaces, lower systems, transfers. Collective.
  ChangingOrders(Exec& exec, CommonParams& params, const Varying& varying, const OverRanks<Exec>& ranks,
                 const MakeEquations<Exec>& make);

  /// For the data at time t, where the model is, and where something depends on it at the state u [rows of the space]
  /// with that factor of the loads; the lower orders have its values at their nodes. Throws as Nonlinear does.
  /// Collective.
  void fill(double t, double sigma, double load = 1, std::span<const double> u = {});
  /// Of which operators there are once they were filled.
  std::shared_ptr<const Orders> orders() const { return orders_; }

 private:
  struct Level {
    Discretisation space;
    LowerEquations<Exec> equations;
    std::optional<OverRanks<Exec>> ranks;  ///< of the space
    linalg::Crs<Space> mass, stiffness;
    System<Exec> system, own;  ///< of all rows that are seen, and over ranks of those that this one owns
    std::vector<double> u;
  };
  /// `moved`: other data than the last time.
  void fill(Level& level, double t, bool moved, double sigma, double load);
  void store(Level& level, linalg::LowerOrder<Exec>& order);

  Exec& exec_;
  CommonParams& params_;
  const Varying varying_;
  const OverRanks<Exec>& ranks_;
  std::list<Level> levels_;
  std::shared_ptr<Orders> orders_;
  double t_ = std::numeric_limits<double>::quiet_NaN();  ///< of the last data, where all levels have it
};

/// A problem whose tangents have lower orders beside them.
template <class Exec>
class OrderedNonlinear final : public Nonlinear<Exec> {
 public:
  OrderedNonlinear(std::unique_ptr<Nonlinear<Exec>> problem, std::unique_ptr<ChangingOrders<Exec>> lower)
      : problem_(std::move(problem)), lower_(std::move(lower)) {}

  void take_data(double t) override { problem_->take_data(t); }
  void move_to(std::span<const double> u, double load) override {
    problem_->move_to(u, load);
    u_.assign(u.begin(), u.end());
    load_ = load;
  }
  void residual(View<double> r) override { problem_->residual(r); }
  void tangent(System<Exec>& system) override { problem_->tangent(system); }
  /// Filled at the state of the last tangent. Collective.
  std::shared_ptr<const linalg::LowerOrders<Exec>> lower_orders() const override {
    lower_->fill(0, 0, load_, u_);
    return lower_->orders();
  }

 private:
  std::unique_ptr<Nonlinear<Exec>> problem_;
  std::unique_ptr<ChangingOrders<Exec>> lower_;
  std::vector<double> u_;
  double load_ = 1;
};

}  // namespace tessera::physics
