#pragma once
// A tree as text that parses to the same values.
#include <optional>
#include <string>

#include "deck/expression/tree.hpp"

namespace tessera::deck::expressions {

/// With the fewest parentheses, multiples of pi by that name; none where it would be longer than 19999 characters,
/// which is as much as muParser reads: what nodes share stands there several times.
std::optional<std::string> to_text(const Tree& tree, NodeId root);

}  // namespace tessera::deck::expressions
