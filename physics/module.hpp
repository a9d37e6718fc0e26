#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "linalg/crs.hpp"
#include "output/summary.hpp"

namespace tessera {
class Communicator;
}
namespace tessera::output {
struct Checkpoint;
}

namespace tessera::physics {

/// Where a deck came from, so that a run can be gone on with.
struct Origin {
  std::string version = {};                 ///< of the program
  std::string text = {};                    ///< of the deck; empty: it is not there any more
  std::filesystem::path folder = {};        ///< that its paths are relative to
  std::vector<std::string> overrides = {};  ///< key=value
  std::vector<std::string> plugins = {};
};

/// What the program hands to a module for one run.
struct Context {
  const deck::Deck& deck;
  std::string backend;  ///< "auto", "threads" or "cuda"
  int threads = 0;      ///< 0: all
  std::filesystem::path output_directory;
  output::Summary& summary;
  bool quiet = false;
  /// True when the user asked to stop (Ctrl-C, SIGTERM); may be empty.
  std::function<bool()> stop;
  /// Progress of the run in [0, 1], or below 0 where it is not known; may be empty.
  std::function<void(double fraction, const std::string& what)> progress;
  /// Says whether the next phase ends the run where the user asked to stop; a loop that stops by itself, and then has
  /// something to save, turns that off. May be empty.
  std::function<void(bool)> ends_at_phases = {};
  Communicator* ranks = nullptr;  ///< that share the run; nullptr: there is one
  int planned_ranks = 1;          ///< of a run that is only checked
  Origin origin = {};
  const output::Checkpoint* checkpoint = nullptr;  ///< where the run goes on; nullptr: it begins
};

/// A u = b on the host, as a solver gets it.
struct LinearSystem {
  linalg::Crs<Host> A;
  Array<double> b;
};

/// A physics module owns one run, from the deck to the files.
class Module {
 public:
  virtual ~Module() = default;
  /// Every section a deck of this module may have.
  virtual deck::Schema schema() const = 0;
  /// That of this deck, where it decides itself which keys there are; else the same.
  virtual deck::Schema schema_for(const deck::Deck&) { return schema(); }
  /// Runs the deck: writes fields and fills the summary. Returns `ok`, or `solver` where the result is not converged
  /// (it is written all the same and marked). Throws Error for everything else.
  virtual ExitCode run(Context& context) = 0;
  /// Everything but solving; prints a report to standard output.
  virtual void check(Context& context) = 0;
  /// The linear system of the deck, assembled on threads whatever its solver and format. Dirichlet values are
  /// eliminated; with `full` they are not. Throws Error(usage) where there is no matrix, which is what a module
  /// without one leaves as it is.
  virtual LinearSystem assemble(Context& context, bool full);
};

}  // namespace tessera::physics
