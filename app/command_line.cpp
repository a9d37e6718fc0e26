#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

#include "app/commands.hpp"
#include "app/version.hpp"
#include "physics/registry.hpp"
#include "solvers/tridiagonal/tridiagonal.hpp"

namespace tessera::app {
namespace {

using Action = std::function<ExitCode()>;

/// CLI11's own check of this names the largest double.
CLI::Validator not_negative() {
  return {[](std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && value >= 0
                       ? std::string()
                       : fmt::format("'{}' is not a number of 0 or more", text);
          },
          ""};
}

/// An option that is given must say something: an empty text is a slip of a script.
CLI::Validator not_empty() {
  return {[](std::string& text) { return text.empty() ? std::string("the value is empty") : std::string(); }, ""};
}

void add_deck_options(CLI::App& command, DeckOptions& options) {
  command.add_option("deck", options.deck, "the input deck, a TOML file; - is standard input")
      ->required()
      ->type_name("");
  command.add_option("--set", options.set, "change a key of the deck, e.g. --set physics.order=2; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--plugin", options.plugins, "load physics modules from a shared library; may be repeated")
      ->type_name("LIB")
      ->check(not_empty())
      ->allow_extra_args(false);
}

void add_run_options(CLI::App& command, DeckOptions& options) {
  add_deck_options(command, options);
  command.add_option("--backend", options.backend, "auto, threads or cuda; overrides run.backend")
      ->type_name("NAME")
      ->check(not_empty());
  command.add_option("--threads", options.threads, "threads on the host, 0 for all; overrides run.threads")
      ->type_name("N")
      ->check(not_negative());
  command.add_option("--output", options.output, "folder of the results; overrides output.directory")
      ->type_name("DIR")
      ->check(not_empty());
  command.add_flag("--quiet", options.quiet, "print warnings and errors only");
}

void add_ranks(CLI::App& command, int& ranks, const std::string& help) {
  command.add_option("--ranks", ranks, help)->type_name("N")->check(CLI::Range(1, 1000000));
}

CLI::App* add(CLI::App& app, const std::string& name, const std::string& help) {
  CLI::App* command = app.add_subcommand(name, help)->fallthrough(false);
  command->footer("");
  return command;
}

// Options outlive these functions through the shared structs that the callbacks hold.

void add_runs(CLI::App& app, Action& action) {
  auto run_options = std::make_shared<DeckOptions>();
  CLI::App* command = add(app, "run", "solve a deck: fields as .vtu, numbers as summary.json");
  add_run_options(*command, *run_options);
  add_ranks(*command, run_options->ranks, "start so many ranks, by mpirun; overrides run.ranks");
  command->callback([=, &action] { action = [=] { return run(*run_options); }; });

  auto check_options = std::make_shared<DeckOptions>();
  command = add(app, "check", "everything but solving: deck, mesh, names, quality, sizes and memory");
  add_run_options(*command, *check_options);
  add_ranks(*command, check_options->ranks,
            "what each of so many ranks would have; left out: those of mpirun -n N, or of run.ranks");
  command->callback([=, &action] { action = [=] { return check(*check_options); }; });
}

void add_references(CLI::App& app, Action& action) {
  auto category = std::make_shared<std::string>();
  CLI::App* command = add(app, "list", "what the program knows: physics, solvers, formats, ...");
  command->add_option("category", *category, "a heading of `tessera list`; left out: all")->type_name("");
  command->callback([=, &action] { action = [=] { return list(*category); }; });

  auto physics = std::make_shared<std::string>();
  command = add(app, "template", "a commented deck of a physics module, that runs as it is");
  command->add_option("physics", *physics, "a name from `tessera list physics`")->required()->type_name("");
  command->callback([=, &action] { action = [=] { return print_template(*physics); }; });
  command = add(app, "schema", "the JSON Schema of a physics module's decks, for editors");
  command->add_option("physics", *physics, "a name from `tessera list physics`")->required()->type_name("");
  command->callback([=, &action] { action = [=] { return print_schema(*physics); }; });
}

void add_work_on_files(CLI::App& app, Action& action) {
  auto mesh_options = std::make_shared<MeshOptions>();
  CLI::App* command =
      add(app, "mesh", "the mesh as the run would see it, with its groups: written to a file, listed, or both");
  add_deck_options(*command, mesh_options->deck);
  command->add_option("-o,--output", mesh_options->file, "the .msh file to write")->type_name("FILE");
  command->add_flag("--list", mesh_options->list,
                    "print each group and entity: kind, size, centre, normal, and what it lies between");
  command->callback([=, &action] { action = [=] { return mesh_of_deck(*mesh_options); }; });

  auto system = std::make_shared<ExportCommand>();
  command = add(app, "export", "write the matrix and the right-hand side of a deck as Matrix Market files");
  add_deck_options(*command, system->deck);
  command->add_option("--threads", system->deck.threads, "threads on the host, 0 for all; overrides run.threads")
      ->type_name("N")
      ->check(not_negative());
  command->add_option("-o,--output", system->matrix, "the .mtx file of the matrix")->required()->type_name("FILE");
  command->add_option("--rhs", system->rhs, "the .mtx file of the right-hand side; left out: K_b.mtx beside K.mtx")
      ->type_name("FILE");
  command->add_flag("--full", system->full, "before Dirichlet values are eliminated: every row of the elements");
  command->add_flag("--quiet", system->deck.quiet, "print warnings and errors only");
  command->callback([=, &action] { action = [=] { return export_system(*system); }; });

  auto comparison = std::make_shared<CompareCommand>();
  command =
      add(app, "compare", "what differs between two results (folders, .vtu, .vtkhdf, .csv, summary.json); exit code 6");
  command->add_option("a", comparison->a, "a result: an output folder or one of its files")->required()->type_name("");
  command->add_option("b", comparison->b, "another of the same kind")->required()->type_name("");
  command->add_option("--rtol", comparison->options.relative, "relative tolerance")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--atol", comparison->options.absolute, "absolute tolerance")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("--ignore", comparison->options.ignore,
                   "keys of a summary to leave out, instead of version, deck, times, memory and backend")
      ->type_name("KEY");
  command->add_flag("--all", comparison->all, "show what agrees, too");
  command->add_flag("--quiet", comparison->quiet, "print nothing where nothing differs");
  command->callback([=, &action] { action = [=] { return compare(*comparison); }; });

