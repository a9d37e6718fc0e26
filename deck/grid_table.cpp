#include "deck/grid_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>

#include "base/input_file.hpp"
#include "deck/table_row.hpp"

namespace tessera::deck {

namespace {

namespace fs = std::filesystem;

/// How far apart coordinates may be that are meant to be the same, and places that are on the border, of their range.
constexpr double rounding = 1e-9;
constexpr const char* names_of_axes[] = {"x", "y", "z"};
constexpr const char* help =
    "a grid is a table whose first row names its columns, e.g. x, z, vp, and which has a row for each of its points";

int axis_named(const std::string& name) {
  for (int axis = 0; axis < 3; ++axis)
    if (name == names_of_axes[axis]) return axis;
  return -1;
}

/// Reads the lines of a file into rows of numbers.
class Lines {
 public:
  explicit Lines(const fs::path& file) : name_(printable(file.string())) {}

  std::vector<std::string> names;
  std::vector<double> rows;  ///< [rows, names]
  std::vector<int> lines;    ///< [rows] their lines

  void add(const std::string& text) {
    ++line_;
    const std::string_view line = table_line(text, line_ == 1);
    if (line.empty()) return;
    if (names.empty())
      take_names(line);
    else
      take_row(line);
  }
  [[noreturn]] void refuse(int line, const std::string& text, const std::string& why) const {
    throw Error(ExitCode::usage, why, help,
                Position{name_, line, 1, printable(text), std::max(1, static_cast<int>(text.size()))});
  }

 private:
  void take_names(std::string_view line) {
    std::string name;
    const auto finish = [&] {
      if (name.empty()) return;
      if (std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '-' || name[0] == '.')
        refuse(line_, std::string(line), "this file begins with a number, and not with the names of its columns");
      if (std::find(names.begin(), names.end(), name) != names.end())
        refuse(line_, std::string(line), fmt::format("two columns are called '{}'", printable(name)));
      names.push_back(std::move(name));
      name.clear();
    };
    for (const char c : line)
      if (c == ',' || c == ';' || c == ' ' || c == '\t')
        finish();
      else if (c != '"')
        name += c;
    finish();
    if (std::none_of(names.begin(), names.end(), [](const std::string& n) { return axis_named(n) >= 0; }))
      refuse(line_, std::string(line), "no column is called x, y or z");
  }
  /// What a row begins with up to the next separator.
  static std::string first_word(std::string_view row) {
    constexpr const char* separators = ",; \t";
    const std::size_t first = row.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    return std::string(row.substr(first, row.find_first_of(separators, first) - first));
  }
  void take_row(std::string_view line) {
    std::string_view row = line;
    for (std::size_t i = 0; i < names.size(); ++i) {
      double number = 0;
      if ((i > 0 && !take_separator(row)) || !take_number(row, number)) {
        if (const std::string word = first_word(row); !word.empty())
          refuse(line_, std::string(line),
                 fmt::format("'{}' is no number, and stands in the column '{}'", printable(word), names[i]));
        refuse(line_, std::string(line),
               fmt::format("this row has {} number{}, and there are {} columns", i, i == 1 ? "" : "s", names.size()));
      }
      if (!std::isfinite(number)) refuse(line_, std::string(line), "this row has a number that is not finite");
      rows.push_back(number);
    }
    if (row.find_first_not_of(" \t") != std::string_view::npos)
      refuse(line_, std::string(line), fmt::format("this row has more numbers than the {} columns", names.size()));
    lines.push_back(line_);
  }

  std::string name_;
  int line_ = 0;
};

/// Ascending, those that are meant to be the same once.
std::vector<double> coordinates(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  if (all.empty()) return all;
  const double near = rounding * (all.back() - all.front());
  std::vector<double> once{all.front()};
  for (const double x : all)
    if (x - once.back() > near) once.push_back(x);
  return once;
}

std::size_t nearest(const std::vector<double>& axis, double x) {
  const auto after = static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), x) - axis.begin());
  if (after == axis.size()) return after - 1;
  return after > 0 && x - axis[after - 1] < axis[after] - x ? after - 1 : after;
}

/// Puts the numbers of the rows where their points are in the grid.
void fill(const Lines& from, const std::array<int, 3>& column_of_axis, const std::optional<Position>& where,
          GridTable& grid) {
  const std::size_t width = from.names.size(), rows = from.lines.size();
  std::vector<int> line_of(grid.points(), 0);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t point = 0, step = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (grid.axes[a].empty()) continue;
      point += step * nearest(grid.axes[a], from.rows[row * width + static_cast<std::size_t>(column_of_axis[a])]);
      step *= grid.axes[a].size();
    }
    if (line_of[point] > 0)
      from.refuse(from.lines[row],
                  fmt::format("{}", fmt::join(&from.rows[row * width], &from.rows[row * width] + width, ", ")),
                  fmt::format("this point of the grid stands in line {}, too", line_of[point]));
    line_of[point] = from.lines[row];
    std::size_t next = 0;
    for (std::size_t i = 0; i < width; ++i)
      if (axis_named(from.names[i]) < 0) grid.numbers[next++][point] = from.rows[row * width + i];
  }
  if (rows == line_of.size()) return;
  std::string counts;
  for (std::size_t a = 0; a < 3; ++a)
    if (!grid.axes[a].empty())
      counts += fmt::format("{}{} has {} values", counts.empty() ? "" : ", ", names_of_axes[a], grid.axes[a].size());
  throw Error(ExitCode::usage,
              fmt::format("'{}' is no whole grid: {}, which makes {} points, and there are {}",
                          printable(grid.file.string()), counts, line_of.size(), rows),
              "give a row for every point", where);
}

}  // namespace

