#include "output/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "output/cell_by_cell.hpp"
#include "output/csv.hpp"
#include "output/files.hpp"
#include "output/series.hpp"
#include "output/state_file.hpp"
#include "output/vtk_reader.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::output {
namespace {

using Json = nlohmann::ordered_json;

/// Largest difference of two lists of the same length; a NaN agrees only with a NaN.
template <class Values>
Comparison compare_values(const std::string& what, const Values& a, const Values& b, int components,
                          const CompareOptions& options, bool exact = false) {
  Comparison item{what, true, 0, 0, {}};
  if (a.size() != b.size()) {
    item.agrees = false;
    item.note = fmt::format("{} values against {}", a.size() / components, b.size() / components);
    return item;
  }
  double scale = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
    if (std::isfinite(y)) scale = std::max(scale, std::abs(y));
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    double difference = same ? 0 : std::abs(x - y);
    if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
    if (difference > item.difference) item.difference = difference, worst = i;
  }
  item.relative = scale > 0 ? item.difference / scale : item.difference;
  item.agrees = item.difference <= (exact ? 0 : options.absolute + options.relative * scale);
  if (item.difference > 0)
    item.note = fmt::format("at {}: {:.9g} against {:.9g}", worst / static_cast<std::size_t>(components),
                            static_cast<double>(a[worst]), static_cast<double>(b[worst]));
  return item;
}

void compare_fields(const std::string& kind, const std::vector<Field>& a, const std::vector<Field>& b,
                    const CompareOptions& options, CompareReport& report) {
  auto find = [](const std::vector<Field>& fields, const std::string& name) -> const Field* {
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
    return at == fields.end() ? nullptr : &*at;
  };
  for (const Field& field : a) {
    const std::string what = fmt::format("{} '{}'", kind, field.name);
    const Field* other = find(b, field.name);
    if (!other)
      report.items.push_back({what, false, 0, 0, "missing in the second file"});
    else if (other->components != field.components)
      report.items.push_back(
          {what, false, 0, 0, fmt::format("{} components against {}", field.components, other->components)});
    else
      report.items.push_back(compare_values(what, field.values, other->values, field.components, options,
                                            field.integer && other->integer));
  }
  for (const Field& field : b)
    if (!find(a, field.name))
      report.items.push_back({fmt::format("{} '{}'", kind, field.name), false, 0, 0, "missing in the first file"});
}

CompareReport compare_vtu(const VtuFile& a, const VtuFile& b, const CompareOptions& options) {
  CompareReport report;
  report.items.push_back(compare_values("points", a.points, b.points, 3, options));
  report.items.push_back(compare_values("cell types", a.types, b.types, 1, options, true));
  report.items.push_back(compare_values("cell offsets", a.offsets, b.offsets, 1, options, true));
  report.items.push_back(compare_values("cell connectivity", a.connectivity, b.connectivity, 1, options, true));
  compare_fields("point field", a.point_fields, b.point_fields, options, report);
  compare_fields("cell field", a.cell_fields, b.cell_fields, options, report);
  compare_fields("field data", a.field_data, b.field_data, options, report);
  return report;
}

/// Of grids one of which at least is in pieces.
CompareReport compare_pieces(VtuFile a, VtuFile b, const CompareOptions& options) {
  if (put_cell_by_cell(a, b)) return compare_vtu(a, b, options);
  CompareReport report;
  report.items.push_back({"cells", false, 0, 0,
                          a.types.size() == b.types.size()
                              ? "some lie elsewhere"
                              : fmt::format("{} cells against {}", a.types.size(), b.types.size())});
  return report;
}

/// The times of all states, and the last one.
CompareReport compare_vtkhdf(const VtkhdfFile& a, const VtkhdfFile& b, const CompareOptions& options) {
  CompareReport report = compare_vtu(a.state, b.state, options);
  report.items.push_back(compare_values("times", a.times, b.times, 1, options));
  return report;
}

