#pragma once
#include <memory>
#include <string>

#include "base/communicator.hpp"
#include "base/error.hpp"

namespace tessera::app {

/// The ranks of a run that `mpirun -n N tessera run DECK` started; one alone otherwise. The root speaks for all.
class Ranks {
 public:
  /// Throws Error(usage) where this is one of several ranks and MPI cannot be loaded.
  Ranks();
  Ranks(const Ranks&) = delete;

  /// nullptr: there is one.
  Communicator* get() const { return communicator_.get(); }
  bool is_root() const { return !communicator_ || communicator_->is_root(); }

  /// This rank ends with an error. Returns where all do, so that the root reports it; where others go on, which would
  /// wait for this one, says it with the number of this rank and ends them all.
  void end_after(const Error& error) const;

 private:
  std::unique_ptr<Communicator> communicator_;
};

/// Throws Error(usage) where a rank is another version of the program than the first. Collective.
void check_versions(Communicator& ranks);

/// Closes standard output and error where a launcher started this process as a rank other than the first; whether it
/// did. What Ranks::end_after says is heard all the same.
bool fall_silent_beside_root();

}  // namespace tessera::app