  auto verification = std::make_shared<VerifyCommand>();
  command = add(app, "verify", "run a deck on every backend and number of ranks at hand: do they agree? exit code 6");
  add_deck_options(*command, verification->deck);
  command->add_option("--ranks", verification->ranks, "the most ranks to try; 1: none")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--rtol", verification->options.relative, "relative tolerance")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--atol", verification->options.absolute, "absolute tolerance")
      ->capture_default_str()
      ->check(not_negative());
  command->callback([=, &action] { action = [=] { return verify(*verification); }; });

  auto going_on = std::make_shared<RestartCommand>();
  command = add(app, "restart", "go on from the newest whole checkpoint of a run");
  command->add_option("directory", going_on->directory, "output folder of the run")->required()->type_name("");
  command->add_option("--set", going_on->options.set, "change a key, for example time.end=10; only some may change")
      ->type_name("KEY=VALUE");
  command->add_option("--backend", going_on->options.backend, "auto, threads or cuda; overrides run.backend")
      ->type_name("NAME")
      ->check(not_empty());
  command->add_option("--threads", going_on->options.threads, "threads on the host, 0 for all; overrides run.threads")
      ->type_name("N")
      ->check(not_negative());
  add_ranks(*command, going_on->options.ranks, "start so many ranks, by mpirun; overrides run.ranks");
  command->add_flag("--quiet", going_on->options.quiet, "print warnings and errors only");
  command->callback([=, &action] { action = [=] { return restart(*going_on); }; });
}

