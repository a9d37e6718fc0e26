#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera::mesh {

/// Reads a .msh file from front to back: sections, and numbers as text or, once `set_binary` was called, as bytes.
/// Everything that is not there or not as expected is an Error(mesh) with the file and its line, or in a binary file
/// its byte.
class MshCursor {
 public:
  MshCursor(std::string file, std::string_view text)
      : file_(std::move(file)), begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  bool binary() const { return binary_; }
  void set_binary() { binary_ = true; }
  const char* at() const { return at_; }
  /// `at` is a place that at() gave.
  void go_to(const char* at) { at_ = at; }
  void go_to_end() { at_ = end_; }
  /// Bytes from here to the end.
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Throws Error(mesh) at this place.
  [[noreturn]] void fail(
      const std::string& what,
      const std::string& help = "the file is truncated or corrupt: write it again, e.g. with gmsh -save") const;

  void skip_spaces() {
    while (at_ < end_ && is_space(*at_)) ++at_;
  }
  void skip_line();
  /// The name of the next section, without $; empty at the end of the file. Lines between sections are skipped, as Gmsh
  /// does, but not before the first section.
  std::string next_section();
  /// Reads `end` and the name: $End<name>, or $END<name>.
  void expect_end(const std::string& name, const std::string& end);
  /// Goes behind `end` and the name.
  void skip_section(const std::string& name, const std::string& end);
  /// The text between double quotes, on this line.
  std::string_view quoted_name();

  // Numbers as the file stores them; Gmsh's names of their types.
  std::int64_t text_integer() { return parse<std::int64_t>("an integer"); }
  double text_real() { return parse<double>("a version"); }
  std::uint64_t text_count();
  std::int64_t small() { return binary_ ? bytes<std::int32_t>() : text_integer(); }                            // int
  std::uint64_t large() { return binary_ ? bytes<std::uint64_t>() : parse<std::uint64_t>("a count or tag"); }  // size_t
  double real() {                                                                                              // double
    const double value = binary_ ? bytes<double>() : parse<double>("a number");
    if (!std::isfinite(value)) fail_not_finite(value);
    return value;
  }
  /// Four bytes, as text or not.
  std::int32_t four_bytes() { return bytes<std::int32_t>(); }

  /// `count` things that take at least so many bytes each: throws where that is more than the file has left.
  std::uint64_t fitting(std::uint64_t count, std::uint64_t least_bytes, const char* what) const {
    if (count > left() / least_bytes + 1) fail_claim(count, what);
    return count;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  [[noreturn]] void fail_not_finite(double value) const;
  [[noreturn]] void fail_claim(std::uint64_t count, const char* what) const;
  [[noreturn]] void fail_word(const char* kind) const;

  template <class T>
  T parse(const char* kind) {
    skip_spaces();
    const char* start = at_ < end_ && *at_ == '+' ? at_ + 1 : at_;
    T value{};
    const auto [stop, error] = std::from_chars(start, end_, value);
    if (error != std::errc{} || (stop < end_ && !is_space(*stop))) fail_word(kind);
    at_ = stop;
    return value;
  }
  template <class T>
  T bytes() {
    if (left() < sizeof(T)) {
      at_ = end_;
      fail("the file ends within a section");
    }
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::string file_;
  const char* begin_;
  const char* at_;
  const char* end_;
  bool binary_ = false, in_sections_ = false;
};

}  // namespace tessera::mesh
