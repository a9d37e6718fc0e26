// The only file that sees toml++: it becomes a Deck::Node tree here.
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/input_file.hpp"
#include "deck/node.hpp"

namespace tessera::deck {

namespace {

using Node = Deck::Node;

/// The text of a deck, cut into lines.
struct Source {
  std::string file;
  std::vector<std::string> lines;

  Source(const std::string& text, std::string name) : file(std::move(name)) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back(line);
    }
  }

  Position at(const toml::source_position& begin, const toml::source_position& end) const {
    Position result{file, static_cast<int>(begin.line), static_cast<int>(begin.column), {}, 1};
    if (result.line < 1) return result;
    if (result.line <= static_cast<int>(lines.size())) result.text = lines[static_cast<std::size_t>(result.line - 1)];
    const int rest = std::max(1, static_cast<int>(result.text.size()) - result.column + 1);
    const bool one_line = end.line == begin.line && end.column > begin.column;
    result.length =
        one_line ? std::min(static_cast<int>(end.column - begin.column), rest) : (end.line > begin.line ? rest : 1);
    return result;
  }
  Position at(const toml::source_region& region) const { return at(region.begin, region.end); }
};

/// Columns from the opening quote to the text; -1 where escapes or several lines make columns uncertain.
int string_offset(const Position& where, const std::string& value) {
  const std::size_t start = static_cast<std::size_t>(std::max(where.column - 1, 0));
  return where.text.compare(std::min(start + 1, where.text.size()), value.size(), value) == 0 ? 1 : -1;
}

Node convert(const toml::node& from, const std::string& path, const std::string& name, const Source& source);

void convert_table(const toml::table& table, Node& node, const Source& source) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    Node child = convert(value, node.path.empty() ? name : node.path + "." + name, name, source);
    child.key_where = source.at(key.source());
    // Tables point at the name in their header; a table that dotted keys made has no place of its own.
    if (child.kind == Node::Kind::table && !value.as_table()->is_inline()) child.where = child.key_where;
    node.children.push_back(std::move(child));
  }
  // toml++ sorts by name; messages should come in the order of the file.
  std::stable_sort(node.children.begin(), node.children.end(), [](const Node& a, const Node& b) {
    return std::pair(a.key_where.line, a.key_where.column) < std::pair(b.key_where.line, b.key_where.column);
  });
}

Node convert(const toml::node& from, const std::string& path, const std::string& name, const Source& source) {
  Node node;
  node.path = path;
  node.name = name;
  node.where = source.at(from.source());
  node.key_where = node.where;
  if (const auto* table = from.as_table()) {
    node.kind = Node::Kind::table;
    convert_table(*table, node, source);
  } else if (const auto* array = from.as_array()) {
    node.kind = Node::Kind::array;
    for (const toml::node& item : *array)
      node.children.push_back(convert(item, fmt::format("{}[{}]", path, node.children.size()), {}, source));
  } else if (const auto* string = from.as_string()) {
    node.kind = Node::Kind::string;
    node.string = string->get();
    node.text_offset = string_offset(node.where, node.string);
  } else if (const auto* integer = from.as_integer()) {
    node.kind = Node::Kind::integer;
    node.integer = integer->get();
    node.number = static_cast<double>(node.integer);
  } else if (const auto* number = from.as_floating_point()) {
    node.kind = Node::Kind::number;
    node.number = number->get();
  } else if (const auto* boolean = from.as_boolean()) {
    node.kind = Node::Kind::boolean;
    node.boolean = boolean->get();
  } else {
    node.kind = Node::Kind::date;
    std::ostringstream text;
    if (const auto* date = from.as_date()) text << date->get();
    if (const auto* time = from.as_time()) text << time->get();
    if (const auto* date_time = from.as_date_time()) text << date_time->get();
    node.string = text.str();
  }
  return node;
}

bool is_digits(const std::string& text) {
  return !text.empty() && text.size() < 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Values given on the command line have one place: the option.
void set_places(Node& node, const std::string& path, const Position& where) {
  node.path = path;
  node.where = node.key_where = where;
  node.text_offset = -1;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Node& child = node.children[i];
    set_places(child, node.kind == Node::Kind::array ? fmt::format("{}[{}]", path, i) : path + "." + child.name, where);
  }
}

