// Deck values -> C++ values, with every check that a key declares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "deck/node.hpp"
#include "deck/section.hpp"

namespace tessera::deck {

Expression PlacedString::expression(Knows knows) const {
  if (columns_known) return Expression(text, where, knows);
  try {
    return Expression(text, where, knows);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), error.help(), where);
  }
}

namespace detail {

namespace {

using Node = Deck::Node;

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

std::string shown(const Node& node, const KeyDescription& key) { return node.path.empty() ? key.name : node.path; }

std::string with_article(const std::string& type) {
  if (type == "strings") return "a string or a list of strings";
  if (type == "numbers") return "a number or a list of numbers";
  if (type == "integers") return "an integer or a list of integers";
  if (type == "expression") return "a number or an expression string of x, y, z, t";
  if (type == "expressions") return "an expression (number or string) or a list of them";
  return (std::string("aeiou").find(type[0]) != std::string::npos ? "an " : "a ") + type;
}

/// What a required key is before it is read is no example of it.
std::string example_help(const KeyDescription& key) {
  const std::string value = !key.info.example.empty() ? key.info.example
                            : key.info.required       ? std::string()
                                                      : key.default_value;
  std::string help = key.info.help;
  if (help.ends_with('.')) help.pop_back();
  if (!value.empty() && value != "[]" && value != "\"\"")
    help += fmt::format("{}e.g. {} = {}", help.empty() ? "" : "; ", key.name, value);
  return help;
}

[[noreturn]] void wrong_type(const Node& node, const KeyDescription& key) {
  throw Error(ExitCode::usage,
              fmt::format("{} is {}; expected {}", shown(node, key), describe(node), with_article(key.type)),
              example_help(key), node.where);
}

std::string range_text(const KeyInfo& info) {
  const bool low = std::isfinite(info.min), high = std::isfinite(info.max);
  const char* at_least = info.open_min ? "> " : ">= ";
  if (low && high) return fmt::format("{}{} and <= {}", at_least, info.min, info.max);
  if (low) return fmt::format("{}{}", at_least, info.min);
  return fmt::format("<= {}", info.max);
}

void check_range(const Node& node, const KeyDescription& key, double value) {
  if (!std::isfinite(value))
    throw Error(ExitCode::usage, fmt::format("{} is {}; expected a finite number", shown(node, key), value),
                example_help(key), node.where);
  const KeyInfo& info = key.info;
  if (value < info.min || value > info.max || (info.open_min && value == info.min))
    throw Error(ExitCode::usage, fmt::format("{} is {}; it must be {}", shown(node, key), value, range_text(info)),
                example_help(key), node.where);
}

void read_scalar(const Node& node, const KeyDescription& key, bool& value) {
  if (node.kind != Node::Kind::boolean) wrong_type(node, key);
  value = node.boolean;
}

void read_scalar(const Node& node, const KeyDescription& key, std::int64_t& value) {
  if (node.kind != Node::Kind::integer) wrong_type(node, key);
  check_range(node, key, node.number);
  value = node.integer;
}

void read_scalar(const Node& node, const KeyDescription& key, int& value) {
  std::int64_t wide = 0;
  read_scalar(node, key, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    throw Error(ExitCode::usage, fmt::format("{} is {}; it does not fit in 32 bits", shown(node, key), wide),
                fmt::format("the largest value is {}", std::numeric_limits<int>::max()), node.where);
  value = static_cast<int>(wide);
}

void read_scalar(const Node& node, const KeyDescription& key, double& value) {
  if (node.kind != Node::Kind::number && node.kind != Node::Kind::integer) wrong_type(node, key);
  check_range(node, key, node.number);
  value = node.number;
}

void read_scalar(const Node& node, const KeyDescription& key, std::string& value) {
  if (node.kind != Node::Kind::string) wrong_type(node, key);
  const auto& choices = key.info.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), node.string) == choices.end()) {
    std::string help = suggest(node.string, choices);
    const std::string all = fmt::format("valid names: {}", fmt::join(choices, ", "));
    if (help != all) help += " " + all;
    throw Error(ExitCode::usage, fmt::format("{} has no choice '{}'", shown(node, key), node.string), help, node.where);
  }
  value = node.string;
}

