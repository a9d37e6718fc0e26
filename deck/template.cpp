// The schema as a commented deck, as JSON Schema and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "deck/section.hpp"

namespace tessera::deck {

namespace {

std::string heading(const SectionDescription& section) {
  if (section.name.empty()) return {};
  return section.kind == SectionKind::array ? fmt::format("[[{}]]", section.name) : fmt::format("[{}]", section.name);
}

std::string range(const KeyInfo& info) {
  const bool low = std::isfinite(info.min), high = std::isfinite(info.max);
  const char* at_least = info.open_min ? "> " : ">= ";
  if (low && high) return fmt::format("{}{}, <= {}", at_least, info.min, info.max);
  if (low) return fmt::format("{}{}", at_least, info.min);
  if (high) return fmt::format("<= {}", info.max);
  return {};
}

/// An empty text or list stands for "not given".
bool has_default(const KeyDescription& key) {
  return !key.info.required && !key.default_value.empty() && key.default_value != "\"\"" && key.default_value != "[]";
}

/// The value that the template shows: the default where it stands behind a comment, else one that reads without an
/// error.
std::string sample(const KeyDescription& key, bool shown = true) {
  if (!shown && has_default(key)) return key.default_value;
  if (!key.info.example.empty()) return key.info.example;
  if (has_default(key)) return key.default_value;
  if (!key.info.choices.empty()) return fmt::format("\"{}\"", key.info.choices.front());
  if (key.type == "string") return "\"a\"";
  if (key.type == "strings") return "[\"a\", \"b\"]";
  if (key.type == "boolean") return "false";
  if (key.type == "table") {
    std::vector<std::string> items;
    for (const KeyDescription& child : key.children) items.push_back(fmt::format("{} = {}", child.name, sample(child)));
    return fmt::format("{{ {} }}", fmt::join(items, ", "));
  }
  const KeyInfo& info = key.info;
  const bool whole = key.type == "integer" || key.type == "integers";
  if (std::isfinite(info.min)) {
    if (!info.open_min) return fmt::format("{}", info.min);
    if (info.min + 1 <= info.max) return fmt::format("{}", info.min + 1);
    return fmt::format("{}", whole ? info.max : info.min + 0.5 * (info.max - info.min));
  }
  return fmt::format("{}", std::min(1.0, info.max));
}

/// "number, W/(m K), > 0, default 1": what the key may hold.
std::string facts(const KeyDescription& key) {
  std::string text = key.type;
  if (!key.info.unit.empty()) text += fmt::format(", {}", key.info.unit);
  if (!key.info.choices.empty()) text += fmt::format(": {}", fmt::join(key.info.choices, " | "));
  if (const std::string limits = range(key.info); !limits.empty()) text += fmt::format(", {}", limits);
  if (key.info.required)
    text += ", required";
  else if (has_default(key))
    text += fmt::format(", default {}", key.default_value);
  else
    text += ", no default";
  return text;
}

/// `line`, then the comment from column 44 on, wrapped at 118.
std::string with_comment(std::string line, const std::string& comment) {
  constexpr std::size_t column = 44, width = 118;
  std::string result, current = line;
  current.resize(std::max(current.size() + 2, column), ' ');
  current += "#";
  const std::size_t start = current.size();
  std::size_t i = 0;
  while (i < comment.size()) {
    const std::size_t next = std::min(comment.find(' ', i), comment.size());
    const std::string word = comment.substr(i, next - i);
    i = next + 1;
    if (word.empty()) continue;
    if (current.size() + 1 + word.size() > width && current.size() > column + 1 && current.back() != '#') {
      result += current + "\n";
      current = std::string(column, ' ') + "#";
    }
    current += " " + word;
  }
  return current.size() == start && result.empty() ? line + "\n" : result + current + "\n";
}

std::string comment_of(const KeyDescription& key) {
  return key.info.help.empty() ? facts(key) : fmt::format("{} ({})", key.info.help, facts(key));
}

bool is_live(const KeyDescription& key) { return !key.info.example.empty(); }

std::string section_template(const SectionDescription& section) {
  std::string text;
  bool live = section.name.empty();
  for (const KeyDescription& key : section.keys) live = live || is_live(key);
  if (!section.help.empty()) text += fmt::format("# {}\n", section.help);
  if (!section.name.empty()) text += fmt::format("{}{}\n", live ? "" : "# ", heading(section));
  std::size_t width = 0;
  for (const KeyDescription& key : section.keys) width = std::max(width, key.name.size());
  for (const KeyDescription& key : section.keys) {
    const bool shown = live && (is_live(key) || key.info.required);
    text += with_comment(fmt::format("{}{:<{}} = {}", shown ? "" : "# ", key.name, width, sample(key, shown)),
                         comment_of(key));
    for (const KeyDescription& child : key.children)
      text += with_comment(fmt::format("#     {}", child.name), comment_of(child));
  }
  return text + "\n";
}

using Json = nlohmann::ordered_json;

Json object_schema(const std::vector<KeyDescription>& keys, const std::string& help);

Json scalar_schema(const std::string& type, const KeyInfo& info) {
  Json json;
  if (type == "expression")
    json["type"] = {"number", "string"};
  else
    json["type"] = type;
  if (!info.choices.empty() && type == "string") json["enum"] = info.choices;
  auto limit = [](double value) -> Json {
    if (value == std::floor(value) && std::fabs(value) < 9e15) return static_cast<std::int64_t>(value);
    return value;
  };
  if (type != "string" && type != "boolean") {
    if (std::isfinite(info.min)) json[info.open_min ? "exclusiveMinimum" : "minimum"] = limit(info.min);
    if (std::isfinite(info.max)) json["maximum"] = limit(info.max);
  }
  return json;
}

Json key_schema(const KeyDescription& key) {
  Json json;
  if (key.type == "table") {
    json = object_schema(key.children, {});
  } else if (key.type == integer_or_table) {
    json["anyOf"] = Json::array({scalar_schema("integer", key.info), object_schema(key.children, {})});
  } else if (key.type.back() == 's') {
    const Json item = scalar_schema(key.type.substr(0, key.type.size() - 1), key.info);
    json["anyOf"] = Json::array({item, Json{{"type", "array"}, {"items", item}}});
  } else {
    json = scalar_schema(key.type, key.info);
  }
  const std::string unit = key.info.unit.empty() ? "" : fmt::format(" [{}]", key.info.unit);
  if (!key.info.help.empty() || !unit.empty())
    json["description"] = key.info.help.empty() ? unit.substr(1) : key.info.help + unit;
  // Numbers, booleans, plain strings and lists of them are written alike in TOML and JSON.
  if (const Json value = Json::parse(key.default_value, nullptr, false);
      !key.default_value.empty() && !value.is_discarded())
    json["default"] = value;
  return json;
}

Json object_schema(const std::vector<KeyDescription>& keys, const std::string& help) {
  Json json{{"type", "object"}};
  if (!help.empty()) json["description"] = help;
  json["properties"] = Json::object();
  Json required = Json::array();
  for (const KeyDescription& key : keys) {
    json["properties"][key.name] = key_schema(key);
    if (key.info.required) required.push_back(key.name);
  }
  if (!required.empty()) json["required"] = required;
  json["additionalProperties"] = false;
  return json;
}

/// A bar would end the cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string result;
  for (char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); }

void markdown_rows(const std::vector<KeyDescription>& keys, const std::string& prefix, std::string& text) {
  for (const KeyDescription& key : keys) {
    std::string allowed = range(key.info);
    if (!key.info.choices.empty()) allowed = fmt::format("`{}`", fmt::join(key.info.choices, "` `"));
    const std::string name = prefix + key.name;
    const std::string value = key.info.required ? "required" : code(key.default_value);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", name, key.type, cell(key.info.unit), cell(value),
                        cell(allowed), cell(key.info.help));
    markdown_rows(key.children, name + ".", text);
  }
}

}  // namespace

