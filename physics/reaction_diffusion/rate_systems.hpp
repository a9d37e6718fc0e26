#pragma once
// Rates that a deck writes down, at the nodes.
#include <memory>
#include <vector>

#include "physics/reaction_diffusion/rates.hpp"
#include "solvers/odes/ode_systems.hpp"

namespace tessera::physics::reaction_diffusion {

/// Evaluates rates at a node: a reaction as solvers/odes/reactions.hpp has it. Each step of a program goes to registers
/// in local memory, 1 KB a thread on CUDA.
template <int bound>
struct RateReaction {
  static constexpr int most_species = bound;
  static constexpr bool needs_time = true;

  int fields = 0;
  deck::expressions::NodeProgramView of_rates, of_jacobian, of_time;
  const double* points = nullptr;  ///< [nodes, 3], then that of this node

  TESSERA_HD int species() const { return fields; }
  TESSERA_HD RateReaction at_node(Offset i) const {
    RateReaction here = *this;
    here.points += 3 * i;
    return here;
  }
  TESSERA_HD void rates(const double* u, double t, double* du) const { evaluate(of_rates, u, t, fields, du); }
  TESSERA_HD void jacobian(const double* u, double t, double* J) const {
    evaluate(of_jacobian, u, t, fields * fields, J);
  }
  TESSERA_HD void time_derivative(const double* u, double t, double* dfdt) const {
    evaluate(of_time, u, t, fields, dfdt);
  }

 private:
  TESSERA_HD void evaluate(const deck::expressions::NodeProgramView& program, const double* u, double t, int count,
                           double* results) const {
    double registers[most_registers];
    for (int axis = 0; axis < 3; ++axis) registers[axis] = points[axis];
    registers[3] = t;
    for (int c = 0; c < fields; ++c) registers[4 + c] = u[c];
    for (int k = 0; k < count; ++k) results[k] = 0;
    program.run(registers, results);
  }
};

/// The systems of rates at nodes [nodes, 3]. Throws Error(usage) as Rates::compile does, and for a method that does not
/// take so many fields. 24 B a node beside what the systems keep.
template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_rate_systems(Exec& exec, const Rates& rates,
                                                               const std::vector<double>& points,
                                                               const solvers::OdeOptions& options);

}  // namespace tessera::physics::reaction_diffusion
