#include "solvers/fit.hpp"

#include <algorithm>

#include "solvers/automatic.hpp"
#include "solvers/precondition/table.hpp"

namespace tessera::solvers {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Names& shared_keys_of(MethodKind kind) {
  static const Names krylov = {"preconditioner", "tolerance",      "absolute_tolerance",
                               "max_iterations", "residual_every", "check_every"},
                     direct = {"tolerance", "absolute_tolerance"},
                     eigen = {"preconditioner", "tolerance", "max_iterations"}, none = {};
  if (kind == MethodKind::eigen) return eigen;
  return kind == MethodKind::krylov ? krylov : kind == MethodKind::direct ? direct : none;
}

template <class Entry>
std::vector<Entry> that_fit(const std::vector<Entry>& table, const Offers& offers) {
  std::vector<Entry> result;
  std::copy_if(table.begin(), table.end(), std::back_inserter(result),
               [&](const Entry& entry) { return fits(entry.needs, offers); });
  return result;
}

template <class Entry>
const Entry* named(const std::vector<Entry>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

bool has_place(const Needs& needs, const Offers& offers) {
  return lacking(needs, offers).empty() && (!needs.diagonal_blocks || offers.block > 1) &&
         (!needs.lower_orders || offers.lower_orders);
}
bool fits(const Needs& needs, const Offers& offers) {
  return has_place(needs, offers) && (!needs.symmetric || offers.symmetric);
}

std::string lacking(const Needs& needs, const Offers& offers) {
  if (needs.nodes && !offers.nodes) return "coefficients at the nodes of a rectangle";
  if (needs.two_point && !offers.two_point) return "-u'' = f at the nodes of an interval";
  if (needs.of_operator() && !offers.operators) return "a matrix or operator";
  if (needs.mass && !offers.mass) return "a mass matrix";
  if (needs.grid && !offers.grid) return "a uniform grid with constant coefficients";
  return {};
}

std::vector<MethodEntry> solvers_for(const Offers& offers) { return that_fit(solver_table(), offers); }
std::vector<PreconditionerEntry> preconditioners_for(const Offers& offers) {
  return that_fit(preconditioner_table(), offers);
}

const char* preconditioner_for(const Offers& offers) { return jacobi_of(offers.block); }

const MethodEntry* find_solver(const std::string& name) { return named(solver_table(), name); }
const PreconditionerEntry* find_preconditioner(const SolverParams& params) {
  return named(preconditioner_table(), params.preconditioner == automatic ? "jacobi" : params.preconditioner);
}

const Keys<SolverParams>& shared_keys() {
  static const Keys<SolverParams> keys =
      Keys<SolverParams>()
          .key("type", &SolverParams::type, {.help = "Method."})
          .key("preconditioner", &SolverParams::preconditioner, {.help = "Preconditioner."})
          .key("tolerance", &SolverParams::tolerance,
               {.help = "Largest residual of the free unknowns, relative to the sources and flows that act on them; "
                        "checked against the true residual at the end; below 1.",
                .min = 0,
                .max = 1,
                .open_min = true},
               true)
          .key("absolute_tolerance", &SolverParams::absolute_tolerance,
               {.help = "Largest ||b - A x|| that is accepted whatever b is; 0: none.", .min = 0})
          .key("max_iterations", &SolverParams::max_iterations, {.help = "Iterations before giving up.", .min = 1})
          .key("residual_every", &SolverParams::residual_every,
               {.help = "Iterations between two recomputations of b - A x; 0: only before a solution is accepted.",
                .min = 0})
          .key("check_every", &SolverParams::check_every,
               {.help = "Iterations between two looks at the residual on CUDA; threads look at every one, and so does "
                        "amg without this key.",
                .min = 1,
                .max = 1000});
  return keys;
}

bool MethodEntry::reads(const std::string& key) const { return contains(shared_keys_of(kind), key) || own.has(key); }

Names readers(const std::vector<MethodEntry>& table, const std::string& key) {
  Names result;
  for (const MethodEntry& entry : table)
    if (entry.reads(key)) result.push_back(entry.name);
  return result;
}
Names readers(const std::vector<PreconditionerEntry>& table, const std::string& key) {
  Names result;
  for (const PreconditionerEntry& entry : table)
    if (entry.own.has(key)) result.push_back(entry.name);
  return result;
}

}  // namespace tessera::solvers
