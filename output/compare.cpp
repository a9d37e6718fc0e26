#include "output/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "output/files.hpp"
#include "output/vtk_reader.hpp"

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

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: it is not JSON ({})", path.string(), error.what()),
                "expected a summary.json as tessera writes it");
  }
}

}  // namespace

int CompareReport::differences() const {
  return static_cast<int>(
      std::count_if(items.begin(), items.end(), [](const Comparison& item) { return !item.agrees; }));
}

std::string CompareReport::table() const {
  std::size_t width = 4;
  for (const Comparison& item : items) width = std::max(width, item.what.size());
  // Text, missing fields and lists of different length have no difference in numbers.
  auto number = [](double value) { return value > 0 ? fmt::format("{:.3e}", value) : std::string{}; };
  std::string text =
      fmt::format("{:8} {:{}}  {:>10}  {:>10}  {}\n", "", "what", width, "difference", "relative", "note");
  for (const bool agrees : {false, true})
    for (const Comparison& item : items) {
      if (item.agrees != agrees) continue;
      std::string line = fmt::format("{:8} {:{}}  {:>10}  {:>10}  {}", agrees ? "same" : "DIFFERS", item.what, width,
                                     number(item.difference), number(item.relative), item.note);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  const int count = differences();
  return text + (count == 0 ? fmt::format("the files agree in {} items\n", items.size())
                            : fmt::format("{} of {} items differ\n", count, items.size()));
}

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options) {
  if (a.extension() != b.extension() || (a.extension() != ".vtu" && a.extension() != ".json"))
    throw Error(ExitCode::usage, fmt::format("cannot compare {} with {}", a.string(), b.string()),
                "give two .vtu files or two summary.json files");
  if (a.extension() == ".vtu") return compare_vtu(read_vtu(a), read_vtu(b), options);
  CompareReport report;
  compare_json({}, read_json(a), read_json(b), options, report);
  return report;
}

}  // namespace tessera::output
