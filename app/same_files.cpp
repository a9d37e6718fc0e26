#include "app/same_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/input_file.hpp"
#include "deck/possible_files.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_file = 0;

/// Of what a file holds; no_file: it cannot be read.
std::uint64_t hash_of(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return no_file;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = fnv1a({});
  std::vector<char> chunk(std::size_t{1} << 20);
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    hash = fnv1a({chunk.data(), static_cast<std::size_t>(file.gcount())}, hash);
  }
  return file.eof() ? std::max<std::uint64_t>(hash, no_file + 1) : no_file;
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
  std::vector<std::uint64_t> mine;
  for (const deck::PossibleFile& file : files) mine.push_back(hash_of(file.path));
  for (const std::string& plugin : plugins) mine.push_back(hash_of(plugin));
  std::vector<std::uint64_t> all(count * mine.size());
  ranks.all_gather(mine.data(), mine.size() * sizeof mine[0], all.data());
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t rank = 1; rank < count; ++rank) {
      const std::uint64_t first = all[i], own = all[rank * mine.size() + i];
      if (own == first || own == no_file || first == no_file) continue;
      const bool of_deck = i < files.size();
      const std::string& name = of_deck ? files[i].text : plugins[i - files.size()];
      throw Error(
          ExitCode::usage, fmt::format("rank {} of {} has another file '{}' than rank 0", rank, count, printable(name)),
          "let all machines see the same files", of_deck ? std::optional<Position>(files[i].where) : std::nullopt);
    }
}

}  // namespace tessera::app
