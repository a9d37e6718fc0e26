#include "deck/deck.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include "base/input_file.hpp"
#include "deck/most_bytes.hpp"
#include "deck/node.hpp"

namespace tessera::deck {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& file) {
  if (file == "-") return read_standard_input("deck", most_bytes);
  require_regular_file(file, "deck",
                       "give the path of a deck, or - for standard input; `tessera template PHYSICS` writes one");
  if (fs::file_size(file) > most_bytes)
    throw Error(ExitCode::file_system,
                fmt::format("the deck '{}' has more than {} MiB", printable(file.string()), most_bytes >> 20),
                "is it the right file?");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream) text.assign(std::istreambuf_iterator<char>(stream), {});
  if ((!stream || stream.bad()) && errno == ENOMEM) throw std::bad_alloc();
  if (!stream || stream.bad())
    throw Error(ExitCode::file_system,
                fmt::format("the deck '{}' cannot be read: {}", printable(file.string()),
                            errno ? std::strerror(errno) : "read error"),
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
  const std::string text = read_text(file);
  const bool standard_input = file == "-";
  const std::string name = standard_input ? "<stdin>" : printable(file.string());
  deck.root_ =
      make_document(text, name, standard_input ? fs::current_path() : fs::absolute(file).parent_path(), overrides);
  if (deck.root_->children.empty())
    throw Error(ExitCode::usage, fmt::format("the deck '{}' is empty", name),
                "`tessera template PHYSICS` writes a deck to start from", deck.root_->where);
  return deck;
}

Deck Deck::parse(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                 const fs::path& folder) {
  Deck deck;
  deck.root_ = make_document(text, name, folder.empty() ? fs::current_path() : folder, overrides);
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
