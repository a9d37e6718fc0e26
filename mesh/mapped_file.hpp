#pragma once
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace tessera::mesh {

/// A read-only view of a whole file, mapped into memory: pages come as they are read and count as cache, not as memory
/// used.
class MappedFile {
 public:
  /// Throws Error(file_system) where the file is empty or cannot be read.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tessera::mesh
