#pragma once
#include <string>

namespace tessera::deck::expressions {

/// What may stand in an expression, for the manual: Markdown, of the tables of operations.hpp.
std::string manual();

}  // namespace tessera::deck::expressions
