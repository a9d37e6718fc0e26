#include "output/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <string_view>

#include "base/error.hpp"
#include "output/files.hpp"

namespace tessera::output {

namespace {

std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      names.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      names.emplace_back();
    else
      names.back() += line[i];
  }
  return names;
}

}  // namespace

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

void write_csv(const std::vector<Column>& columns, const std::filesystem::path& path) {
  fmt::memory_buffer text;
  const std::size_t rows = columns.empty() ? 0 : columns.front().values.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].values.size() != rows)
      throw Error(ExitCode::internal,
                  fmt::format("column '{}' has {} rows, expected {}", columns[c].name, columns[c].values.size(), rows));
    fmt::format_to(std::back_inserter(text), "{}{}", c > 0 ? "," : "", csv_name(columns[c].name));
  }
  text.push_back('\n');
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      fmt::format_to(std::back_inserter(text), "{}{:.17g}", c > 0 ? "," : "", columns[c].values[row]);
    text.push_back('\n');
  }
  atomic_write(path, fmt::to_string(text));
}

void write_csv(const VtkData& data, const std::filesystem::path& path) {
  const std::size_t points = data.points.size() / 3;
  const char* const axes[] = {"x", "y", "z"};
  std::vector<Column> columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    columns.push_back({axes[axis], std::vector<double>(points)});
    for (std::size_t p = 0; p < points; ++p) columns.back().values[p] = data.points[3 * p + axis];
  }
  for (const Field& field : data.point_fields) {
    const auto components = static_cast<std::size_t>(field.components);
    for (std::size_t c = 0; c < components; ++c) {
      const std::string suffix = components == 1   ? ""
                                 : components == 3 ? fmt::format("_{}", axes[c])
                                                   : fmt::format("_{}", c);
      columns.push_back({field.name + suffix, std::vector<double>(points)});
      for (std::size_t p = 0; p < points; ++p) columns.back().values[p] = field.values[p * components + c];
    }
  }
  write_csv(columns, path);
}

std::vector<Column> read_csv(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<Column> columns;
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line(text.data() + start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    start = end + 1;
    ++line_number;
    auto refuse = [&](const std::string& why) {
      throw Error(ExitCode::file_system, fmt::format("cannot read {}: line {} {}", path.string(), line_number, why),
                  "expected a table as tessera writes it: a line of names, then rows of numbers between commas");
    };
    if (line_number == 1) {
      for (const std::string& name : names_in(line)) columns.push_back({name, {}});
      continue;
    }
    const char* at = line.data();
    const char* const stop = at + line.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double value = 0;
      const auto [next, failure] = std::from_chars(at, stop, value);
      if (failure != std::errc()) refuse("has something else than a number");
      const bool last = c + 1 == columns.size();
      if (last ? next != stop : next == stop || *next != ',') refuse(fmt::format("has not {} numbers", columns.size()));
      columns[c].values.push_back(value);
      at = next + 1;
    }
  }
  if (columns.empty())
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: it is empty", path.string()), "expected a table");
  return columns;
}

}  // namespace tessera::output
