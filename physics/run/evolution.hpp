#pragma once
// What a model of something that changes in time has on a backend.
#include <span>

#include "linalg/crs.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// M u' = b - A u with all rows, before anything is prescribed. Its data are those of the time that the model was moved
/// to last.
template <class Exec>
class Evolution {
 public:
  using Space = typename Exec::Space;
  virtual ~Evolution() = default;
  /// The pattern of M and A, values 0.
  virtual linalg::Crs<Space> make_matrix() = 0;
  /// Fills M, from make_matrix, at time t and, where it depends on u, at the state u [rows]. Phases: coefficients,
  /// assemble.
  virtual void fill_mass(double t, std::span<const double> u, linalg::Crs<Space>& M) = 0;
  /// Fills A, from make_matrix, and b [rows] at time t. Phases: coefficients, assemble, boundary.
  virtual void fill(double t, linalg::Crs<Space>& A, View<double> b) = 0;
  /// Fills b alone.
  virtual void fill_loads(double t, linalg::Crs<Space>& A, View<double> b) = 0;
};

}  // namespace tessera::physics
