// Runs the program on damaged inputs of every kind, each in a process of its own that is forked from one that stands
// ready. A finding is a signal, exit code 1, a code that such an input cannot have, a failure without a message, or no
// end.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>

#include "app/program.hpp"
#include "fuzz/kinds.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/tally.hpp"
#include "support/paths.hpp"

namespace fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  double seconds = 60;
  long mutations = 0;  ///< of each kind; 0: as many as fit the time
  unsigned long seed = 1;
  int jobs = 2;
  std::vector<std::string> only;
  std::string findings = "out/fuzz";
  std::string replay;    ///< a folder of earlier findings
  double patience = 60;  ///< seconds of CPU after which a run counts as endless
};

struct Outcome {
  int code = 0;
  int signal = 0;
  bool endless = false;
  long milliseconds = 0;  ///< of the processor
  std::string errors;     ///< the program's stderr
};

std::vector<char*> pointers(const std::vector<std::string>& arguments) {
  std::vector<char*> result;
  for (const std::string& argument : arguments) result.push_back(const_cast<char*>(argument.c_str()));
  result.push_back(nullptr);
  return result;
}

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

[[noreturn]] void run_in_child(const std::vector<std::string>& arguments, double patience) {
  const int null = open("/dev/null", O_RDWR);
  const int errors = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  setpgid(0, 0);
  setenv("TESSERA_RANKS", "1", 1);        // whatever a deck asks for: this program is not the one that ranks would be
  setenv("CUDA_VISIBLE_DEVICES", "", 1);  // the same on every machine, and address space for a driver is not there
  limit(RLIMIT_AS, rlim_t{3} << 30);
  limit(RLIMIT_CPU, static_cast<rlim_t>(patience));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, rlim_t{256} << 20);
  std::vector<char*> argv = pointers(arguments);
  const int code = tessera::app::run_program(static_cast<int>(arguments.size()), argv.data());
  std::exit(code);
}

/// Runs the program in the current folder, from its first argument on, and waits for its end.
Outcome run(const std::vector<std::string>& arguments, double patience) {
  Outcome outcome;
  const pid_t child = fork();
  if (child == 0) run_in_child(arguments, patience);
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd wait{handle, POLLIN, 0};
  // Others may use this machine: CPU time is what is limited, the clock only ends what sleeps.
  if (poll(&wait, 1, static_cast<int>(5000 * patience)) == 0) outcome.endless = true;
  kill(-child, SIGKILL);  // also what it may have left behind
  close(handle);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  outcome.milliseconds = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (outcome.signal == SIGXCPU || (outcome.signal == SIGKILL && !outcome.endless)) outcome.endless = true;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.errors = read_file("stderr");
  return outcome;
}

/// Why an outcome is a finding; empty where it is none.
std::string judge(const Kind& kind, const Outcome& outcome) {
  const auto says = [&](const char* word) { return outcome.errors.find(word) != std::string::npos; };
  // A flow whose steps are shortened by so much takes long, and has said why.
  if (outcome.endless) return says("such steps are shortened") ? "" : "no end";
  if (outcome.signal != 0) return fmt::format("signal {}", outcome.signal);
  if (std::find(kind.codes.begin(), kind.codes.end(), outcome.code) == kind.codes.end())
    return fmt::format("exit code {}", outcome.code);
  if (outcome.errors.find("internal:") != std::string::npos) return "an internal error";
  // Called without arguments the program shows its usage.
  const bool told =
      outcome.code == 0 || outcome.code == 6 || outcome.code == 4 || says("error:") || says("Usage: tessera");
  return told ? "" : fmt::format("exit code {} without a message", outcome.code);
}

/// Words of a command line as a simple shell would split them.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line.substr(0, line.find('\n')) + " ") {
    if (c != ' ' && c != '\0') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word == "''" ? "" : word);
      word.clear();
    }
  }
  return words;
}

/// A random line of a file of inputs.
std::string a_line(const std::string& text, Random& random) {
  const std::size_t newline = text.rfind('\n', random.below(text.size()));
  return text.substr(newline == std::string::npos ? 0 : newline + 1);
}