void add_looks_at_the_machine(CLI::App& app, Action& action) {
  auto spmv = std::make_shared<SpmvCommand>();
  CLI::App* command =
      add(app, "spmv", "time the product of a Matrix Market file's matrix with a vector, in every format");
  command->add_option("file", spmv->file, "a matrix in Matrix Market format")->required()->type_name("");
  command->add_option("--backend", spmv->backend, "auto, threads or cuda")->capture_default_str()->type_name("NAME");
  command->add_option("--threads", spmv->threads, "threads on the host, 0 for all")
      ->capture_default_str()
      ->type_name("N")
      ->check(not_negative());
  command->add_option("--repeat", spmv->repeat, "products in each sample of the timing")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->callback([=, &action] { action = [=] { return compare_formats(*spmv); }; });

  auto rows = std::make_shared<TridiagonalCommand>();
  command = add(app, "tridiagonal", "solve a tridiagonal system of a file by every method: errors and times");
  command
      ->add_option("file", rows->file,
                   "a tridiagonal matrix in Matrix Market format, or rows of: lower, diag, upper and maybe rhs")
      ->required()
      ->type_name("FILE");
  command->add_option("--rhs", rows->rhs, "its right-hand side; left out: one whose solution is about 1")
      ->type_name("FILE");
  command->add_option("--method", rows->method, "one method; left out: all, and what auto takes")->type_name("NAME");
  command->add_option("--batch", rows->batch, "solve the system so many times at once")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000));
  command->add_flag("--interleaved", rows->interleaved, "row i of all systems of a batch stands together");
  command->add_option("-o,--output", rows->output, "write the solution, .mtx or .csv")->type_name("FILE");
  command->add_option("--backend", rows->backend, "auto, threads or cuda")->capture_default_str()->type_name("NAME");
  command->add_option("--threads", rows->threads, "threads on the host, 0 for all")
      ->capture_default_str()
      ->type_name("N")
      ->check(not_negative());
  command->add_option("--repeat", rows->repeat, "solves in each sample of the timing")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->callback([=, &action] { action = [=] { return solve_tridiagonal(*rows); }; });

  command = add(app, "doctor", "toolchain, GPU, libraries, memory: what will be used and why");
  command->callback([&action] { action = [] { return doctor(); }; });

  auto docs = std::make_shared<std::string>("docs/deck.md");
  command = add(app, "docs", "write the reference of the deck as Markdown");
  command->group("");  // for the project itself
  command->add_option("file", *docs, "the file to write")->type_name("FILE");
  command->callback([=, &action] { action = [=] { return write_docs(*docs); }; });
}

/// The commands, as `--help` lists them.
std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

/// What completion offers for the value of an option.
Proposals values_of(const CLI::Option& option, const std::string& name) {
  static const std::map<std::string, std::string> files = {{"DIR", "/"}, {"FILE", "*"}, {"LIB", "so"}};
  if (const auto found = files.find(option.get_type_name()); found != files.end()) return {{}, found->second};
  if (name == "--backend") return {{"auto", "threads", "cuda"}, {}};
  Proposals methods;
  if (name == "--method")
    for (const solvers::TridiagonalMethod method : solvers::tridiagonal_methods())
      methods.words.push_back(solvers::name_of(method));
  return methods;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  words.help = option.get_description();
  if (option.get_items_expected_max() == 0) return words;
  words.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
  words.repeats = option.get_expected_max() > 1;
  words.proposals = values_of(option, words.names.front());
  return words;
}

