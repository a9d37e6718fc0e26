#include "deck/expression/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

namespace tessera::deck::expressions {

namespace {

/// What waits for its right operand, or for its closing parenthesis.
struct Pending {
  enum class Kind { parenthesis, call, sign, binary, question, colon };
  Kind kind;
  const Operator* binary = nullptr;
  const Function* function = nullptr;
  int arguments = 1;  ///< of a call, so far
};

template <class Table>
auto find(const Table& table, std::string_view name) {
  const auto entry = std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.name == name; });
  return entry == table.end() ? nullptr : &*entry;
}

/// Dijkstra's shunting yard, with stacks of its own: the depth of an expression costs memory only.
class Parser {
 public:
  // Like muParser, which reads a C string.
  Parser(const std::string& text, const std::vector<std::string>& names) : rest_(text.c_str()), names_(names) {}

  /// False where a valid expression cannot stand so.
  bool run(Root& root) {
    for (skip_blanks(); !rest_.empty(); skip_blanks())
      if (!(after_operand_ ? read_operator() : read_operand())) return false;
    if (!after_operand_ || !finish_operators() || !pending_.empty() || values_.size() != 1) return false;
    root.tree = std::move(tree_);
    root.node = values_.front();
    return true;
  }

 private:
  using Kind = Pending::Kind;

  void skip_blanks() {
    while (!rest_.empty() && static_cast<unsigned char>(rest_.front()) <= ' ') rest_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool read_operand() {
    if (accept("+")) return true;
    if (accept("-")) return push({Kind::sign});
    if (accept("(")) return push({Kind::parenthesis});
    after_operand_ = true;
    if (std::isdigit(static_cast<unsigned char>(rest_.front())) || rest_.front() == '.') return read_number();
    return read_name();
  }

  bool read_number() {
    double value = 0;  // also of numbers that are too small; too large ones are no numbers to muParser
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    values_.push_back(tree_.constant(value));
    return true;
  }

  bool read_name() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_'))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (const auto variable = std::find(names_.begin(), names_.end(), name); variable != names_.end()) {
      values_.push_back(tree_.variable(static_cast<std::uint32_t>(variable - names_.begin())));
    } else if (const Constant* constant = find(constants(), name)) {
      values_.push_back(tree_.constant(constant->value));
    } else {
      const Function* function = find(functions(), name);
      skip_blanks();
      if (!function || !accept("(")) return false;
      after_operand_ = false;
      push({.kind = Kind::call, .function = function});
    }
    return true;
  }

  bool read_operator() {
    if (accept(")")) return finish_operators() && close();
    after_operand_ = false;
    if (accept(",")) {
      if (!finish_operators() || pending_.empty() || pending_.back().kind != Kind::call) return false;
      ++pending_.back().arguments;
      return true;
    }
    if (accept("?")) {
      while (waits(0)) finish_one();
      return push({Kind::question});
    }
    if (accept(":")) return finish_operators() && is_pending(Kind::question) && push({Kind::colon});
    for (const Operator& binary : operators) {
      if (!accept(binary.name)) continue;
      // x^y^z is x^(y^z); what else binds as tightly is taken from the left.
      while (waits(binary.precedence) && !(binary.op == Op::power && pending_.back().binary == &binary)) finish_one();
      return push({.kind = Kind::binary, .binary = &binary});
    }
    return false;
  }

  bool push(const Pending& one) {
    pending_.push_back(one);
    return true;
  }
  bool is_pending(Kind kind) const { return !pending_.empty() && pending_.back().kind == kind; }
  /// Whether an operator of at least this precedence has all its operands.
  bool waits(int precedence) const {
    return (is_pending(Kind::binary) && pending_.back().binary->precedence >= precedence) ||
           (is_pending(Kind::sign) && sign_precedence >= precedence);
  }

  NodeId take() {
    const NodeId node = values_.back();
    values_.pop_back();
    return node;
  }
  void finish_one() {
    const NodeId right = take();
    if (pending_.back().kind == Kind::sign)
      values_.push_back(tree_.apply(Op::negate, right));
    else
      values_.push_back(tree_.apply(pending_.back().binary->op, take(), right));
    pending_.pop_back();
  }
  /// All that waits, back to a parenthesis or a question.
  bool finish_operators() {
    while (waits(0) || is_pending(Kind::colon)) {
      if (!is_pending(Kind::colon)) {
        finish_one();
        continue;
      }
      pending_.pop_back();
      if (!is_pending(Kind::question)) return false;
      pending_.pop_back();
      const NodeId no = take(), yes = take();
      values_.push_back(tree_.apply(Op::select, take(), yes, no));
    }
    return true;
  }

  bool close() {
    if (pending_.empty()) return false;
    const Pending one = pending_.back();
    pending_.pop_back();
    if (one.kind == Kind::parenthesis) return true;
    if (one.kind != Kind::call) return false;
    const Function& function = *one.function;
    if (function.arguments != any_number) {
      if (one.arguments != function.arguments) return false;
      const NodeId c = function.arguments > 2 ? take() : 0, b = function.arguments > 1 ? take() : 0;
      values_.push_back(tree_.apply(function.op, take(), b, c));
      return true;
    }
    const auto first = values_.end() - one.arguments;
    NodeId result = *first;
    if (function.op == Op::add) result = tree_.apply(Op::add, tree_.constant(0), result);  // the sum of -0 is 0
    for (auto next = first + 1; next != values_.end(); ++next) result = tree_.apply(function.op, result, *next);
    values_.erase(first, values_.end());
    values_.push_back(result);
    return true;
  }

  std::string_view rest_;
  const std::vector<std::string>& names_;
  bool after_operand_ = false;
  Tree tree_;
  std::vector<Pending> pending_;
  std::vector<NodeId> values_;
};

}  // namespace

Root parse(const std::string& text, const std::optional<Position>& where) {
  static const std::vector<std::string> names(variables.begin(), variables.end());
  return parse(text, where, names);
}

Root parse(const std::string& text, const std::optional<Position>& where, const std::vector<std::string>& names) {
  Root root;
  if (!Parser(text, names).run(root))
    throw Error(ExitCode::usage, fmt::format("the expression '{}' is not valid: it cannot be understood", shown(text)),
                "set parentheses", where);
  return root;
}

}  // namespace tessera::deck::expressions
