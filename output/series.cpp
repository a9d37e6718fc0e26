#include "output/series.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "output/file_descriptor.hpp"
#include "output/files.hpp"

namespace tessera::output {

namespace fs = std::filesystem;

namespace {

/// What stands between the quotes of an attribute of a tag; nothing where it has none.
std::string attribute(std::string_view tag, const std::string& name) {
  const std::string begin = " " + name + "=\"";
  const std::size_t at = tag.find(begin);
  if (at == std::string_view::npos) return {};
  tag.remove_prefix(at + begin.size());
  return std::string(tag.substr(0, tag.find('"')));
}

std::string unescape_xml(std::string text) {
  const std::pair<const char*, const char*> characters[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};  // the last one last: "&amp;lt;" is "&lt;"
  for (const auto& [name, character] : characters)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      text.replace(at, std::string_view(name).size(), character);
  return text;
}

/// The tags of that name, without what is between them.
std::vector<std::string> tags(const std::string& text, const std::string& name) {
  std::vector<std::string> result;
  for (std::size_t at = text.find("<" + name + " "); at != std::string::npos; at = text.find("<" + name + " ", at)) {
    const std::size_t end = std::min(text.find("/>", at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

/// Removes a file of the folder; what lies elsewhere is not ours.
void remove_from(const fs::path& folder, const fs::path& file) {
  if (file.lexically_normal().parent_path() != folder.lexically_normal()) return;
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) fail_on_file("remove", file, errno);
}

void remove_frame(const fs::path& folder, const fs::path& file) {
  std::error_code none;
  if (file.extension() == ".pvtu" && fs::is_regular_file(file, none))
    for (const fs::path& piece : pieces_of(file)) remove_from(folder, piece);
  remove_from(folder, file);
}

}  // namespace

std::vector<fs::path> pieces_of(const fs::path& path) {
  std::vector<fs::path> pieces;
  for (const std::string& piece : tags(read_text(path), "Piece"))
    pieces.push_back(path.parent_path() / unescape_xml(attribute(piece, "Source")));
  return pieces;
}

std::vector<PvdEntry> read_pvd(const fs::path& path) {
  const std::string text = read_text(path);
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: {}", path.string(), why),
                "expected a collection of frames as tessera writes it; rename the file, and a new one begins");
  };
  if (text.find("<VTKFile type=\"Collection\"") == std::string::npos) refuse("it is no collection of VTK files");
  if (text.find("</VTKFile>") == std::string::npos) refuse("it is cut off");
  std::vector<PvdEntry> entries;
  for (const std::string& tag : tags(text, "DataSet")) {
    const std::string time = attribute(tag, "timestep"), file = unescape_xml(attribute(tag, "file"));
    double t = 0;
    const auto [end, failure] = std::from_chars(time.data(), time.data() + time.size(), t);
    if (failure != std::errc() || end != time.data() + time.size() || file.empty())
      refuse(fmt::format("frame {} has no time or no file", entries.size() + 1));
    entries.push_back({t, path.parent_path() / file});
  }
  return entries;
}

std::string frame_name(const std::string& stem, std::int64_t number, const std::string& extension) {
  return fmt::format("{}_{:06}{}", stem, number, extension);
}

Series Series::resume(fs::path path, double t) {
  Series series(std::move(path));
  std::error_code none;
  if (!fs::exists(series.path_, none)) return series;
  std::vector<fs::path> later;
  for (PvdEntry& entry : read_pvd(series.path_))
    if (entry.time > t)
      later.push_back(std::move(entry.file));
    else
      series.frames_.push_back(std::move(entry));
  // In this order: a collection never names a file that is gone.
  if (!later.empty()) write_pvd(series.path_, series.frames_, Role::lasting);
  for (const fs::path& file : later) remove_frame(series.path_.parent_path(), file);
  make_lasting(series.path_);
  for (const PvdEntry& entry : series.frames_) make_lasting(entry.file);
  return series;
}

void Series::add(double t, const fs::path& file) {
  if (!frames_.empty() && !(t > frames_.back().time))
    throw Error(ExitCode::internal, fmt::format("a frame of t = {} after one of {}", t, frames_.back().time));
  frames_.push_back({t, file});
  write_pvd(path_, frames_, Role::lasting);
  make_lasting(file);
}

}  // namespace tessera::output
