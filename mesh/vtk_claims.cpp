#include "mesh/vtk_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::mesh {

namespace {

/// No compressor that VTK knows makes less of a byte than this (zlib: 1032).
constexpr double most_compression = 1100;

/// A tag's attribute as a number; empty where it has none, "" values and text included.
std::optional<double> number_in(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(start);
  if (at == std::string_view::npos) return {};
  const char* first = tag.data() + at + start.size();
  double value = 0;
  const auto [next, failure] = std::from_chars(first, tag.data() + tag.size(), value);
  if (next == first) return {};
  return failure == std::errc::result_out_of_range ? 1e300 : value;
}

std::string text_in(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(start);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + start.size();
  return std::string(tag.substr(from, tag.find('"', from) - from));
}

/// The table of an array's compressed blocks: their number, their size and that of the last, before compression.
struct Blocks {
  std::string_view data;  ///< of all arrays, behind the underscore
  std::size_t word = 4;   ///< bytes of a number of the table

  std::optional<double> number(double byte) const {
    if (!(byte >= 0) || byte + static_cast<double>(word) > static_cast<double>(data.size())) return {};
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + static_cast<std::size_t>(byte), word);  // little endian, as VTK writes here
    return static_cast<double>(value);
  }
  /// Whether the array at this place can lie in the file.
  bool fit(double offset, bool compressed) const {
    const auto size = static_cast<double>(data.size()), step = static_cast<double>(word);
    const auto first = number(offset);
    if (!first) return false;
    if (*first == 0) return true;
    if (!compressed) return offset + step + *first <= size;
    const auto full = number(offset + step);
    if (!full || offset + (3 + *first) * step > size) return false;
    if (*first * *full > most_compression * size) return false;
    double bytes = offset + (3 + *first) * step;
    for (double block = 0; block < *first; ++block) bytes += *number(offset + (3 + block) * step);
    return bytes <= size;
  }
};

}  // namespace

std::string absurd_claim(std::string_view whole) {
  const std::size_t appended = std::min(whole.find("<AppendedData"), whole.size());
  const double most = most_compression * static_cast<double>(whole.size());
  const std::string_view head = whole.substr(0, appended);
  const std::string file = text_in(head.substr(std::min(head.find("<VTKFile"), head.size())), "compressor");
  Blocks blocks;
  blocks.word = head.find("header_type=\"UInt64\"") != std::string_view::npos ? 8 : 4;
  const std::size_t underscore = whole.find('_', std::min(whole.find('>', appended), whole.size()));
  const bool raw = whole.substr(appended, 200).find("encoding=\"raw\"") != std::string_view::npos;
  if (underscore != std::string_view::npos) blocks.data = whole.substr(underscore + 1);
  for (std::size_t at = head.find('<'); at != std::string_view::npos; at = head.find('<', at + 1)) {
    const std::string_view tag = head.substr(at, head.find('>', at) - at);
    for (const char* name :
         {"NumberOfPoints", "NumberOfCells", "NumberOfTuples", "NumberOfComponents", "NumberOfPieces"})
      if (const auto count = number_in(tag, name); count && (*count < 0 || *count > most))
        return fmt::format("it claims {} = {:g}, more than a file of {} bytes can hold", name, *count, whole.size());
    if (!tag.starts_with("<DataArray") && !tag.starts_with("<Array")) continue;
    if (const auto offset = number_in(tag, "offset"); offset && raw && !blocks.fit(*offset, !file.empty()))
      return fmt::format("the array '{}' claims more bytes than the file has", text_in(tag, "Name"));
  }
  return {};
}

}  // namespace tessera::mesh
