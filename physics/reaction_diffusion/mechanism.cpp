#include "physics/reaction_diffusion/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/backend.hpp"
#include "base/error.hpp"

namespace tessera::physics::reaction_diffusion {

double Arrhenius::at(double temperature) const {
  return factor * std::pow(temperature, exponent) * std::exp(-energy / (gas_constant * temperature));
}

namespace {

constexpr const char* how_equations_look = "write it like \"2 B + C -> A + C\": amounts before species, + between them";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// "2 B": an amount, 1 where there is none, and a name that begins with a letter.
Amount parse_amount(const std::string& term, const std::string& equation, const deck::Where& where) {
  std::size_t used = 0;
  double amount = 1;
  if (!term.empty() && (std::isdigit(static_cast<unsigned char>(term[0])) || term[0] == '.')) {
    while (used < term.size() && (std::isdigit(static_cast<unsigned char>(term[used])) || term[used] == '.')) ++used;
    try {
      amount = std::stod(term.substr(0, used));
    } catch (const std::exception&) {
      amount = 0;
    }
  }
  const std::string name = trimmed(term.substr(used));
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) ||
      name.find_first_of(" \t") != std::string::npos || !(amount > 0))
    throw Error(ExitCode::usage, fmt::format("'{}' in the reaction \"{}\" is no amount of a species", term, equation),
                how_equations_look, where);
  return {name, amount};
}

/// Terms are separated by a + between blanks, so that names of ions may end with one.
std::vector<Amount> parse_side(const std::string& side, const std::string& equation, const deck::Where& where) {
  std::vector<Amount> amounts;
  std::string rest = trimmed(side);
  if (rest.empty()) return amounts;
  for (;;) {
    const auto plus = rest.find(" + ");
    amounts.push_back(parse_amount(trimmed(rest.substr(0, plus)), equation, where));
    if (plus == std::string::npos) return amounts;
    rest = trimmed(rest.substr(plus + 3));
  }
}

/// The tables of MechanismTables on the host.
struct HostTables {
  std::vector<double> k, change;
  std::vector<Index> group_first = {0}, reactant_first = {0}, reactant, order, change_first = {0}, changed;
};

/// Reactions that change the species alike, some of them in the other direction.
struct Group {
  std::map<Index, double> change;  ///< by the first of them; without zeros
  struct Member {
    std::map<Index, double> taken;
    double k;  ///< negative: in the other direction
  };
  std::vector<Member> members;
};

std::map<Index, double> opposite(std::map<Index, double> change) {
  for (auto& [species, amount] : change) amount = -amount;
  return change;
}

HostTables tables_of(const std::vector<Group>& groups) {
  HostTables result;
  for (const Group& group : groups) {
    for (const Group::Member& member : group.members) {
      for (const auto& [species, amount] : member.taken) {
        result.reactant.push_back(species);
        result.order.push_back(static_cast<Index>(amount));
      }
      result.k.push_back(member.k);
      result.reactant_first.push_back(static_cast<Index>(result.reactant.size()));
    }
    for (const auto& [species, amount] : group.change) {
      result.changed.push_back(species);
      result.change.push_back(amount);
    }
    result.group_first.push_back(static_cast<Index>(result.k.size()));
    result.change_first.push_back(static_cast<Index>(result.changed.size()));
  }
  return result;
}

class Check {
 public:
  explicit Check(const Mechanism& mechanism) : mechanism_(mechanism) {}

  HostTables tables() const {
    species();
    if (mechanism_.reactions.empty()) refuse("has no reactions", "give at least one");
    std::vector<Group> groups;
    for (std::size_t r = 0; r < mechanism_.reactions.size(); ++r) add(r, groups);
    return tables_of(groups);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw Error(ExitCode::usage, "the mechanism " + what, help, mechanism_.where);
  }
  [[noreturn]] void refuse(std::size_t reaction, const std::string& what, const std::string& help) const {
    const deck::Where& there = mechanism_.reactions[reaction].where;
    throw Error(ExitCode::usage, fmt::format("the mechanism {} in its reaction {}", what, reaction + 1), help,
                there ? there : mechanism_.where);
  }

