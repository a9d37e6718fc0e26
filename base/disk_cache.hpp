#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

/// Bytes that can be made again, kept from run to run in the files of one folder, for several programs at a time. It is
/// no error where the folder cannot be made, read or written, or a file in it is not whole: then nothing is found, and
/// nothing kept.
class DiskCache {
 public:
  /// $TESSERA_CACHE where that is set, and no folder where it is empty; else $XDG_CACHE_HOME/tessera, or
  /// ~/.cache/tessera.
  static std::filesystem::path default_folder();

  /// Without a folder it keeps nothing. Beyond `most_bytes` the files that were not used for longest go.
  explicit DiskCache(std::filesystem::path folder = default_folder(),
                     std::uintmax_t most_bytes = std::uintmax_t{64} << 20);

  /// What was kept under exactly this key.
  std::optional<std::string> read(const std::string& key) const;
  void write(const std::string& key, const std::string& bytes) const;
  /// The file of a key.
  std::filesystem::path file(const std::string& key) const;

 private:
  void remove_oldest() const;
  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

}  // namespace tessera
