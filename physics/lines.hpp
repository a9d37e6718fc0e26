#pragma once
// [[line]]: values along straight lines, as tables.
#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "deck/section.hpp"
#include "mesh/mesh.hpp"

namespace tessera::physics {

struct LineParams {
  std::string name;  ///< empty: line_1, line_2, ...
  std::vector<double> from, to;
  int points = 101;
  std::vector<std::string> of{"u"};
  deck::Where where;

  /// Point i of the line, ends included.
  std::array<double, 3> point(int i) const;
  double length() const;
  bool has(const std::string& field) const;
};
deck::Section<LineParams> line_section();

/// The lines of a deck, with their names. Throws Error(usage) for a name that is no file name or stands twice, and for lines without length.
std::vector<LineParams> read_lines(const deck::Deck& deck);

/// Throws Error(usage) that names the first point of a line that lies in no cell of the mesh.
void check_lines(const std::vector<LineParams>& lines, const mesh::Mesh& mesh);

/// What a line's table holds at a point; the flux has the mesh's dimension.
struct LineValue {
  double u = 0;
  std::array<double, 3> flux{};
};

/// Writes <directory>/<name>.csv with the columns s (length from the start), x, y, z and the fields: u, flux_x, ... `value` is called
/// for each point.
void write_line(const LineParams& line, int dim, const std::function<LineValue(const std::array<double, 3>&)>& value,
                const std::filesystem::path& directory);

/// The same for nodal values u [dofs] on a mesh; flux [dofs, 3] as in the VTK file, asked for where a line wants it.
void write_lines(const std::vector<LineParams>& lines, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                 std::span<const double> u, const std::function<std::vector<double>()>& flux,
                 const std::filesystem::path& directory);

}  // namespace tessera::physics
