#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Exit codes of the program; DESIGN names them, scripts rely on them.
enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,  ///< command line or deck
  mesh = 3,
  solver = 4,  ///< not converged, NaN, negative density ...
  memory = 5,
  differs = 6,
  file_system = 7,
  interrupted = 130,
  terminated = 143,
};

/// A place in a text file. Lines and columns count from 1; `text` is the line, `length` the width of the caret.
struct Position {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;
  int length = 1;
};

/// What the program says when input is wrong or a resource is missing:
/// what happened, where (if it has a place), and what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, std::string message, std::string help = {}, std::optional<Position> where = {});

  ExitCode code() const { return code_; }
  const std::string& help() const { return help_; }
  const std::optional<Position>& where() const { return where_; }

  /// `error: ...`, `  --> file:line:col` with the line and a caret, `  help: ...`; ends with a newline.
  std::string report() const;

 private:
  ExitCode code_;
  std::string help_;
  std::optional<Position> where_;
};

/// The names nearest to `wrong` (Damerau-Levenshtein distance), best first, at most three; empty when none is near.
std::vector<std::string> nearest_names(std::string_view wrong, const std::vector<std::string>& names);

/// "did you mean 'a' or 'b'?", or "valid names: a, b, c" when none is near.
std::string suggest(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace tessera
