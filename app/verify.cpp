#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/commands.hpp"
#include "app/launch.hpp"
#include "app/open_deck.hpp"
#include "app/supervised.hpp"
#include "base/backend.hpp"
#include "base/communicator.hpp"
#include "output/compare.hpp"
#include "physics/launch_section.hpp"
#include "physics/sections.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

/// A folder that goes when it is no longer needed.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tessera_verify_XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw Error(ExitCode::file_system, fmt::format("cannot make a folder in {}", fs::temp_directory_path().string()),
                  "free space there, or name another place in TMPDIR");
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
};

/// A way to run the deck.
struct Way {
  std::string name;
  std::string backend;
  int ranks = 1;
};

/// How a run of it ended.
struct Outcome {
  int code = -1;
  double seconds = 0;
  std::string words;    ///< what it said
  std::string summary;  ///< the text of its summary.json
};

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the runs write beside what the deck asks for: fields, in files that can be compared, of the last state at
/// least.
std::vector<std::string> changes_for_fields(const deck::Deck& deck) {
  const physics::OutputParams output = physics::output_section().read_declared(deck);
  const bool has_fields = output.has_format("vtu") || output.has_format("pvtu") || output.has_format("vtkhdf");
  if (output.write && has_fields) return {};
  std::vector<std::string> changes{"output.write=true", "output.formats=[\"vtu\"]"};
  if (deck.has("output.every")) changes.emplace_back("output.every=0");
  return changes;
}

std::vector<std::string> command_of(const VerifyCommand& command, const std::vector<std::string>& changes,
                                    const Way& way, const fs::path& out) {
  std::vector<std::string> words = words_of_launch(way.ranks, Voice::of_launcher);
  words.insert(words.end(), {"run", command.deck.deck});
  for (const std::vector<std::string>* sets : {&command.deck.set, &changes})
    for (const std::string& set : *sets) words.insert(words.end(), {"--set", set});
  for (const std::string& plugin : command.deck.plugins) words.insert(words.end(), {"--plugin", plugin});
  words.insert(words.end(), {"--quiet", "--backend", way.backend, "--output", out.string()});
  return words;
}

Outcome run_way(const Supervised& runs, const std::vector<std::string>& words, const fs::path& out) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  const fs::path log = out.string() + ".log";
  outcome.code = runs.run(words, log);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.words = read_text(log);
  outcome.summary = read_text(out / "summary.json");
  return outcome;
}

/// The ways that this machine has; the first is the reference.
std::vector<Way> ways_of(const VerifyCommand& command) {
  std::vector<Way> ways{{"threads", "threads"}};
  const CudaInfo cuda = cuda_info();
  if (cuda.usable) ways.push_back({"cuda", "cuda"});
  if (why_no_launcher()) return ways;
  std::vector<int> counts;
  if (command.ranks > 1) counts.push_back(2);
  if (command.ranks > 2) counts.push_back(command.ranks);
  for (const int ranks : counts) {
    ways.push_back({fmt::format("threads, {} ranks", ranks), "threads", ranks});
    if (cuda.usable) ways.push_back({fmt::format("cuda, {} ranks", ranks), "cuda", ranks});
  }
  return ways;
}

/// The largest difference of a report, in proportion, and whose it is.
std::string worst_of(const output::CompareReport& report) {
  const auto worst = std::max_element(report.items.begin(), report.items.end(),
                                      [](const auto& a, const auto& b) { return a.relative < b.relative; });
  if (worst == report.items.end() || worst->relative == 0) return "none";
  return fmt::format("{:.1e} {}", worst->relative, worst->what);
}

/// Fields and quantities of two runs; how they got there may differ.
output::CompareReport compare_runs(const fs::path& a, const fs::path& b, const output::CompareOptions& options) {
  output::CompareOptions of_results = options;
  for (const char* key :
       {"solver", "assembly", "matrix", "ranks", "newton", "warnings", "files", "balance", "errors", "sources",
        "time.iterations", "time.systems", "time.matrices", "time.set_ups", "time.evaluations"})
    of_results.ignore.emplace_back(key);
  return output::compare(a, b, of_results);
}

bool has_fields(const output::CompareReport& report) {
  return std::any_of(report.items.begin(), report.items.end(), [](const output::Comparison& item) {
    return item.what.find("point field '") != std::string::npos || item.what.find("cell field '") != std::string::npos;
  });
}

/// Numbers alone say little: runs that differ may have the same.
Error no_fields() {
  return Error(ExitCode::usage, "the runs of this deck write no field that could be compared",
               "name fields in output.fields, and a format in output.formats");
}

std::string iterations_of(const std::string& text) {
  const nlohmann::json summary = nlohmann::json::parse(text, nullptr, false);
  if (!summary.is_object() || !summary.contains("solver")) return "";
  const auto found = summary["solver"].find("iterations");
  return found == summary["solver"].end() ? "" : std::to_string(found->get<int>());
}

void print_row(const std::string& way, const std::string& seconds, const std::string& iterations,
               const std::string& difference, const std::string& verdict) {
  fmt::print("{:20} {:>8} {:>11}  {:44} {}\n", way, seconds, iterations, difference, verdict);
}

}  // namespace

ExitCode verify(const VerifyCommand& command) {
  if (command.deck.deck == "-")
    throw Error(ExitCode::usage, "verify runs its deck several times, and standard input can be read once",
                "write the deck into a file");
  if (is_launched_as_rank())
    throw Error(ExitCode::usage, "verify starts ranks by itself and was started by mpirun", "run it without mpirun");
  const Supervised runs;  // before libraries make threads
  load_plugins(command.deck);
  const deck::Deck deck = open_deck(command.deck);
  (void)physics::read_run(deck);  // a deck that is wrong is refused once
  const std::vector<std::string> changes = changes_for_fields(deck);
  const TemporaryFolder folder;
  std::optional<fs::path> reference;
  bool agrees = true;
  print_row("way", "seconds", "iterations", "largest difference", "");
  for (const Way& way : ways_of(command)) {
    const fs::path out = folder.path / std::to_string(std::hash<std::string>()(way.name));
    const Outcome outcome = run_way(runs, command_of(command, changes, way, out), out);
    const std::string seconds = fmt::format("{:.2f}", outcome.seconds), iterations = iterations_of(outcome.summary);
    if (outcome.code != 0) {
      const std::size_t error = outcome.words.find("error: ");
      const std::string words = error == std::string::npos
                                    ? fmt::format("ended with {}", outcome.code)
                                    : outcome.words.substr(error + 7, outcome.words.find('\n', error) - error - 7);
      if (!reference)
        throw Error(static_cast<ExitCode>(outcome.code), fmt::format("the deck does not run: {}", words),
                    "tessera run says more");
      const bool refused = outcome.code == static_cast<int>(ExitCode::usage);
      agrees = agrees && refused;
      print_row(way.name, seconds, iterations, "", (refused ? "not there: " : "FAILED: ") + words);
      continue;
    }
    if (!reference) {
      reference = out;
      print_row(way.name, seconds, iterations, "reference", "");
      continue;
    }
    const output::CompareReport report = compare_runs(*reference, out, command.options);
    if (!has_fields(report)) throw no_fields();
    print_row(way.name, seconds, iterations, worst_of(report), report.agrees() ? "agrees" : "DIFFERS");
    if (!report.agrees()) fmt::print("{}", report.table(false));
    agrees = agrees && report.agrees();
    runs.check();
  }
  return agrees ? ExitCode::ok : ExitCode::differs;
}

}  // namespace tessera::app
