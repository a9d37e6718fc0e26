// The names of reactions: one line a reaction.
#include "physics/reaction_diffusion/reaction_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <type_traits>

#include "base/on_cuda.hpp"
#include "solvers/registry.hpp"

namespace tessera::physics::reaction_diffusion {
namespace {

template <class Exec, class Reaction, double Reaction::*... members>
std::unique_ptr<solvers::ReactionStep<Exec>> make(Exec& exec, const ReactionParams&, const std::vector<double>& values,
                                                  Offset count, const solvers::OdeOptions& options) {
  Reaction reaction;
  std::size_t next = 0;
  ((reaction.*members = values[next++]), ...);
  return std::make_unique<solvers::OdeSystems<Exec, Reaction>>(exec, reaction, count, options);
}

/// A mechanism's tables with the systems that view them.
template <class Exec>
class MassActionStep final : public solvers::ReactionStep<Exec> {
 public:
  MassActionStep(Exec& exec, const Mechanism& mechanism, Offset count, const solvers::OdeOptions& options)
      : tables_(mechanism) {
    const auto make_systems = [&](const auto& reaction) {
      systems_ =
          std::make_unique<solvers::OdeSystems<Exec, std::decay_t<decltype(reaction)>>>(exec, reaction, count, options);
    };
    if (tables_.species() <= 8)
      make_systems(tables_.template mass_action<8>());
    else if (tables_.species() <= 16)
      make_systems(tables_.template mass_action<16>());
    else
      make_systems(tables_.template mass_action<most_mechanism_species>());
  }

  using solvers::ReactionStep<Exec>::advance;
  solvers::OdeReport advance(double t, double dt, View<double> u, const solvers::NodeLayout& layout) override {
    return systems_->advance(t, dt, u, layout);
  }
  void forget() override { systems_->forget(); }
  View<double> next_steps() override { return systems_->next_steps(); }
  int species() const override { return systems_->species(); }
  Offset count() const override { return systems_->count(); }
  Offset bytes() const override { return systems_->bytes(); }