std::vector<Kind> chosen_kinds(const Options& options, const fs::path& scratch, const fs::path& results) {
  fs::create_directories(scratch);
  std::vector<Kind> kinds = make_kinds(test_paths::source(), scratch, results);
  const auto named = [&](const Kind& kind) {
    return std::find(options.only.begin(), options.only.end(), kind.name) != options.only.end();
  };
  for (const std::string& name : options.only)
    if (std::none_of(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; })) {
      std::string known;
      for (const Kind& kind : kinds) known += " " + kind.name;
      throw std::runtime_error(fmt::format("--only: no kind of input '{}'; there are{}", name, known));
    }
  if (!options.only.empty()) std::erase_if(kinds, [&](const Kind& kind) { return !named(kind); });
  return kinds;
}

/// Random numbers of one mutation, which are the same whichever worker makes it and whatever other kinds there are.
Random random_of(unsigned long seed, const std::string& kind, long number) {
  std::uint64_t state = seed;
  for (const char c : kind) state = Random(state + static_cast<unsigned char>(c))();
  return Random(Random(state + static_cast<std::uint64_t>(number))());
}

class Worker {
 public:
  Worker(const Options& options, Tally& tally, int number, const fs::path& scratch, const fs::path& results)
      : options_(options), tally_(tally), kinds_(chosen_kinds(options, scratch / std::to_string(number), results)) {
    fs::current_path(scratch / std::to_string(number));
  }

  void run_mutations() {
    const auto start = Clock::now();
    const long kinds = static_cast<long>(kinds_.size());
    for (;;) {
      // Kinds in turn, so that slow ones have as many as others.
      const long next = tally_.next(), number = next / kinds;
      if ((options_.mutations > 0 && number >= options_.mutations) || elapsed(start) >= options_.seconds) return;
      const std::size_t k = static_cast<std::size_t>(next % kinds);
      const Kind& kind = kinds_[k];
      Random random = random_of(options_.seed, kind.name, number);
      const std::string& seed = kind.seeds[random.below(kind.seeds.size())];
      const std::string& other = kind.seeds[random.below(kind.seeds.size())];
      const std::string base = kind.lines ? a_line(seed, random) : seed;
      try_one(k, mutate(base, other, kind.dictionary, random));
    }
  }

  /// Files that were findings once: <folder>/<kind>/<any name>.
  void replay(const fs::path& folder) {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (fs::is_directory(folder / kinds_[k].name))
        for (const auto& file : fs::directory_iterator(folder / kinds_[k].name)) try_one(k, read_file(file.path()));
  }

