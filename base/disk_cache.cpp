#include "base/disk_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/hash.hpp"

namespace tessera {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".kept", temporary_suffix = ".part";

/// A file: this, the key, the bytes. What does not agree with it is not read.
struct Header {
  std::array<char, 8> magic = {'t', 'e', 's', 's', 'k', 'e', 'p', '1'};
  std::uint64_t key_size = 0, size = 0, checksum = 0;

  Header() = default;
  Header(const std::string& key, std::string_view bytes)
      : key_size(key.size()), size(bytes.size()), checksum(fnv1a(bytes, fnv1a(key))) {}
  bool operator==(const Header&) const = default;
};

fs::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value ? fs::path(value) : fs::path();
}

}  // namespace

fs::path DiskCache::default_folder() {
  if (std::getenv("TESSERA_CACHE")) return folder_of("TESSERA_CACHE");
  // Relative paths are to be ignored: XDG Base Directory Specification.
  if (const fs::path caches = folder_of("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "tessera";
  const fs::path home = folder_of("HOME");
  return home.is_absolute() ? home / ".cache" / "tessera" : fs::path();
}

DiskCache::DiskCache(fs::path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path DiskCache::file(const std::string& key) const {
  return folder_ / fmt::format("{:016x}{}", fnv1a(key), suffix);
}

std::optional<std::string> DiskCache::read(const std::string& key) const {
  if (folder_.empty()) return {};
  const fs::path path = file(key);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::uintmax_t size = fs::file_size(path, error), least = sizeof(Header) + key.size();
  if (error || size < least || size > most_bytes_) return {};
  std::string content(static_cast<std::size_t>(size), '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(content.data(), static_cast<std::streamsize>(content.size()))) return {};
  Header header;
  std::memcpy(&header, content.data(), sizeof header);
  const std::string_view bytes = std::string_view(content).substr(static_cast<std::size_t>(least));
  if (content.compare(sizeof header, key.size(), key) != 0 || !(header == Header(key, bytes))) return {};
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // used now; where that fails it goes earlier
  return content.substr(static_cast<std::size_t>(least));
}

void DiskCache::write(const std::string& key, const std::string& bytes) const {
  if (folder_.empty() || sizeof(Header) + key.size() + bytes.size() > most_bytes_) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  static std::atomic<unsigned> number = 0;
  const fs::path path = file(key);
  const fs::path part = folder_ / fmt::format("{}.{}.{}{}", path.stem().string(), getpid(), number++, temporary_suffix);
  {
    std::ofstream stream(part, std::ios::binary | std::ios::trunc);
    const Header header(key, bytes);
    stream.write(reinterpret_cast<const char*>(&header), sizeof header);
    stream.write(key.data(), static_cast<std::streamsize>(key.size()));
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, path, error);
  if (error) fs::remove(part, error);
  remove_oldest();
}

void DiskCache::remove_oldest() const {
  struct Kept {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<Kept> all;
  std::uintmax_t bytes = 0;
  std::error_code error;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;  // by another program
    const fs::path extension = entry->path().extension();
    if (!entry->is_regular_file(gone) || (extension != suffix && extension != temporary_suffix)) continue;
    const fs::file_time_type used = entry->last_write_time(gone);
    const std::uintmax_t size = gone ? 0 : entry->file_size(gone);
    if (gone) continue;
    if (extension == temporary_suffix) {  // of a program that ended while it wrote
      if (now - used > std::chrono::hours(24)) fs::remove(entry->path(), gone);
      continue;
    }
    all.push_back({used, size, entry->path()});
    bytes += size;
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (auto oldest = all.begin(); bytes > most_bytes_ && oldest != all.end(); ++oldest) {
    fs::remove(oldest->path, error);
    bytes -= oldest->size;
  }
}

}  // namespace tessera
