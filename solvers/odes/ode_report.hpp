#pragma once
#include "solvers/odes/node_steps.hpp"

namespace tessera::solvers {

/// The outcomes of consecutive nodes, added up.
struct PartOfReport {
  Offset steps = 0, rejected = 0, failed = 0, first_failed = -1;
  Index most_steps = 0;

  TESSERA_HD void add(Offset node, const NodeOutcome& outcome) {
    steps += outcome.steps;
    rejected += outcome.rejected;
    const Index both = outcome.steps + outcome.rejected;
    if (both > most_steps) most_steps = both;
    if (outcome.failure == OdeFailure::none) return;
    ++failed;
    if (first_failed < 0) first_failed = node;
  }
};

/// The report of all parts, in their order.
OdeReport report_of(const std::vector<PartOfReport>& parts);
/// Adds what the first node that failed says, of a call that went to the time `end`.
void describe_failure(OdeReport& report, const NodeOutcome& first, Offset count, double end);

/// Throws Error(usage) for spans of time and arrays that ReactionStep::advance refuses.
void check_span(double t, double dt);
void check_state(int species, Offset count, Offset size, Offset node_stride, Offset component_stride);
/// Throws Error(usage) where the options or their method do not fit this many species.
void check_species(const OdeOptions& options, int species);

}  // namespace tessera::solvers
