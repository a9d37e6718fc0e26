#include "output/hdf5/staged_driver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace tessera::output::hdf5 {

constexpr std::size_t worth_starting = 1 << 18;  // bytes: a chunk of a field, not a record of HDF5

void Staged::read_file(haddr_t at, std::size_t count, char* to) noexcept {
  while (count > 0) {
    const ssize_t got = ::pread(file_.value(), to, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && failure_ == 0) failure_ = errno;
    if (got <= 0) {
      std::memset(to, 0, count);  // behind the end of the file are zeros
      return;
    }
    at += static_cast<haddr_t>(got), to += got, count -= static_cast<std::size_t>(got);
  }
}

void Staged::read(haddr_t at, std::size_t count, char* to) noexcept {
  read_file(at, count, to);
  const haddr_t end = at + count;
  for (auto page = pages_.lower_bound(at - at % page_size); page != pages_.end() && page->first < end; ++page) {
    const haddr_t first = std::max(at, page->first);
    const haddr_t last = std::min({end, page->first + page_size, std::max(fixed_, first)});
    std::memcpy(to + (first - at), page->second.data() + (first - page->first), last - first);
  }
}

void Staged::write(haddr_t at, std::size_t count, const char* from) noexcept {
  size_ = std::max(size_, at + count);
  while (count > 0 && failure_ == 0) {
    ssize_t done = 0;
    if (at < fixed_) {
      const haddr_t first = at - at % page_size;
      auto page = pages_.find(first);
      if (page == pages_.end()) {
        try {
          page = pages_.emplace(first, Page{}).first;
        } catch (const std::bad_alloc&) {
          failure_ = ENOMEM;
          return;
        }
        read_file(first, page_size, page->second.data());
      }
      done = static_cast<ssize_t>(std::min<haddr_t>({count, first + page_size - at, fixed_ - at}));
      std::memcpy(page->second.data() + (at - first), from, static_cast<std::size_t>(done));
    } else {
      done = ::pwrite(file_.value(), from, count, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) {
        failure_ = errno;
        return;
      }
      // The disk begins at once, not when all is flushed. That it cannot is no failure.
      if (static_cast<std::size_t>(done) >= worth_starting)
        (void)::sync_file_range(file_.value(), static_cast<off64_t>(at), done, SYNC_FILE_RANGE_WRITE);
    }
    at += static_cast<haddr_t>(done), from += done, count -= static_cast<std::size_t>(done);
  }
}

namespace {

/// What properties carry to `open`.
struct Target {
  Staged* staged;
};

/// HDF5's part first, as it wants it.
struct OpenFile {
  H5FD_t base;
  Staged* staged;
};

Staged& of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file)->staged; }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* const target = static_cast<const Target*>(H5Pget_driver_info(access));
  auto* const file = target ? new (std::nothrow) OpenFile{} : nullptr;
  if (!file) return nullptr;
  file->staged = target->staged;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

H5FD_class_t make_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(613);  // of the numbers that HDF5 leaves to programs
#endif
  driver.name = "tessera_staged";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Target);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = [](const H5FD_t* a, const H5FD_t* b) { return &of(a) == &of(b) ? 0 : &of(a) < &of(b) ? -1 : 1; };
  driver.query = [](const H5FD_t*, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return herr_t{0};
  };
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).allocated = end;
    return herr_t{0};
  };
  driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) { return of(file).size(); };
  driver.read = [](H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* to) {
    of(file).read(at, count, static_cast<char*>(to));
    return herr_t{0};
  };
  // A write that fails is not said here: HDF5 would then keep the file open for ever, to try again.
  driver.write = [](H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, const void* from) {
    of(file).write(at, count, static_cast<const char*>(from));
    return herr_t{0};
  };
  driver.truncate = [](H5FD_t* file, hid_t, hbool_t) {
    of(file).set_size(of(file).allocated);
    return herr_t{0};
  };
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), driver.fl_map);
  return driver;
}

hid_t driver_id() {
  static const H5FD_class_t driver = make_class();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

}  // namespace

Handle access_to(Staged& staged) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Target target{&staged};
  if (H5Pset_driver(access, driver_id(), &target) < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)
    return Handle();
  return access;
}

}  // namespace tessera::output::hdf5
