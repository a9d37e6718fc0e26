#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/vtk_cell.hpp"
#include "output/checkpoint.hpp"
#include "output/floats.hpp"
#include "output/hdf5/datasets.hpp"
#include "output/hdf5/staged_file.hpp"
#include "output/hdf5/steps.hpp"
#include "output/results.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::output {

namespace fs = std::filesystem;
using namespace hdf5;

namespace {

constexpr hsize_t steps_chunk = 128;  // 1 KiB

/// Names of fields as HDF5 takes them, each once.
std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Field& field : fields) {
    std::string name = field.name.empty() || field.name == "." ? "_" : field.name;
    std::replace(name.begin(), name.end(), '/', '_');
    while (!taken.insert(name).second) name += "_";
    names.push_back(name);
  }
  return names;
}

/// A dataset whose rows all are there.
template <class T>
void write_whole(const Place& in, const std::string& name, hid_t type, const std::vector<T>& values, int components,
                 const VtkhdfOptions& options) {
  Shape shape{values.size() / static_cast<std::size_t>(components), components, 0};
  if (options.compression > 0 && shape.rows > 1) shape.chunk = chunk_rows(shape.rows, components, sizeof(T));
  const Handle dataset = make_dataset(in, name, type, shape, false, options.compression);
  write_chunks(dataset, 0, shape.rows, type_of(values.data()), values.data(), options.threads, in.path);
}

void write_grid(const Place& root, const VtkData& data, const VtkhdfOptions& options) {
  std::vector<unsigned char> types;
  std::vector<std::int64_t> offsets{0}, connectivity;
  for (const OutputCells& block : data.blocks) {
    const auto type = static_cast<unsigned char>(mesh::vtk_cell_type(block.shape, block.order));
    connectivity.insert(connectivity.end(), block.conn.begin(), block.conn.end());
    for (std::size_t cell = 0; cell < block.conn.size() / static_cast<std::size_t>(block.nodes); ++cell) {
      types.push_back(type);
      offsets.push_back(offsets.back() + block.nodes);
    }
  }
  const auto count = [&](const char* name, std::size_t number) {
    write_whole(root, name, H5T_STD_I64LE, std::vector{static_cast<std::int64_t>(number)}, 1, {.compression = 0});
  };
  count("NumberOfPoints", data.points.size() / 3);
  count("NumberOfCells", types.size());
  count("NumberOfConnectivityIds", connectivity.size());
  write_whole(root, "Points", H5T_IEEE_F64LE, data.points, 3, options);
  write_whole(root, "Connectivity", H5T_STD_I64LE, connectivity, 1, options);
  write_whole(root, "Offsets", H5T_STD_I64LE, offsets, 1, options);
  write_whole(root, "Types", H5T_STD_U8LE, types, 1, options);
}

/// The group of everything, with what is the same at all times.
Handle make_root(const Place& file, const VtkData& data, const VtkhdfOptions& options) {
  Handle root = make_group(file, "VTKHDF");
  const Place in{root, file.path};
  write_attribute(in, "Version", {2, 0}, false);
  write_attribute(in, "Type", std::string("UnstructuredGrid"));
  if (!data.title.empty()) write_attribute(in, "title", data.title);
  write_grid(in, data, options);
  return root;
}

/// Calls visit(numbers) with those of a field as a file has them. `floats`: room for them.
template <class Visit>
void with_numbers(const Field& field, const VtkhdfOptions& options, std::vector<float>& floats, Visit visit) {
  if (field.integer) return visit(std::vector<int>(field.values.begin(), field.values.end()));
  if (options.precision == Precision::of_double) return visit(field.values);
  to_floats(field, options.threads, floats);
  visit(floats);
}

