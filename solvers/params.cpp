#include "solvers/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "deck/read_string.hpp"
#include "solvers/fit.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {

deck::Where place(const SolverParams& params, const std::string& key) {
  const auto found = params.given.find(key);
  return found == params.given.end() ? params.where : found->second;
}

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "at least 1", "1 to 500", "a number between 0 and 2, both excluded".
std::string describe_range(const deck::KeyInfo& info, bool open_max, bool integer) {
  if (!std::isfinite(info.max)) {
    if (info.min == 0) return info.open_min ? "a positive number" : "0 or a positive number";
    return fmt::format("at least {}", info.min);
  }
  if (integer) return fmt::format("{} to {}", info.min, info.max);
  const std::string which = info.open_min && open_max ? ", both excluded"
                            : info.open_min           ? fmt::format(", {} excluded", info.min)
                                                      : std::string();
  return fmt::format("a number between {} and {}{}", info.min, info.max, which);
}

}  // namespace

namespace detail {

void require_in_range(const SolverParams& params, const deck::KeyDescription& key, bool open_max, double value,
                      bool integer) {
  const deck::KeyInfo& info = key.info;
  const bool low = info.open_min ? value > info.min : value >= info.min;
  const bool high = open_max ? value < info.max : value <= info.max;
  if (low && high) return;
  throw Error(ExitCode::usage, fmt::format("solver.{} is {}", key.name, value),
              "choose " + describe_range(info, open_max, integer), place(params, key.name));
}

void require_choice(const SolverParams& params, const deck::KeyDescription& key, const std::string& value) {
  const Names& choices = key.info.choices;
  if (choices.empty() || contains(choices, value)) return;
  throw Error(ExitCode::usage, fmt::format("solver.{} is '{}'", key.name, value), suggest(value, choices),
              place(params, key.name));
}

}  // namespace detail

namespace {

bool of_kind(const SolverParams& params, MethodKind kind) {
  const MethodEntry* entry = find_solver(params.type);
  return entry && entry->kind == kind;
}
bool takes_preconditioner(const SolverParams& params) {
  const MethodEntry* entry = find_solver(params.type);
  return entry && is_preconditioned(entry->kind);
}
bool needs_grid(const SolverParams& params) {
  const MethodEntry* entry = find_solver(params.type);
  return entry && entry->needs.grid;
}

}  // namespace

bool is_direct(const SolverParams& params) { return of_kind(params, MethodKind::direct) && !needs_grid(params); }
bool is_grid_solver(const SolverParams& params) { return needs_grid(params); }
bool is_relaxation(const SolverParams& params) { return of_kind(params, MethodKind::relaxation); }

bool needs_entries(const SolverParams& params) {
  const MethodEntry* entry = find_solver(params.type);
  if (!entry || entry->needs.entries) return entry != nullptr;
  const PreconditionerEntry* preconditioner = find_preconditioner(params);
  return is_preconditioned(entry->kind) && preconditioner && preconditioner->needs.entries;
}

bool wants_near_kernel(const SolverParams& params) {
  const PreconditionerEntry* preconditioner = find_preconditioner(params);
  return takes_preconditioner(params) && preconditioner && preconditioner->needs.near_kernel;
}

bool wants_lower_orders(const SolverParams& params) {
  const PreconditionerEntry* preconditioner = find_preconditioner(params);
  return takes_preconditioner(params) && preconditioner && preconditioner->needs.lower_orders;
}

std::string reader_of_entries(const SolverParams& params) {
  return is_direct(params) ? fmt::format("solver.type = \"{}\"", params.type)
                           : fmt::format("the preconditioner \"{}\"", params.preconditioner);
}

namespace {

/// `type = "a" or "b"`
std::string choose(const char* key, const Names& names) {
  return fmt::format("{} = \"{}\"", key, fmt::join(names, "\" or \""));
}

bool of_command_line(const deck::Where& where) { return where && where->line == 0; }

}  // namespace