/// What completion offers behind each command.
std::vector<CommandWords> words_of(CLI::App& app) {
  Proposals physics_names;
  for (const physics::Entry& entry : physics::table()) physics_names.words.push_back(entry.name);
  const std::map<std::string, Proposals> arguments = {{"list", {list_categories(), {}}},
                                                      {"template", physics_names},
                                                      {"schema", physics_names},
                                                      {"help", {command_names(app), {}}},
                                                      {"completion", {shell_names(), {}}},
                                                      {"run", {{}, "toml"}},
                                                      {"check", {{}, "toml"}},
                                                      {"mesh", {{}, "toml"}},
                                                      {"verify", {{}, "toml"}},
                                                      {"export", {{}, "toml"}},
                                                      {"spmv", {{}, "mtx"}},
                                                      {"tridiagonal", {{}, "*"}},
                                                      {"compare", {{}, "*"}},
                                                      {"restart", {{}, "/"}}};
  std::vector<CommandWords> result;
  for (const CLI::App* command : commands_of(app)) {
    CommandWords entry{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options())
      if (!option->get_positional()) entry.options.push_back(words_of(*option));
    if (const auto found = arguments.find(entry.name); found != arguments.end()) entry.proposals = found->second;
    result.push_back(std::move(entry));
  }
  return result;
}

void add_help(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = add(app, "completion", "completion of this command line for bash, zsh or fish");
  command->add_option("shell", *shell, "bash, zsh or fish: source <(tessera completion bash)")
      ->required()
      ->type_name("");
  command->callback([=, &app, &action] { action = [=, &app] { return print_completion(*shell, words_of(app)); }; });

  auto topic = std::make_shared<std::string>();
  command = add(app, "help", "these lines, or those of a command");
  command->add_option("command", *topic, "a command")->type_name("");
  command->callback([=, &app, &action] {
    action = [=, &app] {
      for (CLI::App* known : commands_of(app))
        if (known->get_name() == *topic) {
          fmt::print("{}", known->help(app.get_name()));
          return ExitCode::ok;
        }
      throw Error(ExitCode::usage, fmt::format("unknown command '{}'", *topic), suggest(*topic, command_names(app)));
    };
  });
}

/// An unknown command or option, with the nearest names; CLI11 itself only says that arguments were not expected.
[[noreturn]] void refuse(CLI::App& app, const CLI::ParseError& error) {
  CLI::App* command = app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
  const std::string usage =
      fmt::format("`tessera {}--help` shows what there is", command ? command->get_name() + " " : "");
  std::vector<std::string> options;
  for (const CLI::Option* option : (command ? command : &app)->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (const std::string& extra : app.remaining(true)) {
    const std::string name = extra.substr(0, extra.find('='));
    if (name.starts_with("-"))
      throw Error(ExitCode::usage,
                  fmt::format("unknown option '{}'{}", name, command ? " of " + command->get_name() : ""),
                  fmt::format("{} ({})", suggest(name, options), usage));
    throw Error(ExitCode::usage, fmt::format("argument '{}' was not expected", extra), usage);
  }
  std::string message = error.what();
  if (message.ends_with('\n')) message.pop_back();
  throw Error(ExitCode::usage, command ? fmt::format("tessera {}: {}", command->get_name(), message) : message, usage);
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Tessera solves partial differential equations with finite elements, on cores or GPUs, from one input deck.",
      "tessera");
  app.footer(
      "Start with: tessera template poisson > deck.toml && tessera run deck.toml\n"
      "Exit codes: 0 ok, 1 internal, 2 command line or deck, 3 mesh, 4 not converged, 5 out of memory,\n"
      "            6 comparison differs, 7 file system, 130 and 143 interrupted");
  app.set_version_flag("-V,--version", std::string("tessera ") + version());
  app.require_subcommand(1);
  Action action;
  add_runs(app, action);
  add_references(app, action);
  add_work_on_files(app, action);
  add_looks_at_the_machine(app, action);
  add_help(app, action);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return ExitCode::usage;
  }
  const std::string first = argv[1];
  if (first == "help" && argc == 2) {
    fmt::print("{}", app.help());
    return ExitCode::ok;
  }
  const auto names = command_names(app);
  if (!first.starts_with("-") && first != "docs" && std::find(names.begin(), names.end(), first) == names.end())
    throw Error(ExitCode::usage, fmt::format("unknown command '{}'", first),
                suggest(first, names) + " (`tessera --help` shows all commands)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return ExitCode::ok;
    }
    refuse(app, error);
  }
  return action();
}

}  // namespace tessera::app
