#include "app/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/on_path.hpp"
#include "app/signals.hpp"
#include "app/supervised.hpp"
#include "base/console.hpp"
#include "base/counted.hpp"
#include "base/launcher.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/mpi/entry.hpp"
#include "deck/most_bytes.hpp"
#include "physics/launch_section.hpp"
#include "physics/registry.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

off_t begin_of_deck = 0;  ///< in standard input that is a file

/// The value of an environment variable as a number, 0 where it is not there.
int number_of(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

fs::path own_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

/// The arguments of this call, as the system knows them.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); at += words.back().size() + 1) words.emplace_back(text.c_str() + at);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

/// A deck whose names are wrong is refused by the run of one rank, too, which has a summary to say it in.
bool would_begin(const deck::Deck& deck) {
  try {
    const auto module = physics::make_module(deck);
    deck::check(deck, module->schema_for(deck));
    (void)physics::read_run(deck);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Why it is not started, or nothing.
std::optional<Error> refusal(const deck::Deck& deck, int ranks) {
  const auto refuse = [&](const std::string& why, const std::string& help) {
    return Error(ExitCode::usage, fmt::format("run.ranks = {}, and {}", ranks, why), help, deck.where("run.ranks"));
  };
  try {
    physics::check_takes_ranks(deck);
  } catch (const Error& error) {
    return error;
  }
  // Each of these tasks would start all ranks.
  if (const int tasks = number_of("SLURM_STEP_NUM_TASKS"); tasks > 1)
    return refuse(fmt::format("srun has started {} tasks that do not know of each other", tasks),
                  "let srun make them ranks (--mpi=pmix), or start one task");
  if (number_of(ranks_are_started) > 1)
    return refuse("this is one of those that were started, and nothing of a launcher is in its environment",
                  "let the mpirun of the MPI that libtessera_mpi.so is built for be the first on the PATH");
  if (const auto none = why_no_launcher()) return refuse(none->why, none->help);
  return std::nullopt;
}

/// What no rank has said where nobody asked for their end: of a signal, or of a launcher that was told to be quiet.
std::optional<Error> unsaid(int code, int ranks) {
  const std::string by_hand =
      fmt::format("start them by hand, `mpirun -n {} tessera ...`: it says which, and why", ranks);
  if (code == 128 + SIGKILL)
    return Error(ExitCode::internal, "a rank or its launcher was killed, and the others ended with it",
                 "was there memory for all of them? `tessera check` says what they need; if so, " + by_hand);
  if (code > 128 && code < 128 + SIGRTMIN)
    return Error(ExitCode::internal,
                 fmt::format("a rank or its launcher ended by signal {} ({}), and the others ended with it", code - 128,
                             strsignal(code - 128)),
                 by_hand);
  for (const ExitCode said : {ExitCode::ok, ExitCode::internal, ExitCode::usage, ExitCode::mesh, ExitCode::solver,
                              ExitCode::memory, ExitCode::differs, ExitCode::file_system})
    if (code == static_cast<int>(said)) return std::nullopt;
  return Error(ExitCode::internal, fmt::format("the ranks or their launcher ended with {}, which says nothing", code),
               by_hand);
}

/// Runs the ranks, of which the first one speaks, to their end.
ExitCode run_of(std::vector<std::string> words, int ranks, Supervised::Input input) {
  const std::string launcher = words.front();
  const Supervised runs;
  if (StopOnSignals::asked()) return StopOnSignals::exit_code();
  const Supervised::InPlace ended = runs.run_in_place(std::move(words), input);
  if (ended.failure != 0)
    throw Error(ExitCode::usage, fmt::format("{} cannot be started: {}", launcher, std::strerror(ended.failure)),
                "start the ranks with the launcher of this machine, or run on one rank");
  if (const auto error = unsaid(ended.code, ranks); error && ended.asked == 0) console::say(error->report());
  return static_cast<ExitCode>(ended.code);
}

/// `asked`: by the option, for this run.
void say_what_counts(const deck::Deck& deck, int wanted, bool asked, const Launcher& by, const Ranks& ranks) {
  const int started = ranks.get() ? ranks.get()->size() : 1;
  if (!ranks.is_root() || wanted == started || !deck.has("run.ranks")) return;
  if (asked)
    warn(fmt::format("--ranks {}: the launcher has started {}, which counts ({} is in the environment)", wanted,
                     counted(started, "rank"), by.variable));
  else
    log_info(
        fmt::format("run.ranks = {}: the launcher has started {}, which counts", wanted, counted(started, "rank")));
}

}  // namespace

std::optional<NoLauncher> why_no_launcher() {
  const char* const named = std::getenv("TESSERA_MPI");
  const fs::path library = named && *named ? fs::path(named) : own_program().parent_path() / mpi_library;
  std::error_code none;
  if (library.has_parent_path() && !fs::exists(library, none))
    return NoLauncher{
        fmt::format("this program has no MPI: {} is not there", library.string()),
        "install OpenMPI and build again (scripts/setup does both), name the library in TESSERA_MPI, or run on one "
        "rank"};
  if (find_on_path("mpirun").empty())
    return NoLauncher{"there is no mpirun on the PATH",
                      "install OpenMPI (scripts/setup does), add its folder to the PATH, start the ranks with another "
                      "launcher, or run on one rank"};
  return std::nullopt;
}

std::vector<std::string> words_of_launch(int ranks, Voice voice) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);  // whoever may run the program may run it on several ranks
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  setenv(ranks_are_started, std::to_string(ranks).c_str(), 1);
  if (ranks == 1) return {own_program().string()};
  std::vector<std::string> words{find_on_path("mpirun")};
  if (voice == Voice::of_ranks) words.emplace_back("--quiet");
  // Ranks share the cores that they all may use; OpenMPI would bind each of two to one core, and would count cores
  // only.
  words.insert(words.end(),
               {"--oversubscribe", "--bind-to", "none", "-n", std::to_string(ranks), own_program().string()});
  return words;
}

