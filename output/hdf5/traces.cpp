#include "output/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "output/csv.hpp"
#include "output/hdf5/datasets.hpp"
#include "output/hdf5/staged_file.hpp"

namespace tessera::output {

namespace fs = std::filesystem;
using namespace hdf5;

namespace {

/// As a dataset may be called, each once.
std::string name_of(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted.empty() || wanted == "." ? "_" : wanted;
  std::replace(name.begin(), name.end(), '/', '_');
  while (!taken.insert(name).second) name += "_";
  return name;
}

/// "m/s" of "receiver [m/s]"; empty where a column has none.
std::string unit_of(const std::string& column, const std::string& name) {
  const std::string before = name + " [";
  if (!column.starts_with(before) || !column.ends_with("]")) return {};
  return column.substr(before.size(), column.size() - before.size() - 1);
}

Handle write_column(const Place& in, const std::string& name, const std::vector<double>& values, int compression) {
  Shape shape{values.size(), 1, 0};
  if (compression > 0 && shape.rows > 1) shape.chunk = chunk_rows(shape.rows, 1, sizeof(double));
  Handle dataset = make_dataset(in, name, H5T_IEEE_F64LE, shape, false, compression);
  if (!values.empty()) write_rows(dataset, 0, shape.rows, H5T_NATIVE_DOUBLE, values.data(), in.path);
  return dataset;
}

}  // namespace

void write_traces(const fs::path& table, const std::vector<Trace>& traces, const fs::path& path, int compression) {
  const std::vector<Column> columns = read_csv(table);
  if (columns.size() != traces.size() + 1)
    throw Error(ExitCode::file_system,
                fmt::format("{} has {} columns; this run has {}", table.string(), columns.size(), traces.size() + 1),
                "rename the file, and one with the new columns begins");
  create(path, false, [&](hid_t file) {
    const Place root{file, path};
    write_column(root, "t", columns.front().values, compression);
    const Handle probes = make_group(root, "probes");
    std::set<std::string> taken;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const Handle column =
          write_column({probes, path}, name_of(traces[i].name, taken), columns[i + 1].values, compression);
      const Place of{column, path};
      if (const std::string unit = unit_of(columns[i + 1].name, traces[i].name); !unit.empty())
        write_attribute(of, "unit", unit);
      write_attribute(of, "of", traces[i].of);
      write_attribute(of, "at", traces[i].at);
    }
  });
}

}  // namespace tessera::output
