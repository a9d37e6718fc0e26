#pragma once
// What Results may be, too: tables of a model's own.
#include <filesystem>

namespace tessera::physics {

/// Results that write tables derive from this beside Results, and the driver calls it at the end of a run.
class OwnTables {
 public:
  virtual ~OwnTables() = default;
  /// Writes them to that folder. Collective where ranks share the solution.
  virtual void write_tables(const std::filesystem::path& directory) = 0;
};

}  // namespace tessera::physics
