#include "mesh/msh_cursor.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "mesh/text_place.hpp"

namespace tessera::mesh {

void MshCursor::fail(const std::string& what, const std::string& help) const {
  if (binary_)
    throw Error(ExitCode::mesh, fmt::format("{}: {} (at byte {} of {})", file_, what, at_ - begin_, end_ - begin_),
                help);
  throw Error(ExitCode::mesh, fmt::format("{}: {}", file_, what), help,
              place_in_text(file_, {begin_, end_}, static_cast<std::size_t>(at_ - begin_)));
}

void MshCursor::fail_not_finite(double value) const { fail(fmt::format("{} where a coordinate was expected", value)); }

void MshCursor::fail_claim(std::uint64_t count, const char* what) const {
  fail(fmt::format("{} {} are claimed, but only {} bytes are left in the file", count, what, left()));
}

void MshCursor::fail_word(const char* kind) const {
  if (at_ == end_) fail(fmt::format("the file ends where {} was expected", kind));
  const char* stop = std::find_if(at_, left() > 40 ? at_ + 40 : end_, is_space);
  fail(fmt::format("'{}' where {} was expected", plain_text({at_, stop}), kind));
}

void MshCursor::skip_line() {
  at_ = std::find(at_, end_, '\n');
  if (at_ < end_) ++at_;
}

std::string MshCursor::next_section() {
  for (;;) {
    skip_spaces();
    if (at_ == end_) return {};
    if (*at_ == '$') break;
    if (!in_sections_)
      fail("no section $MeshFormat at the start: this is not a Gmsh mesh", "give a mesh that Gmsh wrote");
    skip_line();
  }
  in_sections_ = true;
  const char* start = at_ + 1;
  const std::string name(start, std::find_if(start, end_, is_space));
  if (name.empty() || name.size() > 64 || name.rfind("End", 0) == 0 || name.rfind("END", 0) == 0)
    fail(fmt::format("'${}' starts no section", name));
  at_ = start + name.size();
  skip_line();
  return name;
}

void MshCursor::expect_end(const std::string& name, const std::string& end) {
  skip_spaces();
  const std::string mark = end + name;
  if (left() < mark.size() || std::memcmp(at_, mark.data(), mark.size()) != 0)
    fail(at_ == end_ ? fmt::format("the file ends before {}", mark) : fmt::format("{} expected here", mark));
  at_ += mark.size();
  skip_line();
}

void MshCursor::skip_section(const std::string& name, const std::string& end) {
  const std::string mark = end + name;
  const std::size_t found = std::string_view(at_, left()).find(mark);
  if (found == std::string_view::npos) fail(fmt::format("section ${} has no {}", name, mark));
  at_ += found + mark.size();
  skip_line();
}

std::string_view MshCursor::quoted_name() {
  const char* stop = std::find(at_, end_, '\n');
  const char* first = std::find(at_, stop, '"');
  const char* last = first == stop ? stop : std::find(first + 1, stop, '"');
  if (last == stop) fail("a physical name in double quotes was expected");
  at_ = last + 1;
  return {first + 1, static_cast<std::size_t>(last - first - 1)};
}

std::uint64_t MshCursor::text_count() {
  const std::int64_t count = text_integer();
  if (count < 0) fail(fmt::format("a count of {}", count));
  return static_cast<std::uint64_t>(count);
}

}  // namespace tessera::mesh