std::string make_template(const Schema& schema, const std::string& title) {
  std::string text = fmt::format(
      "# {}\n# Commented keys show their defaults, or, where they have none, how they are written. Expressions are\n"
      "# strings of x, y, z, t and pi; numbers will do as well.\n\n",
      title);
  for (const bool top : {true, false})  // keys of the top level must come before the first table
    for (const SectionDescription& section : schema)
      if (section.name.empty() == top) text += section_template(section);
  return text;
}

std::string make_json_schema(const Schema& schema, const std::string& title) {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"type", "object"}};
  json["properties"] = Json::object();
  Json required = Json::array();
  for (const SectionDescription& section : schema) {
    Json object = object_schema(section.keys, section.help);
    if (section.name.empty()) {
      json["properties"].update(object["properties"]);
      for (const Json& name : object.value("required", Json::array())) required.push_back(name);
      continue;
    }
    Json& properties = json["properties"];
    if (properties.contains(section.name)) {  // stages that share a section
      Json& shared = section.kind == SectionKind::array ? properties[section.name]["items"] : properties[section.name];
      shared["properties"].update(object["properties"]);
      for (const Json& name : object.value("required", Json::array())) shared["required"].push_back(name);
      continue;
    }
    properties[section.name] = section.kind == SectionKind::array ? Json{{"type", "array"}, {"items", object}} : object;
  }
  if (!required.empty()) json["required"] = required;
  json["additionalProperties"] = false;
  return json.dump(2) + "\n";
}

std::string make_markdown(const Schema& schema) {
  std::string text;
  for (const SectionDescription& section : schema) {
    text += fmt::format("## {}\n\n", section.name.empty() ? "Top level" : code(heading(section)));
    if (!section.help.empty()) text += section.help + "\n\n";
    text += "| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n";
    markdown_rows(section.keys, "", text);
    text += "\n";
  }
  return text;
}

}  // namespace tessera::deck
