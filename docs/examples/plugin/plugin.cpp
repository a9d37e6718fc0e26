// A plugin: modules in a shared library, loaded with  tessera run DECK --plugin libl2_projection.so
// This one registers the skeleton module under the name that its deck uses.
#include "physics/registry.hpp"
#include "physics/skeleton/skeleton.hpp"

extern "C" const char* tessera_plugin_version() { return tessera::physics::plugin_version; }

extern "C" void tessera_plugin_register(std::vector<tessera::physics::Entry>& table) {
  table.push_back({"l2_projection", "L2 projection of a function (example plugin)", tessera::physics::make_skeleton});
}