  void species() const {
    const auto& names = mechanism_.species;
    if (names.empty() || names.size() > most_mechanism_species)
      refuse(fmt::format("has {} species", names.size()), fmt::format("1 to {} are supported", most_mechanism_species));
    for (auto name = names.begin(); name != names.end(); ++name) {
      if (name->empty()) refuse("has a species without a name", "name each of them");
      if (std::find(names.begin(), name, *name) != name)
        refuse(fmt::format("has the species '{}' twice", *name), "name each species once");
    }
  }

  Index number_of(const std::string& name, std::size_t reaction) const {
    const auto& names = mechanism_.species;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      refuse(reaction, fmt::format("names '{}', which is none of its species,", name), suggest(name, names));
    return static_cast<Index>(found - names.begin());
  }

  /// Amounts by species; one that stands twice counts twice.
  std::map<Index, double> sums(const std::vector<Amount>& amounts, std::size_t reaction) const {
    std::map<Index, double> result;
    for (const auto& [name, amount] : amounts) {
      if (!(amount > 0) || !std::isfinite(amount))
        refuse(reaction, fmt::format("has {} of '{}'", amount, name), "amounts are positive");
      result[number_of(name, reaction)] += amount;
    }
    return result;
  }

  void add(std::size_t r, std::vector<Group>& groups) const {
    const MechanismReaction& reaction = mechanism_.reactions[r];
    if (!(reaction.k >= 0) || !std::isfinite(reaction.k))
      refuse(r, fmt::format("has the rate constant {}", reaction.k), "rate constants are 0 or positive");
    const auto taken = sums(reaction.reactants, r), made = sums(reaction.products, r);
    std::map<Index, double> net = made;
    for (const auto& [species, amount] : taken) {
      if (amount != std::round(amount) || amount > 16)
        refuse(r, fmt::format("takes {} of '{}'", amount, mechanism_.species[static_cast<std::size_t>(species)]),
               "reactants are whole numbers up to 16, since they are exponents in the rate");
      net[species] -= amount;
    }
    std::erase_if(net, [](const auto& change) { return change.second == 0; });
    const auto alike = [&](const Group& group) { return group.change == net || group.change == opposite(net); };
    const auto found = std::find_if(groups.begin(), groups.end(), alike);
    Group& group = found == groups.end() ? groups.emplace_back(Group{net, {}}) : *found;
    group.members.push_back({taken, group.change == net ? reaction.k : -reaction.k});
  }

  const Mechanism& mechanism_;
};

}  // namespace

MechanismReaction parse_reaction(const std::string& equation, double k, const deck::Where& where) {
  const auto arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find("->", arrow + 2) != std::string::npos)
    throw Error(ExitCode::usage, fmt::format("\"{}\" is no reaction: it needs one arrow ->", equation),
                how_equations_look, where);
  return {parse_side(equation.substr(0, arrow), equation, where),
          parse_side(equation.substr(arrow + 2), equation, where), k, where};
}

MechanismReaction parse_reaction(const std::string& equation, const Arrhenius& arrhenius, double temperature,
                                 const deck::Where& where) {
  if (!(temperature > 0) || !std::isfinite(temperature))
    throw Error(ExitCode::usage, fmt::format("the temperature of the reaction \"{}\" is {} K", equation, temperature),
                "Arrhenius' law needs a positive one", where);
  return parse_reaction(equation, arrhenius.at(temperature), where);
}

template <class Space>
MechanismTables<Space>::MechanismTables(const Mechanism& mechanism)
    : species_(static_cast<int>(mechanism.species.size())) {
  const HostTables tables = Check(mechanism).tables();
  group_first_ = to_space<Space>(tables.group_first);
  k_ = to_space<Space>(tables.k);
  change_ = to_space<Space>(tables.change);
  reactant_first_ = to_space<Space>(tables.reactant_first);
  reactant_ = to_space<Space>(tables.reactant);
  order_ = to_space<Space>(tables.order);
  change_first_ = to_space<Space>(tables.change_first);
  changed_ = to_space<Space>(tables.changed);
}

template class MechanismTables<Host>;
template class MechanismTables<Device>;

}  // namespace tessera::physics::reaction_diffusion
