#pragma once
// Ranks that the program starts by itself.
#include <sched.h>

#include <optional>
#include <utility>

#include "app/child.hpp"
#include "app/processes.hpp"
#include "app/ranks.hpp"

namespace app_test {

inline std::string poisson(const std::string& run = "") {
  return run + box_of("quad", 2, 8) + poisson_of(1) + "[[material]]\nsource = \"1 + x\"\n" +
         dirichlet_on("[\"left\"]", "y") + "[solver]\ntolerance = 1e-13\n";
}

/// As `mpirun` of app/ranks.hpp has them.
inline const std::string folder_of_sessions =
    fmt::format("{}/tessera_mpi_{}", fs::temp_directory_path().string(), getpid());
inline const std::string sessions = "OMPI_MCA_orte_tmpdir_base=" + folder_of_sessions + " ";

/// The program with one thread a rank, and with what else is in its environment.
inline Result alone(const std::string& arguments, const std::string& environment = "", const std::string& before = "") {
  return shell(before + "env " + sessions + "OMP_NUM_THREADS=1 " + environment + " " + program() + " " + arguments);
}

inline int own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

inline int times(const Result& result, const std::string& part) {
  int found = 0;
  for (std::size_t at = result.text.find(part); at != std::string::npos; at = result.text.find(part, at + 1)) ++found;
  return found;
}

/// How many ranks a run had that left its summary there.
inline int ranks_in(const fs::path& out) {
  const nlohmann::json summary = summary_in(out);
  return summary["backend"].contains("ranks") ? int(summary["backend"]["ranks"]) : 1;
}

inline std::string heat(const std::string& end) {
  return box_of("quad", 2, 8) + "[physics]\ntype = \"heat\"\n" + dirichlet_on("[\"left\"]", "y") +
         "[time]\nend = " + end + "\nstep = 1\n[checkpoint]\nevery = 2\n[output]\nformats = []\n";
}

/// The program as the leader of a group, as a shell starts it, or of the session of a terminal.
class Leader {
 public:
  enum class Of { group, terminal };

  Leader(std::vector<std::string> arguments, Of what) {
    arguments.insert(arguments.begin(), program());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (what == Of::group && pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = what == Of::terminal ? forkpty(&words_, nullptr, nullptr, nullptr) : fork();
    if (pid_ == 0) {
      if (what == Of::group) {
        setpgid(0, 0);
        for (const int file : {STDOUT_FILENO, STDERR_FILENO}) dup2(ends[1], file);
      }
      execv(argv[0], argv.data());
      _exit(99);
    }
    if (what == Of::terminal) return;
    close(ends[1]);
    words_ = ends[0];
  }
  ~Leader() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    close(words_);
  }
  Leader(const Leader&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }
  void send_to_group(int signal) const { kill(-pid_, signal); }
  /// As somebody does at its terminal.
  void type(const std::string& keys) const { (void)!write(words_, keys.data(), keys.size()); }
  bool runs() const {
    siginfo_t state{};
    waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT);
    return state.si_pid == 0;
  }
  /// Reads all that it says; its exit code, 1000 + signal where it died of one.
  Result end() {
    Result result;
    char chunk[4096];
    for (ssize_t count = 0; (count = read(words_, chunk, sizeof chunk)) > 0;)
      result.text.append(chunk, static_cast<std::size_t>(count));
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return result;
  }

 private:
  pid_t pid_ = -1;
  int words_ = -1;
};

/// A run of two ranks without end, in the middle of its steps.
struct Endless {
  explicit Endless(const std::string& name, Leader::Of what = Leader::Of::group) : out(folder() / name) {
    setenv("OMPI_MCA_orte_tmpdir_base", folder_of_sessions.c_str(), 1);
    child.emplace(std::vector<std::string>{"run", write_deck(name + ".toml", heat("1e7")), "--ranks", "2", "--quiet",
                                           "--backend", "threads", "--threads", "1", "--output", out.string()},
                  what);
    is_there = comes_true([&] { return !child->runs() || has_checkpoint(); });
  }
  /// Any: the run writes new ones and removes those before.
  bool has_checkpoint() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(out, none))
      if (entry.path().extension() == ".tsr") return true;
    return false;
  }
  /// Those of the program, of which two have been given a number by the launcher.
  std::vector<fs::path> ranks() const {
    std::vector<fs::path> found;
    for (const fs::path& process : processes_with(out.string()))
      if (bytes_of(process / "environ").find("OMPI_COMM_WORLD_RANK=") != std::string::npos) found.push_back(process);
    return found;
  }
  bool leaves_nothing() const {
    return comes_true([&] { return processes_with(out.string()).empty(); });
  }

  fs::path out;
  std::optional<Leader> child;
  bool is_there = false;
};

}  // namespace app_test
