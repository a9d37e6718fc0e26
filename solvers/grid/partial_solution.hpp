#pragma once
// The plan of a partial solution variant of cyclic reduction (PSCR) in one direction of a grid: which rational
// functions of the operator across are applied to which rows, in which order. Block cyclic reduction of radix 2 and 4
// is its case of n = 2^k - 1 rows (Rossi & Toivanen, SIAM J. Sci. Comput. 20, 1999; Myllykoski, Rossi & Toivanen, PARA
// 2012).
//
// A node of the partition is a block of rows between two rows that are known later, `left` and `right`. Its separators
// are its middle row (radix 2), its three quarter rows (radix 4), or some row where it has no middle. Sine vectors w_j
// diagonalise it; those of equal shape on the separators form a family: w_j(s) = alpha_j v(s), w_j(last) = sigma
// w_j(first). With X_j = (A_across + lambda_j M)^-1 of eigenvalue lambda_j, and g the coupling of neighbouring rows:
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

/// One sum over poles. `weight`: of the group's rows in F, then of its rims in U, in `weights`.
struct FamilySum {
  Index group;
  Index pole, pole_count;
  Index weight;
  Index rim_line;       ///< families with the same U have the same number
  Index first_problem;  ///< number of its first pole among the sub-problems of the step
};

/// row = base + sum of weight * family sum. In a reduction `row` is a slot of updated rows, and the sums are multiplied
/// by the coupling; in a substitution it is a row of u, and there is no base.
struct Output {
  Index row, base;
  Index weight;  ///< of the group's first family in `weights`
};
inline constexpr Index no_row = 0x7fffffff;

/// Families of the same rows whose sums go to the same rows. Rows of f: as given where >= 0, else the updated one in
/// slot -row - 1. Rims are the rows of u on both sides.
struct Group {
  Index family = 0, family_count = 0;
  Index output = 0, output_count = 0;
  Index row = 0, row_count = 0;  ///< in `sources`
  Index rim = 0, rim_count = 0;  ///< in `sources`
  Index rim_lines = 0;           ///< different U
};
inline constexpr int most_rows = 6, most_rims = 2, most_families = 6, most_outputs = 3;

/// Groups that do not depend on each other.
struct Step {
  bool reduction = false;
  Index group = 0, group_count = 0;
  Index family = 0, family_count = 0;
  Index output = 0, output_count = 0;
  Index problem_count = 0;     ///< sub-problems, one a pole of a family
  Index most_poles = 0;        ///< of a family
  Index most_group_poles = 0;  ///< of a group
  Index most_lines = 0;        ///< different F and U of a group
};

struct HostPlan {
  Index rows = 0;
  Index slots = 0;  ///< of updated rows
  std::vector<Pole> poles;
  std::vector<Index> sources;  ///< rows that groups read
  std::vector<double> weights;
  std::vector<FamilySum> families;
  std::vector<Output> outputs;
  std::vector<Group> groups;
  std::vector<Step> steps;

  /// Sub-problems of all steps: (17) and (18) of the source where n + 1 is a power of two.
  Offset problems() const;
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
  View<const Index> sources;
  View<const double> weights;
  View<const FamilySum> families;
  View<const Output> outputs;
  View<const Group> groups;

  TESSERA_HD double row_weight(const FamilySum& family, Index row) const { return weights[family.weight + row]; }
  TESSERA_HD double rim_weight(const Group& group, const FamilySum& family, Index rim) const {
    return weights[family.weight + group.row_count + rim];
  }
  TESSERA_HD double output_weight(const Group& group, Index output, Index family) const {
    return weights[outputs[group.output + output].weight + family];
  }
};

template <class Space>
struct Plan {
  explicit Plan(const HostPlan& host)
      : rows(host.rows),
        slots(host.slots),
        rows_moved(host.rows_moved()),
        steps(host.steps),
        poles(to_space<Space>(host.poles)),
        sources(to_space<Space>(host.sources)),
        weights(to_space<Space>(host.weights)),
        families(to_space<Space>(host.families)),
        outputs(to_space<Space>(host.outputs)),
        groups(to_space<Space>(host.groups)) {}

  PlanView view() const {
    return {poles.view(), sources.view(), weights.view(), families.view(), outputs.view(), groups.view()};
  }

  Index rows, slots;
  Offset rows_moved;
  std::vector<Step> steps;
  Array<Pole, Space> poles;
  Array<Index, Space> sources;
  Array<double, Space> weights;
  Array<FamilySum, Space> families;
  Array<Output, Space> outputs;
  Array<Group, Space> groups;
};

}  // namespace tessera::solvers::grid
