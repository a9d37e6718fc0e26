#include <fmt/format.h>

#include "app/commands.hpp"
#include "output/files.hpp"
#include "physics/registry.hpp"

namespace tessera::app {

ExitCode print_template(const std::string& physics) {
  fmt::print("{}",
             deck::make_template(physics::make_module(physics)->schema(), fmt::format("A first {} deck", physics)));
  return ExitCode::ok;
}

ExitCode print_schema(const std::string& physics) {
  fmt::print("{}",
             deck::make_json_schema(physics::make_module(physics)->schema(), fmt::format("Tessera deck: {}", physics)));
  return ExitCode::ok;
}

ExitCode write_docs(const std::string& file) {
  std::string text =
      "# The deck\n\nWritten by `tessera docs` from the schemas of the program; `tessera template PHYSICS` prints a "
      "deck to start from.\n";
  for (const physics::Entry& entry : physics::table())
    text += fmt::format("\n## physics = \"{}\"\n\n{}.\n\n{}", entry.name, entry.help,
                        deck::make_markdown(entry.make()->schema()));
  output::atomic_write(file, text);
  return ExitCode::ok;
}

}  // namespace tessera::app
