#include "output/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tessera::output {

void fail_on_file(const std::string& what, const std::filesystem::path& path, int reason) {
  std::string help = "check the path and its permissions, or choose another folder with --output";
  if (reason == ENOSPC || reason == EDQUOT) help = "free some space, or choose a folder on another disk with --output";
  if (reason == EFBIG) help = "the limit on the size of a file was reached (ulimit -f)";
  throw Error(ExitCode::file_system, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(reason)), help);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    value_ = other.release();
  }
  return *this;
}

int FileDescriptor::close() { return is_open() ? ::close(release()) : 0; }

int FileDescriptor::release() {
  const int value = value_;
  value_ = -1;
  return value;
}

FileDescriptor open_for_writing(const std::filesystem::path& file, const std::filesystem::path& path) {
  FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) fail_on_file("write", path, errno);
  return descriptor;
}

void write_all(const FileDescriptor& file, const void* bytes, std::size_t count, const std::filesystem::path& path) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(file.value(), at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_on_file("write", path, errno);
    at += written;
    count -= static_cast<std::size_t>(written);
  }
}

std::size_t read_some(const FileDescriptor& file, void* bytes, std::size_t count, const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t part = ::read(file.value(), static_cast<char*>(bytes) + done, count - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) fail_on_file("read", path, errno);
    if (part == 0) break;
    done += static_cast<std::size_t>(part);
  }
  return done;
}

void flush_to_disk(const FileDescriptor& file, const std::filesystem::path& path) {
  // Pipes, devices and file systems that are read only have nothing to flush.
  if (::fsync(file.value()) != 0 && errno != EINVAL && errno != EROFS) fail_on_file("write", path, errno);
}

}  // namespace tessera::output
