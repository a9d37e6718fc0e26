#include "app/same_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "app/signals.hpp"
#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/input_file.hpp"
#include "base/profile.hpp"
#include "deck/possible_files.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_file = 0, unreadable = 1, first_hash = 2;

/// Of what a file holds. Ends early where the run is to stop.
std::uint64_t hash_of(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return no_file;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = fnv1a({});
  std::vector<char> chunk(std::size_t{1} << 20);
  while (file && !StopOnSignals::asked()) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    hash = hash_of_words({chunk.data(), static_cast<std::size_t>(file.gcount())}, hash);
  }
  return file.eof() || StopOnSignals::asked() ? std::max(hash, first_hash) : unreadable;
}

/// Of each, in their order; of one that is named several times it is read once.
std::vector<std::uint64_t> hashes_of(const std::vector<deck::PossibleFile>& files,
                                     const std::vector<std::string>& plugins) {
  std::map<fs::path, std::uint64_t> known;
  const auto hash = [&](const fs::path& path) {
    const auto [at, is_new] = known.try_emplace(path, no_file);
    if (is_new) at->second = hash_of(path);
    return at->second;
  };
  std::vector<std::uint64_t> hashes;
  for (const deck::PossibleFile& file : files) hashes.push_back(hash(file.path));
  for (const std::string& plugin : plugins) hashes.push_back(hash(plugin));
  return hashes;
}

/// `rank` has another file of that name than the first, or one of them has none; `own`, `first`: what their files hold.
[[noreturn]] void refuse(std::size_t rank, std::size_t count, std::uint64_t own, std::uint64_t first,
                         const std::string& name, const std::optional<Position>& where) {
  if (own == no_file || first == no_file)
    throw Error(ExitCode::file_system,
                fmt::format("rank {} of {} does not have the file '{}', which rank {} has", own == no_file ? rank : 0,
                            count, printable(name), own == no_file ? 0 : rank),
                "let all machines see the same files", where);
  if (own != unreadable && first != unreadable)
    throw Error(ExitCode::usage,
                fmt::format("rank {} of {} has another file '{}' than rank 0", rank, count, printable(name)),
                "let all machines see the same files", where);
  throw Error(ExitCode::file_system,
              fmt::format("rank {} of {} cannot read the file '{}', which others can", own == unreadable ? rank : 0,
                          count, printable(name)),
              "check its permissions there", where);
}

/// Meshes and initial states go from the first rank to the others.
bool is_of_root_alone(std::string_view key) {
  return key == "mesh.file" || (key.starts_with("initial[") && key.ends_with("].file"));
}

}  // namespace

void check_same_files(Communicator& ranks, const deck::Deck& deck, const std::vector<std::string>& plugins) {
  std::vector<deck::PossibleFile> files = deck::possible_files(deck);
  std::erase_if(files, [](const deck::PossibleFile& file) { return is_of_root_alone(file.key); });
  const auto count = static_cast<std::size_t>(ranks.size());
  const std::vector<std::size_t> counts = gathered(ranks, plugins.size());
  for (std::size_t rank = 1; rank < count; ++rank)
    if (counts[rank] != counts[0])
      throw Error(ExitCode::usage, fmt::format("rank {} of {} has other plugins than rank 0", rank, count),
                  "start all ranks with the same --plugin");
  Threads exec(1);
  Scope scope(exec, "files");
  const std::vector<std::uint64_t> mine = hashes_of(files, plugins);
  if (any(ranks, StopOnSignals::asked()))
    throw Error(ExitCode::interrupted, "interrupted while the files of ranks were compared");
  std::vector<std::uint64_t> all(count * mine.size());
  ranks.all_gather(mine.data(), mine.size() * sizeof mine[0], all.data());
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t rank = 1; rank < count; ++rank) {
      const std::uint64_t first = all[i], own = all[rank * mine.size() + i];
      if (own == first) continue;
      if (i < files.size()) refuse(rank, count, own, first, files[i].text, files[i].where);
      refuse(rank, count, own, first, plugins[i - files.size()], std::nullopt);
    }
}

}  // namespace tessera::app
