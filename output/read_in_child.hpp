#pragma once
// Files of the libraries that crash on damaged ones, read in a child process.
#include <filesystem>
#include <string>

#include "base/archive.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/input_file.hpp"
#include "output/vtk_reader.hpp"

namespace tessera::output {

template <class Archive>
void describe(Archive& archive, Field& f) {
  archive(f.name, f.components, f.values, f.integer);
}
template <class Archive>
void describe(Archive& archive, VtuFile& f) {
  archive(f.points, f.types, f.offsets, f.connectivity, f.point_fields, f.cell_fields, f.field_data);
}

/// What `read()` makes of the file, in a child process (run_in_child) for which `library` works; `help` is for what it
/// dies of. Throws Error(file_system).
template <class File, class Read>
File read_in_child(const std::filesystem::path& path, const std::string& library, const std::string& expected,
                   const std::string& help, Read read) {
  require_regular_file(path, "file", "check the path");
  std::error_code ignored;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, ignored));
  File file;
  try {
    run_in_child({.program = library,
                  .what = "reading " + path.string(),
                  .work =
                      [&](ChildSink& sink) {
                        File made = read();
                        ArchiveWriter<ChildSink> archive(sink);
                        archive(made);
                      },
                  .result =
                      [&](ChildSource& source) {
                        ArchiveReader<ChildSource> archive(source);
                        archive(file);
                      },
                  .cpu_seconds = 30 + 1e-6 * bytes,
                  .cpu_help = "expected " + expected,
                  .crash_help = help});
  } catch (const Error& error) {
    if (error.code() != ExitCode::mesh) throw;
    throw Error(ExitCode::file_system, error.what(), error.help());  // whatever the child died of
  }
  return file;
}

}  // namespace tessera::output
