#pragma once
// What a model that makes its steps itself has on a backend.
#include <string>
#include <vector>

#include "base/array.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics {

/// A state u that goes through time by steps of its own, explicit ones whose length it bounds or implicit ones, as
/// conservation laws do. It stays where the backend computes. Collective where ranks share it.
template <class Exec>
class Flow {
 public:
  using Space = typename Exec::Space;
  virtual ~Flow() = default;

  /// From u [rows seen] at t; `first`: it is that of the deck, which boundary values may change, else that of a
  /// checkpoint. `ranks` must outlive it. Returns why it cannot begin; empty: it can.
  virtual std::string start(const OverRanks<Exec>& ranks, double t, const std::vector<double>& u, bool first) = 0;

  struct Step {
    double dt = 0;             ///< 0: there was none
    Offset rejected = 0;       ///< tried before with other lengths
    std::string failure = {};  ///< empty, or why there was none; the state is that before
  };
  /// What a run that goes on needs beside the state; given back before `start`, and not asked for before.
  virtual std::vector<double> kept() const { return {}; }
  virtual void restore(const std::vector<double>& kept) { (void)kept; }
  /// One step from t, at most `most` long.
  virtual Step step(double t, double most) = 0;

  /// [rows seen]
  virtual std::vector<double> u() = 0;
  /// The same where the backend computes, until it is asked for again.
  virtual View<const double> rows() = 0;
  /// The longest step from the state of now.
  virtual double longest_step() const = 0;
  virtual Offset evaluations() const = 0;
};

}  // namespace tessera::physics