hid_t file_type(const Field& field, Precision precision) {
  if (field.integer) return H5T_STD_I32LE;
  return precision == Precision::of_float ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

hsize_t rows_of_field(const Field& field) { return field.values.size() / static_cast<std::size_t>(field.components); }

/// visit(kind, names, fields) for those of points and of cells.
template <class Visit>
void for_fields(const VtkData& data, Visit visit) {
  visit(point_data, names_of(data.point_fields), data.point_fields);
  visit(cell_data, names_of(data.cell_fields), data.cell_fields);
}

Handle make_field(const Place& in, const std::string& name, const Field& field, hsize_t rows, bool grows,
                  const VtkhdfOptions& options) {
  const hid_t type = file_type(field, options.precision);
  const hsize_t chunk = chunk_rows(rows_of_field(field), field.components, H5Tget_size(type));
  return make_dataset(in, name, type, {rows, field.components, chunk}, grows, options.compression);
}

void check_sizes(const VtkData& data, const fs::path& path) {
  std::size_t cells = 0;
  for (const OutputCells& block : data.blocks) cells += block.conn.size() / static_cast<std::size_t>(block.nodes);
  const auto check = [&](const std::vector<Field>& fields, std::size_t count) {
    for (const Field& field : fields)
      if (field.components < 1 || field.values.size() != count * static_cast<std::size_t>(field.components))
        throw Error(ExitCode::internal, fmt::format("{}: field '{}' has {} values, expected {} x {}", path.string(),
                                                    field.name, field.values.size(), count, field.components));
  };
  check(data.point_fields, data.points.size() / 3);
  check(data.cell_fields, cells);
}

/// The datasets of a series that has no frame yet.
void make_series(const Place& file, const VtkData& data, const VtkhdfOptions& options) {
  const Handle root = make_root(file, data, options);
  const Place in{root, file.path};
  const Handle steps = make_group(in, "Steps");
  const Place in_steps{steps, file.path};
  const auto of_steps = [&](const Place& group, const std::string& name, hid_t type) {
    make_dataset(group, name, type, {0, 1, steps_chunk}, true, 0);
  };
  of_steps(in_steps, "Values", H5T_IEEE_F64LE);
  for (const auto& [name, value] : step_numbers) of_steps(in_steps, name, H5T_STD_I64LE);
  for_fields(data, [&](const FieldKind& kind, const auto& names, const std::vector<Field>& fields) {
    const Handle group = make_group(in, kind.data), offsets = make_group(in_steps, kind.offsets);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      make_field({group, file.path}, names[f], fields[f], 0, true, options);
      of_steps({offsets, file.path}, names[f], H5T_STD_I64LE);
    }
  });
  write_attribute(in_steps, "NSteps", {0}, true);
}

/// Behind the rows of a dataset of steps.
template <class T>
void append_step(const Place& in, const std::string& name, hsize_t step, T value) {
  const Handle dataset = open_dataset(in, name);
  set_rows(dataset, step + 1, in.path);
  write_rows(dataset, step, 1, type_of(&value), &value, in.path);
}

/// Numbers of a field go behind those that are there, at the beginning of a chunk. Returns their first row.
template <class T>
hsize_t append_values(const Place& in, const std::string& name, const Field& field, const std::vector<T>& numbers,
                      int threads) {
  const Handle dataset = open_dataset(in, name);
  const Shape shape = shape_of(dataset, in.path);
  const hsize_t count = rows_of_field(field);
  if (shape.components != field.components || is_integer(dataset) != field.integer ||
      bytes_of_number(dataset) != sizeof(T) || shape.chunk == 0)
    throw Error(ExitCode::file_system,
                fmt::format("cannot write {}: its field '{}' is another than that of this run", in.path.string(), name),
                "rename the file, and a new series begins");
  set_rows(dataset, shape.rows + (count + shape.chunk - 1) / shape.chunk * shape.chunk, in.path);
  write_chunks(dataset, shape.rows, count, type_of(numbers.data()), numbers.data(), threads, in.path);
  return shape.rows;
}

/// The hash of the hashes of parts, which does not depend on how many threads find them.
template <class T>
std::uint64_t hash_of(const std::vector<T>& numbers, int threads) {
  constexpr Offset part = 1 << 16;
  const auto count = static_cast<Offset>(numbers.size());
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>((count + part - 1) / part));
  parallel_chunks(threads, count, part, [&](Offset first, Offset last, int) {
    hashes[static_cast<std::size_t>(first / part)] =
        checkpoint_hash(numbers.data() + first, static_cast<std::size_t>(last - first) * sizeof(T));
  });
  return checkpoint_hash(hashes.data(), hashes.size() * sizeof(std::uint64_t));
}

/// A frame: the values first, their number last.
void append_frame(const Place& file, double t, const VtkData& data, hsize_t step, bool cells_stay,
                  const VtkhdfOptions& options, std::map<std::string, VtkhdfSeries::Stored>& last,
                  std::vector<float>& floats) {
  const Handle root = open_group(file, "VTKHDF"), steps = open_group({root, file.path}, "Steps");
  const Place in{root, file.path}, in_steps{steps, file.path};
  for_fields(data, [&](const FieldKind& kind, const auto& names, const std::vector<Field>& fields) {
    const Handle group = open_group(in, kind.data), offsets = open_group(in_steps, kind.offsets);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto [stored, is_new] = last.try_emplace(std::string(kind.data) + "/" + names[f]);
      if (is_new || !cells_stay || &fields != &data.cell_fields) {
        with_numbers(
            fields[f], options, floats, [&, &of_last = stored->second, &is_first = is_new](const auto& numbers) {
              const std::uint64_t hash = hash_of(numbers, options.threads);
              if (is_first || of_last.hash != hash)
                of_last = {append_values({group, file.path}, names[f], fields[f], numbers, options.threads), hash};
            });
      }
      append_step({offsets, file.path}, names[f], step, static_cast<std::int64_t>(stored->second.row));
    }
  });
  append_step(in_steps, "Values", step, t);
  for (const auto& [name, value] : step_numbers) append_step(in_steps, name, step, std::int64_t{value});
  write_attribute(in_steps, "NSteps", {static_cast<std::int64_t>(step + 1)}, true);
}

}  // namespace

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