void keep_standard_input() {
  const off_t here = lseek(STDIN_FILENO, 0, SEEK_CUR);
  begin_of_deck = std::max<off_t>(here, 0);
  if (here >= 0) return;  // a file
  const int kept = memfd_create("standard input", MFD_CLOEXEC);
  if (kept < 0) return;  // then it can be read once
  std::vector<char> chunk(std::size_t{1} << 20);
  ssize_t count = 1;
  std::size_t whole = 0;
  // A deck that is longer is refused by whoever reads it.
  while ((count > 0 && whole <= deck::most_bytes) || (count < 0 && errno == EINTR)) {
    count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count > 0 && ::write(kept, chunk.data(), static_cast<std::size_t>(count)) != count) break;
    whole += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  if (whole > 0) dup2(kept, STDIN_FILENO);  // else whoever reads it says why there is nothing
  ::close(kept);
  again_from_standard_input();
}

void again_from_standard_input() { (void)lseek(STDIN_FILENO, begin_of_deck, SEEK_SET); }

Launch launch(const deck::Deck& deck, const DeckOptions& options, const Ranks& ranks,
              const std::function<void()>& before) {
  int wanted = 1;
  try {
    wanted = physics::launch_section().read_declared(deck).ranks;
  } catch (const Error& error) {
    return {.refusal = error};
  }
  if (const auto by = launcher()) {
    say_what_counts(deck, wanted, options.ranks > 0, *by, ranks);
    return {};
  }
  if (wanted == 1 || number_of(ranks_are_started) == 1 || !would_begin(deck)) return {};
  if (auto why = refusal(deck, wanted)) return {.refusal = why};
  const int cores = static_cast<int>(usable_cores().size());
  if (wanted > cores && cores > 0 && number_of("SLURM_JOB_NUM_NODES") <= 1)
    warn(fmt::format("{} share {}: they wait for each other", counted(wanted, "rank"), counted(cores, "core")));
  std::vector<std::string> words = words_of_launch(wanted, Voice::of_ranks);
  for (std::string& word : own_arguments()) words.push_back(std::move(word));
  log_info(fmt::format("{} started by {}", counted(wanted, "rank"), words.front()));
  const bool reads = options.deck == "-";
  if (reads) again_from_standard_input();
  before();
  return {.ended = run_of(std::move(words), wanted, reads ? Supervised::Input::standard : Supervised::Input::none)};
}

}  // namespace tessera::app
