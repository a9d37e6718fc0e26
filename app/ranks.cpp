#include "app/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "app/version.hpp"
#include "base/collective.hpp"

namespace tessera::app {

namespace {

/// Ranks that fail together do so within this time, even on a busy machine; the others of one that fails alone wait for
/// it no longer.
constexpr double seconds_together = 5;

int loud = STDERR_FILENO;  ///< what standard error was before this rank fell silent

bool is_other_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return is_launched_as_rank() && std::atoi(rank) > 0;
  return false;
}

}  // namespace

void check_versions(Communicator& ranks) {
  std::array<char, 32> own{};
  std::string_view(version()).copy(own.data(), own.size() - 1);
  const std::vector<std::array<char, 32>> all = gathered(ranks, own);
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& version) { return version != all[0]; });
  if (other != all.end())
    throw Error(ExitCode::usage,
                fmt::format("rank {} of {} is tessera {}, rank 0 is tessera {}", other - all.begin(), all.size(),
                            other->data(), all[0].data()),
                "start the same program on all machines");
}

bool fall_silent_beside_root() {
  if (!is_other_rank()) return false;
  loud = dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) (void)dup2(nowhere, file);
  (void)::close(nowhere);
  return true;
}

Ranks::Ranks() {
  if (!is_launched_as_rank()) return;
  try {
    communicator_ = start_mpi();
  } catch (const Error& error) {  // each for itself
    if (loud != STDERR_FILENO) (void)!::write(loud, error.report().data(), error.report().size());
    throw;
  }
}

void Ranks::end_after(const Error& error) const {
  if (!communicator_) return;
  // Where all know of the error, one may have much to clean up.
  if (communicator_->all_failed(have_failed_together() ? 60 * seconds_together : seconds_together)) return;
  const std::string text =
      fmt::format("rank {} of {}: {}", communicator_->rank(), communicator_->size(), error.report());
  (void)!::write(loud, text.data(), text.size());
  communicator_->abort(static_cast<int>(error.code()));
}

}  // namespace tessera::app