void refuse_unread(const std::string& what, const std::string& help, const deck::Where& key,
                   const deck::Where& choice) {
  if (!of_command_line(choice) || of_command_line(key)) throw Error(ExitCode::usage, what, help, key);
  warn(fmt::format("{}; it is ignored", what));
}

namespace {

/// A key that only methods of the other kind read, relaxations or those with a matrix.
bool is_of_other_kind(const Names& solvers, const SolverParams& params) {
  return std::none_of(solvers.begin(), solvers.end(), [&](const std::string& name) {
    return (find_solver(name)->kind == MethodKind::relaxation) == is_relaxation(params);
  });
}

/// The keys of the deck that neither the solver nor its preconditioner reads.
void check_keys(const SolverParams& params, const Offers& offers) {
  const MethodEntry& solver = *find_solver(params.type);
  const PreconditionerEntry* preconditioner = solver.reads("preconditioner") ? find_preconditioner(params) : nullptr;
  for (const auto& [key, where] : params.given) {
    if (key == "type" || solver.reads(key) || (preconditioner && preconditioner->own.has(key))) continue;
    const Names solvers = readers(solvers_for(offers), key), others = readers(preconditioners_for(offers), key);
    if (offers.nodes && is_of_other_kind(solvers, params) && (!solvers.empty() || is_relaxation(params))) {
      refuse_unread(fmt::format("solver.{} is of {}, solver.type is \"{}\"", key,
                                is_relaxation(params) ? "solvers with a matrix" : "relaxations", params.type),
                    fmt::format("leave {} out, or choose another solver.type", key), where, place(params, "type"));
      continue;
    }
    if (key == "preconditioner" && params.preconditioner == "none") continue;  // says what is so
    if (!solvers.empty()) {
      refuse_unread(
          fmt::format("solver.{} is read by {}; solver.type is \"{}\"", key, fmt::join(solvers, ", "), params.type),
          fmt::format("leave {} out, or choose {}", key, choose("type", solvers)), where, place(params, "type"));
      continue;
    }
    const std::string chosen = preconditioner
                                   ? fmt::format("solver.preconditioner is \"{}\"", params.preconditioner)
                                   : fmt::format("solver.type = \"{}\" takes no preconditioner", params.type);
    refuse_unread(fmt::format("solver.{} is read by the preconditioner{} {}; {}", key, others.size() > 1 ? "s" : "",
                              fmt::join(others, ", "), chosen),
                  preconditioner ? fmt::format("leave {} out, or choose {}", key, choose("preconditioner", others))
                                 : fmt::format("leave {} out", key),
                  where, place(params, preconditioner ? "preconditioner" : "type"));
  }
}

/// Names that are fine alone and do not fit together.
void check_combination(const SolverParams& params, const MethodEntry& solver,
                       const PreconditionerEntry& preconditioner) {
  auto refuse = [&](const char* key, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, place(params, key));
  };
  if (params.precision != "double" && is_direct(params))
    refuse("type",
           fmt::format("run.precision = \"{}\" is for iterative solvers; {} factors in double", params.precision,
                       params.type),
           fmt::format("choose run.precision = \"double\", or type = \"{}\"", instead_of(solver)));
  if (solver.kind == MethodKind::krylov && preconditioner.needs.definite && !solver.needs.definite &&
      (preconditioner.needs.symmetric || solver.needs.symmetric))
    refuse("preconditioner",
           fmt::format("the preconditioner {} takes the matrix for symmetric positive definite, which {} does not",
                       params.preconditioner, params.type),
           "choose type = \"cg\", or preconditioner = \"jacobi\"");
  if (params.precision == "float" && params.absolute_tolerance == 0 && params.tolerance < 2e-7)
    throw Error(
        ExitCode::usage, fmt::format("solver.tolerance = {} is finer than single precision resolves", params.tolerance),
        "choose run.precision = \"mixed\", which reaches the accuracy of double, or a tolerance of 1e-6 or more",
        params.given.contains("tolerance") ? place(params, "tolerance") : params.where_precision);
}

