#include <fmt/format.h>

#include "app/commands.hpp"
#include "deck/expression/manual.hpp"
#include "output/files.hpp"
#include "physics/registry.hpp"

namespace tessera::app {

ExitCode print_template(const std::string& physics) {
  const std::string text =
      deck::make_template(physics::make_module(physics)->schema(), fmt::format("A first {} deck", physics));
  // Editors that know TOML (Even Better TOML, taplo) take the schema from the first line.
  fmt::print(
      "#:schema ./{0}.schema.json\n# Editors complete and check decks by that file: tessera schema {0} > "
      "{0}.schema.json\n{1}",
      physics, text);
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
      "deck to start from.\n\n## Expressions\n\n" +
      deck::expressions::manual();
  for (const physics::Entry& entry : physics::table())
    text += fmt::format("\n## physics = \"{}\"\n\n{}.\n\n{}", entry.name, entry.help,
                        deck::make_markdown(entry.make()->schema()));
  output::atomic_write(file, text);
  return ExitCode::ok;
}

}  // namespace tessera::app
