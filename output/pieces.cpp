#include "output/pieces.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/files.hpp"

namespace tessera::output {

namespace {

std::string attributes(const Field& field, Precision precision) {
  const char* const real = precision == Precision::of_float ? "Float32" : "Float64";
  return fmt::format("type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", field.integer ? "Int32" : real,
                     escape_xml(field.name), field.components);
}

}  // namespace

Field taken(const Field& field, const std::vector<Index>& items) {
  Field result{field.name, field.components, {}, field.integer};
  const auto width = static_cast<std::size_t>(field.components);
  result.values.reserve(items.size() * width);
  for (const Index item : items) {
    const double* const first = &field.values[static_cast<std::size_t>(item) * width];
    result.values.insert(result.values.end(), first, first + width);
  }
  return result;
}

VtkData of_cells(const VtkData& data, std::span<const char> cells, std::vector<Index>& points) {
  points.clear();
  VtkData result{
      .title = data.title, .time = data.time, .points = {}, .blocks = {}, .point_fields = {}, .cell_fields = {}};
  std::vector<Index> number(data.points.size() / 3, -1), numbers;
  Index cell = 0;
  for (const OutputCells& block : data.blocks) {
    OutputCells own{block.shape, block.order, block.nodes, {}};
    for (std::size_t first = 0; first < block.conn.size(); first += static_cast<std::size_t>(block.nodes), ++cell) {
      if (!cells[static_cast<std::size_t>(cell)]) continue;
      numbers.push_back(cell);
      for (std::size_t n = 0; n < static_cast<std::size_t>(block.nodes); ++n) {
        Index& point = number[static_cast<std::size_t>(block.conn[first + n])];
        if (point < 0) {
          point = static_cast<Index>(points.size());
          points.push_back(block.conn[first + n]);
        }
        own.conn.push_back(point);
      }
    }
    if (!own.conn.empty()) result.blocks.push_back(std::move(own));
  }
  result.points = taken({"", 3, data.points}, points).values;
  for (const Field& field : data.point_fields) result.point_fields.push_back(taken(field, points));
  for (const Field& field : data.cell_fields) result.cell_fields.push_back(taken(field, numbers));
  return result;
}

std::string piece_name(int rank, const std::string& stem) { return fmt::format("{}_{}.vtu", stem, rank); }

void write_pvtu(const std::filesystem::path& path, const VtkData& like, int pieces, Precision precision) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <PUnstructuredGrid GhostLevel=\"0\">\n    <PPointData>\n";
  for (const Field& field : like.point_fields)
    text += fmt::format("      <PDataArray {}/>\n", attributes(field, precision));
  text += "    </PPointData>\n    <PCellData>\n";
  for (const Field& field : like.cell_fields)
    text += fmt::format("      <PDataArray {}/>\n", attributes(field, precision));
  text +=
      "    </PCellData>\n    <PPoints>\n      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
      "    </PPoints>\n";
  for (int rank = 0; rank < pieces; ++rank) {
    const std::string name = piece_name(rank, path.stem().string());
    if (!std::filesystem::exists(path.parent_path() / name))
      throw Error(ExitCode::file_system,
                  fmt::format("rank {} has written {}, but rank 0 does not see it in {}", rank, name,
                              path.parent_path().string()),
                  "let --output name a folder that all machines share");
    text += fmt::format("    <Piece Source=\"{}\"/>\n", name);
  }
  atomic_write(path, text + "  </PUnstructuredGrid>\n</VTKFile>\n");
}

}  // namespace tessera::output
