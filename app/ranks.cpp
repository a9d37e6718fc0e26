#include "app/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace tessera::app {

namespace {

/// Ranks that fail together do so within this time, even on a busy machine; the others of one that fails alone wait for
/// it no longer.
constexpr double seconds_together = 5;

}  // namespace

Ranks::Ranks() {
  if (!is_launched_as_rank()) return;
  communicator_ = start_mpi();
  if (communicator_->is_root()) return;
  said_ = dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) (void)dup2(nowhere, file);
  (void)::close(nowhere);
}

Ranks::~Ranks() {
  if (said_ >= 0) (void)::close(said_);
}

void Ranks::end_after(const Error& error) const {
  if (!communicator_ || communicator_->all_failed(seconds_together)) return;
  const std::string text =
      fmt::format("rank {} of {}: {}", communicator_->rank(), communicator_->size(), error.report());
  (void)!::write(said_ >= 0 ? said_ : STDERR_FILENO, text.data(), text.size());
  communicator_->abort(static_cast<int>(error.code()));
}

bool is_other_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return is_launched_as_rank() && std::atoi(rank) > 0;
  return false;
}

}  // namespace tessera::app
