#pragma once
// What the program reads, and how a damaged file of each kind is given to it.
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// One kind of input: sound files of it, and the command that reads one.
struct Kind {
  std::string name;
  std::vector<std::string> seeds;            ///< contents
  std::vector<std::string> files;            ///< where they came from
  std::string file;                          ///< name of the damaged file in the scratch folder; empty: a command line
  std::vector<std::string> arguments;        ///< of the program, run in the scratch folder
  std::vector<int> codes;                    ///< exit codes that such an input may have
  std::vector<std::string_view> dictionary;  ///< words that mean something there
  bool lines = false;                        ///< each line of a seed is an input by itself
  bool alone = false;                        ///< the folder of the file holds nothing else when the program begins
  /// What a damaged text becomes a file by; none: it is one.
  std::function<std::string(const std::string&)> complete = {};
};

/// All kinds, with the seeds of `inputs/` and `tests/fuzz/seeds/` below `source`. The decks that read a damaged mesh,
/// and the sound results that a damaged one is compared with, are written to `scratch`; `results` holds those of a
/// stationary run, in `heat` those of one through time with a checkpoint, and in `series` those in one file.
std::vector<Kind> make_kinds(const std::filesystem::path& source, const std::filesystem::path& scratch,
                             const std::filesystem::path& results);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace fuzz