 private:
  MechanismTables<typename Exec::Space> tables_;
  std::unique_ptr<solvers::ReactionStep<Exec>> systems_;
};

template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_mass_action(Exec& exec, const ReactionParams& params,
                                                              const std::vector<double>&, Offset count,
                                                              const solvers::OdeOptions& options) {
  return std::make_unique<MassActionStep<Exec>>(exec, params.mechanism, count, options);
}

/// The row of a reaction whose parameters are these members; their values in the type are the defaults.
template <class Reaction, double Reaction::*... members>
ReactionEntry entry(const std::string& name, const std::string& help, const std::string& source,
                    const std::vector<std::string>& species, std::vector<ReactionParameter> parameters) {
  const Reaction defaults;
  std::size_t next = 0;
  ((parameters[next++].value = defaults.*members), ...);
  return {.name = name,
          .help = help,
          .species = species,
          .parameters = std::move(parameters),
          .source = source,
          .make_threads = make<Threads, Reaction, members...>,
          .make_cuda = TESSERA_ON_CUDA((make<Cuda, Reaction, members...>))};
}

bool in_range(double value, ParameterRange range) {
  if (!std::isfinite(value)) return false;
  return range == ParameterRange::any || value > 0 || (value == 0 && range == ParameterRange::not_negative);
}

const char* name_of(ParameterRange range) {
  switch (range) {
    case ParameterRange::not_negative: return "a finite number that is not negative";
    case ParameterRange::positive: return "a positive, finite number";
    case ParameterRange::any: return "a finite number";
  }
  return "";
}

/// The row's defaults, or what is given in their place.
std::vector<double> values_of(const ReactionEntry& entry, const ReactionParams& params) {
  std::vector<double> values;
  for (const ReactionParameter& parameter : entry.parameters) values.push_back(parameter.value);
  std::set<std::string> seen;
  for (const auto& [name, value] : params.parameters) {
    const ReactionParameter& parameter =
        solvers::find(entry.parameters, name, "parameter of the reaction '" + entry.name + "'", params.where);
    if (!seen.insert(name).second)
      throw Error(ExitCode::usage, fmt::format("the parameter '{}' of '{}' is given twice", name, entry.name),
                  "give it once", params.where);
    if (!in_range(value, parameter.range))
      throw Error(ExitCode::usage, fmt::format("the parameter '{}' of '{}' is {}", name, entry.name, value),
                  fmt::format("give {}", name_of(parameter.range)), params.where);
    values[static_cast<std::size_t>(&parameter - entry.parameters.data())] = value;
  }
  return values;
}

}  // namespace

const std::vector<ReactionEntry>& reactions() {
  using enum ParameterRange;
  static const std::vector<ReactionEntry> table = {
      entry<GrayScott, &GrayScott::feed, &GrayScott::kill>(
          "gray_scott", "autocatalysis in a stirred tank: u' = F (1 - u) - u v^2, v' = u v^2 - (F + k) v",
          "Pearson, Science 261 (1993) 189", {"u", "v"}, {{"F", "rate of feeding"}, {"k", "rate of removal"}}),
      entry<FitzHughNagumo, &FitzHughNagumo::a, &FitzHughNagumo::b, &FitzHughNagumo::epsilon, &FitzHughNagumo::current>(
          "fitzhugh_nagumo", "excitable membrane: v' = v - v^3 / 3 - w + I, w' = epsilon (v + a - b w)",
          "FitzHugh, Biophys. J. 1 (1961) 445", {"v", "w"},
          {{"a", "of the recovery", any},
           {"b", "of the recovery"},
           {"epsilon", "speed of the recovery"},
           {"I", "current from outside", any}}),
      entry<Brusselator, &Brusselator::a, &Brusselator::b>(
          "brusselator", "chemical oscillator: X' = a + X^2 Y - (b + 1) X, Y' = b X - X^2 Y",
          "Hairer, Norsett & Wanner I, section I.16", {"X", "Y"},
          {{"a", "feed of the first species"}, {"b", "feed of the second; cycles for b > 1 + a^2"}}),
      entry<Robertson, &Robertson::k1, &Robertson::k2, &Robertson::k3>(
          "robertson", "stiff autocatalysis: A -> B (k1), 2 B -> B + C (k2), B + C -> A + C (k3)",
          "Hairer & Wanner II, (IV.1.4)", {"A", "B", "C"},
          {{"k1", "slow decay of A"}, {"k2", "fast reaction of two B"}, {"k3", "way back to A"}}),
      entry<Oregonator, &Oregonator::s, &Oregonator::q, &Oregonator::w>(
          "oregonator", "stiff oscillator: X' = s (Y + X (1 - q X - Y)), Y' = (Z - (1 + X) Y) / s, Z' = w (X - Z)",
          "Hairer & Wanner II, section IV.10", {"X", "Y", "Z"},
          {{"s", "ratio of the fast times", positive}, {"q", "strength of the autocatalysis"}, {"w", "speed of Z"}}),
      {.name = "mass_action",
       .help = "a mechanism of your own: reactions with their amounts and rate constants",
       .species = {},
       .parameters = {},
       .source = "law of mass action",
       .make_threads = make_mass_action<Threads>,
       .make_cuda = TESSERA_ON_CUDA(make_mass_action<Cuda>)},
  };
  return table;
}

const ReactionEntry& find_reaction(const std::string& name, const deck::Where& where) {
  return solvers::find(reactions(), name, "reaction", where);
}

template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_reaction_step(Exec& exec, const ReactionParams& params, Offset count,
                                                                const solvers::OdeOptions& options) {
  const ReactionEntry& entry = find_reaction(params.name, params.where);
  const std::vector<double> values = values_of(entry, params);
  if (entry.name != "mass_action" && !(params.mechanism.species.empty() && params.mechanism.reactions.empty()))
    throw Error(ExitCode::usage, fmt::format("the reaction '{}' was given a mechanism", entry.name),
                "leave it out, or name the reaction mass_action", params.where);
  if constexpr (std::is_same_v<Exec, Threads>)
    return entry.make_threads(exec, params, values, count, options);
  else
    return entry.make_cuda(exec, params, values, count, options);
}

template std::unique_ptr<solvers::ReactionStep<Threads>> make_reaction_step(Threads&, const ReactionParams&, Offset,
                                                                            const solvers::OdeOptions&);
template std::unique_ptr<solvers::ReactionStep<Cuda>> make_reaction_step(Cuda&, const ReactionParams&, Offset,
                                                                         const solvers::OdeOptions&);

}  // namespace tessera::physics::reaction_diffusion
