#pragma once

namespace tessera {

class Communicator;

/// Seconds that this rank's host has spent in calls that wait for other ranks: until the last of them comes, and until
/// what they send is here. What a device waits for is not among them.
struct Waited {
  double collectives = 0;  ///< sums, messages and errors that all share
  double exchange = 0;     ///< entries of vectors that neighbours send

  Waited operator-(const Waited& before) const {
    return {collectives - before.collectives, exchange - before.exchange};
  }
};

/// Since start_mpi; nothing of one rank alone.
Waited waited(const Communicator& ranks);

}  // namespace tessera
