#pragma once
// Forward Euler steps of conservation laws by group finite elements on the node graph: low order with a graph
// viscosity, and high order with convex limiting. Which law it is says a type, an equation; see rows.hpp.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"
#include "physics/conservation/implicit_step.hpp"
#include "physics/conservation/step_length.hpp"

namespace tessera::physics::conservation {

enum class Limiter {
  none,        ///< the low order
  convex,      ///< Guermond, Nazarov, Popov & Tomas 2018
  monolithic,  ///< Kuzmin 2020: limits that do not depend on the step
  fct          ///< the low order through all stages, and then flux correction, where the equation has one
};

/// "none", "convex", "monolithic" or "fct".
inline Limiter limiter_named(const std::string& name) {
  if (name == "monolithic") return Limiter::monolithic;
  return name == "none" ? Limiter::none : name == "fct" ? Limiter::fct : Limiter::convex;
}

struct LimitParams {
  Limiter limiter = Limiter::convex;
  bool consistent_mass = true;  ///< of the high order; else the lumped one
  int passes = 2;               ///< of the limiter
  bool relaxed = true;          ///< whether bounds are relaxed, so that smooth extrema keep their order
  double viscosity_factor = 1;  ///< of the entropy commutator
  double relaxation = 1;        ///< factor of the part by which bounds may be wider
  bool at_end = false;          ///< of Limiter::convex: the low order goes through all of a step, whose end is limited
};

/// How long a step may be, and where a state is none.
struct StepLimit {
  double longest = 0;  ///< min m_i / (2 sum_j d_ij)
  Index bad = -1;      ///< the first node whose state is none that the equation has; -1: all are
};

/// Those of the pairs of numbers that Scheme::note leaves: the longest step, and the first node without a state or no
/// node's number.
inline std::vector<StepLimit> limits_of(View<const double> numbers) {
  std::vector<StepLimit> result;
  for (Offset k = 0; k + 1 < numbers.size(); k += 2)
    result.push_back({numbers[k], numbers[k + 1] < 1e300 ? static_cast<Index>(numbers[k + 1]) : -1});
  return result;
}

/// States u are [numbers, nodes seen] on the backend, by components. The first `owned` nodes
/// are computed, the others are ghosts of other ranks. All sums are of a node's own edges in a fixed order: bitwise
/// repeatable.
///
/// With c_ij = int phi_i grad phi_j and the graph viscosity d_ij = max(lambda(u_i, u_j, n_ij) |c_ij|, the same of ji):
///   low order   m_i (u_i^L - u_i) / dt = sum_j -(F_j - F_i) c_ij + d_ij (u_j - u_i)
///   high order  R_i = the same with d_ij (alpha_i + alpha_j) / 2, alpha the entropy commutator, and
///               m_i (u_i^H - u_i^L) / dt = sum_j f_ij,
///               f_ij = d_ij ((alpha_i + alpha_j) / 2 - 1) (u_j - u_i) + m_ij (R_i / m_i - R_j / m_j)
///   limited     m_i (u_i - u_i^L) / dt = sum_j l_ij f_ij, l_ij = l_ji: u_i^L + n_i dt/m_i l_ij f_ij is within bounds,
///               or monolithic.hpp.
/// Maier & Kronbichler, ACM Trans. Parallel Comput. 8 (2021) 16, algorithm 1. Each end of an edge computes both limits,
/// so that nothing is transposed.
///
/// Passes over memory of a stage: the nodes; the rows with c, which write d; the rows with d; those with d and m, which
/// take all of each edge; and twice edges of which something is refused, see limit_rows.hpp. Bytes: bytes_per_stage(),
/// where nothing is.
template <class Exec>
class Scheme {
 public:
  using Space = typename Exec::Space;
  /// The ghosts of x [components, nodes seen] become what their owners have. Empty on one rank.
  using Exchange = std::function<void(View<double> x, int components)>;
  using FloatExchange = std::function<void(View<float> x, int components)>;  ///< the same, of what is kept in float
  using Sum = std::function<void(std::span<double> x)>;  ///< x becomes its sum over ranks. Empty on one.

  virtual ~Scheme() = default;
  virtual int dim() const = 0;
  /// Of a state.
  virtual int numbers() const = 0;
  virtual Offset nodes() const = 0;
  /// [nodes seen] m_i; of ghosts only a part.
  virtual View<const double> lumped_mass() const = 0;
  /// The measure of the whole domain, by which bounds are relaxed. First of all.
  virtual void set_measure(double measure) = 0;

