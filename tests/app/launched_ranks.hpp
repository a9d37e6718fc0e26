#pragma once
// Ranks that the program starts by itself.
#include <sched.h>

#include <optional>

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

/// A run of two ranks without end, in the middle of its steps.
struct Endless {
  explicit Endless(const std::string& name, Child::Words words = Child::Words::pipe_of_group) : out(folder() / name) {
    setenv("OMPI_MCA_orte_tmpdir_base", folder_of_sessions.c_str(), 1);
    child.emplace(std::vector<std::string>{"run", write_deck(name + ".toml", heat("1e7")), "--ranks", "2", "--quiet",
                                           "--backend", "threads", "--threads", "1", "--output", out.string()},
                  words);
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
  std::optional<Child> child;
  bool is_there = false;
};

}  // namespace app_test
