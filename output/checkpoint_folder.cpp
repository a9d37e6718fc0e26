#include "output/checkpoint_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "output/file_descriptor.hpp"

namespace tessera::output {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "checkpoint_", suffix = ".tsr";
constexpr std::size_t least_digits = 9;

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return {};
  if (name.size() < prefix.size() + least_digits + suffix.size()) return {};
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  std::int64_t step = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (failure != std::errc() || end != name.data() + name.size() || step < 0) return {};
  return step;
}

/// Why a checkpoint cannot be read, or nothing. What is no fault of the file is thrown.
template <class Read>
std::optional<std::string> fault_of(const Read& read) {
  try {
    read();
    return {};
  } catch (const Error& error) {
    if (error.code() != ExitCode::file_system) throw;
    return error.what();
  }
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  if (step < 0) throw Error(ExitCode::internal, fmt::format("a checkpoint of step {}", step));
  return fmt::format("{}{:0{}}{}", prefix, step, least_digits, suffix);
}

std::vector<CheckpointFile> checkpoints_in(const fs::path& folder) {
  std::vector<CheckpointFile> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (const auto step = step_of(entry.path().filename().string())) files.push_back({*step, entry.path()});
  std::sort(files.begin(), files.end(), [](const CheckpointFile& a, const CheckpointFile& b) {
    return a.step != b.step ? a.step > b.step : a.path < b.path;
  });
  return files;
}

NewestCheckpoint newest_checkpoint(const fs::path& folder) {
  NewestCheckpoint newest;
  for (const CheckpointFile& file : checkpoints_in(folder)) {
    const auto fault = fault_of([&] { newest.checkpoint = read_checkpoint(file.path); });
    newest.path = file.path;
    if (!fault) return newest;
    newest.unreadable.push_back(*fault);
  }
  if (newest.unreadable.empty())
    throw Error(ExitCode::file_system, fmt::format("there is no checkpoint in {}", folder.string()),
                "name the folder of a run whose deck has [checkpoint]; its files are checkpoint_<step>.tsr");
  throw Error(
      ExitCode::file_system,
      fmt::format("there is no whole checkpoint in {}: {}", folder.string(), fmt::join(newest.unreadable, "; ")),
      "run the deck from its start");
}

void keep_newest(const fs::path& folder, int keep) {
  if (keep < 1) throw Error(ExitCode::internal, fmt::format("{} checkpoints are to be kept", keep));
  const std::vector<CheckpointFile> files = checkpoints_in(folder);
  const auto newest = static_cast<std::size_t>(keep);
  if (files.size() <= newest) return;
  std::size_t whole = 0;
  while (whole < files.size() && fault_of([&] { verify_checkpoint(files[whole].path); })) ++whole;
  for (std::size_t i = newest; i < files.size(); ++i) {
    if (i == whole || whole == files.size()) continue;
    if (::unlink(files[i].path.c_str()) != 0 && errno != ENOENT) fail_on_file("remove", files[i].path, errno);
  }
}

}  // namespace tessera::output