  /// Passes in float count in these units: what each number of a state and what speeds are multiplied by, powers of
  /// two, the same on all ranks. Those in double know no others than those of the state.
  virtual void set_units(const std::vector<double>& numbers, double speed) = 0;

  /// Nodes whose states are prescribed, where `values` is not NaN: what the scheme makes there is overwritten, so that
  /// they limit nothing and count as smooth. Those of the last call are forgotten. Collective where ranks share the
  /// nodes.
  struct Prescribed {
    View<const Index> nodes;
    View<const double> values;
  };
  virtual void set_prescribed(const std::vector<Prescribed>& lists) = 0;

  /// Viscosities, rates and bounds of a state whose ghosts are those of now. What limits a step is kept in `slot`, 0, 1
  /// or 2.
  virtual void take(View<const double> u, int slot) = 0;
  /// Of the slots below `count`, over the own nodes of this rank. Waits for the backend and copies few numbers.
  virtual std::vector<StepLimit> limits(int count) = 0;
  /// Queues, without waiting: note [1 + 2 slots] = the length at `noted_length`, and what limits_of reads of each slot;
  /// then that length becomes the one that the rule takes of slot 0.
  virtual void note(const StepRule& rule, int slots, View<double> note) = 0;
  /// A length of a step where the vectors are.
  virtual const double* noted_length() const = 0;
  /// The own node with the shortest step of the state that was taken last. Waits for the backend, and copies a vector.
  virtual Index slowest() = 0;
  /// to = share start + (1 - share) (u after dt) at the own nodes, u as it was taken; `to` is neither of both.
  virtual void advance(View<const double> u, StepLength dt, double share, View<const double> start,
                       View<double> to) = 0;
  /// The same, of Limiter::convex, as stage `weights.size()` of a scheme whose stages are steps of dt each: the high
  /// order takes the fluxes (1 - sum_k w_k) F(u) + sum_k w_k F(u_k), u_k what stage k of this step has begun with.
  virtual void advance_stage(View<const double> u, StepLength dt, const std::vector<double>& weights, bool is_last,
                             View<double> to) = 0;

  /// What `advance` has made with dt becomes what it would have made at each node with `cfl` times the longest step of
  /// that node; of limiters none and monolithic, whose rates do not depend on dt.
  virtual void stretch(View<const double> u, double dt, double cfl, double share, View<const double> start,
                       View<double> to) = 0;
  /// sum_i m_i (d/dt)^2 over the own nodes of the first number, as what a step of `cfl` times the longest one of each
  /// node has changed says it. Waits for the backend.
  virtual double square_of_rates(View<const double> before, View<const double> after, double cfl) = 0;

  /// From now on alpha of nodes and l_ij of edges are those of the stage before, moved by the part `blend` towards the
  /// new ones: 1, the new ones, as long as it is not called; 0, those before. What is at rest with them is at rest
  /// with the new ones, too, for any blend above 0. Of Limiter::monolithic, and first with 1.
  virtual void set_blend(double blend) = 0;

  /// [owned] m_i / (2 sum_j d_ij) of the state that was taken.
  virtual View<const double> longest_steps() const = 0;
  /// Block rows of the own nodes, without values, of equations with implicit steps; `boundary`: of them all that may
  /// have ghosts as neighbours, ascending.
  virtual ImplicitMatrix<Space> implicit_pattern(const std::vector<Index>& boundary) = 0;
  /// Their values at u, which was taken and, where `step` looks at limits, advanced; see implicit_step.hpp.
  virtual void implicit_matrix(View<const double> u, const ImplicitStep& step, ImplicitMatrix<Space>& A) = 0;

  /// Whether steps end with `correct`: of Limiter::fct, and of LimitParams::at_end.
  virtual bool corrects() const = 0;
  /// to = u, which was taken, with the antidiffusion of a step of dt that the limiter allows, at the own nodes.
  virtual void correct(View<const double> u, StepLength dt, View<double> to) = 0;

  /// parts [nodes seen] of each own node: the least part that the first pass of the limiter takes of one of its edges
  /// in a step of dt from u, which was taken; 1 where none is limited. Of limiters convex and monolithic, on the host.
  virtual void least_parts(View<const double> u, double dt, View<double> parts) = 0;

  /// What one take and advance must move, at least.
  virtual double bytes_per_stage() const = 0;
};

}  // namespace tessera::physics::conservation
