#pragma once
// The tables of [[probe]], also as files of HDF5.
#include <filesystem>
#include <string>

#include "physics/sections.hpp"

namespace tessera::physics {

/// What the file of probes with a row every so many steps is called, but for its extension: "probes",
/// "probes_every_10".
std::string name_of_table(int every);

/// Throws Error(usage) for output.formats with "hdf5" where this program was built without HDF5, or the deck has no
/// probes.
void check_traces(const CommonParams& params, const deck::Deck& deck);
/// Where output.formats has "hdf5": each table of probes, which is whole, as a file of HDF5 beside it. On the root.
void write_traces(const CommonParams& params, const std::filesystem::path& directory);

}  // namespace tessera::physics