/// What the module does not offer.
void check_offered(const SolverParams& params, const Offers& offers) {
  const MethodEntry& solver = *find_solver(params.type);
  if (!fits(solver.needs, offers))
    throw Error(
        ExitCode::usage,
        fmt::format("solver.type = \"{}\" takes the matrix for symmetric, {}", params.type, offers.why_not_symmetric),
        "choose type = \"bicgstab\" or \"gmres\", or \"lu\" for a small system", place(params, "type"));
  const PreconditionerEntry* preconditioner = find_preconditioner(params);
  if (!is_preconditioned(solver.kind) || !preconditioner) return;
  if (!has_place(preconditioner->needs, offers))
    throw Error(
        ExitCode::usage,
        fmt::format("the preconditioner \"{}\" {}", params.preconditioner,
                    preconditioner->needs.lower_orders
                        ? "needs the operator in elements of lower orders, which this physics.type does not have"
                        : "is for several unknowns a node, here is one"),
        fmt::format("valid names: {}", fmt::join(names(preconditioners_for(offers)), ", ")),
        place(params, "preconditioner"));
  if (fits(preconditioner->needs, offers)) return;
  Names others = names(preconditioners_for(offers));
  std::erase(others, "none");
  const std::string last = others.back();
  others.pop_back();
  throw Error(ExitCode::usage,
              fmt::format("the preconditioner \"{}\" takes the matrix for symmetric, {}", params.preconditioner,
                          offers.why_not_symmetric),
              fmt::format("choose preconditioner = \"{}\" or \"{}\"", fmt::join(others, "\", \""), last),
              place(params, "preconditioner"));
}

/// solver.type of the deck, a name that the module has a place for.
std::string read_type(const deck::Deck& deck, const Offers& offers) {
  if (!deck.has("solver.type")) return offers.type;
  const std::string type = deck::read_string(deck, "solver.type", "`tessera list` shows the names");
  if (offers.automatic && type == "auto") return offers.type;
  const MethodEntry* entry = find_solver(type);
  const bool refused_for_symmetry = entry && entry->needs.symmetric && !offers.symmetric;
  if (entry && (has_place(entry->needs, offers) || refused_for_symmetry)) return type;
  Names valid = names(solvers_for(offers));
  if (offers.automatic) valid.insert(valid.begin(), "auto");
  const std::string all = fmt::format("valid names: {}", fmt::join(valid, ", "));
  if (entry)
    throw Error(ExitCode::usage,
                fmt::format("solver.type = \"{}\" needs {}, which this problem does not have", type,
                            lacking(entry->needs, offers)),
                all, deck.where("solver.type"));
  std::string help = suggest(type, valid);
  if (help != all) help += " " + all;
  throw Error(ExitCode::usage, fmt::format("unknown solver.type '{}'", type), help, deck.where("solver.type"));
}

}  // namespace

