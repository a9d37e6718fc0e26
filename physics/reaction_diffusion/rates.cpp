#include "physics/reaction_diffusion/rates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "deck/expression/derivative.hpp"
#include "deck/expression/parse.hpp"
#include "deck/expression/program.hpp"
#include "physics/reaction_diffusion/mechanism.hpp"

namespace tessera::physics::reaction_diffusion {

using deck::expressions::NodeId;
using deck::expressions::NodeProgram;
using deck::expressions::Root;
using deck::expressions::Tree;

namespace {

constexpr std::uint32_t first_field = 4;  // after x, y, z and t

/// The place of a mistake inside of a string, as far as it is known.
deck::Where place_in(const deck::PlacedString& text, std::size_t offset, std::size_t length) {
  return text.columns_known ? deck::expressions::place(text.where, offset, length) : text.where;
}

}  // namespace

Rates::Rates(const std::vector<deck::PlacedString>& texts, const std::vector<std::string>& fields) : texts_(texts) {
  if (fields.size() > most_fields_of_rates)
    throw Error(
        ExitCode::usage,
        fmt::format("rates of {} fields are expressions, at most {} may be", fields.size(), most_fields_of_rates),
        fmt::format("a mechanism takes up to {} species", most_mechanism_species), texts.front().where);
  std::vector<std::string> names{"x", "y", "z", "t"};
  names.insert(names.end(), fields.begin(), fields.end());
  for (const deck::PlacedString& text : texts) {
    const deck::Where where = text.columns_known ? text.where : deck::Where();
    try {
      uses_.push_back(deck::expressions::check(text.text, where, names));
      roots_.push_back(deck::expressions::parse(text.text, where, names));
    } catch (const Error& error) {
      if (error.where() || error.code() != ExitCode::usage) throw;
      throw Error(error.code(), error.what(), error.help(), text.where);
    }
  }
}

void Rates::require_axes(int dim) const {
  for (std::size_t rate = 0; rate < uses_.size(); ++rate)
    for (std::size_t axis = static_cast<std::size_t>(dim); axis < 3; ++axis)
      if (const std::size_t offset = uses_[rate][axis]; offset != std::string::npos)
        throw Error(ExitCode::usage,
                    fmt::format("the rate '{}' uses {}, but the mesh has {} dimension{}",
                                deck::expressions::shown(texts_[rate].text), "xyz"[axis], dim, dim == 1 ? "" : "s"),
                    fmt::format("a problem in {}-D knows {}", dim, dim == 1 ? "x" : "x and y"),
                    place_in(texts_[rate], offset, 1));
}

RatePrograms Rates::compile() const {
  const int variables = static_cast<int>(first_field) + fields();
  const auto program = [&](const std::vector<Root>& roots) {
    Tree tree;
    std::vector<NodeId> nodes;
    for (const Root& root : roots)
      nodes.push_back(deck::expressions::copy_without_small_powers(root.tree, root.node, tree));
    NodeProgram result(tree, nodes, variables);
    if (result.registers > most_registers)
      throw Error(ExitCode::usage,
                  fmt::format("the rates and their derivatives need {} intermediate results, at most {} are there",
                              result.registers, most_registers),
                  "write them shorter, or with fewer fields", texts_.front().where);
    return result;
  };
  std::vector<Root> jacobian, in_time;
  for (const Root& root : roots_) {
    for (int field = 0; field < fields(); ++field)
      jacobian.push_back(deck::expressions::derivative(root, first_field + static_cast<std::uint32_t>(field)));
    in_time.push_back(deck::expressions::derivative(root, deck::expressions::time_variable));
  }
  return {program(roots_), program(jacobian), program(in_time)};
}

}  // namespace tessera::physics::reaction_diffusion
