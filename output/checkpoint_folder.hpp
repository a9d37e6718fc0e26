#pragma once
// The checkpoints of a run: files of one folder that are named by their step.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "output/checkpoint.hpp"

namespace tessera::output {

/// "checkpoint_000000100.tsr", so that names sort as steps do up to a step of nine digits.
std::string checkpoint_name(std::int64_t step);

struct CheckpointFile {
  std::int64_t step = 0;
  std::filesystem::path path;
};
/// The files of a folder that are named as checkpoints, the newest first. A folder that is not there has none.
std::vector<CheckpointFile> checkpoints_in(const std::filesystem::path& folder);

/// The newest whole checkpoint, and those that are newer and cannot be read: of each the message of its Error, which
/// names it.
struct NewestCheckpoint {
  std::filesystem::path path;
  Checkpoint checkpoint;
  std::vector<std::string> unreadable;
};
/// Throws Error(file_system) where the folder has none, or none that is whole.
NewestCheckpoint newest_checkpoint(const std::filesystem::path& folder);

/// Removes all but the `keep` newest (at least 1), and more of them only if none of those is whole: the newest whole
/// one is never removed. Reads one checkpoint where there is something to remove. Throws Error(file_system) where one
/// cannot be removed.
void keep_newest(const std::filesystem::path& folder, int keep);

}  // namespace tessera::output
