// The section $Periodic of .msh files: only its affine maps are read; Gmsh reads the rest.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>

#include "mesh/mapped_file.hpp"
#include "mesh/periodic.hpp"

namespace tessera::mesh {
namespace {

constexpr std::string_view section = "\n$Periodic";

bool is_msh(const std::filesystem::path& file) { return file.extension() == ".msh"; }

void add(std::vector<AffineMap>& maps, const double* values) {
  AffineMap map;
  std::copy_n(values, 12, map.rows.begin());
  const auto equal = [&](const AffineMap& other) { return other.rows == map.rows; };
  if (std::none_of(maps.begin(), maps.end(), equal)) maps.push_back(map);
}

/// "dim tag master", "Affine" and 16 numbers or nothing, the number of pairs, and the pairs; a link.
void read_version2(std::string_view text, std::vector<AffineMap>& maps) {
  std::istringstream in{std::string(text)};
  std::size_t links = 0, pairs = 0;
  in >> links;
  for (std::size_t link = 0; link < links && in; ++link) {
    std::string word;
    in >> word >> word >> word >> word;
    if (word == "Affine") {
      double values[16];
      for (double& value : values) in >> value;
      if (in) add(maps, values);
      in >> word;
    }
    pairs = std::strtoull(word.c_str(), nullptr, 10);
    for (std::size_t p = 0; p < 2 * pairs && in; ++p) in >> word;
  }
}

/// "dim tag master", the number of affine values and these, the number of pairs, and the pairs; a link.
void read_version4(std::string_view text, std::vector<AffineMap>& maps) {
  std::istringstream in{std::string(text)};
  std::size_t links = 0, count = 0;
  std::string word;
  in >> links;
  for (std::size_t link = 0; link < links && in; ++link) {
    in >> word >> word >> word >> count;
    std::vector<double> values;
    double value = 0;
    for (std::size_t v = 0; v < count && in >> value; ++v) values.push_back(value);
    if (values.size() >= 12) add(maps, values.data());
    in >> count;
    for (std::size_t p = 0; p < 2 * count && in; ++p) in >> word;
  }
}

/// The same in bytes; only version 4.1 writes such.
void read_binary(std::string_view bytes, std::vector<AffineMap>& maps) {
  std::size_t at = 0;
  const auto take = [&](auto& value) {
    if (bytes.size() - at < sizeof value) return false;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return true;
  };
  std::uint64_t links = 0, count = 0;
  std::int32_t tag = 0;
  if (!take(links)) return;
  for (std::uint64_t link = 0; link < links; ++link) {
    if (!take(tag) || !take(tag) || !take(tag) || !take(count) || count > 64) return;
    std::vector<double> values(count);
    for (double& value : values)
      if (!take(value)) return;
    if (count >= 12) add(maps, values.data());
    if (!take(count) || count > (bytes.size() - at) / 16) return;
    at += 16 * count;
  }
}

}  // namespace

bool has_periodic_section(const std::filesystem::path& file) {
  return is_msh(file) && MappedFile(file).text().find(section) != std::string_view::npos;
}

std::vector<AffineMap> periodic_maps(const std::filesystem::path& file) {
  std::vector<AffineMap> maps;
  if (!is_msh(file)) return maps;
  const MappedFile mapped(file);
  const std::string_view text = mapped.text();
  const std::size_t start = text.find(section);
  if (start == std::string_view::npos) return maps;
  double version = 0;
  int binary = 0;
  std::istringstream(std::string(text.substr(std::min(text.size(), text.find('\n')), 64))) >> version >> binary;
  std::string_view body = text.substr(start + section.size());
  body.remove_prefix(std::min(body.size(), body.find('\n') + 1));
  if (version < 4)
    read_version2(body, maps);
  else if (binary)
    read_binary(body, maps);
  else
    read_version4(body.substr(0, body.find("$EndPeriodic")), maps);
  return maps;
}

}  // namespace tessera::mesh
