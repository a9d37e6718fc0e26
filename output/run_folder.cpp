#include "output/run_folder.hpp"

#include "output/checkpoint_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

#include "base/host_memory.hpp"
#include "base/input_file.hpp"
#include "output/files.hpp"
#include "output/results.hpp"

namespace tessera::output {

namespace fs = std::filesystem;

namespace {

std::string who_am_i() {
  char host[256] = "this machine";
  ::gethostname(host, sizeof host - 1);
  char time[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &local));
  return fmt::format("process {} on {} since {}", ::getpid(), host, time);
}

std::string content_of(int file) {
  char text[400];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  return size > 0 ? printable(std::string(text, static_cast<std::size_t>(size))) : "it is just starting";
}

/// The process in the name of a temporary file, ".solution.vtu.1234.tmp"; 0 where it is none of ours.
long process_of(const std::string& name) {
  if (!name.starts_with(".") || !name.ends_with(".tmp")) return 0;
  const std::string stem = name.substr(0, name.size() - 4);
  const std::size_t dot = stem.rfind('.');
  if (dot == 0 || dot + 1 >= stem.size() || stem.find_first_not_of("0123456789", dot + 1) != std::string::npos)
    return 0;
  return std::strtol(stem.c_str() + dot + 1, nullptr, 10);
}

bool lives(long process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

/// Names in the summary of an earlier run; only of this folder, and of kinds that a run writes.
std::vector<std::string> listed_results(const fs::path& summary) {
  std::error_code none;
  if (!fs::is_regular_file(summary, none) || fs::file_size(summary, none) > (std::size_t{64} << 20)) return {};
  std::vector<std::string> names;
  const NoUnwinding here;
  const auto json = nlohmann::json::parse(
      read_text(summary), [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth < 3; }, false);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) return {};
  for (const auto& item : json["files"]) {
    if (!item.is_string()) continue;
    const fs::path name = item.get<std::string>();
    const std::string kind = name.extension().string();
    if (name.has_parent_path() ||
        (kind != ".vtu" && kind != ".pvtu" && kind != ".pvd" && kind != ".csv" && kind != ".vtkhdf"))
      continue;
    names.push_back(name.string());
  }
  return names;
}

}  // namespace

namespace {

/// Files of a run through time, which a run that was killed has not listed: solution_000010.vtu, a piece of it, tables.
bool is_of_series(const std::string& name) {
  static const std::regex series(
      "solution_[0-9]{6,}(_[0-9]+)?\\.(vtu|pvtu|csv)|probes(_every_[0-9]+)?\\.csv|quantities\\.csv");
  return std::regex_match(name, series);
}

}  // namespace

RunFolder::RunFolder(const fs::path& directory, bool goes_on)
    : directory_(directory), lock_path_(directory / ".tessera.lock") {
  make_directory(directory_);
  lock();
  remove_leftovers();
  if (!goes_on) remove_results();
}

RunFolder::~RunFolder() {
  if (lock_ < 0) return;
  remove_from_signal_too({});
  ::unlink(lock_path_.c_str());
  ::close(lock_);
}

void RunFolder::lock() {
  for (;;) {
    lock_ = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
      return;  // a folder of another user, say, that holds the lock of an earlier run: the lock is a courtesy
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const std::string other = content_of(lock_);
      ::close(lock_);
      lock_ = -1;
      if (reason != EWOULDBLOCK) return;  // a file system without locks
      throw Error(ExitCode::file_system,
                  fmt::format("another run is writing into {}: {}", printable(directory_.string()), other),
                  "wait for its end, or choose another folder with --output");
    }
    // The run before may have removed the file between our open and our lock: then the lock is of a file without a
    // name.
    struct stat here {
    }, named{};
    if (::fstat(lock_, &here) == 0 && ::stat(lock_path_.c_str(), &named) == 0 && here.st_ino == named.st_ino) break;
    ::close(lock_);
  }
  remove_from_signal_too(lock_path_);
  const std::string text = who_am_i();
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, text.data(), text.size(), 0) < 0) return;
}

void RunFolder::remove_leftovers() const {
  std::error_code none;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(directory_, none)) {
    const long process = process_of(entry.path().filename().string());
    // `tessera mesh -o` writes without the lock, so a file of a living process may be wanted.
    if (process > 0 && (process == ::getpid() || !lives(process))) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) ::unlink(leftover.c_str());
}

void RunFolder::remove_results() const {
  std::vector<std::string> names = listed_results(directory_ / "summary.json");
  names.insert(names.end(), {"solution.vtu", "solution.pvd", "solution.csv", "solution.vtkhdf",
                             ".solution.vtkhdf.journal", "summary.json"});
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory_, none))
    if (is_of_series(entry.path().filename().string())) names.push_back(entry.path().filename().string());
  for (const std::string& name : names) ::unlink((directory_ / name).c_str());
  for (const CheckpointFile& old : checkpoints_in(directory_)) ::unlink(old.path.c_str());
}

}  // namespace tessera::output
