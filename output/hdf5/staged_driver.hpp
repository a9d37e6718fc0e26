#pragma once
// How HDF5 reaches a file whose old part stays as it is until a change is whole.
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "output/file_descriptor.hpp"
#include "output/hdf5/handle.hpp"

namespace tessera::output::hdf5 {

/// The bytes of a file as HDF5 sees them: those of the disk, but in the pages before `fixed` that were written. No
/// function throws, for HDF5 calls them: a failure is kept, and from then on nothing is written.
class Staged {
 public:
  static constexpr std::size_t page_size = 4096;
  using Page = std::array<char, page_size>;

  /// `fixed`: bytes at the beginning that stay on the disk as they are.
  Staged(const FileDescriptor& file, haddr_t size, haddr_t fixed) : file_(file), size_(size), fixed_(fixed) {}

  void read(haddr_t at, std::size_t count, char* to) noexcept;
  void write(haddr_t at, std::size_t count, const char* from) noexcept;

  /// What HDF5 has allocated, and how long it takes the file to be.
  haddr_t allocated = 0;
  haddr_t size() const { return size_; }
  void set_size(haddr_t size) { size_ = size; }

  /// From now on this is the part that stays.
  void fix(haddr_t fixed) { fixed_ = fixed; }
  haddr_t fixed() const { return fixed_; }
  const std::map<haddr_t, Page>& pages() const { return pages_; }
  /// The first failure of the system; 0: none.
  int failure() const { return failure_; }

 private:
  void read_file(haddr_t at, std::size_t count, char* to) noexcept;

  const FileDescriptor& file_;
  haddr_t size_, fixed_;
  std::map<haddr_t, Page> pages_;  ///< by their first byte
  int failure_ = 0;
};

/// Properties with which HDF5 opens or creates `staged`, whatever the name. Locks are left alone: a reader that holds
/// one must not end a run, whose folder has a lock of its own.
Handle access_to(Staged& staged);

}  // namespace tessera::output::hdf5
