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
};

struct MeshOptions {
  DeckOptions deck;
  std::string file;
};

struct CompareCommand {
  std::string a, b;
  output::CompareOptions options;
  bool quiet = false;
};

struct SpmvCommand {
  std::string file;
  std::string backend = "auto";
  int threads = 0;
  int repeat = 20;
};

/// Each returns the exit code or throws Error.
ExitCode run(const DeckOptions& options);
ExitCode check(const DeckOptions& options);
ExitCode list(const std::string& category);
ExitCode print_template(const std::string& physics);
ExitCode print_schema(const std::string& physics);
ExitCode write_docs(const std::string& file);
ExitCode write_mesh(const MeshOptions& options);
ExitCode compare(const CompareCommand& command);
ExitCode restart(const std::string& directory);
ExitCode compare_formats(const SpmvCommand& command);
ExitCode doctor();

/// Names that `list` knows.
const std::vector<std::string>& list_categories();

}  // namespace tessera::app