 private:
  static double elapsed(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  void try_one(std::size_t k, const std::string& text) {
    const Kind& kind = kinds_[k];
    std::vector<std::string> arguments{"tessera"};
    const auto& rest = kind.file.empty() ? words_of(text) : kind.arguments;
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    if (kind.alone) {
      const fs::path folder = fs::path(kind.file).parent_path();
      fs::remove_all(folder);
      fs::create_directories(folder);
    }
    if (!kind.file.empty()) write_file(kind.file, kind.complete ? kind.complete(text) : text);
    const Outcome outcome = run(arguments, options_.patience);
    const std::string problem = judge(kind, outcome);
    tally_.of(k).add(outcome.endless ? -1 : outcome.code, outcome.milliseconds, !problem.empty());
    if (!problem.empty()) keep(kind, text, problem, outcome);
  }

  void keep(const Kind& kind, const std::string& text, const std::string& problem, const Outcome& outcome) {
    const fs::path file =
        fs::path(options_.findings) / kind.name / fmt::format("{:016x}", std::hash<std::string>{}(text));
    fs::create_directories(file.parent_path());
    write_file(file, text);
    const std::string last =
        outcome.errors.substr(outcome.errors.size() - std::min<std::size_t>(300, outcome.errors.size()));
    fmt::print("finding: {}: {}, kept as {}\n{}\n", kind.name, problem, file.string(), last);
    std::fflush(stdout);
  }

  const Options& options_;
  Tally& tally_;
  std::vector<Kind> kinds_;
};

void run_workers(const Options& options, Tally& tally, const fs::path& scratch, const fs::path& results) {
  std::vector<pid_t> workers;
  for (int number = 0; number < options.jobs; ++number) {
    const pid_t pid = fork();
    if (pid == 0) {
      try {
        Worker worker(options, tally, number, scratch, results);
        options.replay.empty() ? worker.run_mutations() : worker.replay(options.replay);
      } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    workers.push_back(pid);
  }
  bool whole = true;
  for (const pid_t worker : workers) {
    int status = 0;
    waitpid(worker, &status, 0);
    whole = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (!whole) throw std::runtime_error("a worker ended before its work did");
}

/// Sound results, to be damaged.
void make_results(const fs::path& deck, const std::vector<std::string>& more, const fs::path& scratch,
                  const fs::path& results) {
  const fs::path back = fs::current_path();
  fs::current_path(scratch);
  std::vector<std::string> arguments{"tessera",   "run", deck.string(), "--quiet",
                                     "--threads", "1",   "--output",    results.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run(arguments, 60);
  fs::current_path(back);
  if (outcome.code != 0) throw std::runtime_error("a seed deck does not run: " + outcome.errors);
}

int main_program(Options options) {
  options.findings = fs::absolute(options.findings).string();
  if (!options.replay.empty()) options.replay = fs::absolute(options.replay).string(), options.jobs = 1;
  std::string pattern = (fs::temp_directory_path() / "tessera_fuzz_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  const fs::path scratch = pattern, results = scratch / "results";
  const fs::path seeds = test_paths::source() / "tests/fuzz/seeds";
  make_results(seeds / "deck/poisson.toml", {"--set", "output.formats=[\"vtu\", \"csv\"]"}, scratch, results);
  make_results(seeds / "transient/heat.toml", {}, scratch, results / "heat");
  make_results(seeds / "transient/heat.toml", {"--set", "output.formats=[\"vtkhdf\"]"}, scratch, results / "series");
  std::vector<std::string> names;
  for (const Kind& kind : chosen_kinds(options, scratch / "names", results)) names.push_back(kind.name);
  Tally tally(names.size());
  run_workers(options, tally, scratch, results);
  fs::remove_all(scratch);
  if (tally.runs() < options.mutations * static_cast<long>(names.size()))
    fmt::print("not all mutations were tried: --seconds were over\n");
  fmt::print("{}{} executions, {} findings\n", options.replay.empty() ? tally.table(names) : "", tally.runs(),
             tally.findings());
  return tally.findings() == 0 && tally.runs() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace fuzz

int main(int argc, char** argv) {
  // What the program starts of itself.
  if (argc > 1 && std::string_view(argv[1]).starts_with("gmsh-")) return tessera::app::run_program(argc, argv);
  fuzz::Options options;
  CLI::App app("Runs tessera on damaged inputs of every kind; each finding is kept and printed.");
  const CLI::Option* seconds =
      app.add_option("--seconds", options.seconds, "how long at most; without end where there are --mutations")
          ->capture_default_str();
  app.add_option("--mutations", options.mutations, "so many of each kind, the same ones with the same seed")
      ->check(CLI::Range(1l, 1000000000l));
  app.add_option("--seed", options.seed, "of the random numbers")->capture_default_str();
  app.add_option("--jobs", options.jobs, "processes at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  app.add_option("--only,--formats", options.only,
                 "kinds: meshes (msh geo step iges brep stl unv vtk bdf mesh inp grid), decks (check run transient "
                 "steady expression times material), command lines (command), matrices (mtx rows), checkpoints "
                 "(checkpoint sealed), starts (initial pvd pvtu), results (vtu vtkhdf csv json)")
      ->delimiter(',');
  app.add_option("--findings", options.findings, "folder for what is found")->capture_default_str();
  app.add_option("--replay", options.replay, "a folder of findings to try again, instead of mutations");
  app.add_option("--patience", options.patience, "seconds of CPU that a run may take")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.mutations > 0 && seconds->empty()) options.seconds = std::numeric_limits<double>::infinity();
  try {
    return fuzz::main_program(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
