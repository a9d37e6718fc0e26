#include "physics/run/lines.hpp"

#include "output/csv.hpp"

namespace tessera::physics {

void write_line(const LineParams& line, int dim, const std::vector<FieldInfo>& fields,
                const std::function<void(const std::array<double, 3>& point, double* out)>& values,
                const std::filesystem::path& directory) {
  const auto count = static_cast<std::size_t>(line.points);
  std::vector<output::Column> columns = {{"s", {}}, {"x", {}}, {"y", {}}, {"z", {}}};
  const std::size_t first = columns.size();
  for (const FieldInfo& field : fields)
    for (int c = 0; line.has(field.name) && c < field.count(dim); ++c) columns.push_back({field.component(c), {}});
  for (output::Column& column : columns) column.values.reserve(count);
  std::vector<double> here(columns.size() - first);
  for (int i = 0; i < line.points; ++i) {
    const auto x = line.point(i);
    values(x, here.data());
    columns[0].values.push_back(line.length() * i / (line.points - 1));
    for (std::size_t axis = 0; axis < 3; ++axis) columns[1 + axis].values.push_back(x[axis]);
    for (std::size_t c = 0; c < here.size(); ++c) columns[first + c].values.push_back(here[c]);
  }
  output::write_csv(columns, directory / (line.name + ".csv"));
}

}  // namespace tessera::physics
