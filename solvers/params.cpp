#include "solvers/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "solvers/registry.hpp"
#include "solvers/solve.hpp"

namespace tessera::solvers {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Those entries of a table that read the key.
Names readers(const std::vector<NamedHelp>& table, const std::string& key) {
  Names result;
  for (const NamedHelp& entry : table)
    if (contains(entry.keys, key)) result.push_back(entry.name);
  return result;
}

/// "Of gmres.": what reads a key that not every solver reads.
std::string of_readers(const std::string& key) {
  const Names solvers = readers(solver_table(), key);
  if (solvers.size() == solver_table().size()) return {};
  if (!solvers.empty()) return fmt::format(" Of {}.", fmt::join(solvers, ", "));
  const Names preconditioners = readers(preconditioner_table(), key);
  return fmt::format(" Of the preconditioner{} {}.", preconditioners.size() > 1 ? "s" : "",
                     fmt::join(preconditioners, ", "));
}

}  // namespace

bool is_read(const std::string& key, const Names& types, const Names& preconditioners) {
  const auto reads = [&](const std::vector<NamedHelp>& table, const Names& names) {
    return std::any_of(table.begin(), table.end(), [&](const NamedHelp& entry) {
      return contains(names, entry.name) && contains(entry.keys, key);
    });
  };
  return key == "type" || reads(solver_table(), types) || reads(preconditioner_table(), preconditioners);
}

