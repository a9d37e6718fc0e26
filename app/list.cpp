#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"
#include "physics/reaction_diffusion/reaction_table.hpp"
#include "physics/reaction_diffusion/splittings.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"
#include "solvers/method.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/time/scheme.hpp"

namespace tessera::app {
namespace {

struct Row {
  std::string name, backends, help;
};

template <class Entry>
Row row(const Entry& entry) {
  std::string backends = entry.threads ? "threads" : "";
  if (entry.cuda) backends += backends.empty() ? "cuda" : " cuda";
  return {entry.name, backends, entry.help};
}

const char* category_of(const solvers::MethodEntry& entry) {
  return entry.needs.two_point ? "two_point_solvers" : entry.needs.nodes ? "relaxations" : "solvers";
}

/// What it is, its species and parameters with their defaults, and where it is from.
std::string of(const physics::reaction_diffusion::ReactionEntry& entry) {
  std::string text = entry.help;
  if (!entry.species.empty()) text += fmt::format("; species {}", fmt::join(entry.species, ", "));
  for (const physics::reaction_diffusion::ReactionParameter& parameter : entry.parameters)
    text += fmt::format("{}{} = {:g}", &parameter == entry.parameters.data() ? "; parameters " : ", ", parameter.name,
                        parameter.value);
  return entry.source.empty() ? text : text + "; " + entry.source;
}

std::vector<Row> rows(const std::string& category) {
  std::vector<Row> result;
  auto add_all = [&](const auto& table) {
    for (const auto& entry : table) result.push_back({entry.name, "", entry.help});
  };
  if (category == "physics") add_all(physics::table());
  if (category == "formats") add_all(physics::format_table());
  if (category == "strategies") add_all(physics::strategy_table());
  if (category == "quantities") add_all(physics::quantity_table());
  if (category == "schemes")
    for (const solvers::Scheme& scheme : solvers::schemes())
      result.push_back({scheme.name, solvers::name_of(scheme.kind),
                        scheme.help + (scheme.estimates_error ? "; chooses its steps for a tolerance" : "")});
  if (category == "schemes")
    for (const auto& entry : physics::reaction_diffusion::splittings())
      result.push_back({entry.name, "splitting", entry.help + "; reaction.splitting of reaction_diffusion"});
  if (category == "reactions")
    for (const physics::reaction_diffusion::ReactionEntry& entry : physics::reaction_diffusion::reactions())
      if (!entry.species.empty()) result.push_back({entry.name, "", of(entry)});
  if (category == "reactions") {
    result.push_back({"expressions", "", "rates of your own, in the names of the fields, x, y, z and t"});
    result.push_back({"mechanism", "", "chemical reactions from a table, under the law of mass action"});
  }
  for (const auto& entry : solvers::solver_table())
    if (category == category_of(entry)) result.push_back(row(entry));
  if (category == "preconditioners")
    for (const auto& entry : solvers::preconditioner_table()) result.push_back(row(entry));
  return result;
}

void print(const std::vector<Row>& table) {
  std::size_t name = 0, backends = 0;
  for (const Row& entry : table) {
    name = std::max(name, entry.name.size());
    backends = std::max(backends, entry.backends.size());
  }
  for (const Row& entry : table) {
    const std::string middle = backends > 0 ? fmt::format("{:{}}  ", entry.backends, backends) : "";
    fmt::print("  {:{}}  {}{}\n", entry.name, name, middle, entry.help);
  }
}

}  // namespace

const std::vector<std::string>& list_categories() {
  static const std::vector<std::string> names = {"physics",         "solvers",  "two_point_solvers", "relaxations",
                                                 "preconditioners", "formats",  "strategies",        "quantities",
                                                 "schemes",         "reactions"};
  return names;
}

ExitCode list(const std::string& category) {
  const auto& names = list_categories();
  if (!category.empty() && std::find(names.begin(), names.end(), category) == names.end())
    throw Error(ExitCode::usage, fmt::format("there is no list of '{}'", category), suggest(category, names));
  for (const std::string& name : names) {
    if (!category.empty() && name != category) continue;
    if (category.empty()) fmt::print("{}:\n", name);
    print(rows(name));
  }
  return ExitCode::ok;
}

}  // namespace tessera::app
