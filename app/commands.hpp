#pragma once
// What each command of the program gets from the command line, and the function that carries it out.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "output/compare.hpp"

namespace tessera::app {

/// A deck and what the command line changes in it.
struct DeckOptions {
  std::string deck;
  std::vector<std::string> set;  ///< key=value, TOML
  std::string backend;           ///< empty: as the deck says
  int threads = -1;              ///< below 0: as the deck says
  std::string output;            ///< empty: as the deck says
  std::vector<std::string> plugins;
  bool quiet = false;
  int ranks = 0;  ///< 0: as the deck says, or a launcher
};

struct RestartCommand {
  std::string directory;  ///< the output folder of the run that is gone on with
  DeckOptions options;    ///< what the command line changes: no deck, no output, no plugins
};

struct MeshOptions {
  DeckOptions deck;
  std::string file;   ///< to write; empty: none
  bool list = false;  ///< print every group and entity
};

struct CompareCommand {
  std::string a, b;
  output::CompareOptions options;
  bool all = false;    ///< shows what agrees, too
  bool quiet = false;  ///< prints nothing where nothing differs
};

struct VerifyCommand {
  DeckOptions deck;
  int ranks = 4;  ///< the most that are tried
  output::CompareOptions options = {.relative = 1e-6, .absolute = 1e-12};
};

struct SpmvCommand {
  std::string file;
  std::string backend = "auto";
  int threads = 0;
  int repeat = 20;
};

/// What completion may offer in one place.
struct Proposals {
  std::vector<std::string> words;  ///< that stand for themselves: names of physics, categories, shells
  std::string files;               ///< the ending of files, "*" for any, "/" for folders only, "" for none
};

/// An option of a command: for completion.
struct OptionWords {
  std::vector<std::string> names;  ///< "--output", "-o"
  std::string help;
  std::string value;  ///< what it takes, as the help calls it: "DIR"; empty: nothing
  bool repeats = false;
  Proposals proposals;  ///< of its value
};

/// What may follow a command: for completion.
struct CommandWords {
  std::string name, help;
  std::vector<OptionWords> options;
  Proposals proposals;  ///< of its arguments
};

struct ExportCommand {
  DeckOptions deck;
  std::string matrix;
  std::string rhs;    ///< empty: beside the matrix, K_b.mtx for K.mtx
  bool full = false;  ///< before Dirichlet values are eliminated
};

struct TridiagonalCommand {
  std::string file;
  std::string rhs;     ///< empty: that of the file, or one that is made
  std::string method;  ///< empty: all
  std::string output;  ///< of the solution; empty: none
  std::string backend = "auto";
  int threads = 0;
  int batch = 1;
  bool interleaved = false;
  int repeat = 3;
};

/// Each returns the exit code or throws Error.
ExitCode run(const DeckOptions& options);
ExitCode check(const DeckOptions& options);
ExitCode list(const std::string& category);
ExitCode print_template(const std::string& physics);
ExitCode print_schema(const std::string& physics);
ExitCode write_docs(const std::string& file);
ExitCode mesh_of_deck(const MeshOptions& options);
ExitCode compare(const CompareCommand& command);
ExitCode verify(const VerifyCommand& command);
ExitCode restart(const RestartCommand& command);
ExitCode compare_formats(const SpmvCommand& command);
ExitCode export_system(const ExportCommand& command);
ExitCode solve_tridiagonal(const TridiagonalCommand& command);
ExitCode doctor();
/// A program for a shell that completes the commands in `commands`.
ExitCode print_completion(const std::string& shell, const std::vector<CommandWords>& commands);

/// Shells that print_completion knows.
const std::vector<std::string>& shell_names();

/// Names that `list` knows.
const std::vector<std::string>& list_categories();

}  // namespace tessera::app