deck::Section<SolverParams> solver_section() {
  const auto help = [](const char* text, const char* key) { return text + of_readers(key); };
  return deck::Section<SolverParams>("solver", "Linear solver")
      .key("type", &SolverParams::type, {.help = "Method.", .choices = names(solver_table())})
      .key("preconditioner", &SolverParams::preconditioner,
           {.help = help("Preconditioner.", "preconditioner"), .choices = names(preconditioner_table())})
      .key("tolerance", &SolverParams::tolerance,
           {.help = "Largest residual of the free unknowns, relative to the sources and flows that act on them; "
                    "checked against the true residual at the end; below 1.",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("absolute_tolerance", &SolverParams::absolute_tolerance,
           {.help = "Largest ||b - A x|| that is accepted whatever b is; 0: none.", .min = 0})
      .key("max_iterations", &SolverParams::max_iterations,
           {.help = help("Iterations before giving up.", "max_iterations"), .min = 1})
      .key("relaxation", &SolverParams::relaxation,
           {.help = help("omega, between 0 and 2, both excluded.", "relaxation"), .min = 0, .max = 2, .open_min = true})
      .key("degree", &SolverParams::degree,
           {.help = help("Products with the matrix in each application.", "degree"), .min = 1, .max = 50})
      .key("variant", &SolverParams::variant,
           {.help = help("single_reduction needs the sums of an iteration at one point only.", "variant"),
            .choices = {"standard", "single_reduction"}})
      .key("radix", &SolverParams::radix,
           {.help = help("2 or 4: rows of a block that one step of the reduction eliminates, and one more.", "radix"),
            .min = 2,
            .max = 4})
      .key("restart", &SolverParams::restart,
           {.help = help("Vectors that are kept before it starts again; each costs 8 bytes an unknown.", "restart"),
            .min = 1,
            .max = 500})
      .key("residual_every", &SolverParams::residual_every,
           {.help = help("Iterations between two recomputations of b - A x; 0: only before a solution is accepted.",
                         "residual_every"),
            .min = 0})
      .key("check_every", &SolverParams::check_every,
           {.help =
                help("Iterations between two looks at the residual on CUDA; threads look at every one.", "check_every"),
            .min = 1,
            .max = 1000})
      .position(&SolverParams::where);
}

namespace {

/// Where the deck sets the key; [solver] itself where it does not.
deck::Where place(const SolverParams& params, const std::string& key) {
  const auto found = params.given.find(key);
  return found == params.given.end() ? params.where : found->second;
}

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

/// The keys of the deck that neither the solver nor its preconditioner reads.
void check_keys(const SolverParams& params) {
  const bool preconditioned = is_read("preconditioner", {params.type}, {});
  for (const auto& [key, where] : params.given) {
    if (is_read(key, {params.type}, preconditioned ? Names{params.preconditioner} : Names{})) continue;
    if (key == "preconditioner" && params.preconditioner == "none") continue;  // says what is so
    const Names solvers = readers(solver_table(), key), others = readers(preconditioner_table(), key);
    if (!solvers.empty()) {
      refuse_unread(
          fmt::format("solver.{} is read by {}; solver.type is \"{}\"", key, fmt::join(solvers, ", "), params.type),
          fmt::format("leave {} out, or choose {}", key, choose("type", solvers)), where, place(params, "type"));
      continue;
    }
    const std::string chosen = preconditioned
                                   ? fmt::format("solver.preconditioner is \"{}\"", params.preconditioner)
                                   : fmt::format("solver.type = \"{}\" takes no preconditioner", params.type);
    refuse_unread(fmt::format("solver.{} is read by the preconditioner{} {}; {}", key, others.size() > 1 ? "s" : "",
                              fmt::join(others, ", "), chosen),
                  preconditioned ? fmt::format("leave {} out, or choose {}", key, choose("preconditioner", others))
                                 : fmt::format("leave {} out", key),
                  where, place(params, preconditioned ? "preconditioner" : "type"));
  }
}

/// Names that are fine alone and do not fit together.
void check_combination(const SolverParams& params) {
  auto refuse = [&](const char* key, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, place(params, key));
  };
  if (params.precision != "double" && is_direct(params))
    refuse("type",
           fmt::format("run.precision = \"{}\" is for iterative solvers; {} factors in double", params.precision,
                       params.type),
           fmt::format("choose run.precision = \"double\", or type = \"{}\"", params.type == "lu" ? "gmres" : "cg"));
  if (params.preconditioner == "chebyshev" && params.type != "cg" && !is_direct(params) && !is_grid_solver(params))
    refuse(
        "preconditioner",
        fmt::format("the preconditioner chebyshev takes the matrix for symmetric positive definite, which {} does not",
                    params.type),
        "choose type = \"cg\", or preconditioner = \"jacobi\"");
  if (params.precision == "float" && params.absolute_tolerance == 0 && params.tolerance < 2e-7)
    refuse("tolerance", fmt::format("solver.tolerance = {} is finer than single precision resolves", params.tolerance),
           "choose run.precision = \"mixed\", which reaches the accuracy of double, or a tolerance of 1e-6 or more");
}

}  // namespace

SolverParams read_solver(const deck::Deck& deck, const std::string& precision, const SolverParams& defaults) {
  const deck::Section<SolverParams> section = solver_section();
  SolverParams params = section.read(deck);
  for (const deck::KeyDescription& key : section.description().keys)
    if (const deck::Where where = deck.where("solver." + key.name)) params.given[key.name] = where;
  if (!params.given.contains("type")) params.type = defaults.type;
  params.precision = precision;
  check_keys(params);
  check(params);
  return params;
}

void check(const SolverParams& params) {
  find(solver_table(), params.type, "solver", place(params, "type"));
  find(preconditioner_table(), params.preconditioner, "preconditioner", place(params, "preconditioner"));
  auto require = [&](bool good, const char* key, double value, const char* range) {
    if (!good)
      throw Error(ExitCode::usage, fmt::format("solver.{} is {}", key, value), fmt::format("choose {}", range),
                  place(params, key));
  };
  auto require_name = [&](const char* key, const std::string& value, const std::vector<std::string>& valid) {
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      throw Error(ExitCode::usage, fmt::format("{} is '{}'", key, value), suggest(value, valid), params.where);
  };
  require(params.tolerance > 0 && params.tolerance < 1, "tolerance", params.tolerance,
          "a number between 0 and 1, both excluded");
  require(params.absolute_tolerance >= 0, "absolute_tolerance", params.absolute_tolerance, "0 or a positive number");
  require(params.max_iterations >= 1, "max_iterations", params.max_iterations, "at least 1");
  require(params.relaxation > 0 && params.relaxation < 2, "relaxation", params.relaxation,
          "a number between 0 and 2, both excluded");
  require(params.check_every >= 1 && params.check_every <= 1000, "check_every", params.check_every, "1 to 1000");
  require(params.restart >= 1 && params.restart <= 500, "restart", params.restart, "1 to 500");
  require(params.radix == 2 || params.radix == 4, "radix", params.radix, "2 or 4");
  require(params.degree >= 1 && params.degree <= 50, "degree", params.degree, "1 to 50");
  require(params.residual_every >= 0, "residual_every", params.residual_every, "0 or a positive number");
  require_name("solver.variant", params.variant, {"standard", "single_reduction"});
  require_name("run.precision", params.precision, {"double", "float", "mixed"});
  check_combination(params);
}

void check(const SolverParams& params, const std::string& backend) {
  check(params);
  const auto there = [&](const NamedHelp& entry) { return backend == "cuda" ? entry.cuda : entry.threads; };
  const NamedHelp& solver = find(solver_table(), params.type, "solver", params.where);
  if (!there(solver))
    throw Error(ExitCode::usage, fmt::format("the solver '{}' does not run on the backend '{}'", params.type, backend),
                fmt::format("choose type = \"{}\", or --backend threads", params.type == "lu" ? "gmres" : "cg"),
                place(params, "type"));
  const NamedHelp& preconditioner = find(preconditioner_table(), params.preconditioner, "preconditioner", params.where);
  if (contains(solver.keys, "preconditioner") && !there(preconditioner))
    throw Error(ExitCode::usage,
                fmt::format("the preconditioner '{}' does not run on the backend '{}'", params.preconditioner, backend),
                "choose preconditioner = \"multicolour_ssor\" or \"jacobi\", or --backend threads",
                place(params, "preconditioner"));
}

}  // namespace tessera::solvers
