// What muParser has to say: whether a text is an expression, and if not, why and where.
#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <vector>

#include "base/host_memory.hpp"
#include "deck/expression/parse.hpp"

namespace tessera::deck::expressions {

namespace {

template <class Table>
std::vector<std::string> names(const Table& table) {
  std::vector<std::string> result;
  for (const auto& entry : table) result.emplace_back(entry.name);
  return result;
}

std::vector<std::string> variable_names(std::uint32_t known) { return {variables.begin(), variables.begin() + known}; }
const std::vector<std::string>& constant_names() {
  static const std::vector<std::string> all = names(constants());
  return all;
}
const std::vector<std::string>& function_names() {
  static const std::vector<std::string> all = names(functions());
  return all;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// muParser wants "sin(" without a blank: "sin (" becomes " sin(", so that characters after it keep their places.
std::string join_calls(std::string text) {
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    std::size_t name_end = open;
    while (name_end > 0 && (text[name_end - 1] == ' ' || text[name_end - 1] == '\t')) --name_end;
    std::size_t name = name_end;
    while (name > 0 && (std::isalnum(static_cast<unsigned char>(text[name - 1])) || text[name - 1] == '_')) --name;
    if (name < name_end) std::rotate(text.begin() + name, text.begin() + name_end, text.begin() + open);
  }
  return text;
}

/// How many values muParser finds. Its own functions, which also have a random number and names that differ between
/// versions, are replaced by those of a deck, of which it sees only the number of arguments.
int count_results(const std::string& text, const std::vector<std::string>& known) {
  double value = 0.5;
  mu::Parser parser;
  parser.ClearFun();
  for (const Function& function : functions()) {
    const std::string name(function.name);
    if (function.arguments == 1)
      parser.DefineFun(name, [](double a) { return a; });
    else if (function.arguments == 2)
      parser.DefineFun(name, [](double a, double) { return a; });
    else if (function.arguments == 3)
      parser.DefineFun(name, [](double a, double, double) { return a; });
    else
      parser.DefineFun(name, [](const double* a, int) { return *a; });
  }
  for (const Constant& constant : constants()) parser.DefineConst(std::string(constant.name), constant.value);
  for (const std::string& name : known) parser.DefineVar(name, &value);
  parser.SetExpr(join_calls(text));
  parser.Eval();  // muParser parses when it first evaluates
  return parser.GetNumResults();
}

/// Which variables the text uses. Looks at names before muParser does, since its own messages cannot suggest any.
std::vector<std::size_t> scan_names(const std::string& text, const std::optional<Position>& where,
                                    const std::vector<std::string>& known_variables) {
  std::vector<std::size_t> used(known_variables.size(), std::string::npos);
  auto is_digit = [&](std::size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  auto is_letter = [&](std::size_t i) {
    return i < text.size() && (std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  auto fail = [&](std::size_t at, std::size_t length, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, fmt::format("{} in the expression '{}' (character {})", what, shown(text), at + 1),
                help, place(where, at, length));
  };
  for (std::size_t i = 0; i < text.size();) {
    if (is_digit(i) || (text[i] == '.' && is_digit(i + 1))) {
      while (is_digit(i) || (i < text.size() && text[i] == '.')) ++i;
      if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        const std::size_t exponent = i + 1 + (i + 1 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-'));
        if (is_digit(exponent)) i = exponent;
        while (is_digit(i)) ++i;
      }
    } else if (is_letter(i)) {
      const std::size_t begin = i;
      while (is_letter(i) || is_digit(i)) ++i;
      const std::string name = text.substr(begin, i - begin);
      const std::size_t next = text.find_first_not_of(" \t", i);
      if (next != std::string::npos && text[next] == '(') {
        if (contains(known_variables, name) || contains(constant_names(), name))
          fail(begin, name.size(), fmt::format("'{}' is not a function", name),
               fmt::format("a product is written {}*(...)", name));
        if (!contains(function_names(), name))
          fail(begin, name.size(), fmt::format("unknown function '{}'", name), suggest(name, function_names()));
      } else if (const auto variable = std::find(known_variables.begin(), known_variables.end(), name);
                 variable != known_variables.end()) {
        std::size_t& first = used[static_cast<std::size_t>(variable - known_variables.begin())];
        first = std::min(first, begin);
      } else if (!contains(constant_names(), name)) {
        if (contains(function_names(), name))
          fail(begin, name.size(), fmt::format("function '{}' without arguments", name),
               fmt::format("write {}(...)", name));
        const std::string all = fmt::format("{}", fmt::join(known_variables, ", "));
        if (contains(variable_names(variables.size()), name))
          fail(begin, name.size(), fmt::format("unknown variable '{}'", name),
               fmt::format("the solution is not known here; variables are {}", all));
        std::string help = fmt::format("variables are {}; constants pi", all);
        std::vector<std::string> names = known_variables;
        names.insert(names.end(), constant_names().begin(), constant_names().end());
        names.insert(names.end(), function_names().begin(), function_names().end());
        if (name.size() > 1 && !nearest_names(name, names).empty())
          help = suggest(name, names) + " Variables are " + all;
        fail(begin, name.size(), fmt::format("unknown variable '{}'", name), help);
      }
    } else if (text.compare(i, 2, "**") == 0) {
      fail(i, 2, "'**'", "a power is written with ^: x^2");
    } else if (text[i] == '=' && text.compare(i, 2, "==") != 0 &&
               (i == 0 || std::string("=<>!").find(text[i - 1]) == std::string::npos)) {
      fail(i, 1, "an assignment", "== compares; an expression cannot assign");
    } else {
      ++i;
    }
  }
  return used;
}

/// Where a muParser error is: for a missing parenthesis the one left open, where muParser names no place the end.
std::size_t error_offset(const mu::Parser::exception_type& error, const std::string& text) {
  if (error.GetCode() == mu::ecMISSING_PARENS) {
    int open = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      open += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
      if (open < 0) return i;
    }
  }
  const bool has_place = error.GetPos() >= 0 && error.GetPos() < static_cast<int>(text.size());
  return has_place ? static_cast<std::size_t>(error.GetPos()) : text.size();
}

std::string message_of(mu::EErrorCodes code, std::string token) {
  while (!token.empty() && token.back() == ' ') token.pop_back();
  switch (code) {
    case mu::ecUNEXPECTED_EOF: return "it ends too early";
    case mu::ecMISSING_PARENS: return "a parenthesis is missing";
    case mu::ecUNEXPECTED_PARENS: return fmt::format("unexpected parenthesis '{}'", token);
    case mu::ecTOO_MANY_PARAMS: return fmt::format("too many arguments of '{}'", token);
    case mu::ecTOO_FEW_PARAMS: return fmt::format("too few arguments of '{}'", token);
    case mu::ecMISSING_ELSE_CLAUSE: return "'?' needs its ':'";
    case mu::ecEMPTY_EXPRESSION: return "it is empty";
    case mu::ecEXPRESSION_TOO_LONG: return fmt::format("it is longer than {} characters", mu::MaxLenExpression - 1);
    case mu::ecINTERNAL_ERROR: return "it cannot be understood";  // its token is a line of muParser's source
    default: return token.empty() ? "it cannot be understood" : fmt::format("unexpected '{}'", token);
  }
}

}  // namespace

/// Position of characters [offset, offset + length) of the expression in the deck.
std::optional<Position> place(const std::optional<Position>& where, std::size_t offset, std::size_t length) {
  if (!where || where->column < 1) return where;
  Position result = *where;
  result.column += static_cast<int>(offset);
  result.length = static_cast<int>(std::max<std::size_t>(length, 1));
  return result;
}

std::string shown(const std::string& text) {
  std::size_t length = 200;
  if (text.size() <= length) return text;
  while (length > 0 && (text[length] & 0xc0) == 0x80) --length;  // no character of UTF-8 is cut
  return text.substr(0, length) + "...";
}

FirstUses check(const std::string& text, const std::optional<Position>& where, std::uint32_t known) {
  const std::vector<std::size_t> found = check(text, where, variable_names(known));
  FirstUses uses;
  uses.fill(std::string::npos);
  std::copy(found.begin(), found.end(), uses.begin());
  return uses;
}

std::vector<std::size_t> check(const std::string& text, const std::optional<Position>& where,
                               const std::vector<std::string>& known) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(ExitCode::usage, "the expression is empty",
                "write a number or a function of x, y, z, t, e.g. \"sin(pi*x)\"", where);
  const std::vector<std::size_t> uses = scan_names(text, where, known);
  note_failed_request(0);
  try {
    const int results = count_results(text, known);
    if (results != 1)
      throw Error(ExitCode::usage,
                  fmt::format("the expression '{}' has {} values, one is expected", shown(text), results),
                  "a list of expressions is written [\"...\", \"...\"]; the decimal separator is a point", where);
  } catch (const mu::Parser::exception_type& error) {
    // Streams, by which numbers are read, keep a bad_alloc to themselves.
    if (last_failed_request() != 0) throw std::bad_alloc();
    const std::string& token = error.GetToken();
    const std::size_t at = error_offset(error, text);
    throw Error(
        ExitCode::usage,
        fmt::format("the expression '{}' is not valid: {} (character {})", shown(text),
                    message_of(error.GetCode(), token), at + 1),
        error.GetCode() == mu::ecEXPRESSION_TOO_LONG
            ? "write it shorter, or give parts of the mesh groups and entries of their own"
            : "multiplication is written *, a power ^, the decimal separator is a point; operators: + - * / ^ < "
              "> <= >= == != && || ?:",
        place(where, at, 1));
  }
  return uses;
}

}  // namespace tessera::deck::expressions
