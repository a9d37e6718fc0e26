#include "deck/time_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "deck/table_row.hpp"

namespace tessera::deck {

namespace {

namespace fs = std::filesystem;

class Rows {
 public:
  explicit Rows(const fs::path& file) { table_.file = file; }

  void add(std::string_view line) {
    ++line_number_;
    line = table_line(line, line_number_ == 1);
    if (line.empty()) return;
    const bool first = !seen_;
    seen_ = true;
    std::string_view row = line;
    double time = 0, value = 0;
    if (!take_number(row, time)) {
      if (!first) refuse(line, "this row does not begin with a number");
      return;  // the names of the columns
    }
    if (!take_separator(row) || !take_number(row, value)) refuse(line, "this row has no second number");
    if (row.find_first_not_of(" \t") != std::string_view::npos) refuse(line, "this row has more than two numbers");
    if (!std::isfinite(time) || !std::isfinite(value)) refuse(line, "this row has a number that is not finite");
    if (!table_.times.empty() && time <= table_.last())
      refuse(line, fmt::format("the time {} is not later than {} in the row before", time, table_.last()));
    table_.times.push_back(time);
    table_.values.push_back(value);
  }

  TimeTable finish(const std::optional<Position>& where) && {
    if (table_.times.size() < 2)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has {} row{} of a time and a value; expected at least two", name(),
                              table_.times.size(), table_.times.size() == 1 ? "" : "s"),
                  help, where);
    return std::move(table_);
  }

 private:
  static constexpr const char* help =
      "a time function is a table of two columns, a time and a value in each row, e.g. 0.5, 2.0; times ascend";

  std::string name() const { return printable(table_.file.string()); }
  [[noreturn]] void refuse(std::string_view line, const std::string& why) const {
    throw Error(
        ExitCode::usage, why, help,
        Position{name(), line_number_, 1, printable(std::string(line)), std::max(1, static_cast<int>(line.size()))});
  }

  TimeTable table_;
  int line_number_ = 0;
  bool seen_ = false;
};

}  // namespace

double TimeTable::at(double t) const {
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  if (next == times.end()) return values.back();
  if (next == times.begin()) return values.front();
  const auto i = static_cast<std::size_t>(next - times.begin());
  // v = v0 + (v1 - v0) (t - t0) / (t1 - t0)
  return values[i - 1] + (values[i] - values[i - 1]) * ((t - times[i - 1]) / (times[i] - times[i - 1]));
}

TimeTable read_time_table(const fs::path& file, const std::optional<Position>& where) {
  require_regular_file(file, "time function", "paths are relative to the folder of the deck", where);
  std::ifstream stream(file, std::ios::binary);
  Rows rows(file);
  for (std::string line; std::getline(stream, line);) rows.add(line);
  if (!stream.eof())
    throw Error(ExitCode::file_system, fmt::format("the time function '{}' cannot be read", printable(file.string())),
                "check the file's permissions", where);
  return std::move(rows).finish(where);
}

}  // namespace tessera::deck
