#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "output/hdf5/datasets.hpp"
#include "output/hdf5/steps.hpp"
#include "output/read_in_child.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::output {

namespace fs = std::filesystem;
using namespace hdf5;

namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path.string(), why),
              "expected a whole .vtkhdf file of an unstructured grid, as tessera writes it");
}

/// Rows of a dataset, which must be there.
template <class T>
std::vector<T> part_of(const Place& in, const std::string& name, std::int64_t first, std::int64_t count) {
  const Handle dataset = open_dataset(in, name);
  const auto rows = static_cast<std::int64_t>(shape_of(dataset, in.path).rows);
  if (first < 0 || count < 0 || first > rows || count > rows - first)
    refuse(in.path,
           fmt::format("rows {} to {} of its '{}' are not there, it has {}", first, first + count, name, rows));
  return rows_of<T>(dataset, static_cast<hsize_t>(first), static_cast<hsize_t>(count), in.path);
}

void read_grid(const Place& root, VtuFile& to) {
  const std::int64_t points = read_count(root, "NumberOfPoints"), cells = read_count(root, "NumberOfCells");
  const std::int64_t entries = read_count(root, "NumberOfConnectivityIds");
  to.points = part_of<double>(root, "Points", 0, points);
  if (to.points.size() != 3 * static_cast<std::size_t>(points))
    refuse(root.path, "its points have no three coordinates");
  for (const unsigned char type : part_of<unsigned char>(root, "Types", 0, cells)) to.types.push_back(type);
  const auto offsets = part_of<std::int64_t>(root, "Offsets", 0, cells + 1);
  const auto connectivity = part_of<std::int64_t>(root, "Connectivity", 0, entries);
  if (offsets.front() != 0 || offsets.back() != entries || !std::is_sorted(offsets.begin(), offsets.end()) ||
      std::any_of(connectivity.begin(), connectivity.end(),
                  [&](std::int64_t point) { return point < 0 || point >= points; }))
    refuse(root.path, "its cells name points that are not there");
  to.offsets.assign(offsets.begin(), offsets.end());
  to.connectivity.assign(connectivity.begin(), connectivity.end());
}

/// The fields of a kind; `step`: null of a file without times.
std::vector<Field> read_fields(const Place& root, const FieldKind& kind, const Place* steps, std::int64_t step) {
  std::vector<Field> fields;
  if (!root.has(kind.data)) return fields;
  const Handle group = open_group(root, kind.data);
  const std::int64_t rows = read_count(root, kind.count);
  for (const std::string& name : names_in({group, root.path})) {
    std::int64_t first = 0;
    if (steps) {
      const Handle offsets = open_group(*steps, kind.offsets);
      first = part_of<std::int64_t>({offsets, root.path}, name, step, 1).front();
    }
    const Place in{group, root.path};
    const Handle dataset = open_dataset(in, name);
    Field field{name, shape_of(dataset, root.path).components, {}, is_integer(dataset)};
    field.values = part_of<double>(in, name, first, rows);
    fields.push_back(std::move(field));
  }
  return fields;
}

VtkhdfFile read_here(const fs::path& path, std::optional<std::size_t> number) {
  const Silent here;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);  // whoever reads must not keep a run from writing
#endif
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file.is_open()) refuse(path, "it is no HDF5 file, or damaged");
  const Place top{file, path};
  if (!top.has("VTKHDF")) refuse(path, "it has no group VTKHDF");
  const Handle group = open_group(top, "VTKHDF");
  const Place root{group, path};
  if (const std::string type = read_text_attribute(root, "Type"); type != "UnstructuredGrid")
    refuse(path, fmt::format("it holds {}, not an UnstructuredGrid", printable(type)));
  VtkhdfFile result;
  read_grid(root, result.state);
  std::size_t step = 0;
  Handle steps;
  const bool has_steps = root.has("Steps");
  if (has_steps) {
    steps = open_group(root, "Steps");
    const Place in{steps, path};
    result.times = part_of<double>(in, "Values", 0, read_attribute(in, "NSteps"));
    step = number.value_or(result.times.empty() ? 0 : result.times.size() - 1);
    if (step >= result.times.size())
      refuse(path, fmt::format("it has {}, number {} is asked for", counted(result.times.size(), "state"), step));
    for (const auto& [name, value] : step_numbers)
      if (part_of<std::int64_t>(in, name, static_cast<std::int64_t>(step), 1).front() != value)
        refuse(path, fmt::format("its {} are not those of one grid for all states", name));
    result.state.field_data.push_back({"TimeValue", 1, {result.times[step]}});
  } else if (number.value_or(0) > 0) {
    refuse(path, "it has one state");
  }
  const Place in_steps{steps, path};
  for (const auto& [kind, fields] :
       {std::pair{point_data, &result.state.point_fields}, std::pair{cell_data, &result.state.cell_fields}})
    *fields = read_fields(root, kind, has_steps ? &in_steps : nullptr, static_cast<std::int64_t>(step));
  return result;
}

}  // namespace

template <class Archive>
static void describe(Archive& archive, VtkhdfFile& f) {
  archive(f.times, f.state);
}

VtkhdfFile read_vtkhdf(const fs::path& path, std::optional<std::size_t> number) {
  return read_in_child<VtkhdfFile>(path, "HDF5", "a whole .vtkhdf file",
                                   "the file is damaged, or HDF5 has a fault: check that h5dump opens it",
                                   [&] { return read_here(path, number); });
}

}  // namespace tessera::output
