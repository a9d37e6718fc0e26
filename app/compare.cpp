#include "output/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"

namespace tessera::app {

ExitCode compare(const CompareCommand& command) {
  const output::CompareReport report = output::compare(command.a, command.b, command.options);
  const bool agrees = report.agrees();
  if (!command.quiet || !agrees) fmt::print("{}", report.table(command.all));
  return agrees ? ExitCode::ok : ExitCode::differs;
}

}  // namespace tessera::app