/// The text right of "=": TOML, or else a bare word or sentence that is taken as a string.
Node parse_override_value(const std::string& text, const Position& where) {
  try {
    Node table = parse_toml("v = " + text + "\n", "--set");
    if (table.children.size() == 1) return std::move(table.children.front());
  } catch (const Error& error) {
    if (std::string("[{\"'").find(text[0]) != std::string::npos)
      throw Error(ExitCode::usage, fmt::format("the value of '{}' is not valid TOML", where.file),
                  "values are TOML: 1e-8, true, \"text\", [1, 2], { cells = [8, 8] }; quote the option for the shell",
                  where);
  }
  Node node;
  node.kind = Node::Kind::string;
  node.string = text;
  return node;
}

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The child that `key` names below `node`; made where it does not exist.
Node& step_into(Node& node, const std::string& key, const Position& where) {
  if (node.kind == Node::Kind::array) {
    const std::size_t size = node.children.size();
    const std::size_t item = is_digits(key) ? std::stoul(key) : size + 1;
    if (item > size)
      throw Error(ExitCode::usage, fmt::format("'{}' is not an item of {}, which has {} of them", key, node.path, size),
                  size
                      ? fmt::format("items count from 0: {0}.0 to {0}.{1}; {0}.{2} adds one", node.path, size - 1, size)
                      : fmt::format("items count from 0: {}.0 adds one", node.path),
                  where);
    if (item == size) {
      node.children.emplace_back();
      set_places(node.children.back(), fmt::format("{}[{}]", node.path, item), where);
    }
    return node.children[item];
  }
  if (node.kind != Node::Kind::table)
    throw Error(ExitCode::usage, fmt::format("{} is {}; it has no key '{}'", node.path, describe(node), key),
                "only tables have keys, and arrays items", where);
  if (Node* child = node.find(key)) return *child;
  Node child;
  child.name = key;
  set_places(child, node.path.empty() ? key : node.path + "." + key, where);
  node.children.push_back(std::move(child));
  return node.children.back();
}

/// toml++ 3.3 reaches __builtin_unreachable() where a token starts with one of U+FEB6 to U+FEFE (UTF-8 EF BA B6 to EF
/// BB BE).
void refuse_presentation_forms(const std::string& text, const Source& source) {
  for (std::size_t at = text.find('\xef'); at != std::string::npos && at + 2 < text.size();
       at = text.find('\xef', at + 1)) {
    const unsigned second = static_cast<unsigned char>(text[at + 1]), third = static_cast<unsigned char>(text[at + 2]);
    const unsigned code = 0xf000 | (second & 0x3f) << 6 | (third & 0x3f);
    if (second >> 6 != 2 || third >> 6 != 2 || code < 0xfeb6 || code > 0xfefe) continue;
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 = 0: the first line
    const toml::source_position where{
        static_cast<toml::source_index>(std::count(text.begin(), text.begin() + at, '\n') + 1),
        static_cast<toml::source_index>(at - line + 1)};
    throw Error(
        ExitCode::usage, fmt::format("the deck holds the character U+{:04X}, an Arabic presentation form", code),
        "write the letter itself (U+0621 to U+064A); its form follows from its neighbours", source.at(where, where));
  }
}

/// Keys of more parts than this are no deck of ours, and toml++ takes the stack for each part.
constexpr int most_key_parts = 64;

[[noreturn]] void refuse_long_key(const Position& where) {
  throw Error(ExitCode::usage, fmt::format("a key has more than {} parts between dots", most_key_parts),
              "keys of a deck have four parts at most, as in mesh.box.cells", where);
}

/// Behind a quote at `at`: the first character after the string's end; strings of three quotes span lines.
std::size_t skip_string(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.compare(at, 3, std::string(3, quote)) == 0;
  const std::string end(is_long ? 3 : 1, quote);
  at += end.size();
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"')
      at += 2;
    else if (text.compare(at, end.size(), end) == 0)
      return at + end.size();
    else if (text[at] == '\n' && !is_long)
      return at;
    else
      ++at;
  }
  return text.size();
}

/// Looks for long dotted keys before toml++ does; whatever else is wrong is left to toml++.
void refuse_long_keys(const std::string& text, const Source& source) {
  int parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      at = skip_string(text, at);
    } else {
      const bool of_a_key =
          std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ' || c == '\t';
      parts = c == '.' ? parts + 1 : of_a_key ? parts : 1;
      if (parts > most_key_parts) {
        const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 = 0: the first line
        const auto number = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        const toml::source_position where{static_cast<toml::source_index>(number),
                                          static_cast<toml::source_index>(at - line + 1)};
        refuse_long_key(source.at(where, where));
      }
      ++at;
    }
  }
}

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::table: return "a table";
    case Node::Kind::array:
      return node.is_array_of_tables() ? "an array of tables" : fmt::format("an array of {}", node.children.size());
    case Node::Kind::string: return fmt::format("the string \"{}\"", node.string);
    case Node::Kind::integer: return fmt::format("the integer {}", node.integer);
    case Node::Kind::number: return fmt::format("the number {}", node.number);
    case Node::Kind::boolean: return fmt::format("the boolean {}", node.boolean);
    case Node::Kind::date: return fmt::format("the date {}", node.string);
  }
  return {};
}

