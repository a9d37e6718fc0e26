#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tessera::mesh {

/// Throws Error(file_system) at `where` for a file that is missing, a folder or not readable,
/// Error(mesh) for an empty one.
void check_readable(const std::filesystem::path& file, const std::optional<Position>& where = {});

/// Elements whose entity does not say their group: (dim, entity) -> (element tag, physical tag, 0: none), sorted.
using SplitEntities = std::map<std::pair<int, int>, std::vector<std::pair<std::uint64_t, int>>>;

/// What a .msh file says and Gmsh does not keep.
struct MshFacts {
  SplitEntities split;
  std::map<std::pair<int, int>, std::string> names;  ///< of files of version 2.0: (dim, or -1; physical tag) -> name
};

/// Walks a .msh file (1.0, 2.0 to 2.2 or 4.1, ascii or binary) without building anything, so that a truncated or
/// corrupt one is refused here and never reaches libgmsh, which would crash on it or allocate what a header claims.
/// Checks version, sections and their ends, counts against the bytes that are left, element types, and that elements
/// name nodes in the range of tags. Throws Error(mesh) naming the file and, for ascii, the line. Cost: one pass over
/// the (memory-mapped) file, two where it returns something.
///
/// A 2.2 file names a group for each element, but Gmsh gives every element of an entity all groups of the entity. Where
/// a file (other programs write such) puts different elements of one entity into different groups, their own groups are
/// returned.
MshFacts check_msh(const std::filesystem::path& file);

}  // namespace tessera::mesh
