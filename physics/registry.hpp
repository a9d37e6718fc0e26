#pragma once
#include <memory>
#include <string>
#include <vector>

#include "physics/module.hpp"

namespace tessera::physics {

/// A module's line in the table of physics modules.
struct Entry {
  std::string name;  ///< physics.type in the deck
  std::string help;
  std::unique_ptr<Module> (*make)();
};

/// The modules of the program and of the plugins loaded so far.
const std::vector<Entry>& table();

/// The module that the deck's physics.type names. Throws Error(usage) with the nearest names.
std::unique_ptr<Module> make_module(const deck::Deck& deck);
std::unique_ptr<Module> make_module(const std::string& name, const deck::Where& where = {});

/// Version that a plugin must be built for: changes whenever a header that plugins see does.
inline constexpr const char* plugin_version = "tessera 0.1.0 plugin 5";

/// Loads modules from a shared library; see docs/plugins.md. The library defines
///   extern "C" const char* tessera_plugin_version()                       returns tessera::physics::plugin_version
///   extern "C" void tessera_plugin_register(std::vector<tessera::physics::Entry>&)   appends its modules
/// Throws Error(file_system) where the file cannot be loaded, Error(usage) for another version or a name that is taken.
void load_plugin(const std::filesystem::path& library);

}  // namespace tessera::physics
