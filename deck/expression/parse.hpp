#pragma once
// Text to a tree. muParser says whether it is valid; what it means is read here, by the same rules.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "deck/expression/tree.hpp"

namespace tessera::deck::expressions {

/// Where in a text each variable first stands; npos: nowhere.
using FirstUses = std::array<std::size_t, variables.size()>;

/// Throws Error(usage) with the place of the mistake where the text is no expression; `where` is the place of its first
/// character. It may use the first `known` variables. Returns which it uses.
FirstUses check(const std::string& text, const std::optional<Position>& where, std::uint32_t known = solution_variable);

/// The tree of a text that `check` has accepted.
Root parse(const std::string& text, const std::optional<Position>& where);

/// The same with variables of other names, which are numbered in their order: x, y, z, t and what follows. `check`
/// returns for each where it first stands.
std::vector<std::size_t> check(const std::string& text, const std::optional<Position>& where,
                               const std::vector<std::string>& names);
Root parse(const std::string& text, const std::optional<Position>& where, const std::vector<std::string>& names);

/// The text as messages quote it: its beginning, where it is long.
std::string shown(const std::string& text);

/// Position of characters [offset, offset + length) of the expression in the deck.
std::optional<Position> place(const std::optional<Position>& where, std::size_t offset, std::size_t length);

}  // namespace tessera::deck::expressions
