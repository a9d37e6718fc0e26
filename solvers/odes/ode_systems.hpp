#pragma once
#include "base/array.hpp"
#include "solvers/odes/node_steps.hpp"

namespace tessera::solvers {

// Reactions: u' = f(t, u) at one node. A reaction is a trivially copyable type, which kernels take by value, with
//   static constexpr int most_species;       // bound of the arrays of a node
//   static constexpr bool needs_time;        // whether f depends on t
//   int species() const;                     // n <= most_species; where it is a constant, loops unroll
//   void rates(const double* u, double t, double* du) const;                 // du [n] = f(t, u)
//   void jacobian(const double* u, double t, double* J) const;               // J [n, n] = df/du, row-major
//   void time_derivative(const double* u, double t, double* dfdt) const;     // [n] = df/dt, where needs_time
//   Reaction at_node(Offset i) const;        // that of node i, where it is not the same everywhere
// all of them host-device; the last is left out where the first ones do without.

/// Where the species c of node i stands: u[i node_stride + c component_stride]. The default is [species, count], of
/// which neighbouring threads read neighbouring numbers.
struct NodeLayout {
  Offset node_stride = 1;
  Offset component_stride = 0;  ///< 0: count
};

/// The reactions of all nodes over a span of time, as a split step needs them: the seam that a deck selects.
template <class Exec>
class ReactionStep {
 public:
  virtual ~ReactionStep() = default;
  ReactionStep() = default;
  ReactionStep(const ReactionStep&) = delete;

  /// u(t) -> u(t + dt) at every node, each with steps of its own, which depend on nothing but its own state and what it
  /// remembers. Nodes that fail keep the state of their last step, and the report says so. Waits for the end. Throws
  /// Error(usage) where dt is negative or a time is not finite, or where u is too short for the layout.
  virtual OdeReport advance(double t, double dt, View<double> u, const NodeLayout& layout) = 0;
  OdeReport advance(double t, double dt, View<double> u) { return advance(t, dt, u, NodeLayout{}); }

  /// The next call chooses all first steps anew: u is not what it was.
  virtual void forget() = 0;
  /// The step with which each node goes on, [count]; 0: to be chosen. A call depends on u and on these alone, so that a
  /// checkpoint has both.
  virtual View<double> next_steps() = 0;

  virtual int species() const = 0;
  virtual Offset count() const = 0;
  /// That it keeps, in the space of the nodes: 32 B a node.
  virtual Offset bytes() const = 0;
};

/// The same for one reaction, a type as above. Whoever has one instantiates this for it: include ode_systems_impl.hpp.
///
/// A call reads and writes 16 species + 64 B a node; the steps in between touch registers, or local memory where the
/// matrices of a method do not fit there. On CUDA a warp goes on until the slowest of its 32 nodes is done.
template <class Exec, class Reaction>
class OdeSystems final : public ReactionStep<Exec> {
 public:
  /// `exec` must outlive it. Throws Error(usage) for options without a meaning, and where the method does not take so
  /// many species.
  OdeSystems(Exec& exec, const Reaction& reaction, Offset count, const OdeOptions& options);

  using ReactionStep<Exec>::advance;
  OdeReport advance(double t, double dt, View<double> u, const NodeLayout& layout) override;
  void forget() override;
  int species() const override { return reaction_.species(); }
  Offset count() const override { return steps_.size(); }
  Offset bytes() const override;

  View<double> next_steps() override { return steps_; }

 private:
  using Space = typename Exec::Space;

  Exec& exec_;
  Reaction reaction_;
  OdeOptions options_;
  Array<double, Space> steps_;
  Array<NodeOutcome, Space> outcomes_;
};

}  // namespace tessera::solvers
