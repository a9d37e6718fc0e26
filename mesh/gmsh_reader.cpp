#include "mesh/gmsh_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "base/archive.hpp"
#include "base/child_process.hpp"
#include "base/log.hpp"
#include "mesh/geo_check.hpp"
#include "mesh/gmsh_library.hpp"
#include "mesh/gmsh_load.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

namespace {

using Kind = GmshKind;

struct Format {
  const char* extension;
  Kind kind;
};
constexpr Format formats[] = {
    {".msh", Kind::mesh},      {".geo", Kind::geometry}, {".geo_unrolled", Kind::geometry},
    {".step", Kind::geometry}, {".stp", Kind::geometry}, {".brep", Kind::geometry},
    {".iges", Kind::geometry}, {".igs", Kind::geometry}, {".stl", Kind::triangulation},
    {".unv", Kind::mesh},      {".vtk", Kind::mesh},     {".mesh", Kind::mesh},
    {".bdf", Kind::mesh},      {".nas", Kind::mesh},     {".med", Kind::mesh},
    {".cgns", Kind::mesh},     {".inp", Kind::abaqus},   {".vtu", Kind::vtu},
};

// Formats of VTK that hold something else than one mesh.
struct Refused {
  const char *extension, *what, *help;
};
constexpr const char* save_one = "open it in ParaView and save it as one .vtu file";
constexpr const char* save_cells =
    "open it in ParaView, append the data sets to one unstructured grid, and save that as .vtu";
constexpr Refused refused[] = {
    {".pvtu", "a list of pieces", save_one},
    {".pvd", "a list of files", save_one},
    {".vtm", "a list of data sets", save_cells},
    {".vtp", "a surface, not cells", save_cells},
    {".vti", "an image", save_cells},
    {".vts", "a structured grid", save_cells},
    {".vtr", "a rectilinear grid", save_cells},
};

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Kind kind_of(const std::filesystem::path& file, const std::optional<Position>& where) {
  const std::string extension = lower_case(file.extension().string());
  std::string known;
  for (const Format& format : formats) {
    if (extension == format.extension) return format.kind;
    known += fmt::format("{}{}", known.empty() ? "" : " ", format.extension);
  }
  for (const Refused& format : refused)
    if (extension == format.extension)
      throw Error(ExitCode::mesh, fmt::format("{} is {}", file.string(), format.what), format.help, where);
  throw Error(ExitCode::mesh,
              extension.empty() ? fmt::format("{} has no extension, so its format is unknown", file.string())
                                : fmt::format("{}: unknown mesh format '{}'", file.string(), extension),
              "known formats: " + known, where);
}

// Gmsh's parser drops a last line that has no end, silently: a lost group would be found much later, or never.
void warn_of_open_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size <= 0) return;
  in.seekg(size - 1);
  if (const int last = in.get(); last != '\n' && last != '\r')
    warn(fmt::format("{} does not end with a newline, so Gmsh may ignore its last line", file.string()));
}

// "Info    : [ 40%] Meshing curve 3 (Line)" -> "Meshing curve 3 (Line), 40%"; "" for what is no message of that kind.
std::string progress_of(const std::string& line) {
  const std::string mark = "Info    : ";
  if (line.rfind(mark, 0) != 0) return {};
  std::string text = line.substr(mark.size());
  int percent = 0, length = 0;
  if (std::sscanf(text.c_str(), "[%d%%]%n", &percent, &length) == 1 && length > 0) {
    text.erase(0, text.find_first_not_of(' ', static_cast<std::size_t>(length)));
    return fmt::format("{}, {}%", text, percent);
  }
  return text;
}

GmshModel load_apart(const std::filesystem::path& file, Kind kind, const MshFacts& facts, const GmshOptions& options) {
  load_gmsh();  // here: the loader may be locked in a child of a process with threads
  GmshModel model;
  const MeshHooks& hooks = options.hooks;
  const char* program = kind == Kind::abaqus ? "the reader" : kind == Kind::vtu ? "VTK" : "Gmsh";
  run_in_child(
      {.program = program,
       .what = "reading " + file.string(),
       .work =
           [&](ChildSink& sink) {
             GmshModel loaded = load_in_gmsh(file, kind, facts, options);
             ArchiveWriter<ChildSink> archive(sink);
             archive(loaded);
           },
       .result =
           [&](ChildSource& source) {
             ArchiveReader<ChildSource> archive(source);
             archive(model);
           },
       .line =
           [&](const std::string& line) {
             if (const std::string what = progress_of(line); hooks.progress && !what.empty())
               hooks.progress(-1, "Gmsh: " + what);
           },
       .stop = hooks.stop,
       .cpu_seconds = options.time_limit.value_or(reading_seconds(file)),
       .cpu_help = "use a coarser mesh, or a larger mesh.time_limit (seconds)",
       .crash_help = fmt::format("the file is damaged, or {0} has a fault: check that {0} itself opens it", program),
       .trusted = options.trust});
  for (const std::string& info : model.infos) log_info(info);
  for (const std::string& note : model.notes) log_debug(note);
  for (const std::string& warning : model.warnings) warn(warning);
  return model;
}

}  // namespace

double reading_seconds(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  const bool script = lower_case(file.extension().string()).rfind(".geo", 0) == 0;
  return script || ignored ? 3600 : 30 + 1e-6 * static_cast<double>(bytes);
}

bool is_geometry(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  return std::any_of(std::begin(formats), std::end(formats),
                     [&](const Format& format) { return format.extension == extension && is_geometry(format.kind); });
}

Mesh read_gmsh(const std::filesystem::path& file, const GmshOptions& options) {
  const std::optional<Position>& where = options.where;
  check_readable(file, where);
  const Kind kind = kind_of(file, where);
  if (options.order != 1 && options.order != 2)
    throw Error(ExitCode::usage, fmt::format("geometric order {} was asked", options.order),
                "orders 1 and 2 are supported", where);
  MshFacts facts;
  if (lower_case(file.extension().string()) == ".msh") facts = check_msh(file);
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".geo") warn_of_open_line(file);
  const bool by_gmsh = kind != Kind::abaqus && kind != Kind::vtu;
  if (!options.trust && by_gmsh) extension.rfind(".geo", 0) == 0 ? check_geo(file) : check_no_script(file);
  if (!is_geometry(kind) && options.size)
    warn(fmt::format("mesh.size is not used: {} is a mesh already", file.string()));
  if (kind != Kind::triangulation && options.angle)
    warn(fmt::format("mesh.angle is not used: {} is no triangulated surface", file.string()));
  return make_mesh_of(load_apart(file, kind, facts, options), file.string());
}

}  // namespace tessera::mesh
