#pragma once
// Plain data as a stream of bytes, for a reader of the same program on the same machine (no versions, no byte order).
// A struct takes part by one function, found by its namespace, that names its members in one order for both directions:
//   template <class Archive> void describe(Archive& archive, Point& p) { archive(p.x, p.y); }
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera {

/// Values whose bytes are all there is to them.
template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Writes to a Sink with `void write(const void*, std::size_t)`. Takes references to non-const, so that a `describe`
/// serves both ways.
template <class Sink>
class ArchiveWriter {
 public:
  static constexpr bool reading = false;
  explicit ArchiveWriter(Sink& sink) : sink_(sink) {}

  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  template <PlainValue T>
  void one(T& value) {
    sink_.write(&value, sizeof value);
  }
  void one(std::string& text) { plain(text); }
  template <class T>
  void one(std::vector<T>& values) {
    if constexpr (PlainValue<T>) return plain(values);
    std::uint64_t size = values.size();
    one(size);
    for (T& value : values) one(value);
  }
  template <class A, class B>
  void one(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool has = value.has_value();
    one(has);
    if (has) one(*value);
  }
  template <class T>
  void one(T& value) {
    describe(*this, value);
  }
  template <class Container>
  void plain(Container& values) {
    std::uint64_t size = values.size();
    one(size);
    if (size > 0) sink_.write(values.data(), size * sizeof values[0]);
  }

  Sink& sink_;
};

/// Reads from a Source with `void read(void*, std::size_t)`, which throws where the bytes end. A length beyond the
/// memory that is free is Error(memory) and allocates nothing, so that a garbled stream cannot make up an allocation.
template <class Source>
class ArchiveReader {
 public:
  static constexpr bool reading = true;
  explicit ArchiveReader(Source& source) : source_(source) {}

  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  template <PlainValue T>
  void one(T& value) {
    source_.read(&value, sizeof value);
  }
  void one(std::string& text) { plain(text); }
  template <class T>
  void one(std::vector<T>& values) {
    if constexpr (PlainValue<T>) return plain(values);
    values.clear();
    for (std::uint64_t left = length(1); left > 0; --left) one(values.emplace_back());
  }
  template <class A, class B>
  void one(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool has = false;
    one(has);
    value.reset();
    if (has) one(value.emplace());
  }
  template <class T>
  void one(T& value) {
    describe(*this, value);
  }
  template <class Container>
  void plain(Container& values) {
    values.resize(length(sizeof values[0]));
    if (!values.empty()) source_.read(values.data(), values.size() * sizeof values[0]);
  }
  std::uint64_t length(std::size_t item_bytes) {
    std::uint64_t size = 0;
    one(size);
    if (size > (1u << 16) && size > host_bytes_available() / item_bytes)
      throw Error(ExitCode::memory,
                  "a list of " + std::to_string(size) + " items does not fit into the memory that is free",
                  "use a coarser mesh or a machine with more memory");
    return size;
  }

  Source& source_;
};

}  // namespace tessera
