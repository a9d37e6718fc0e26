#pragma once
// What the writers of files here share: a descriptor that closes itself, and what is said where the system refuses.
#include <cstddef>
#include <filesystem>
#include <string>

namespace tessera::output {

/// Throws Error(file_system): "cannot `what` `path`: the system's `reason`", with the way out of that reason.
[[noreturn]] void fail_on_file(const std::string& what, const std::filesystem::path& path, int reason);

/// Closes on every path out of a function.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value = -1) : value_(value) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : value_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  int value() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  /// 0, or -1 with the reason in errno: some file systems report only now what they could not write.
  int close();
  int release();

 private:
  int value_;
};

/// A new file for writing, empty where it was there. `path` is the name that messages have. Throws Error(file_system).
FileDescriptor open_for_writing(const std::filesystem::path& file, const std::filesystem::path& path);

/// All of the bytes, also where signals interrupt or the system takes them in parts. Throws Error(file_system).
void write_all(const FileDescriptor& file, const void* bytes, std::size_t count, const std::filesystem::path& path);

/// As many bytes as there are up to `count`. Throws Error(file_system).
std::size_t read_some(const FileDescriptor& file, void* bytes, std::size_t count, const std::filesystem::path& path);

/// Data reaches the disk here or fails here: file systems that allocate late report a full disk only now.
void flush_to_disk(const FileDescriptor& file, const std::filesystem::path& path);

}  // namespace tessera::output
