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

#include "app/program.hpp"
#include "fuzz/kinds.hpp"
#include "fuzz/mutate.hpp"
#include "support/paths.hpp"

namespace fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  double seconds = 60;
  long executions = 0;  ///< 0: as many as fit the time
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
  std::string errors;  ///< the program's stderr
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
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (outcome.signal == SIGXCPU || (outcome.signal == SIGKILL && !outcome.endless)) outcome.endless = true;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.errors = read_file("stderr");
  return outcome;
}

/// Why an outcome is a finding; empty where it is none.
std::string judge(const Kind& kind, const Outcome& outcome) {
  if (outcome.endless) return "no end";
  if (outcome.signal != 0) return fmt::format("signal {}", outcome.signal);
  if (std::find(kind.codes.begin(), kind.codes.end(), outcome.code) == kind.codes.end())
    return fmt::format("exit code {}", outcome.code);
  if (outcome.errors.find("internal:") != std::string::npos) return "an internal error";
  const auto says = [&](const char* word) { return outcome.errors.find(word) != std::string::npos; };
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

class Worker {
 public:
  Worker(const Options& options, int number, const fs::path& scratch, const fs::path& results)
      : options_(options), random_(options.seed * 1000 + static_cast<unsigned long>(number)) {
    fs::create_directories(scratch);
    kinds_ = make_kinds(test_paths::source(), scratch, results);
    std::erase_if(kinds_, [&](const Kind& kind) {
      return !options.only.empty() &&
             std::find(options.only.begin(), options.only.end(), kind.name) == options.only.end();
    });
    if (kinds_.empty()) throw std::runtime_error("--only names no kind of input");
    fs::current_path(scratch);
  }

  /// Number of findings.
  int run_mutations(long executions) {
    const auto start = Clock::now();
    int findings = 0;
    for (long i = 0; executions > 0 ? i < executions : elapsed(start) < options_.seconds; ++i, ++done_) {
      // In turn, so that slow kinds have as many as others.
      const Kind& kind = kinds_[static_cast<std::size_t>(i) % kinds_.size()];
      const std::string& seed = kind.seeds[random_.below(kind.seeds.size())];
      const std::string& other = kind.seeds[random_.below(kind.seeds.size())];
      const std::string base = kind.lines ? a_line(seed, random_) : seed;
      findings += try_one(kind, mutate(base, other, kind.dictionary, random_));
    }
    return findings;
  }

  /// Files that were findings once: <folder>/<kind>/<any name>.
  int replay(const fs::path& folder) {
    int findings = 0;
    for (const Kind& kind : kinds_)
      if (fs::is_directory(folder / kind.name))
        for (const auto& file : fs::directory_iterator(folder / kind.name)) {
          findings += try_one(kind, read_file(file.path()));
          ++done_;
        }
    return findings;
  }

  long done() const { return done_; }

 private:
  static double elapsed(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  int try_one(const Kind& kind, const std::string& text) {
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
    if (problem.empty()) return 0;
    const fs::path file =
        fs::path(options_.findings) / kind.name / fmt::format("{:016x}", std::hash<std::string>{}(text));
    fs::create_directories(file.parent_path());
    write_file(file, text);
    const std::string last =
        outcome.errors.substr(outcome.errors.size() - std::min<std::size_t>(300, outcome.errors.size()));
    fmt::print("finding: {}: {}, kept as {}\n{}\n", kind.name, problem, file.string(), last);
    std::fflush(stdout);
    return 1;
  }

  const Options& options_;
  Random random_;
  std::vector<Kind> kinds_;
  long done_ = 0;
};

/// Counts that workers report through a pipe.
struct Tally {
  long done = 0;
  int findings = 0;
};

Tally run_workers(const Options& options, const fs::path& scratch, const fs::path& results) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::vector<pid_t> workers;
  for (int number = 0; number < options.jobs; ++number) {
    const pid_t pid = fork();
    if (pid == 0) {
      Worker worker(options, number, scratch / std::to_string(number), results);
      const long share = (options.executions + options.jobs - 1) / options.jobs;
      Tally tally;
      tally.findings = options.replay.empty() ? worker.run_mutations(share) : worker.replay(options.replay);
      tally.done = worker.done();
      if (write(ends[1], &tally, sizeof tally) != sizeof tally) _exit(1);
      _exit(0);
    }
    workers.push_back(pid);
  }
  close(ends[1]);
  Tally sum, part;
  int reports = 0;
  while (read(ends[0], &part, sizeof part) == sizeof part) {
    sum.done += part.done;
    sum.findings += part.findings;
    ++reports;
  }
  for (const pid_t worker : workers) waitpid(worker, nullptr, 0);
  if (reports != options.jobs) throw std::runtime_error("a worker ended without a report");
  return sum;
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
  const Tally tally = run_workers(options, scratch, results);
  fs::remove_all(scratch);
  fmt::print("{} executions, {} findings\n", tally.done, tally.findings);
  return tally.findings == 0 && tally.done > 0 ? 0 : 1;
}

}  // namespace
}  // namespace fuzz

int main(int argc, char** argv) {
  // What the program starts of itself.
  if (argc > 1 && std::string_view(argv[1]).starts_with("gmsh-")) return tessera::app::run_program(argc, argv);
  fuzz::Options options;
  CLI::App app("Runs tessera on damaged inputs of every kind; each finding is kept and printed.");
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--executions", options.executions, "how many, instead of --seconds");
  app.add_option("--seed", options.seed, "of the random numbers")->capture_default_str();
  app.add_option("--jobs", options.jobs, "processes at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  app.add_option(
      "--only", options.only,
      "kinds: msh geo step brep stl unv vtk bdf mesh inp grid check run transient expression times material command "
      "mtx rows checkpoint sealed initial vtu csv json");
  app.add_option("--findings", options.findings, "folder for what is found")->capture_default_str();
  app.add_option("--replay", options.replay, "a folder of findings to try again, instead of mutations");
  app.add_option("--patience", options.patience, "seconds of CPU that a run may take")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return fuzz::main_program(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
