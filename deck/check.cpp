// Which sections and keys a deck may have.
#include <fmt/format.h>

#include "deck/node.hpp"
#include "deck/section.hpp"

namespace tessera::deck {

namespace {

using Node = Deck::Node;

std::vector<std::string> names_of(const std::vector<KeyDescription>& keys) {
  std::vector<std::string> names;
  for (const KeyDescription& key : keys) names.push_back(key.name);
  return names;
}

[[noreturn]] void unknown_key(const Node& node, const std::string& table, const std::vector<std::string>& names) {
  const std::string inside = table.empty() ? "at the top of the deck" : fmt::format("in [{}]", table);
  throw Error(ExitCode::usage, fmt::format("unknown key '{}' {}", node.name, inside), suggest(node.name, names),
              node.key_where);
}

std::string heading(const std::string& name, SectionKind kind) {
  return kind == SectionKind::array ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
}

/// Recursive: every key of `table` is one of `keys`, nested tables too.
void check_keys(const Node& table, const std::vector<KeyDescription>& keys, const std::string& shown) {
  for (const Node& child : table.children) {
    const KeyDescription* key = nullptr;
    for (const KeyDescription& candidate : keys)
      if (candidate.name == child.name) key = &candidate;
    if (!key) unknown_key(child, shown, names_of(keys));
    if (key->type != "table" && !(key->type == integer_or_table && detail::is_table(child))) continue;
    detail::require_table(child, *key);
    check_keys(child, key->children, shown.empty() ? child.name : shown + "." + child.name);
  }
}

/// Throws where the deck writes [name] for [[name]] or the other way round.
void check_kind(const Node& node, const std::string& name, SectionKind kind) {
  const bool is_array = node.kind == Node::Kind::array;
  if (kind == SectionKind::array) {
    if (node.is_array_of_tables() || (is_array && node.children.empty())) return;
    if (node.kind == Node::Kind::table)
      throw Error(ExitCode::usage, fmt::format("[{0}] is one table, but a deck has a list of [[{0}]] entries", name),
                  fmt::format("write [[{}]], with two brackets", name), node.where);
    throw Error(ExitCode::usage, fmt::format("'{}' is {}; expected [[{}]] entries", name, describe(node), name),
                fmt::format("write [[{}]] on a line of its own and its keys below", name), node.where);
  }
  if (node.kind == Node::Kind::table) return;
  if (node.is_array_of_tables())
    throw Error(ExitCode::usage, fmt::format("[[{0}]] is a list, but a deck has one table [{0}]", name),
                fmt::format("write [{}], with one bracket", name), node.where);
  throw Error(ExitCode::usage, fmt::format("'{}' is {}; expected the table [{}]", name, describe(node), name),
              fmt::format("write [{}] on a line of its own and its keys below", name), node.where);
}

}  // namespace

namespace detail {

const Deck::Node* find_child(const Deck::Node& table, const std::string& key) { return table.find(key); }

Where position(const Deck::Node& node) { return node.where; }

void missing_key(const Deck::Node& table, const SectionDescription& section, const KeyDescription& key) {
  if (key.name == section.name && key.type == "table")
    throw Error(
        ExitCode::usage, fmt::format("the deck has no {}", heading(section.name, section.kind)),
        fmt::format("add {}{}{}", heading(section.name, section.kind), section.help.empty() ? "" : ": ", section.help),
        table.where);
  // A nested table is known by its path, mesh.box.
  const bool nested = section.kind == SectionKind::table && !table.path.empty();
  const std::string place =
      section.name.empty() ? "the deck" : heading(nested ? table.path : section.name, section.kind);
  std::string help = fmt::format("add {} = {}", key.name, key.info.example.empty() ? "..." : key.info.example);
  if (!key.info.help.empty()) help += fmt::format("   # {}", key.info.help);
  if (!key.info.choices.empty()) help += fmt::format(" ({})", fmt::join(key.info.choices, ", "));
  throw Error(ExitCode::usage, fmt::format("{} needs the key '{}'", place, key.name), help, table.where);
}

bool is_table(const Deck::Node& node) { return node.kind == Node::Kind::table; }

void require_table(const Deck::Node& node, const KeyDescription& key) {
  if (node.kind == Node::Kind::table) return;
  throw Error(
      ExitCode::usage, fmt::format("{} is {}; expected a table", node.path, describe(node)),
      fmt::format("write {} = {{ {} = ... }}", key.name, key.children.empty() ? "key" : key.children.front().name),
      node.where);
}

void check_known(const Deck::Node& table, const std::vector<KeyDescription>& keys, const std::string& section) {
  if (section.empty() && table.path.empty()) return;  // the top holds the sections of other stages: check() looks at it
  for (const Node& child : table.children) {
    bool known = false;
    for (const KeyDescription& key : keys) known = known || key.name == child.name;
    if (!known) unknown_key(child, table.path.empty() ? section : table.path, names_of(keys));
  }
}

std::vector<const Deck::Node*> items(const Deck::Node& root, const SectionDescription& section) {
  if (section.name.empty()) return {&root};
  const Node* node = root.find(section.name);
  if (!node) return {};
  check_kind(*node, section.name, section.kind);
  if (section.kind == SectionKind::table) return {node};
  std::vector<const Node*> result;
  for (const Node& item : node->children) result.push_back(&item);
  return result;
}

}  // namespace detail

void check(const Deck& deck, const Schema& schema) {
  std::vector<std::string> names;
  for (const SectionDescription& section : schema) {
    if (!section.name.empty())
      names.push_back(section.name);
    else
      for (const KeyDescription& key : section.keys) names.push_back(key.name);
  }
  for (const Node& child : deck.root().children) {
    // Stages may share a section: its keys are those of all that describe it.
    std::vector<KeyDescription> keys;
    const SectionDescription* found = nullptr;
    const KeyDescription* top_key = nullptr;
    for (const SectionDescription& section : schema) {
      if (section.name.empty())
        for (const KeyDescription& key : section.keys)
          if (key.name == child.name) top_key = &key;
      if (section.name.empty() || section.name != child.name) continue;
      found = &section;
      keys.insert(keys.end(), section.keys.begin(), section.keys.end());
    }
    if (found) {
      check_kind(child, child.name, found->kind);
      if (child.kind == Node::Kind::table)
        check_keys(child, keys, child.name);
      else
        for (const Node& item : child.children) check_keys(item, keys, child.name);
    } else if (top_key) {
      if (top_key->type == "table") check_keys(child, top_key->children, child.name);
    } else {
      const bool list = child.is_array_of_tables();
      const std::string what = list || child.kind == Node::Kind::table
                                   ? "section " + heading(child.name, list ? SectionKind::array : SectionKind::table)
                                   : fmt::format("key '{}' at the top of the deck", child.name);
      throw Error(ExitCode::usage, "unknown " + what, suggest(child.name, names), child.key_where);
    }
  }
}

}  // namespace tessera::deck
