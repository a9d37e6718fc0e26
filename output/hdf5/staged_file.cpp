#include "output/hdf5/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "output/checkpoint.hpp"
#include "output/files.hpp"
#include "output/hdf5/staged_driver.hpp"

namespace tessera::output::hdf5 {

namespace fs = std::filesystem;

namespace {

FileDescriptor open_for_change(const fs::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) fail_on_file("write", path, errno);
  return file;
}

haddr_t size_of(const FileDescriptor& file, const fs::path& path) {
  const off_t size = ::lseek(file.value(), 0, SEEK_END);
  if (size < 0) fail_on_file("read", path, errno);
  return static_cast<haddr_t>(size);
}

void cut(const FileDescriptor& file, haddr_t size, const fs::path& path) {
  if (::ftruncate(file.value(), static_cast<off_t>(size)) != 0) fail_on_file("write", path, errno);
}

void write_at(const FileDescriptor& file, haddr_t at, const char* from, std::size_t count, const fs::path& path) {
  while (count > 0) {
    const ssize_t done = ::pwrite(file.value(), from, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_on_file("write", path, errno);
    at += static_cast<haddr_t>(done), from += done, count -= static_cast<std::size_t>(done);
  }
}

/// Calls `write` and closes the file whatever becomes of it: HDF5 must hold nothing of it afterwards.
void work_and_close(Handle file, const Staged& staged, const fs::path& path, const std::function<void(hid_t)>& write) {
  if (!file.is_open()) fail("open", path);
  std::exception_ptr failure;
  try {
    write(file);
  } catch (...) {
    failure = std::current_exception();
  }
  const bool closed = file.reset();
  if (staged.failure() == ENOMEM) throw std::bad_alloc();
  if (staged.failure() != 0) fail_on_file("write", path, staged.failure());
  if (failure) std::rethrow_exception(failure);
  if (!closed) fail("write", path);
}

constexpr char mark[] = "\x89TSJ\r\n\x1a\n";
constexpr std::size_t mark_size = 8;

void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// 8 bytes of a mark, 8 the length of the file, and of each page 8 its place and 4096 what it holds; 8 their hash.
std::string journal_text(const FileDescriptor& file, const Staged& staged, const fs::path& path) {
  std::string text(mark, mark_size);
  append(text, staged.fixed());
  for (const auto& [at, page] : staged.pages()) {
    append(text, at);
    Staged::Page old{};
    if (::pread(file.value(), old.data(), old.size(), static_cast<off_t>(at)) < 0) fail_on_file("read", path, errno);
    text.append(old.data(), old.size());
  }
  append(text, checkpoint_hash(text.data(), text.size()));
  return text;
}

/// The pages take their places; nothing behind the part that was there.
void write_pages(const FileDescriptor& file, const Staged& staged, const fs::path& path) {
  for (const auto& [at, page] : staged.pages())
    write_at(file, at, page.data(), std::min<haddr_t>(page.size(), staged.fixed() - at), path);
  flush_to_disk(file, path);
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_on_file("remove", path, errno);
}

}  // namespace

fs::path journal_of(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.journal", path.filename().string());
}

void create(const fs::path& path, bool lasting, const std::function<void(hid_t)>& write) {
  const Silent here;
  const CrashesAreWantOfMemory there;
  remove_file(journal_of(path));  // of a file that was there before
  atomic_write(
      path,
      [&](const fs::path& temporary) {
        FileDescriptor file(::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!file.is_open()) fail_on_file("write", path, errno);
        Staged staged(file, 0, 0);
        const Handle access = access_to(staged);
        work_and_close(Handle(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose), staged, path,
                       write);
        cut(file, staged.allocated, path);
        if (file.close() != 0) fail_on_file("write", path, errno);
      },
      lasting ? Role::lasting : Role::result);
}

void change(const fs::path& path, const std::function<void(hid_t)>& write) {
  const Silent here;
  const CrashesAreWantOfMemory there;
  const FileDescriptor file = open_for_change(path);
  const haddr_t size = size_of(file, path);
  Staged staged(file, size, size);
  const fs::path journal = journal_of(path);
  try {
    const Handle access = access_to(staged);
    Handle opened(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose);
    // What a process that was killed has left behind the end is nobody's.
    if (opened.is_open()) staged.fix(std::min(size, staged.allocated));
    work_and_close(std::move(opened), staged, path, write);
    flush_to_disk(file, path);
    atomic_write(journal, journal_text(file, staged, path), Role::lasting);
  } catch (...) {
    (void)!::ftruncate(file.value(), static_cast<off_t>(staged.fixed()));
    throw;
  }
  try {
    write_pages(file, staged, path);
  } catch (...) {
    recover(path);
    throw;
  }
  remove_file(journal);
  cut(file, staged.allocated, path);
}

void recover(const fs::path& path) {
  const fs::path journal = journal_of(path);
  std::error_code none;
  if (!fs::exists(journal, none)) return;
  const std::string text = read_text(journal);
  constexpr std::size_t entry = 8 + Staged::page_size, head = mark_size + 8;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
  };
  if (text.size() < head + 8 || (text.size() - head - 8) % entry != 0 || text.compare(0, mark_size, mark) != 0 ||
      number(text.size() - 8) != checkpoint_hash(text.data(), text.size() - 8))
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: it is no whole journal", journal.string()),
                fmt::format("remove it and {}, and a new series begins", path.string()));
  const haddr_t fixed = number(mark_size);
  if (fs::exists(path, none)) {
    const FileDescriptor file = open_for_change(path);
    for (std::size_t at = head; at + entry < text.size(); at += entry) {
      const haddr_t place = number(at);
      if (place < fixed)
        write_at(file, place, text.data() + at + 8, std::min<haddr_t>(Staged::page_size, fixed - place), path);
    }
    cut(file, fixed, path);
    flush_to_disk(file, path);
  }
  remove_file(journal);
}

}  // namespace tessera::output::hdf5
