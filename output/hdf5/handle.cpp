#include "output/hdf5/handle.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "output/file_descriptor.hpp"

namespace tessera::output::hdf5 {

namespace {

/// What the stack of failures says, from the one that was first.
struct Reason {
  std::string text;
  int system = 0;  ///< errno, 0 where no call of the system has failed
  bool memory = false;
};

herr_t take(unsigned, const H5E_error2_t* failure, void* to) {
  Reason& reason = *static_cast<Reason*>(to);
  const std::string text = failure->desc ? failure->desc : "";
  if (reason.text.empty()) reason.text = text;
  reason.memory |= failure->min_num == H5E_NOSPACE || failure->min_num == H5E_CANTALLOC ||
                   text.find("memory allocation failed") != std::string::npos;
  const std::string mark = "errno = ";
  if (const std::size_t at = text.find(mark); reason.system == 0 && at != std::string::npos)
    reason.system = std::atoi(text.c_str() + at + mark.size());
  return 0;
}

}  // namespace

Silent::Silent() {
  // Every file is closed by whoever opened it; what HDF5 would do at the end of the process comes before what ends one
  // without memory (base/host_memory.hpp).
  [[maybe_unused]] static const herr_t without_end = H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &print_, &to_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Silent::~Silent() { H5Eset_auto2(H5E_DEFAULT, print_, to_); }

void fail(const std::string& what, const std::filesystem::path& path) {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  if (reason.memory) throw std::bad_alloc();
  if (reason.system != 0) fail_on_file(what, path, reason.system);
  throw Error(ExitCode::file_system,
              fmt::format("cannot {} {}: HDF5 says \"{}\"", what, path.string(),
                          reason.text.empty() ? "no more than that" : reason.text),
              "the file may be damaged or another program's: remove it, or choose another folder with --output");
}

}  // namespace tessera::output::hdf5
