#include "mesh/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tessera::mesh {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int reason) {
  throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", file.string(), std::strerror(reason)),
              "check the file");
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
  const int handle = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle < 0) fail(file, errno);
  struct stat status {};
  const bool known = fstat(handle, &status) == 0;
  if (!known || status.st_size == 0) {
    const int reason = known ? ENODATA : errno;
    close(handle);
    fail(file, reason);
  }
  size_ = static_cast<std::size_t>(status.st_size);
  data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, handle, 0);
  const int reason = errno;
  close(handle);
  if (data_ == MAP_FAILED) fail(file, reason);
  madvise(data_, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() { munmap(data_, size_); }

}  // namespace tessera::mesh
