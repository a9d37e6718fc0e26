#pragma once
// The state of a transient run in one file, from which the run goes on bit by bit as if it had never stopped.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::output {

/// Numbers under a name: [values.size() / components, components], row-major.
struct CheckpointArray {
  std::string name;
  int components = 1;
  std::vector<double> values;
};

/// What a checkpoint holds. The header is free but for what `checkpoint_header` puts into it; its numbers are finite
/// (JSON has no others) and come back as the same bits, like those of the arrays, which may be anything.
struct Checkpoint {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::vector<CheckpointArray> arrays;

  /// The array of that name. Throws Error(file_system) where there is none, or its components or its length differ from
  /// what the run expects: it is then the checkpoint of another deck or mesh.
  const CheckpointArray& array(const std::string& name, int components, std::size_t values) const;
};

/// The header that every checkpoint begins with: "program" (its version), "deck" (text) and "deck_hash", "t", "step".
nlohmann::ordered_json checkpoint_header(const std::string& program, const std::string& deck, double t,
                                         std::int64_t step);

/// A hash of 64 bits over words of eight bytes, the last one filled up with zeros: h = mix(h ^ word), with the
/// multiplications and shifts that end MurmurHash3 (Appleby, 2011). mix is one to one, so that a change within one
/// word is found always, any other but for one in 2^64. About 2 GB/s a core.
std::uint64_t checkpoint_hash(const void* bytes, std::size_t count);
/// The same of a text, as 16 hexadecimal digits.
std::string checkpoint_hash(const std::string& text);

/// Writes a checkpoint as `atomic_write` does, so that there is a whole file of that name or the one before; it stays
/// where the run is stopped. The file, all of it little-endian:
///   8 bytes "\x89TSR\r\n\x1a\n", 4 format version, 4 zeros, 8 size of the file, 8 length of the text, 8 hash of these
///   32 text (JSON: {"header", "arrays": [{"name", "components", "values"}]}), 8 its hash and of each array its
///   numbers, 8 bytes each, and 8 their hash.
/// Memory: no copy of the arrays. Throws Error(file_system) where it cannot be written, Error(internal) for a header
/// with a number that is not finite and for arrays whose name comes twice or whose length is no multiple of components.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint and verifies every byte of it. Throws Error(file_system) for a file that is missing, none, cut
/// off, damaged or of another format version. Whatever the bytes are, no array is larger than what the file holds.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Verifies every byte as read_checkpoint does, and keeps none of the arrays.
void verify_checkpoint(const std::filesystem::path& path);

}  // namespace tessera::output
