#pragma once
// HDF5's C functions as C++ expects them: handles that close themselves, failures that are an Error.
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <utility>

namespace tessera::output::hdf5 {

/// While it lives, HDF5 prints no failures of this thread: they become ours.
class Silent {
 public:
  Silent();
  ~Silent();
  Silent(const Silent&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* to_ = nullptr;
};

/// Throws Error(file_system): "cannot `what` `path`: ", with the reason that HDF5's stack of failures has, that of the
/// system where there is one; std::bad_alloc where memory was missing.
[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path);

/// What is open, until the end of the scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this == &other) return *this;
    reset();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = other.close_;
    return *this;
  }
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  /// Whether it was closed without a failure.
  bool reset() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace tessera::output::hdf5