int GridTable::column(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

std::size_t GridTable::points() const {
  std::size_t count = 1;
  for (const std::vector<double>& axis : axes)
    if (!axis.empty()) count *= axis.size();
  return count;
}

bool GridTable::contains(const double* x) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (axes[a].empty()) continue;
    const double margin = rounding * (axes[a].back() - axes[a].front());
    if (!(x[a] >= axes[a].front() - margin && x[a] <= axes[a].back() + margin)) return false;
  }
  return true;
}

double GridTable::at(int column, const double* x) const {
  const std::vector<double>& of = numbers[static_cast<std::size_t>(column)];
  std::array<std::size_t, 8> corners{};
  std::array<double, 8> weights{1};
  std::size_t count = 1, step = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<double>& axis = axes[a];
    if (axis.empty()) continue;
    const auto after = static_cast<std::size_t>(std::upper_bound(axis.begin(), axis.end(), x[a]) - axis.begin());
    const std::size_t first = std::clamp<std::size_t>(after, 1, axis.size() - 1) - 1;
    const double part = std::clamp((x[a] - axis[first]) / (axis[first + 1] - axis[first]), 0.0, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      corners[i] += step * first;
      corners[count + i] = corners[i] + step;
      weights[count + i] = weights[i] * part;
      weights[i] *= 1 - part;
    }
    count *= 2;
    step *= axis.size();
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (weights[i] != 0) sum += weights[i] * of[corners[i]];
  return sum;
}

std::string GridTable::extent() const {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a)
    if (!axes[a].empty())
      text += fmt::format("{}{} from {:g} to {:g}", text.empty() ? "" : ", ", names_of_axes[a], axes[a].front(),
                          axes[a].back());
  return text;
}

GridTable read_grid_table(const fs::path& file, const std::optional<Position>& where) {
  require_regular_file(file, "grid", "paths are relative to the folder of the deck", where);
  std::ifstream stream(file, std::ios::binary);
  Lines lines(file);
  for (std::string line; std::getline(stream, line);) lines.add(line);
  if (!stream.eof())
    throw Error(ExitCode::file_system, fmt::format("the grid '{}' cannot be read", printable(file.string())),
                "check the file's permissions", where);
  GridTable grid{.file = file, .axes = {}, .columns = {}, .numbers = {}};
  std::array<int, 3> column_of_axis{-1, -1, -1};
  for (std::size_t i = 0; i < lines.names.size(); ++i) {
    const int axis = axis_named(lines.names[i]);
    if (axis < 0) {
      grid.columns.push_back(lines.names[i]);
      continue;
    }
    column_of_axis[static_cast<std::size_t>(axis)] = static_cast<int>(i);
    std::vector<double> all;
    for (std::size_t at = i; at < lines.rows.size(); at += lines.names.size()) all.push_back(lines.rows[at]);
    std::vector<double>& values = grid.axes[static_cast<std::size_t>(axis)] = coordinates(std::move(all));
    if (values.size() < 2)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has {} value{} of {}; expected at least two", printable(file.string()),
                              values.size(), values.size() == 1 ? "" : "s", names_of_axes[axis]),
                  "leave out the column of an axis along which nothing changes", where);
  }
  if (grid.axes[0].empty() && grid.axes[1].empty() && grid.axes[2].empty())
    throw Error(ExitCode::usage, fmt::format("'{}' has no rows", printable(file.string())), help, where);
  double points = 1;
  for (const std::vector<double>& axis : grid.axes) points *= axis.empty() ? 1 : static_cast<double>(axis.size());
  // Points that are no grid may have as many coordinates as rows along each axis.
  if (points > 8.0 * static_cast<double>(lines.lines.size()) + 64)
    throw Error(ExitCode::usage,
                fmt::format("the {} rows of '{}' are no grid: their coordinates would make {:g} points",
                            lines.lines.size(), printable(file.string()), points),
                "the points must lie on lines along the axes, a row for each", where);
  grid.numbers.assign(grid.columns.size(), std::vector<double>(grid.points()));
  fill(lines, column_of_axis, where, grid);
  return grid;
}

}  // namespace tessera::deck
