#include "output/probe_series.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "output/csv.hpp"
#include "output/files.hpp"

namespace tessera::output {

namespace {

namespace fs = std::filesystem;

constexpr double before_all = -std::numeric_limits<double>::infinity();

std::string names(const std::vector<SeriesColumn>& columns, const std::string& time_unit) {
  const auto name = [](const SeriesColumn& column) {
    return csv_name(column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit));
  };
  std::string line = name({"t", time_unit});
  for (const SeriesColumn& column : columns) line += "," + name(column);
  return line + "\n";
}

/// The time of a row of so many numbers; false where it is none.
bool read_row(std::string_view row, std::size_t numbers, double& time) {
  const char* at = row.data();
  const char* const end = at + row.size();
  for (std::size_t i = 0; i < numbers; ++i) {
    double number = 0;
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [next, failure] = std::from_chars(at, end, number);
    if (failure != std::errc()) return false;
    if (i == 0) time = number;
    at = next;
  }
  return at == end;
}

/// What of a file is kept: its bytes up to the last row that is not later than t, and the time of that one.
struct Kept {
  std::size_t bytes = 0;
  double last = before_all;
};

Kept rows_until(const std::string& text, const std::string& head, std::size_t columns, double t, const fs::path& path) {
  Kept kept{head.size(), before_all};
  for (std::size_t line = 2;; ++line) {
    const std::size_t end = text.find('\n', kept.bytes);
    if (end == std::string::npos) return kept;  // nothing, or what a kill left of a row
    double time = 0;
    if (!read_row(std::string_view(text).substr(kept.bytes, end - kept.bytes), 1 + columns, time))
      throw Error(ExitCode::file_system,
                  fmt::format("cannot go on with {}: line {} has not {} numbers", path.string(), line, 1 + columns),
                  "mend or rename the file: the run adds rows to it");
    if (time > t) return kept;
    kept = {end + 1, time};
  }
}

}  // namespace

ProbeSeries::ProbeSeries(const fs::path& path, std::size_t columns, const ProbeSeriesOptions& options, double last)
    : path_(path), columns_(columns), options_(options), last_(last) {
  if (options.every < 1 || options.rows_at_once < 1)
    throw Error(ExitCode::internal, fmt::format("a series with a row every {} steps, written {} at once", options.every,
                                                options.rows_at_once));
  // Rows are added at the end, wherever that is after some were cut off.
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file_.is_open()) fail_on_file("write", path_, errno);
  make_lasting(path_);
}

ProbeSeries::ProbeSeries(const fs::path& path, const std::vector<SeriesColumn>& columns,
                         const ProbeSeriesOptions& options)
    : ProbeSeries(path, columns.size(), options, before_all) {
  if (::ftruncate(file_.value(), 0) != 0 && errno != EINVAL) fail_on_file("write", path_, errno);
  const std::string head = names(columns, options.time_unit);
  write_all(file_, head.data(), head.size(), path_);
}

ProbeSeries ProbeSeries::resume(const fs::path& path, const std::vector<SeriesColumn>& columns, double t,
                                const ProbeSeriesOptions& options) {
  std::error_code none;
  const std::string head = names(columns, options.time_unit);
  const std::string text = fs::exists(path, none) ? read_text(path) : "";
  if (text.find('\n') == std::string::npos) return ProbeSeries(path, columns, options);
  if (!text.starts_with(head))
    throw Error(ExitCode::file_system,
                fmt::format("cannot go on with {}: its columns are {}; this run has {}", path.string(),
                            printable(text.substr(0, text.find('\n'))), printable(head.substr(0, head.size() - 1))),
                "rename the file, and one with the new columns begins");
  const Kept kept = rows_until(text, head, columns.size(), t, path);
  ProbeSeries series(path, columns.size(), options, kept.last);
  if (::ftruncate(series.file_.value(), static_cast<off_t>(kept.bytes)) != 0) fail_on_file("write", path, errno);
  return series;
}

ProbeSeries::~ProbeSeries() {
  try {
    write_rows();
  } catch (const Error&) {
  }
}

void ProbeSeries::add(std::int64_t step, double t, std::span<const double> values) {
  if (step % options_.every != 0) return;
  if (values.size() != columns_ || !(t > last_))
    throw Error(ExitCode::internal, fmt::format("a row of {} values at t = {} in a series of {} after t = {}",
                                                values.size(), t, columns_, last_));
  fmt::format_to(std::back_inserter(rows_), "{}", t);
  for (const double value : values) fmt::format_to(std::back_inserter(rows_), ",{}", value);
  rows_ += '\n';
  last_ = t;
  if (++count_ >= options_.rows_at_once) write_rows();
}

void ProbeSeries::flush() {
  write_rows();
  flush_to_disk(file_, path_);
}

void ProbeSeries::write_rows() {
  if (rows_.empty() || !file_.is_open()) return;
  struct stat before {};
  const bool known = ::fstat(file_.value(), &before) == 0;
  try {
    write_all(file_, rows_.data(), rows_.size(), path_);
  } catch (const Error&) {
    if (known && ::ftruncate(file_.value(), before.st_size) != 0) throw;  // half of a row stays; `resume` cuts it off
    throw;
  }
  rows_.clear();
  count_ = 0;
}

}  // namespace tessera::output
