#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tessera::deck {

/// A parsed deck: TOML with the position of every value. Overrides of `--set key=value` are parsed as TOML and carry
/// the position "--set".
class Deck {
 public:
  /// "-" is standard input, with paths relative to the working directory.
  /// Throws Error(file_system) for a missing or unreadable file, Error(usage) for a TOML error, with its position.
  static Deck read(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
  /// `folder`: what its paths are relative to; empty: the working directory.
  static Deck parse(const std::string& text, const std::string& name = "<text>",
                    const std::vector<std::string>& overrides = {}, const std::filesystem::path& folder = {});

  const std::string& file() const;
  /// A path of the deck, relative to the deck's folder, made absolute.
  std::filesystem::path resolve(const std::string& path) const;
  bool has(const std::string& dotted_key) const;  ///< e.g. has("exact"), has("mesh.box")
  /// Position of a key or table, for errors that are found later: where("boundary[1].value").
  std::optional<Position> where(const std::string& dotted_key) const;

  struct Node;  ///< hides toml++ from users of this header
  const Node& root() const;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace tessera::deck
