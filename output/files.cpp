#include "output/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/input_file.hpp"
#include "output/file_descriptor.hpp"

namespace tessera::output {
namespace {

/// What was renamed is under its new name after a loss of power, too. A folder that may not be read cannot be flushed.
void flush_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) flush_to_disk(descriptor, path);
}

}  // namespace

void make_directory(const std::filesystem::path& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) fail_on_file("make the folder", directory, code.value());
  if (!std::filesystem::is_directory(directory, code)) fail_on_file("make the folder", directory, ENOTDIR);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) fail_on_file("write into the folder", directory, errno);
}

void check_directory(const std::filesystem::path& directory) {
  std::filesystem::path there = std::filesystem::absolute(directory);
  for (; there.has_relative_path(); there = there.parent_path()) {
    std::error_code code;
    const auto type = std::filesystem::symlink_status(there, code).type();
    if (type == std::filesystem::file_type::none) fail_on_file("make the folder", directory, code.value());
    if (type != std::filesystem::file_type::not_found) break;
  }
  std::error_code none;
  if (!std::filesystem::is_directory(there, none)) fail_on_file("make the folder", directory, ENOTDIR);
  if (::access(there.c_str(), W_OK | X_OK) == 0) return;
  const int reason = errno;
  const bool made = std::filesystem::is_directory(directory, none);
  fail_on_file(made ? "write into the folder" : "make the folder", directory, reason);
}

void atomic_write(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write,
                  Role role) {
  Temporary temporary(path, role);
  write(temporary.path());
  FileDescriptor file(::open(temporary.path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail_on_file("write", path, errno);
  flush_to_disk(file, path);
  if (file.close() != 0) fail_on_file("write", path, errno);
  if (const int reason = temporary.commit(); reason != 0) fail_on_file("write", path, reason);
  if (role == Role::lasting) flush_folder_of(path);
}

void atomic_write(const std::filesystem::path& path, const std::string& text, Role role) {
  const auto write = [&](const std::filesystem::path& temporary) {
    FileDescriptor file = open_for_writing(temporary, path);
    write_all(file, text.data(), text.size(), path);
    if (file.close() != 0) fail_on_file("write", path, errno);
  };
  atomic_write(path, write, role);
}

std::string read_text(const std::filesystem::path& path) {
  require_regular_file(path, "file", "check the path");
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail_on_file("read", path, errno);
  std::string text;
  char chunk[65536];
  while (const std::size_t count = read_some(file, chunk, sizeof chunk, path)) text.append(chunk, count);
  return text;
}

}  // namespace tessera::output
