#pragma once
// Flows through facets from the weak form, and what they balance.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assembly/cells/residual.hpp"
#include "assembly/fields/side_loads.hpp"
#include "assembly/space/mesh_part.hpp"
#include "output/summary.hpp"
#include "physics/forms/convection_data.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::scalar {

/// sources - storage - reaction - convection - sum of the groups = remainder, which is the sum of the solver's residual
/// over the free rows.
struct Balance {
  forms::CellSums cells;
  double storage = 0;                                  ///< int rho du/dt
  std::vector<std::pair<std::string, double>> groups;  ///< flow out through each group of the deck's boundaries
  double gross = 0;  ///< the same with absolute values at points, or rows of the load, and facets: what flows at all
  double remainder() const;
  /// All of these: those of the whole are the sums over ranks.
  std::vector<double> numbers() const;
  /// The same groups with other numbers.
  Balance with(std::span<const double> numbers) const;
};

/// Flow out (int -k grad u . n) through facets as the weak form has it. With lambda = k grad u . n,
///   a(u, phi_i) - l(phi_i) = int lambda phi_i ds
/// without the terms of the boundary gives lambda in the mean over each function; where a condition says lambda = value
/// - alpha u, that is taken. So the flows are those that the discrete solution balances, and their error is of order 2k
/// for all of a boundary with Dirichlet values (M. F. Wheeler, SIAM J. Numer. Anal. 11 (1974) 764-768; G. F. Carey,
/// Comput. Methods Appl. Mech. Eng. 35 (1982) 1-14). Dofs where Dirichlet groups meet: see assembly::share_reactions.
/// The same holds of differences (WeakForm::nodal), whose rows add up as well; their flows are of second order.
/// Where ranks share the solution, each has of a flow what its own dofs say: the sum over ranks is the flow.
/// Does not depend on the number of threads.
class Fluxes {
 public:
  explicit Fluxes(const Solution& solution);

  /// Through the facets of a group, each once; through facets inside the domain what leaves both of their sides.
  double through(const mesh::Group& group) const;
  /// Out of the cells of `from` through facets that bound them, inside the domain or not.
  double through(const mesh::Group& group, const mesh::Group& from) const;
  Balance balance() const;

 private:
  std::vector<double> residual(const std::vector<Index>& around, const std::vector<char>& inside,
                               const std::vector<Index>& slot, std::size_t size) const;
  std::vector<Index> cells_at(const std::vector<Index>& slot) const;
  assembly::SideLoads loads_at_nodes(const FacetTerm& term) const;
  void add_condition(const std::string& name, const std::vector<Index>& facets, assembly::SideLoads loads);
  void add_conditions();
  void add_reactions();
  double one_sided(const mesh::Group& group, const std::vector<char>& inside) const;
  void subtract_conditions(const std::vector<char>& inside, const std::vector<Index>& slot,
                           std::vector<double>& reaction) const;
  double out_of_open(const std::string& name, std::vector<char>& taken, std::vector<char>& taken_points) const;
  double out_of_term(std::size_t term, const std::string& name, std::vector<char>& taken) const;
  /// What the terms of cells say, [size], where visit(part, material, sums) adds it of some cells.
  template <class Visit>
  std::vector<double> rows(const std::vector<Index>& cells, std::size_t size, const std::vector<Index>& slot,
                           Visit visit) const;
  void add_storage(const std::vector<Index>& cells, const std::vector<Index>& slot, std::vector<double>& rows) const;
  forms::CellSums sums() const;
  double storage() const;
  /// The sums of sum(mesh, dofs, material, threads) over all cells, in parts where coefficients vary.
  template <class Sum>
  forms::CellSums sum_in_parts(bool varies, Sum sum) const;

  const Solution& s_;
  std::optional<NodalRows> nodal_;  ///< where the rows are differences
  mesh::FacetFinder finder_;
  assembly::HostTensorField k_;
  std::vector<char> open_;  ///< [facets] where no condition says the flow: Dirichlet values, periodic sides
  /// What is said of the flow through facets.
  struct Condition {
    std::string side;  ///< of a contact
    const std::vector<Index>& facets;
    assembly::SideLoads loads;
  };
  std::vector<Condition> conditions_;             ///< of each FacetTerm, then of both sides of each contact
  std::vector<double> out_;                       ///< [facets] flow out
  std::vector<std::pair<Index, double>> points_;  ///< flow out at fixed dofs that are on no Dirichlet facet
};

/// "balance" of the summary.
void report_balance(const Balance& balance, const Solution& solution, output::Summary& summary);

}  // namespace tessera::physics::scalar
