#pragma once
#include <functional>

#include "physics/conservation/steps.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics::conservation {

/// What implicit steps ask of whoever takes them.
template <class Exec>
struct ThetaCalls {
  typename SchemeSteps<Exec>::Constrain constrain;        ///< with ghosts
  typename SchemeSteps<Exec>::Constrain constrain_alone;  ///< the same without
  std::function<void(View<double>)> update_ghosts = {};   ///< of a state; empty on one rank
  typename SchemeSteps<Exec>::Least least = {};
  typename SchemeSteps<Exec>::Prepare prepare = {};
  const OverRanks<Exec>* ranks = nullptr;  ///< null: there is one
};

}  // namespace tessera::physics::conservation
