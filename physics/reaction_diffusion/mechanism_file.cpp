#include "physics/reaction_diffusion/mechanism_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/input_file.hpp"

namespace tessera::physics::reaction_diffusion {

namespace {

constexpr const char* how_lines_look =
    "write a reaction a line: \"2 B + C -> A + C, 3e7\" with its rate constant, or \"A -> B, 2e9, 0, 5e4\" with A, n "
    "and "
    "E of Arrhenius' law";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    columns.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string::npos) return columns;
    begin = comma + 1;
  }
}

/// One line of the table.
MechanismReaction read_line(const std::string& line, std::optional<double> temperature, const deck::Where& where) {
  const std::vector<std::string> columns = columns_of(line);
  if (columns.size() != 2 && columns.size() != 4)
    throw Error(ExitCode::usage,
                fmt::format("'{}' has {} columns, a reaction has 2 or 4", printable(line), columns.size()),
                how_lines_look, where);
  std::vector<double> numbers;
  for (auto column = columns.begin() + 1; column != columns.end(); ++column) {
    double& value = numbers.emplace_back();
    const auto [end, error] = std::from_chars(column->data(), column->data() + column->size(), value);
    if (error != std::errc() || end != column->data() + column->size())
      throw Error(ExitCode::usage, fmt::format("'{}' is no number", printable(*column)), how_lines_look, where);
  }
  if (numbers.size() == 1) return parse_reaction(columns[0], numbers[0], where);
  if (!temperature)
    throw Error(ExitCode::usage,
                fmt::format("'{}' follows Arrhenius' law, and there is no temperature", printable(line)),
                "write reaction.temperature = 300, in K", where);
  return parse_reaction(columns[0], Arrhenius{.factor = numbers[0], .exponent = numbers[1], .energy = numbers[2]},
                        *temperature, where);
}

}  // namespace

Mechanism read_mechanism(const std::filesystem::path& file, std::optional<double> temperature,
                         const deck::Where& where) {
  require_regular_file(file, "table of reactions", "reaction.table is a file, relative to the deck", where);
  std::ifstream stream(file);
  if (!stream)
    throw Error(ExitCode::file_system, fmt::format("cannot read {}", file.string()), "look at its permissions", where);
  Mechanism mechanism;
  mechanism.where = where;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::string text = trimmed(line.substr(0, line.find('#')));
    if (text.empty()) continue;
    const Position here{
        .file = file.string(), .line = number, .column = 1, .text = line, .length = static_cast<int>(text.size())};
    mechanism.reactions.push_back(read_line(text, temperature, here));
    const MechanismReaction& reaction = mechanism.reactions.back();
    for (const auto* side : {&reaction.reactants, &reaction.products})
      for (const Amount& amount : *side)
        if (std::find(mechanism.species.begin(), mechanism.species.end(), amount.first) == mechanism.species.end())
          mechanism.species.push_back(amount.first);
  }
  if (mechanism.reactions.empty())
    throw Error(ExitCode::usage, fmt::format("{} has no reaction", file.string()), how_lines_look, where);
  return mechanism;
}

}  // namespace tessera::physics::reaction_diffusion
