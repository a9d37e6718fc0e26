#pragma once
// The schema registry: a parameter struct declares its keys once, and from that come the parser's checks, the template,
// the JSON Schema and docs/deck.md.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "deck/deck.hpp"
#include "deck/expression.hpp"

namespace tessera::deck {

/// What a key says about itself. `min`/`max` are inclusive unless `open`; `choices` lists the valid names of a string
/// key.
struct KeyInfo {
  std::string help = {};
  std::string unit = {};
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;  ///< min itself is not allowed
  std::vector<std::string> choices = {};
  bool required = false;
  std::string example = {};    ///< value in the template, TOML; left out: the default, commented out
  Knows knows = Knows::place;  ///< of an expression: whether it may depend on the solution
};

/// The type of a key that holds either.
inline constexpr const char* integer_or_table = "integer or table";

/// A key or a nested table as the registry shows it, without its C++ type.
struct KeyDescription {
  std::string name;
  std::string type;  ///< "number", "integer", "boolean", "string", "strings", "numbers", "expression", "expressions",
                     ///< "table", "integer or table"
  std::string default_value;  ///< TOML text; empty: none
  KeyInfo info;
  std::vector<KeyDescription> children;  ///< of a nested table
};

enum class SectionKind { table, array };  ///< [name] or [[name]]

struct SectionDescription {
  std::string name;  ///< "mesh", "boundary", ...; empty: the top level
  std::string help;
  SectionKind kind = SectionKind::table;
  std::vector<KeyDescription> keys;
};

/// All sections that a deck of one physics module may have.
using Schema = std::vector<SectionDescription>;

/// Where the items of a [[section]] or keys of a [section] stood: filled into a member declared with
/// `Section::position`.
using Where = std::optional<Position>;

/// A string and its place, for one whose inside is looked at later: the name of something or an expression.
struct PlacedString {
  std::string text;
  Where where;                ///< of its first character; of the value where that is not known
  bool columns_known = true;  ///< false: of characters inside; the string has escapes or three quotes

  /// The expression that it is. Throws Error(usage) at the place in the string, or of the string.
  Expression expression(Knows knows = Knows::place) const;
};

namespace detail {
// Reads node -> T with all checks. Supported T: bool, int, std::int64_t, double, std::string, PlacedString, Expression,
// std::vector of {double, int, std::string, Expression} (a lone value is accepted as a list of one), std::optional<any
// of these>.
template <class T>
void read_value(const Deck::Node& node, const KeyDescription& key, T& value);
template <class T>
std::string type_name();
template <class T>
std::string default_text(const T& value);
const Deck::Node* find_child(const Deck::Node& table, const std::string& key);
Where position(const Deck::Node& node);
[[noreturn]] void missing_key(const Deck::Node& table, const SectionDescription& section, const KeyDescription& key);
void require_table(const Deck::Node& node, const KeyDescription& key);
bool is_table(const Deck::Node& node);
void check_known(const Deck::Node& table, const std::vector<KeyDescription>& keys, const std::string& section);
std::vector<const Deck::Node*> items(const Deck::Node& root, const SectionDescription& section);
}  // namespace detail

/// Declares the keys of the parameter struct P, whose default member values are the defaults of the keys:
///   Section<CgParams>("solver", "Linear solver").key("tolerance", &CgParams::tolerance, {.help = "...", .min = 0});
template <class P>
class Section {
 public:
  Section(std::string name, std::string help, SectionKind kind = SectionKind::table) {
    description_.name = std::move(name);
    description_.help = std::move(help);
    description_.kind = kind;
  }

  template <class T>
  Section& key(const std::string& name, T P::*member, KeyInfo info) {
    KeyDescription key{name, detail::type_name<T>(), detail::default_text(P{}.*member), std::move(info), {}};
    description_.keys.push_back(key);
    readers_.push_back(
        [key, member](const Deck::Node& node, P& params) { detail::read_value(node, key, params.*member); });
    return *this;
  }