SolverParams read_solver(const deck::Deck& deck, const std::string& precision, const Offers& offers) {
  const std::string type = read_type(deck, offers);
  const MethodEntry& solver = *find_solver(type);
  SolverParams params;
  if (solver.needs.of_operator()) {
    params = shared_keys().section().read_declared(deck);
    if (!deck.has("solver.preconditioner")) params.preconditioner = automatic;
  }
  params.where = deck::Section<SolverParams>("solver", "").position(&SolverParams::where).read_declared(deck).where;
  if (!params.where && !solver.needs.of_operator()) params.where = deck.where("physics");  // which chose it
  params.type = type;
  const bool is_chosen = params.preconditioner == automatic;
  if (is_chosen && solver.kind == MethodKind::eigen) params.preconditioner = "amg";
  // The mesh may say more of matrices that are symmetric, and of one unknown a node.
  const bool open = solver.kind == MethodKind::krylov && (offers.symmetric    ? params.type == "cg"
                                                          : offers.block == 1 ? !solver.needs.symmetric
                                                                              : false);
  if (params.preconditioner == automatic && !open) params.preconditioner = preconditioner_for(offers);
  params.precision = precision;
  params.where_precision = deck.where("run.precision");
  const Offers everything{.grid = true, .nodes = true, .two_point = true, .mass = true};
  for (const deck::KeyDescription& key : solver_description(everything).keys)
    if (const deck::Where where = deck.where("solver." + key.name)) params.given[key.name] = where;
  check_offered(params, offers);
  if (solver.own.read) params.method = solver.own.read(deck);
  if (const auto* preconditioner = find_preconditioner(params); preconditioner && preconditioner->own.read)
    params.preconditioning = preconditioner->own.read(deck);
  if (solver.take_shared) solver.take_shared(params);
  check_keys(params, offers);
  check(params);
  if (is_chosen) params.given.erase("preconditioner");  // "auto" says as much as nothing
  return params;
}

namespace {

/// The entry of the name that the deck gives; jacobi's while the choice is open.
const PreconditionerEntry& preconditioner_of(const SolverParams& params) {
  if (const PreconditionerEntry* entry = find_preconditioner(params)) return *entry;
  Names valid = names(preconditioner_table());
  valid.insert(valid.begin(), automatic);
  throw Error(ExitCode::usage, fmt::format("unknown preconditioner '{}'", params.preconditioner),
              suggest(params.preconditioner, valid), place(params, "preconditioner"));
}

void check_all(const SolverParams& params, const std::string& backend) {
  const MethodEntry& solver = find(solver_table(), params.type, "solver", place(params, "type"));
  if (!solver.needs.of_operator()) {
    if (solver.own.check) solver.own.check(params.method, params, backend);
    return;
  }
  const PreconditionerEntry& preconditioner = preconditioner_of(params);
  shared_keys().check(params, params, backend);
  if (solver.own.check) solver.own.check(params.method, params, backend);
  if (preconditioner.own.check) preconditioner.own.check(params.preconditioning, params, backend);
  const Names precisions = {"double", "float", "mixed"};
  if (!contains(precisions, params.precision))
    throw Error(ExitCode::usage, fmt::format("run.precision is '{}'", params.precision),
                suggest(params.precision, precisions), params.where);
  check_combination(params, solver, preconditioner);
}

/// What to choose where the backend lacks the method: of those without an operator one of the same kind.
Names others_on(const std::string& backend, const MethodEntry& lacking) {
  if (lacking.needs.of_operator()) return {instead_of(lacking)};
  std::vector<MethodEntry> table = solver_table();
  std::erase_if(table, [&](const MethodEntry& entry) {
    return entry.kind != lacking.kind || !(backend == "cuda" ? entry.cuda : entry.threads);
  });
  return names(table);
}

}  // namespace

void check(const SolverParams& params) { check_all(params, ""); }

void check(const SolverParams& params, const std::string& backend) {
  check_all(params, backend);
  const auto there = [&](const auto& entry) { return backend == "cuda" ? entry.cuda : entry.threads; };
  const MethodEntry& solver = *find_solver(params.type);
  if (!there(solver))
    throw Error(ExitCode::usage, fmt::format("the solver '{}' does not run on the backend '{}'", params.type, backend),
                fmt::format("choose {}, or --backend threads", choose("type", others_on(backend, solver))),
                place(params, "type"));
  if (is_preconditioned(solver.kind) && !there(*find_preconditioner(params)))
    throw Error(ExitCode::usage,
                fmt::format("the preconditioner '{}' does not run on the backend '{}'", params.preconditioner, backend),
                "choose preconditioner = \"multicolour_ssor\" or \"jacobi\", or --backend threads",
                place(params, "preconditioner"));
}

}  // namespace tessera::solvers
