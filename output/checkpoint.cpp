#include "output/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/input_file.hpp"
#include "output/file_descriptor.hpp"
#include "output/files.hpp"

namespace tessera::output {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little && sizeof(double) == 8, "numbers are written as they lie");

// 1: implicit schemes kept fewer numbers; 2: nodes of quads and hexes of order 3 and 4 were equispaced
constexpr std::uint32_t format_version = 3;

/// The first bytes. The magic is that of PNG with our letters: it shows transfers that change line ends or drop a bit.
struct Preamble {
  std::array<char, 8> magic = {'\x89', 'T', 'S', 'R', '\r', '\n', '\x1a', '\n'};
  std::uint32_t version = format_version;
  std::uint32_t zero = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t hash = 0;  ///< of what stands before it

  std::uint64_t own_hash() const { return checkpoint_hash(this, offsetof(Preamble, hash)); }
};
static_assert(sizeof(Preamble) == 40);

constexpr std::uint64_t hash_bytes = sizeof(std::uint64_t);

constexpr std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

/// The hash of bytes that come in parts, each but the last of a multiple of 8.
class Hash {
 public:
  void add(const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    for (; count >= 8; at += 8, count -= 8) add_word(at, 8);
    if (count > 0) add_word(at, count);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_word(const char* at, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, count);
    value_ = mix(value_ ^ word);
  }
  std::uint64_t value_ = 0x9e3779b97f4a7c15u;
};

void require_finite(const Json& json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>()))
    throw Error(ExitCode::internal, "the header of a checkpoint has a number that is not finite");
  if (json.is_structured())
    for (const Json& item : json) require_finite(item);
}

Json description(const Checkpoint& checkpoint) {
  require_finite(checkpoint.header);
  Json arrays = Json::array();
  std::set<std::string> names;
  for (const CheckpointArray& array : checkpoint.arrays) {
    if (!names.insert(array.name).second)
      throw Error(ExitCode::internal, fmt::format("a checkpoint has two arrays '{}'", array.name));
    if (array.components < 1 || array.values.size() % static_cast<std::size_t>(array.components) != 0)
      throw Error(ExitCode::internal, fmt::format("the array '{}' of a checkpoint has {} values of {} components",
                                                  array.name, array.values.size(), array.components));
    arrays.push_back(Json{{"name", array.name}, {"components", array.components}, {"values", array.values.size()}});
  }
  return Json{{"header", checkpoint.header}, {"arrays", std::move(arrays)}};
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why, const std::string& help = {}) {
  throw Error(ExitCode::file_system, fmt::format("cannot read the checkpoint {}: {}", path.string(), why),
              help.empty() ? "go on from an older checkpoint, or run the deck from its start" : help);
}

/// What the text says of an array.
struct ArrayInfo {
  std::string name;
  int components = 1;
  std::uint64_t values = 0;
};

/// Reads one file from its beginning to its end.
class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path) {
    require_regular_file(path, "checkpoint", "`tessera restart` takes the folder of a run that wrote checkpoints");
    file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (!file_.is_open() || ::fstat(file_.value(), &about) != 0) fail_on_file("read the checkpoint", path, errno);
    file_bytes_ = static_cast<std::uint64_t>(about.st_size);
  }

  /// The header, and what `arrays` is then to hold.
  Json read_text(std::vector<ArrayInfo>& arrays) {
    const Preamble preamble = read_preamble();
    std::string text(preamble.text_bytes, '\0');
    read(text.data(), text.size());
    if (read_hash() != checkpoint_hash(text.data(), text.size())) refuse(path_, "it is damaged: its header");
    const NoUnwinding here;
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("header") || !json.contains("arrays") || !json["arrays"].is_array())
      refuse(path_, "its header is not that of a checkpoint");
    std::uint64_t left = file_bytes_ - position_;
    for (const Json& item : json["arrays"]) arrays.push_back(array_info(item, left));
    if (left != 0) refuse(path_, fmt::format("its header leaves {} bytes without a name", left));
    return std::move(json["header"]);
  }

  /// The numbers of the next array, to `values` or to nowhere.
  void read_values(const ArrayInfo& array, double* values) {
    Hash hash;
    std::array<double, 8192> chunk;
    for (std::uint64_t done = 0; done < array.values;) {
      const std::uint64_t count = std::min<std::uint64_t>(chunk.size(), array.values - done);
      double* const target = values ? values + done : chunk.data();
      read(target, count * sizeof(double));
      hash.add(target, count * sizeof(double));
      done += count;
    }
    if (read_hash() != hash.value()) refuse(path_, fmt::format("it is damaged: the array '{}'", printable(array.name)));
  }

 private:
  Preamble read_preamble() {
    Preamble preamble;
    const auto magic = preamble.magic;
    const std::size_t count = read_some(file_, &preamble, sizeof preamble, path_);
    position_ = count;
    if (count == 0) refuse(path_, "it is empty");
    if (std::memcmp(&preamble, magic.data(), std::min(count, magic.size())) != 0) refuse(path_, "it is no checkpoint");
    if (count < sizeof preamble)
      refuse(path_, fmt::format("it is cut off: {} bytes are not even its beginning", count));
    if (preamble.hash != preamble.own_hash()) refuse(path_, "it is damaged: its first bytes");
    if (preamble.version != format_version)
      refuse(path_, fmt::format("its format has version {}; this program reads {}", preamble.version, format_version),
             "restart it with the program that wrote it");
    if (preamble.file_bytes > file_bytes_)
      refuse(path_, fmt::format("it is cut off: it has {} of {} bytes", file_bytes_, preamble.file_bytes));
    if (preamble.file_bytes < file_bytes_)
      refuse(path_,
             fmt::format("it has {} bytes, {} more than it should", file_bytes_, file_bytes_ - preamble.file_bytes));
    if (file_bytes_ < sizeof preamble + hash_bytes || preamble.text_bytes > file_bytes_ - sizeof preamble - hash_bytes)
      refuse(path_, "its header is longer than the file");
    return preamble;
  }

  /// One array, whose bytes are taken off those that are `left`.
  ArrayInfo array_info(const Json& json, std::uint64_t& left) const {
    const auto is = [&](const char* key, bool (Json::*kind)() const noexcept) {
      return json.is_object() && json.contains(key) && (json[key].*kind)();
    };
    if (!is("name", &Json::is_string) || !is("components", &Json::is_number_unsigned) ||
        !is("values", &Json::is_number_unsigned))
      refuse(path_, "its header has an array without name, components or number of values");
    ArrayInfo array{json["name"].get<std::string>(), 1, json["values"].get<std::uint64_t>()};
    const auto components = json["components"].get<std::uint64_t>();
    // Divided, not multiplied: 8 times a number from a file may be anything.
    if (left < hash_bytes || array.values > (left - hash_bytes) / sizeof(double))
      refuse(path_, fmt::format("its array '{}' is longer than the file", printable(array.name)));
    if (components < 1 || components > (1u << 20) || array.values % components != 0)
      refuse(path_, fmt::format("its array '{}' has {} values of {} components", printable(array.name), array.values,
                                components));
    array.components = static_cast<int>(components);
    left -= hash_bytes + array.values * sizeof(double);
    return array;
  }

  void read(void* bytes, std::uint64_t count) {
    const std::size_t found = read_some(file_, bytes, count, path_);
    position_ += found;
    if (found < count) refuse(path_, fmt::format("it is cut off: it has {} of {} bytes", position_, file_bytes_));
  }
  std::uint64_t read_hash() {
    std::uint64_t hash = 0;
    read(&hash, sizeof hash);
    return hash;
  }

  const fs::path& path_;
  FileDescriptor file_;
  std::uint64_t file_bytes_ = 0, position_ = 0;
};

}  // namespace