bool ignored(const std::string& key, const CompareOptions& options) {
  return std::any_of(options.ignore.begin(), options.ignore.end(),
                     [&](const std::string& hidden) { return key == hidden || key.starts_with(hidden + "."); });
}

void compare_json(const std::string& key, const Json& a, const Json& b, const CompareOptions& options,
                  CompareReport& report) {
  if (ignored(key, options)) return;
  auto below = [&](const std::string& name) { return key.empty() ? name : key + "." + name; };
  auto missing = [&](const std::string& name, const char* where) {
    if (!ignored(below(name), options))
      report.items.push_back({below(name), false, 0, 0, fmt::format("missing in the {} file", where)});
  };
  if (a.is_object() && b.is_object()) {
    for (const auto& [name, value] : a.items()) {
      if (b.contains(name))
        compare_json(below(name), value, b.at(name), options, report);
      else
        missing(name, "second");
    }
    for (const auto& [name, value] : b.items())
      if (!a.contains(name)) missing(name, "first");
  } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) compare_json(fmt::format("{}[{}]", key, i), a[i], b[i], options, report);
  } else if (a.is_array() && b.is_array()) {
    report.items.push_back({key, false, 0, 0, fmt::format("{} items against {}", a.size(), b.size())});
  } else if (a.is_number() && b.is_number()) {
    const std::vector<double> x{a.get<double>()}, y{b.get<double>()};
    Comparison item = compare_values(key, x, y, 1, options);
    if (!item.note.empty()) item.note = fmt::format("{:.9g} against {:.9g}", x[0], y[0]);
    report.items.push_back(item);
  } else {
    const bool same = a == b;
    report.items.push_back({key, same, 0, 0, same ? "" : fmt::format("{} against {}", a.dump(), b.dump())});
  }
}

/// A summary has five levels; what is nested deeper takes the stack of whoever walks it.
constexpr int most_levels = 100;

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path.string(), why),
                "expected a summary.json as tessera writes it");
  };
  auto reason = [](const Json::exception& error) {  // "[json.exception.out_of_range.406] number overflow ..."
    const std::string what = error.what();
    return what.substr(what.find("] ") == std::string::npos ? 0 : what.find("] ") + 2);
  };
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > most_levels) refuse(fmt::format("it is nested deeper than {} levels", most_levels));
      return true;
    });
  } catch (const Json::out_of_range& error) {
    refuse(fmt::format("it holds a number beyond the range of double: {}", reason(error)));
  } catch (const Json::exception& error) {
    refuse(fmt::format("it is not JSON: {}", reason(error)));
  }
  return {};
}

}  // namespace

int CompareReport::differences() const {
  return static_cast<int>(
      std::count_if(items.begin(), items.end(), [](const Comparison& item) { return !item.agrees; }));
}

