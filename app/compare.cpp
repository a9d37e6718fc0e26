#include "output/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"

namespace tessera::app {

ExitCode compare(const CompareCommand& command) {
  output::CompareReport report = output::compare(command.a, command.b, command.options);
  const bool agrees = report.agrees();
  if (command.quiet) {
    if (agrees) return ExitCode::ok;
    std::erase_if(report.items, [](const output::Comparison& item) { return item.agrees; });
  }
  fmt::print("{}", report.table());
  return agrees ? ExitCode::ok : ExitCode::differs;
}

}  // namespace tessera::app
