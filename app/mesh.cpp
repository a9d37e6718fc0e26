#include <fmt/format.h>

#include <filesystem>

#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "app/progress.hpp"
#include "app/signals.hpp"
#include "base/counted.hpp"
#include "mesh/entity_table.hpp"
#include "mesh/gmsh_writer.hpp"
#include "mesh/make_mesh.hpp"
#include "mesh/params.hpp"
#include "physics/launch_section.hpp"
#include "physics/sections.hpp"

namespace tessera::app {

ExitCode mesh_of_deck(const MeshOptions& options) {
  if (options.file.empty() && !options.list)
    throw Error(ExitCode::usage, "tessera mesh: nothing to do",
                "give a file to write, -o x.msh, or --list to print groups and entities");
  if (!options.file.empty() && std::filesystem::path(options.file).extension() != ".msh")
    throw Error(ExitCode::usage, fmt::format("cannot write the mesh as {}", options.file),
                "give a name that ends in .msh");
  const StopOnSignals signals;
  load_plugins(options.deck);
  const deck::Deck deck = open_deck(options.deck);
  const mesh::MeshParams params = mesh::mesh_section().read(deck, true);
  Progress progress(ProgressOutput::standard(false));
  const mesh::MeshHooks hooks{StopOnSignals::asked,
                              [&](double fraction, const std::string& what) { progress(fraction, what); }};
  const int threads = physics::read_run(deck).threads;
  const mesh::Mesh mesh = mesh::make_mesh(deck, params, threads, hooks, mesh::Revolution::known);
  if (StopOnSignals::asked()) return StopOnSignals::exit_code();
  if (!options.file.empty()) {
    mesh::write_msh(mesh, options.file);
    fmt::print("{}: {}, {}\ngroups: {}\n", options.file, counted(mesh.nodes(), "node"), counted(mesh.cells(), "cell"),
               physics::describe_groups(mesh));
  }
  if (options.list) {
    const std::string table = mesh::entity_table(mesh, 0, true);
    fmt::print("{}", table.empty() ? physics::describe_groups(mesh) + "\n" : table);
  }
  return ExitCode::ok;
}

}  // namespace tessera::app