std::uint64_t checkpoint_hash(const void* bytes, std::size_t count) {
  Hash hash;
  hash.add(bytes, count);
  return hash.value();
}

std::string checkpoint_hash(const std::string& text) {
  return fmt::format("{:016x}", checkpoint_hash(text.data(), text.size()));
}

Json checkpoint_header(const std::string& program, const std::string& deck, double t, std::int64_t step) {
  return Json{{"program", program}, {"deck", deck}, {"deck_hash", checkpoint_hash(deck)}, {"t", t}, {"step", step}};
}

const CheckpointArray& Checkpoint::array(const std::string& name, int components, std::size_t values) const {
  const std::string help = "a run goes on with the deck and the mesh that it began with; run the deck from its start";
  for (const CheckpointArray& array : arrays) {
    if (array.name != name) continue;
    if (array.components == components && array.values.size() == values) return array;
    throw Error(ExitCode::file_system,
                fmt::format("the checkpoint has {} values of {} components in '{}'; this run has {} of {}",
                            array.values.size(), array.components, name, values, components),
                help);
  }
  throw Error(ExitCode::file_system, fmt::format("the checkpoint has no array '{}'", name), help);
}

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  std::string text;
  {
    const NoUnwinding here;
    text = description(checkpoint).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  Preamble preamble;
  preamble.text_bytes = text.size();
  preamble.file_bytes = sizeof preamble + text.size() + hash_bytes;
  for (const CheckpointArray& array : checkpoint.arrays)
    preamble.file_bytes += array.values.size() * sizeof(double) + hash_bytes;
  preamble.hash = preamble.own_hash();
  const auto write = [&](const fs::path& temporary) {
    FileDescriptor file = open_for_writing(temporary, path);
    const auto block = [&](const void* bytes, std::size_t count) {
      const std::uint64_t hash = checkpoint_hash(bytes, count);
      write_all(file, bytes, count, path);
      write_all(file, &hash, sizeof hash, path);
    };
    write_all(file, &preamble, sizeof preamble, path);
    block(text.data(), text.size());
    for (const CheckpointArray& array : checkpoint.arrays)
      block(array.values.data(), array.values.size() * sizeof(double));
    if (file.close() != 0) fail_on_file("write", path, errno);
  };
  atomic_write(path, write, Role::lasting);
}

Checkpoint read_checkpoint(const fs::path& path) {
  Reader reader(path);
  std::vector<ArrayInfo> arrays;
  Checkpoint checkpoint;
  checkpoint.header = reader.read_text(arrays);
  for (const ArrayInfo& info : arrays) {
    CheckpointArray& array = checkpoint.arrays.emplace_back(CheckpointArray{info.name, info.components, {}});
    array.values.resize(info.values);
    reader.read_values(info, array.values.data());
  }
  return checkpoint;
}

void verify_checkpoint(const fs::path& path) {
  Reader reader(path);
  std::vector<ArrayInfo> arrays;
  reader.read_text(arrays);
  for (const ArrayInfo& array : arrays) reader.read_values(array, nullptr);
}

}  // namespace tessera::output
