#include "deck/expression/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "deck/expression/vector_math.hpp"

namespace tessera::deck::expressions {

namespace {

constexpr std::size_t longest_text = 19999;
constexpr int lowest_precedence = 0, highest_precedence = 8;  // of c ? a : b; of numbers, names and calls

struct Number {
  std::string text;
  int precedence;
};

/// "n*unit" where v is that to the last bit.
std::optional<Number> multiple(double v, double unit, const char* name, int precedence) {
  const double n = std::round(v / unit);
  if (!(n >= 1 && n <= 1000) || n * unit != v) return {};
  if (n == 1) return Number{name, precedence};
  return Number{fmt::format("{}*{}", n, name), product_precedence};
}

Number to_text(double v) {
  constexpr double pi = std::numbers::pi;
  if (std::isnan(v)) return {"0/0", product_precedence};
  if (std::signbit(v)) return {"-" + to_text(-v).text, sign_precedence};
  if (std::isinf(v)) return {"1/0", product_precedence};
  if (const auto text = multiple(v, pi, "pi", highest_precedence)) return *text;
  if (const auto text = multiple(v, kernel(Op::power).value(pi, 2, 0), "pi^2", power_precedence)) return *text;
  if (const double n = std::round(pi / v); n > 1 && n <= 1000 && pi / n == v)
    return {fmt::format("pi/{}", n), product_precedence};
  return {fmt::format("{}", v), highest_precedence};
}

/// What is to be written: a node, in parentheses where it binds less tightly than `least`; or characters.
struct Piece {
  NodeId node = 0;
  int least = lowest_precedence;
  bool without_sign = false;  ///< of a negative number, after a minus
  std::string_view characters = {};
};

class Writer {
 public:
  explicit Writer(const Tree& tree) : tree_(tree) {}

  std::optional<std::string> write(NodeId root) {
    waiting_.push_back({root});
    while (!waiting_.empty()) {
      const Piece piece = waiting_.back();
      waiting_.pop_back();
      if (!piece.characters.empty())
        text_ += piece.characters;
      else if (piece.without_sign)
        text_ += to_text(-tree_[piece.node].value).text;
      else
        write_node(piece.node, piece.least);
      if (text_.size() > longest_text) return {};
    }
    return std::move(text_);
  }

 private:
  void write_node(NodeId node, int least) {
    const Node& n = tree_[node];
    if (n.op == Op::constant) {
      const Number number = to_text(n.value);
      text_ += number.precedence < least ? "(" + number.text + ")" : number.text;
    } else if (n.op == Op::variable) {
      text_ += variables[n.variable];
    } else if (n.op == Op::select) {
      write(lowest_precedence, least,
            {{n.a, or_precedence}, characters(" ? "), {n.b, or_precedence}, characters(" : "), {n.c}});
    } else if (n.op == Op::negate) {
      write(sign_precedence, least, {characters("-"), {n.a, power_precedence}});
    } else if (const auto binary =
                   std::find_if(operators.begin(), operators.end(), [&](const Operator& o) { return o.op == n.op; });
               binary != operators.end()) {
      write_operator(*binary, n, least);
    } else {
      const auto function =
          std::find_if(functions().begin(), functions().end(), [&](const Function& f) { return f.op == n.op; });
      if (operands(n.op) == 1)
        write(highest_precedence, least, {characters(function->name), characters("("), {n.a}, characters(")")});
      else
        write(highest_precedence, least,
              {characters(function->name), characters("("), {n.a}, characters(", "), {n.b}, characters(")")});
    }
  }

  void write_operator(const Operator& binary, const Node& n, int least) {
    const int own = binary.precedence;
    if (own == power_precedence) return write(own, least, {{n.a, own + 1}, characters("^"), {n.b, own}});
    if (own == product_precedence) return write(own, least, {{n.a, own}, characters(binary.name), {n.b, own + 1}});
    // a + (-b) is a - b to the last bit.
    const Node& right = tree_[n.b];
    if (n.op == Op::add && right.op == Op::negate)
      return write(own, least, {{n.a, own}, characters(" - "), {right.a, own + 1}});
    if (n.op == Op::add && right.op == Op::constant && std::signbit(right.value))
      return write(own, least, {{n.a, own}, characters(" - "), {.node = n.b, .without_sign = true}});
    const bool is_signed = right.op == Op::negate || (right.op == Op::constant && std::signbit(right.value));
    const std::string_view blank = " ";
    write(own, least,
          {{n.a, own},
           characters(blank),
           characters(binary.name),
           characters(blank),
           {n.b, is_signed ? power_precedence : own + 1}});
  }

  static Piece characters(std::string_view text) { return {.characters = text}; }

  void write(int own, int least, std::initializer_list<Piece> pieces) {
    if (own < least) {
      text_ += '(';
      waiting_.push_back(characters(")"));
    }
    waiting_.insert(waiting_.end(), std::make_reverse_iterator(pieces.end()),
                    std::make_reverse_iterator(pieces.begin()));
  }

  const Tree& tree_;
  std::string text_;
  std::vector<Piece> waiting_;
};

}  // namespace

std::optional<std::string> to_text(const Tree& tree, NodeId root) { return Writer(tree).write(root); }

}  // namespace tessera::deck::expressions