std::string CompareReport::table(bool all) const {
  const int count = differences();
  const std::string end = count == 0 ? fmt::format("no difference in {} items\n", items.size())
                                     : fmt::format("{} of {} items differ\n", count, items.size());
  if (!all && count == 0) return end;
  std::size_t width = 4;
  for (const Comparison& item : items)
    if (all || !item.agrees) width = std::max(width, item.what.size());
  // Text, missing fields and lists of different length have no difference in numbers.
  auto number = [](double value) { return value > 0 ? fmt::format("{:.3e}", value) : std::string{}; };
  auto row = [&](const char* verdict, const std::string& what, const std::string& difference,
                 const std::string& relative, const std::string& note) {
    const std::string line = fmt::format("{}{:{}}  {:>10}  {:>10}  {}", all ? fmt::format("{:8} ", verdict) : "", what,
                                         width, difference, relative, note);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = row("", "what", "difference", "relative", "note");
  for (const bool agrees : {false, true})
    for (const Comparison& item : items)
      if (item.agrees == agrees && (all || !agrees))
        text += row(agrees ? "same" : "DIFFERS", item.what, number(item.difference), number(item.relative), item.note);
  return text + end;
}

namespace {

CompareReport compare_csv(const std::vector<Column>& a, const std::vector<Column>& b, const CompareOptions& options) {
  auto fields = [](const std::vector<Column>& columns) {
    std::vector<Field> result;
    for (const Column& column : columns) result.push_back({column.name, 1, column.values});
    return result;
  };
  CompareReport report;
  compare_fields("column", fields(a), fields(b), options, report);
  return report;
}

bool is_comparable(const std::filesystem::path& file) {
  const std::string kind = file.extension().string();
  return kind == ".vtu" || kind == ".pvtu" || kind == ".vtkhdf" || kind == ".json" || kind == ".csv";
}

bool is_grid(const std::filesystem::path& file) { return file.extension() == ".vtu" || file.extension() == ".pvtu"; }

/// The files of a folder by their names; one of pieces has that of the whole, and its pieces are not there.
std::map<std::string, std::filesystem::path> comparable_in(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::path> files;
  std::set<std::string> pieces;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file() || !is_comparable(entry.path())) continue;
    std::filesystem::path name = entry.path().filename();
    if (name.extension() == ".pvtu") {
      for (const std::filesystem::path& piece : pieces_of(entry.path())) pieces.insert(piece.filename().string());
      files.try_emplace(name.replace_extension(".vtu").string(), entry.path());  // a file of the whole is better
    } else {
      files[name.string()] = entry.path();
    }
  }
  for (const std::string& piece : pieces) files.erase(piece);
  return files;
}

CompareReport compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                              const CompareOptions& options) {
  const std::map<std::string, std::filesystem::path> in_a = comparable_in(a), in_b = comparable_in(b);
  std::set<std::string> all;
  for (const auto& [folder, files] : {std::pair{a, in_a}, std::pair{b, in_b}}) {
    for (const auto& [name, file] : files) all.insert(name);
    if (files.empty())
      throw Error(ExitCode::file_system, fmt::format("there is nothing to compare in {}", folder.string()),
                  "give two output folders of runs");
  }
  CompareReport report;
  for (const std::string& name : all) {
    if (!in_a.contains(name) || !in_b.contains(name)) {
      report.items.push_back(
          {name, false, 0, 0, fmt::format("missing in the {} folder", in_a.contains(name) ? "second" : "first")});
      continue;
    }
    for (Comparison& item : compare(in_a.at(name), in_b.at(name), options).items) {
      item.what = fmt::format("{}: {}", name, item.what);
      report.items.push_back(std::move(item));
    }
  }
  return report;
}

}  // namespace

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options) {
  std::error_code none;
  for (const std::filesystem::path& path : {a, b})
    if (!path.empty() && std::filesystem::status(path, none).type() == std::filesystem::file_type::not_found)
      throw Error(ExitCode::file_system, fmt::format("there is no file or folder {}", path.string()),
                  "check the path: a result is the output folder of a run, or a file in it");
  if (std::filesystem::is_directory(a, none) && std::filesystem::is_directory(b, none))
    return compare_folders(a, b, options);
  const bool grids = is_grid(a) && is_grid(b);
  if ((a.extension() != b.extension() && !grids) || !is_comparable(a))
    throw Error(ExitCode::usage, fmt::format("cannot compare {} with {}", a.string(), b.string()),
                "give two output folders, or two files of one kind: .vtu or .pvtu, .vtkhdf, .csv or .json");
  if (grids && (a.extension() == ".pvtu" || b.extension() == ".pvtu"))
    return compare_pieces(read_state(a).grid, read_state(b).grid, options);
  if (a.extension() == ".vtu") return compare_vtu(read_vtu(a), read_vtu(b), options);
  if (a.extension() == ".vtkhdf") return compare_vtkhdf(read_vtkhdf(a), read_vtkhdf(b), options);
  if (a.extension() == ".csv") return compare_csv(read_csv(a), read_csv(b), options);
  CompareReport report;
  compare_json({}, read_json(a), read_json(b), options, report);
  return report;
}

}  // namespace tessera::output