std::vector<std::string> split_path(const std::string& dotted) {
  std::vector<std::string> parts;
  std::size_t i = 0;
  const std::size_t n = dotted.size();
  auto is_bare = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
  while (i < n) {
    const char c = dotted[i];
    std::string part;
    if (c == '"' || c == '\'' || c == '[') {
      const std::size_t close = dotted.find(c == '[' ? ']' : c, i + 1);
      if (close == std::string::npos || (c == '[' && parts.empty())) return {};
      part = dotted.substr(i + 1, close - i - 1);
      if (c == '[' && !is_digits(part)) return {};
      i = close + 1;
    } else {
      while (i < n && is_bare(dotted[i])) part += dotted[i++];
      if (part.empty()) return {};
    }
    parts.push_back(part);
    if (i == n || dotted[i] == '[') continue;
    if (dotted[i] != '.' || i + 1 == n) return {};
    ++i;
    if (dotted[i] == '[') return {};
  }
  return parts;
}

const Node* find_path(const Node& root, const std::string& dotted) {
  const Node* node = &root;
  for (const std::string& part : split_path(dotted)) {
    if (node->kind == Node::Kind::array) {
      const std::size_t item = is_digits(part) ? std::stoul(part) : node->children.size();
      node = item < node->children.size() ? &node->children[item] : nullptr;
    } else {
      node = node->find(part);
    }
    if (!node) return nullptr;
  }
  return node == &root ? nullptr : node;
}

Node parse_toml(const std::string& text, const std::string& file) {
  const Source source(text, file);
  refuse_presentation_forms(text, source);
  refuse_long_keys(text, source);
  try {
    const toml::table table = toml::parse(std::string_view(text), std::string_view(file));
    Node root;
    root.where = {file, 1, 1, source.lines.empty() ? std::string{} : source.lines.front(), 1};
    root.key_where = root.where;
    convert_table(table, root, source);
    return root;
  } catch (const toml::parse_error& error) {
    Position where = source.at(error.source());
    std::string message(error.description());
    if (const std::size_t prefix = message.find(": ");
        message.starts_with("Error while parsing") && prefix != std::string::npos)
      message = message.substr(prefix + 2);
    if (message.starts_with("cannot redefine")) {
      // toml++ points behind the second "key ="; the key itself says more.
      const std::size_t first = std::min(where.text.find_first_not_of(" \t["), where.text.size());
      const std::size_t end = std::min(where.text.find_first_of(" \t=]", first), where.text.size());
      where.column = static_cast<int>(first) + 1;
      where.length = std::max(1, static_cast<int>(end - first));
      throw Error(ExitCode::usage,
                  fmt::format("'{}' stands twice in the deck: {}", where.text.substr(first, end - first), message),
                  "remove one of them; entries of a list are written [[name]]", where);
    }
    throw Error(ExitCode::usage, fmt::format("the deck is not valid TOML: {}", message),
                "strings are quoted, lists are [1, 2]; see https://toml.io", where);
  }
}

void apply_override(Node& root, const std::string& assignment) {
  const std::string shown = assignment.size() > 200 ? assignment.substr(0, 200) + "..." : assignment;
  const Position where{"--set " + printable(shown), 0, 0, {}, 1};
  const std::size_t equals = assignment.find('=');
  const std::vector<std::string> keys =
      equals == std::string::npos ? std::vector<std::string>{} : split_path(trim(assignment.substr(0, equals)));
  const std::string value = equals == std::string::npos ? std::string{} : trim(assignment.substr(equals + 1));
  if (keys.empty() || value.empty())
    throw Error(
        ExitCode::usage, fmt::format("'{}' is not an override", where.file),
        "write --set key=value with a dotted key, e.g. --set solver.tolerance=1e-10 or --set boundary.0.value=3",
        where);

  if (keys.size() > most_key_parts) refuse_long_key(where);
  Node* node = &root;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    node = &step_into(*node, keys[k], where);
    // A new key followed by 0 is a new array of tables: --set probe.0.name=a.
    const bool is_new = node->kind == Node::Kind::table && node->children.empty() && node->where.file == where.file;
    if (is_new && k + 1 < keys.size() && keys[k + 1] == "0") node->kind = Node::Kind::array;
  }
  Node replacement = parse_override_value(value, where);
  replacement.name = node->name;
  set_places(replacement, node->path, where);
  *node = std::move(replacement);
}

}  // namespace tessera::deck
