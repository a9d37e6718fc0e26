#include "physics/registry.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "deck/read_string.hpp"
#include "physics/advection/advection.hpp"
#include "physics/convection_diffusion/convection_diffusion.hpp"
#include "physics/elasticity/elasticity.hpp"
#include "physics/euler/euler.hpp"
#include "physics/heat/heat.hpp"
#include "physics/plugin_file.hpp"
#include "physics/poisson/poisson.hpp"
#include "physics/reaction_diffusion/reaction_diffusion.hpp"
#include "physics/two_point_bvp/two_point_bvp.hpp"
#include "physics/wave/wave.hpp"

namespace tessera::physics {

namespace {

/// The table: one line a module.
std::vector<Entry>& entries() {
  static std::vector<Entry> modules = {
      {"poisson", "stationary diffusion and reaction, -div(k grad u) + c u = f: heat, potentials, torsion",
       make_poisson},
      {"convection_diffusion",
       "stationary convection and diffusion, -div(k grad u) + v . grad u + c u = f: finite elements with or without "
       "streamline diffusion, central differences on grids",
       make_convection_diffusion},
      {"heat", "heat in bodies, rho c du/dt = div(k grad u) + f, through time or in its steady state", make_heat},
      {"reaction_diffusion",
       "several fields that diffuse and react, du/dt = div(D grad u) + R(u), through time: chemistry, patterns, nerves",
       make_reaction_diffusion},
      {"elasticity", "linear elasticity, -div sigma = f: bars, plane strain and stress, bodies of revolution, solids",
       make_elasticity},
      {"wave", "waves in fluids and elastic bodies, rho u'' = div sigma, by spectral elements on quads and hexes",
       make_wave},
      {"advection",
       "what is carried along and scalar conservation laws, du/dt + div(v(x, t) u + f(u)) = 0, by finite elements with "
       "convex limiting",
       make_advection},
      {"euler", "compressible gases without friction (the Euler equations), by finite elements with convex limiting",
       make_euler},
      {"two_point_bvp",
       "-u'' = f on an interval with u' = 0 at its left and u = 0 at its right end, by finite differences",
       make_two_point_bvp},
  };
  return modules;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Entry& entry : entries()) result.push_back(entry.name);
  return result;
}

}  // namespace

const std::vector<Entry>& table() { return entries(); }

LinearSystem Module::assemble(Context& context, bool) {
  throw Error(ExitCode::usage,
              fmt::format("physics.type = \"{}\" makes no matrix",
                          deck::read_string(context.deck, "physics.type", "the physics module")),
              "poisson, convection_diffusion and elasticity with finite elements have one",
              context.deck.where("physics.type"));
}

std::unique_ptr<Module> make_module(const std::string& name, const deck::Where& where) {
  for (const Entry& entry : entries())
    if (entry.name == name) return entry.make();
  throw Error(ExitCode::usage, fmt::format("unknown physics '{}'", name),
              suggest(name, names()) + " (`tessera list physics` shows all)", where);
}

std::unique_ptr<Module> make_module(const deck::Deck& deck) {
  if (deck.has("physics[0]"))
    throw Error(ExitCode::usage, "[[physics]] is a list, but a deck has one table [physics]",
                "write [physics], with one bracket", deck.where("physics[0]"));
  if (!deck.has("physics.type"))
    throw Error(ExitCode::usage, fmt::format("{}: the deck does not say which physics to solve", deck.file()),
                fmt::format("add\n    [physics]\n    type = \"{}\"\n  valid names: {}", names().front(),
                            fmt::join(names(), ", ")),
                deck.where("physics"));
  return make_module(deck::read_string(deck, "physics.type", fmt::format("valid names: {}", fmt::join(names(), ", "))),
                     deck.where("physics.type"));
}

void load_plugin(const std::filesystem::path& library) {
  require_whole_library(library);
  const std::string file = std::filesystem::absolute(library).string();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error(ExitCode::file_system, fmt::format("cannot load plugin {}: {}", library.string(), dlerror()),
                "a plugin is a shared library built against this Tessera; see docs/plugins.md");
  using Version = const char* (*)();
  using Register = void (*)(std::vector<Entry>&);
  const auto version = reinterpret_cast<Version>(dlsym(handle, "tessera_plugin_version"));
  const auto add = reinterpret_cast<Register>(dlsym(handle, "tessera_plugin_register"));
  if (!version || !add)
    throw Error(ExitCode::usage,
                fmt::format("{} is not a Tessera plugin: it lacks {}", library.string(),
                            version ? "tessera_plugin_register" : "tessera_plugin_version"),
                "see docs/plugins.md for what a plugin defines");
  if (std::string(version()) != plugin_version)
    throw Error(
        ExitCode::usage,
        fmt::format("plugin {} was built for '{}', this program is '{}'", library.string(), version(), plugin_version),
        "build the plugin again with the headers of this Tessera");
  std::vector<Entry> added;
  add(added);
  for (Entry& entry : added) {
    for (const Entry& present : entries())
      if (present.name == entry.name)
        throw Error(ExitCode::usage,
                    fmt::format("plugin {} brings physics '{}', which exists already", library.string(), entry.name),
                    "give the plugin's module another name");
    entries().push_back(entry);
  }
}

}  // namespace tessera::physics
