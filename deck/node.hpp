#pragma once
// The inside of a Deck: a tree of values that each know where they were written. Only deck/*.cpp include this.
#include <cstdint>
#include <string>
#include <vector>

#include "deck/deck.hpp"

namespace tessera::deck {

/// One value of a deck. `path` is its dotted name, "boundary[1].value"; the root's is empty.
struct Deck::Node {
  enum class Kind { table, array, string, integer, number, boolean, date };

  Kind kind = Kind::table;
  std::string path;
  std::string name;     ///< the last key of the path; empty for the root and for items of an array
  Position where;       ///< of the value; of the header for a [table]
  Position key_where;   ///< of the key
  int text_offset = 0;  ///< columns from `where` to the first character of a string; -1: not known (escapes, """)
  std::string string;   ///< Kind::string, and the text of a date
  std::int64_t integer = 0;
  double number = 0;  ///< Kind::number and Kind::integer
  bool boolean = false;
  std::vector<Node> children;  ///< of a table, in the order of the file; the items of an array

  const Node* find(const std::string& key) const {
    for (const Node& child : children)
      if (kind == Kind::table && child.name == key) return &child;
    return nullptr;
  }
  Node* find(const std::string& key) { return const_cast<Node*>(static_cast<const Node*>(this)->find(key)); }
  bool is_array_of_tables() const {
    if (kind != Kind::array || children.empty()) return false;
    for (const Node& child : children)
      if (child.kind != Kind::table) return false;
    return true;
  }
};

/// The root of a deck knows its file.
struct Document : Deck::Node {
  std::string file;    ///< as it was given
  std::string folder;  ///< absolute
};

/// "the string 'abc'", "an array of 3", for messages.
std::string describe(const Deck::Node& node);

/// "boundary[1].value" -> {"boundary", "1", "value"}; also "boundary.1.value" and quoted keys. Empty when malformed.
std::vector<std::string> split_path(const std::string& dotted);

/// Where a dotted path leads, or nullptr.
const Deck::Node* find_path(const Deck::Node& root, const std::string& dotted);

/// Parses TOML into a tree. Throws Error(usage) with the position of a syntax error.
Deck::Node parse_toml(const std::string& text, const std::string& file);

/// Puts the value of "a.b=value" into the tree. Throws Error(usage) with the position "--set a.b=value".
void apply_override(Deck::Node& root, const std::string& assignment);

}  // namespace tessera::deck