void read_scalar(const Node& node, const KeyDescription& key, PlacedString& value) {
  if (node.kind != Node::Kind::string) wrong_type(node, key);
  value = {node.string, node.where, node.text_offset >= 0};
  if (!value.columns_known) return;
  value.where->column += node.text_offset;
  value.where->length = std::max<int>(1, static_cast<int>(node.string.size()));
}

void read_scalar(const Node& node, const KeyDescription& key, Expression& value) {
  if (node.kind == Node::Kind::number || node.kind == Node::Kind::integer) {
    check_range(node, key, node.number);
    value = Expression(node.number);
    return;
  }
  PlacedString text;
  read_scalar(node, key, text);
  value = text.expression(key.info.knows);
  if (value.is_constant()) check_range(node, key, value.constant());
}

template <class T>
void read_any(const Node& node, const KeyDescription& key, T& value) {
  if constexpr (is_optional<T>::value) {
    typename T::value_type held{};
    read_any(node, key, held);
    value = std::move(held);
  } else if constexpr (is_vector<T>::value) {
    value.clear();
    if (node.kind != Node::Kind::array) {
      read_scalar(node, key, value.emplace_back());
      return;
    }
    KeyDescription item_key = key;
    item_key.type.pop_back();  // "numbers" -> "number"
    for (const Node& item : node.children) read_scalar(item, item_key, value.emplace_back());
  } else {
    read_scalar(node, key, value);
  }
}

template <class T>
std::string scalar_type() {
  if constexpr (std::is_same_v<T, bool>)
    return "boolean";
  else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::int64_t>)
    return "integer";
  else if constexpr (std::is_same_v<T, double>)
    return "number";
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, PlacedString>)
    return "string";
  else
    return "expression";
}

/// The shortest TOML text that reads back as the same number: 1e-8, not 1e-08.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const std::size_t digits = text.find_first_not_of("+-0", e + 1);
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") +
         (digits == std::string::npos ? "0" : text.substr(digits));
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string scalar_text(bool value) { return value ? "true" : "false"; }
std::string scalar_text(int value) { return fmt::format("{}", value); }
std::string scalar_text(std::int64_t value) { return fmt::format("{}", value); }
std::string scalar_text(double value) { return std::isfinite(value) ? number_text(value) : std::string{}; }
std::string scalar_text(const std::string& value) { return quoted(value); }
std::string scalar_text(const PlacedString& value) { return quoted(value.text); }
std::string scalar_text(const Expression& value) {
  if (value.is_constant() && value.text() == fmt::format("{}", value.constant())) return scalar_text(value.constant());
  return quoted(value.text());
}

}  // namespace

template <class T>
void read_value(const Deck::Node& node, const KeyDescription& key, T& value) {
  read_any(node, key, value);
}

template <class T>
std::string type_name() {
  if constexpr (is_optional<T>::value)
    return type_name<typename T::value_type>();
  else if constexpr (is_vector<T>::value)
    return scalar_type<typename T::value_type>() + "s";
  else
    return scalar_type<T>();
}

template <class T>
std::string default_text(const T& value) {
  if constexpr (is_optional<T>::value) {
    return value ? default_text(*value) : std::string{};
  } else if constexpr (is_vector<T>::value) {
    std::vector<std::string> items;
    for (const auto& item : value) items.push_back(scalar_text(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  } else {
    return scalar_text(value);
  }
}

#define TESSERA_INSTANTIATE(T)                                                  \
  template std::string type_name<T>();                                          \
  template std::string default_text<T>(const T&);                               \
  template void read_value<T>(const Deck::Node&, const KeyDescription&, T&);    \
  template std::string type_name<std::optional<T>>();                           \
  template std::string default_text<std::optional<T>>(const std::optional<T>&); \
  template void read_value<std::optional<T>>(const Deck::Node&, const KeyDescription&, std::optional<T>&);

TESSERA_INSTANTIATE(bool)
TESSERA_INSTANTIATE(int)
TESSERA_INSTANTIATE(std::int64_t)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::string)
TESSERA_INSTANTIATE(PlacedString)
TESSERA_INSTANTIATE(Expression)
TESSERA_INSTANTIATE(std::vector<double>)
TESSERA_INSTANTIATE(std::vector<int>)
TESSERA_INSTANTIATE(std::vector<std::string>)
TESSERA_INSTANTIATE(std::vector<Expression>)
TESSERA_INSTANTIATE(std::vector<PlacedString>)
#undef TESSERA_INSTANTIATE

}  // namespace detail
}  // namespace tessera::deck
