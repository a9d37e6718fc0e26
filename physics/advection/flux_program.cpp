#include "physics/advection/flux_program.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "deck/expression/program.hpp"
#include "physics/advection/law.hpp"

namespace tessera::physics::advection {

namespace {

deck::expressions::NodeProgram program_of(const std::vector<deck::Expression>& all, const deck::Where& where) {
  using namespace deck::expressions;
  Tree tree;
  std::vector<NodeId> roots;
  for (const deck::Expression& e : all) roots.push_back(copy_without_small_powers(e.root().tree, e.root().node, tree));
  NodeProgram program(tree, roots, static_cast<int>(solution_variable) + 1);
  if (program.registers > most_registers)
    throw Error(ExitCode::usage,
                fmt::format("flux.function and its derivative need {} intermediate results, at most {} are there",
                            program.registers, most_registers),
                "write it shorter", where);
  return program;
}

}  // namespace

FluxPrograms programs_of(const FluxParams& flux) {
  std::vector<deck::Expression> slopes;
  for (const deck::Expression& f : flux.function) slopes.push_back(derivative(f, deck::Variable::u));
  std::vector<deck::Expression> all = flux.function;
  all.insert(all.end(), slopes.begin(), slopes.end());
  return {program_of(all, flux.where), program_of(slopes, flux.where)};
}

}  // namespace tessera::physics::advection
