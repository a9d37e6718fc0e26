#include "physics/launch_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "deck/check_section.hpp"
#include "solvers/method.hpp"

namespace tessera::physics {

deck::Section<LaunchParams> launch_section() {
  return deck::Section<LaunchParams>("run", "Where and how to compute")
      .key("ranks", &LaunchParams::ranks,
           {.help = "a run that no launcher (mpirun, srun) has started begins as so many ranks, by mpirun",
            .min = 1,
            .max = 1000000});
}

deck::SectionDescription run_description(const std::vector<std::string>& precisions) {
  deck::SectionDescription run = run_section(precisions).description();
  const deck::SectionDescription launch = launch_section().description();
  const auto threads =
      std::find_if(run.keys.begin(), run.keys.end(), [](const auto& key) { return key.name == "threads"; });
  run.keys.insert(threads == run.keys.end() ? threads : threads + 1, launch.keys.begin(), launch.keys.end());
  return run;
}

RunParams read_run(const deck::Deck& deck, const std::vector<std::string>& precisions) {
  deck::check_section(deck, run_description(precisions));
  return run_section(precisions).read_declared(deck);
}

void check_takes_ranks(const deck::Deck& deck) {
  struct Named {
    std::string type;
  };
  const std::string type = deck::Section<Named>("solver", "").key("type", &Named::type, {}).read_declared(deck).type;
  const solvers::MethodEntry* const method = solvers::find_solver(type);
  if (!method || (method->needs.of_operator() && !method->needs.grid && method->kind != solvers::MethodKind::direct))
    return;
  throw Error(ExitCode::usage, fmt::format("solver.type = \"{}\" works on one rank only", type),
              "choose \"cg\", \"bicgstab\" or \"gmres\" where the module has them, or one rank",
              deck.where("solver.type"));
}

}  // namespace tessera::physics
