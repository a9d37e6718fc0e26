#include "output/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/input_file.hpp"
#include "output/results.hpp"

namespace tessera::output {
namespace {

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path, int reason) {
  std::string help = "check the path and its permissions, or choose another folder with --output";
  if (reason == ENOSPC || reason == EDQUOT) help = "free some space, or choose a folder on another disk with --output";
  if (reason == EFBIG) help = "the limit on the size of a file was reached (ulimit -f)";
  throw Error(ExitCode::file_system, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(reason)), help);
}

/// Closes on every path out of a function.
struct FileDescriptor {
  int value = -1;
  ~FileDescriptor() {
    if (value >= 0) ::close(value);
  }
  int close() {
    const int result = ::close(value);
    value = -1;
    return result;
  }
};

/// Data reaches the disk here or fails here: file systems that allocate late report a full disk only now.
void flush_to_disk(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  FileDescriptor file{::open(temporary.c_str(), O_RDONLY)};
  if (file.value < 0) fail("write", path, errno);
  if (::fsync(file.value) != 0 && errno != EINVAL && errno != EROFS) fail("write", path, errno);
  if (file.close() != 0) fail("write", path, errno);
}

}  // namespace

void make_directory(const std::filesystem::path& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) fail("make the folder", directory, code.value());
  if (!std::filesystem::is_directory(directory, code)) fail("make the folder", directory, ENOTDIR);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) fail("write into the folder", directory, errno);
}

void atomic_write(const std::filesystem::path& path, const std::function<void(const std::filesystem::path&)>& write) {
  Temporary temporary(path);
  write(temporary.path());
  flush_to_disk(temporary.path(), path);
  if (const int reason = temporary.commit(); reason != 0) fail("write", path, reason);
}

void atomic_write(const std::filesystem::path& path, const std::string& text) {
  atomic_write(path, [&](const std::filesystem::path& temporary) {
    FileDescriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.value < 0) fail("write", path, errno);
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::write(file.value, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("write", path, errno);
      done += static_cast<std::size_t>(count);
    }
    if (file.close() != 0) fail("write", path, errno);
  });
}

std::string read_text(const std::filesystem::path& path) {
  require_regular_file(path, "file", "check the path");
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail("read", path, errno);
  std::string text;
  char chunk[65536];
  for (;;) {
    const ssize_t count = ::read(file.value, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) return text;
    text.append(chunk, static_cast<std::size_t>(count));
  }
}

}  // namespace tessera::output
