#pragma once
// A file of HDF5 that changes in one go: whoever is killed, or finds the disk full, leaves what was there before.
#include <filesystem>
#include <functional>

#include "output/hdf5/handle.hpp"

namespace tessera::output::hdf5 {

/// Makes a file as `atomic_write` does: it has its name when it is whole. `write` gets the open file; what it throws is
/// thrown. Throws Error(file_system).
void create(const std::filesystem::path& path, bool lasting, const std::function<void(hid_t file)>& write);

/// Changes a file. What `write` adds goes behind the end that the file had, where no reader looks; what it overwrites
/// (HDF5's own records, a few pages of 4096 bytes) is kept in memory until everything else is on the disk. Then these
/// pages are written, after a journal of what they held, "`path`'s folder/.name.journal", which is removed behind them.
/// So a process that is killed in between loses the change and nothing else; what it leaves of one is taken back by
/// `recover`. Throws Error(file_system), and the file is then as before.
void change(const std::filesystem::path& path, const std::function<void(hid_t file)>& write);

/// The journal of a file.
std::filesystem::path journal_of(const std::filesystem::path& path);

/// Takes back a change that did not come to its end. Throws Error(file_system) for a journal that is damaged.
void recover(const std::filesystem::path& path);

}  // namespace tessera::output::hdf5
