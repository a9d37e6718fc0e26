#pragma once
// The plan of a partial solution variant of cyclic reduction (PSCR) in one direction of a grid: which rational functions
// of the operator across are applied to which rows, in which order. Block cyclic reduction of radix 2 and 4 is its case of
// n = 2^k - 1 rows (Rossi & Toivanen, SIAM J. Sci. Comput. 20, 1999; Myllykoski, Rossi & Toivanen, PARA 2012).
//
// A node of the partition is a block of rows between two rows that are known later, `left` and `right`. Its separators are its
// middle row (radix 2), its three quarter rows (radix 4), or some row where it has no middle. Sine vectors w_j diagonalise
// it; those of equal shape on the separators form a family: w_j(s) = alpha_j v(s), w_j(last) = sigma w_j(first). With
// X_j = (A_across + lambda_j M)^-1 of eigenvalue lambda_j, and g the coupling of neighbouring rows:
//
//   reduction, nodes bottom up:    f_left += g sum_fam Y_fam,  f_right += g sum_fam sigma Y_fam,
//                                  Y_fam = sum_j w_j(first) alpha_j X_j F_fam,   F_fam = sum_s v(s) f_s
//   substitution, top down:        u_s = sum_fam v(s) Z_fam,
//                                  Z_fam = sum_j alpha_j X_j (alpha_j F_fam + w_j(first) g (u_left + sigma u_right))
//
// so that all work is sums  sum_j X_j (a_j F + b_j U)  of two rows, one sum a family. Two nodes of equal shape on both
// sides of a row are reduced as one: F = F_right + sigma F_left.
#include <string>
#include <vector>

#include "base/array.hpp"
#include "solvers/grid/fast_poisson.hpp"

namespace tessera::solvers::grid {

/// A term X_j (a F + b U) of a sum; X_j has the shift lambda.
struct Pole {
  double lambda, a, b;
};

/// weight * row. Rows of f: row >= 0 as given, row < 0 the updated one in slot -row - 1. Rows of u: as they are.
struct Term {
  Index row;
  double weight;
};

/// One sum over poles: F = sum of terms [rhs, rhs + rhs_count) of f, U likewise of u.
struct FamilySum {
  Index pole, pole_count;
  Index rhs, rhs_count;
  Index rim, rim_count;
  Index first_problem;  ///< number of its first pole among the sub-problems of the step
};

/// row = base + sum of weight * family sum; reduction: `row` is a slot of updated rows and the sums are multiplied by the coupling;
/// substitution: a row of u, no base.
struct Output {
  Index row, base;
  Index weight;  ///< of the group's first family in `weights`
};
inline constexpr Index no_row = 0x7fffffff;

/// Families whose sums go to the same rows.
struct Group {
  Index family, family_count;
  Index output, output_count;
};

/// Groups that do not depend on each other.
struct Step {
  bool reduction;
  Index group, group_count;
  Index family, family_count;
  Index output, output_count;
  Index problem, problem_count;  ///< range in `problem_family`; one sub-problem a pole of a family
  Index most_poles;              ///< of a family
  Index most_group_poles;        ///< of a group
};

struct HostPlan {
  Index rows = 0;
  Index slots = 0;  ///< of updated rows
  std::vector<Pole> poles;
  std::vector<Term> terms;
  std::vector<double> weights;
  std::vector<FamilySum> families;
  std::vector<Output> outputs;
  std::vector<Group> groups;
  std::vector<Index> problem_family;
  std::vector<Step> steps;

  /// Sub-problems of all steps: (17) and (18) of the source where n + 1 is a power of two.
  Offset problems() const { return static_cast<Offset>(problem_family.size()); }
  Index most_problems() const;
  /// Rows read and written where every group reads each of its rows once.
  Offset rows_moved() const;
};

/// n rows of spacing h, radix 2 or 4.
HostPlan make_plan(Index n, double h, Stencil stencil, int radix);

/// A plan of one row whose only sub-problem is the problem itself.
HostPlan make_trivial_plan();

/// What kernels see of a plan.
struct PlanView {
  View<const Pole> poles;
  View<const Term> terms;
  View<const double> weights;
  View<const FamilySum> families;
  View<const Output> outputs;
  View<const Group> groups;
  View<const Index> problem_family;
};

template <class Space>
struct Plan {
  explicit Plan(const HostPlan& host)
      : rows(host.rows),
        slots(host.slots),
        rows_moved(host.rows_moved()),
        steps(host.steps),
        poles(to_space<Space>(host.poles)),
        terms(to_space<Space>(host.terms)),
        weights(to_space<Space>(host.weights)),
        families(to_space<Space>(host.families)),
        outputs(to_space<Space>(host.outputs)),
        groups(to_space<Space>(host.groups)),
        problem_family(to_space<Space>(host.problem_family)) {}

  PlanView view() const {
    return {poles.view(),   terms.view(),  weights.view(),       families.view(),
            outputs.view(), groups.view(), problem_family.view()};
  }

  Index rows, slots;
  Offset rows_moved;
  std::vector<Step> steps;
  Array<Pole, Space> poles;
  Array<Term, Space> terms;
  Array<double, Space> weights;
  Array<FamilySum, Space> families;
  Array<Output, Space> outputs;
  Array<Group, Space> groups;
  Array<Index, Space> problem_family;
};

}  // namespace tessera::solvers::grid