  /// A key whose value is an entry of a list, which grows so that it has it: where names come with the deck.
  template <class T>
  Section& entry(const std::string& name, std::vector<T> P::*member, std::size_t index, KeyInfo info,
                 const std::string& default_value = {}) {
    KeyDescription key{name, detail::type_name<T>(), default_value, std::move(info), {}};
    description_.keys.push_back(key);
    readers_.push_back([key, member, index](const Deck::Node& node, P& params) {
      std::vector<T>& list = params.*member;
      if (list.size() <= index) list.resize(index + 1);
      detail::read_value(node, key, list[index]);
    });
    return *this;
  }

  /// A nested table, e.g. box = { ... }: present or not.
  template <class T>
  Section& table(const std::string& name, std::optional<T> P::*member, const Section<T>& nested, KeyInfo info) {
    KeyDescription key{name, "table", {}, std::move(info), nested.description().keys};
    description_.keys.push_back(key);
    readers_.push_back([key, member, nested](const Deck::Node& node, P& params) {
      detail::require_table(node, key);
      params.*member = nested.read_table(node);
    });
    return *this;
  }

  /// A count, or a table where something else than a count says it: every = 10, every = { time = 0.1 }.
  template <class T>
  Section& count_or_table(const std::string& name, int P::*count, std::optional<T> P::*member, const Section<T>& nested,
                          KeyInfo info) {
    KeyDescription key{name, integer_or_table, detail::default_text(P{}.*count), std::move(info),
                       nested.description().keys};
    description_.keys.push_back(key);
    readers_.push_back([key, count, member, nested](const Deck::Node& node, P& params) {
      if (detail::is_table(node))
        params.*member = nested.read_table(node);
      else
        detail::read_value(node, key, params.*count);
    });
    return *this;
  }

  /// `member` receives the place of the table in the deck.
  Section& position(Where P::*member) {
    set_position_ = [member](P& params, const Where& where) { params.*member = where; };
    return *this;
  }

  const SectionDescription& description() const { return description_; }

  /// The table of a deck; defaults where the deck has none (required keys are then missing only if `needed`).
  P read(const Deck& deck, bool needed = false) const {
    auto found = detail::items(deck.root(), description_);
    if (found.empty()) {
      if (needed) detail::missing_key(deck.root(), description_, {description_.name, "table", {}, {}, {}});
      return P{};
    }
    return read_table(*found.front());
  }

  /// The same where others declare keys of the section too: theirs are not looked at.
  P read_declared(const Deck& deck) const {
    const auto found = detail::items(deck.root(), description_);
    return found.empty() ? P{} : read_keys(*found.front());
  }

  /// All items of a [[section]].
  std::vector<P> read_all(const Deck& deck) const {
    std::vector<P> result;
    for (const Deck::Node* node : detail::items(deck.root(), description_)) result.push_back(read_table(*node));
    return result;
  }

  P read_table(const Deck::Node& table) const {
    detail::check_known(table, description_.keys, description_.name);
    return read_keys(table);
  }

 private:
  P read_keys(const Deck::Node& table) const {
    P params{};
    for (std::size_t k = 0; k < readers_.size(); ++k) {
      const Deck::Node* node = detail::find_child(table, description_.keys[k].name);
      if (node)
        readers_[k](*node, params);
      else if (description_.keys[k].info.required)
        detail::missing_key(table, description_, description_.keys[k]);
    }
    if (set_position_) set_position_(params, detail::position(table));
    return params;
  }

  SectionDescription description_;
  std::vector<std::function<void(const Deck::Node&, P&)>> readers_;
  std::function<void(P&, const Where&)> set_position_;
};

/// Refuses sections and keys of the deck that the schema does not have, with the nearest names. The whole deck is
/// looked at.
void check(const Deck& deck, const Schema& schema);

/// A commented deck that shows every key of a schema: examples live, defaults commented out.
std::string make_template(const Schema& schema, const std::string& title);
/// JSON Schema (draft 2020-12) of a deck.
std::string make_json_schema(const Schema& schema, const std::string& title);
/// The reference as Markdown: one table a section.
std::string make_markdown(const Schema& schema);

}  // namespace tessera::deck