void write_vtkhdf(const VtkData& data, const fs::path& path, const VtkhdfOptions& options) {
  check_sizes(data, path);
  std::vector<float> floats;
  create(path, false, [&](hid_t file) {
    const Handle root = make_root({file, path}, data, options);
    for_fields(data, [&](const FieldKind& kind, const auto& names, const std::vector<Field>& fields) {
      const Handle group = make_group({root, path}, kind.data);
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const hsize_t rows = rows_of_field(fields[f]);
        const Handle dataset = make_field({group, path}, names[f], fields[f], rows, false, options);
        with_numbers(fields[f], options, floats, [&](const auto& numbers) {
          write_chunks(dataset, 0, rows, type_of(numbers.data()), numbers.data(), options.threads, path);
        });
      }
    });
  });
}

VtkhdfSeries::VtkhdfSeries(fs::path path, const VtkhdfOptions& options) : path_(std::move(path)), options_(options) {}

void VtkhdfSeries::add(double t, const VtkData& data, bool cells_stay) {
  if (!times_.empty() && !(t > times_.back()))
    throw Error(ExitCode::internal, fmt::format("a frame of t = {} after one of {}", t, times_.back()));
  check_sizes(data, path_);
  std::map<std::string, Stored> last = last_;
  if (times_.empty())
    create(path_, true, [&](hid_t file) {
      make_series({file, path_}, data, options_);
      append_frame({file, path_}, t, data, 0, false, options_, last, floats_);
    });
  else
    change(path_, [&](hid_t file) {
      append_frame({file, path_}, t, data, times_.size(), cells_stay, options_, last, floats_);
    });
  last_ = std::move(last);
  times_.push_back(t);
}

namespace {

/// Of numbers as they are in the file.
std::uint64_t hash_of_rows(hid_t dataset, hsize_t first, hsize_t count, int threads, const fs::path& path) {
  if (is_integer(dataset)) return hash_of(rows_of<int>(dataset, first, count, path), threads);
  if (bytes_of_number(dataset) == sizeof(float)) return hash_of(rows_of<float>(dataset, first, count, path), threads);
  return hash_of(rows_of<double>(dataset, first, count, path), threads);
}

/// All frames but the first `count` go. Returns where the values of the last one that stays are.
std::map<std::string, VtkhdfSeries::Stored> cut_frames(const Place& file, hsize_t count, int threads) {
  std::map<std::string, VtkhdfSeries::Stored> last;
  const Handle root = open_group(file, "VTKHDF"), steps = open_group({root, file.path}, "Steps");
  const Place in{root, file.path}, in_steps{steps, file.path};
  const auto cut = [&](const Place& group, const std::string& name) {
    Handle dataset = open_dataset(group, name);
    set_rows(dataset, count, file.path);
    return dataset;
  };
  for (const FieldKind& kind : {point_data, cell_data}) {
    const Handle group = open_group(in, kind.data), offsets = open_group(in_steps, kind.offsets);
    const hsize_t rows = static_cast<hsize_t>(read_count(in, kind.count));
    for (const std::string& name : names_in({group, file.path})) {
      const auto first = rows_of<std::int64_t>(cut({offsets, file.path}, name), 0, count, file.path);
      const Handle dataset = open_dataset({group, file.path}, name);
      const Shape shape = shape_of(dataset, file.path);
      const auto end = static_cast<hsize_t>(*std::max_element(first.begin(), first.end())) + rows;
      set_rows(dataset, (end + shape.chunk - 1) / shape.chunk * shape.chunk, file.path);
      const auto row = static_cast<hsize_t>(first.back());
      last[std::string(kind.data) + "/" + name] = {row, hash_of_rows(dataset, row, rows, threads, file.path)};
    }
  }
  cut(in_steps, "Values");
  for (const auto& [name, value] : step_numbers) cut(in_steps, name);
  write_attribute(in_steps, "NSteps", {static_cast<std::int64_t>(count)}, true);
  return last;
}

}  // namespace

VtkhdfSeries VtkhdfSeries::resume(fs::path path, double t, const VtkhdfOptions& options) {
  VtkhdfSeries series(std::move(path), options);
  std::error_code none;
  recover(series.path_);
  if (!fs::exists(series.path_, none)) return series;
  series.times_ = read_vtkhdf(series.path_).times;
  if (series.times_.empty())
    throw Error(ExitCode::file_system, fmt::format("cannot go on with {}: it has no times", series.path_.string()),
                "rename the file, and a new series begins");
  const auto later = std::upper_bound(series.times_.begin(), series.times_.end(), t);
  series.times_.erase(later, series.times_.end());
  if (series.times_.empty()) return series;  // its first frame takes the place of the file
  change(series.path_, [&](hid_t file) {
    series.last_ = cut_frames({file, series.path_}, series.times_.size(), options.threads);
  });
  make_lasting(series.path_);
  return series;
}

}  // namespace tessera::output
