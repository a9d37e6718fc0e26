#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tessera::physics {

/// What Results may be beside: derived fields that do not need them. A run through time makes these while its next
/// steps run.
class LaterFields {
 public:
  virtual ~LaterFields() = default;
  /// Results::field as a function of u [rows], called once and on any thread: mesh and space stay as they are until
  /// then, and what else it needs it has. `memory`: a vector of any length and values, which may become the field.
  using Make = std::function<std::vector<double>(std::span<const double> u, std::vector<double> memory)>;
  virtual Make field_later(const std::string& name) const = 0;
};

}  // namespace tessera::physics
