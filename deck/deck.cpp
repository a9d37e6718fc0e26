#include "deck/deck.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "deck/node.hpp"

namespace tessera::deck {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& file) {
  std::error_code failure;
  const std::string help = "give the path of a deck; `tessera template PHYSICS` writes one";
  const fs::file_status status = fs::status(file, failure);
  if (status.type() == fs::file_type::not_found)
    throw Error(ExitCode::file_system, fmt::format("there is no deck '{}'", file.string()), help);
  if (fs::is_directory(status))
    throw Error(ExitCode::file_system, fmt::format("'{}' is a folder, not a deck", file.string()), help);
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream) text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad())
    throw Error(
        ExitCode::file_system,
        fmt::format("the deck '{}' cannot be read: {}", file.string(), errno ? std::strerror(errno) : "read error"),
        "check the file's permissions");
  return text;
}

std::shared_ptr<const Deck::Node> make_document(const std::string& text, const std::string& name,
                                                const fs::path& folder, const std::vector<std::string>& overrides) {
  auto document = std::make_shared<Document>();
  static_cast<Deck::Node&>(*document) = parse_toml(text, name);
  document->file = name;
  document->folder = fs::absolute(folder).lexically_normal().string();
  for (const std::string& assignment : overrides) apply_override(*document, assignment);
  return document;
}

}  // namespace

Deck Deck::read(const fs::path& file, const std::vector<std::string>& overrides) {
  Deck deck;
  deck.root_ = make_document(read_text(file), file.string(), fs::absolute(file).parent_path(), overrides);
  if (deck.root_->children.empty())
    throw Error(ExitCode::usage, fmt::format("the deck '{}' is empty", file.string()),
                "`tessera template PHYSICS` writes a deck to start from", deck.root_->where);
  return deck;
}

Deck Deck::parse(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  Deck deck;
  deck.root_ = make_document(text, name, fs::current_path(), overrides);
  return deck;
}

const std::string& Deck::file() const { return static_cast<const Document&>(*root_).file; }

fs::path Deck::resolve(const std::string& path) const {
  return (fs::path(static_cast<const Document&>(*root_).folder) / path).lexically_normal();
}

bool Deck::has(const std::string& dotted_key) const { return find_path(*root_, dotted_key) != nullptr; }

std::optional<Position> Deck::where(const std::string& dotted_key) const {
  const Node* node = find_path(*root_, dotted_key);
  if (!node) return {};
  return node->where;
}

const Deck::Node& Deck::root() const { return *root_; }

}  // namespace tessera::deck
