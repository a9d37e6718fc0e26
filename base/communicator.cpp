#include "base/communicator.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/launcher.hpp"
#include "base/mpi/entry.hpp"
#include "base/rank_libraries.hpp"
#include "base/waiting.hpp"

namespace tessera {

Communicator& alone() {
  static Communicator one;
  return one;
}

bool is_launched_as_rank() {
  const auto by = launcher();
  return by && by->ranks > 1;  // a launch of one rank needs no MPI
}

namespace {

/// TESSERA_MPI, or the library beside the program.
std::string file_of_mpi() {
  const char* const named = std::getenv("TESSERA_MPI");
  if (named && *named) return named;
  std::error_code none;
  return (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / mpi_library).string();
}

/// Another communicator, and how long its calls take.
class TimedCommunicator final : public Communicator {
 public:
  explicit TimedCommunicator(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {
    rank_ = inner_->rank();
    size_ = inner_->size();
    rank_on_machine_ = inner_->rank_on_machine();
    size_of_machine_ = inner_->size_of_machine();
  }

  void barrier() override {
    const Timer timer(waited_.collectives);
    inner_->barrier();
  }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    const Timer timer(waited_.collectives);
    inner_->all_gather(mine, bytes, all);
  }
  void broadcast(int root, void* data, std::size_t bytes) override {
    const Timer timer(waited_.collectives);
    inner_->broadcast(root, data, bytes);
  }
  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    const Timer timer(waited_.collectives);
    return inner_->exchange(std::move(to));
  }
  void start(std::span<const Piece> send, std::span<const Piece> receive) override {
    const Timer timer(waited_.exchange);
    inner_->start(send, receive);
  }
  void finish() override {
    const Timer timer(waited_.exchange);
    inner_->finish();
  }
  bool all_failed(double seconds) override { return inner_->all_failed(seconds); }
  [[noreturn]] void abort(int code) override {
    inner_->abort(code);
    std::_Exit(code);
  }

  const Waited& waited() const { return waited_; }

 private:
  using Clock = std::chrono::steady_clock;
  class Timer {
   public:
    explicit Timer(double& seconds) : seconds_(seconds) {}
    ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Timer(const Timer&) = delete;

   private:
    double& seconds_;
    Clock::time_point start_ = Clock::now();
  };

  std::unique_ptr<Communicator> inner_;
  Waited waited_;
};

}  // namespace

Waited waited(const Communicator& ranks) {
  const auto* const timed = dynamic_cast<const TimedCommunicator*>(&ranks);
  return timed ? timed->waited() : Waited{};
}

FoundLibrary find_mpi() {
  FoundLibrary found{file_of_mpi(), {}, {}};
  std::error_code none;
  if (found.file.find('/') != std::string::npos && !std::filesystem::exists(found.file, none)) {
    found.problem = fmt::format("{} is not there", found.file);
    return found;
  }
  void* const library = dlopen(found.file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    found.problem = dlerror();
    return found;
  }
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, mpi_version_entry));
  if (!version) {
    found.problem = fmt::format("{} has no {}", found.file, mpi_version_entry);
    return found;
  }
  found.version = version();
  found.version.resize(std::min(found.version.find_first_of(",\n"), found.version.size()));
  return found;
}

std::unique_ptr<Communicator> start_mpi() {
  const std::string file = file_of_mpi();
  const char* const help =
      "install OpenMPI and build again (scripts/setup does both), name the library in TESSERA_MPI, or run on one rank, "
      "without mpirun";
  // Its symbols are for all: OpenMPI loads parts of its own that look for them.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    throw Error(ExitCode::usage, fmt::format("this is one of several ranks, but MPI cannot be loaded ({})", dlerror()),
                help);
  const auto start = reinterpret_cast<Communicator* (*)()>(dlsym(library, mpi_entry));
  if (!start) throw Error(ExitCode::usage, fmt::format("{} has no {}", file, mpi_entry), help);
  return std::make_unique<TimedCommunicator>(std::unique_ptr<Communicator>(start()));
}

std::int64_t sum(Communicator& ranks, std::int64_t mine) {
  std::int64_t result = 0;
  for (const std::int64_t part : gathered(ranks, mine)) result += part;
  return result;
}
double minimum(Communicator& ranks, double mine) {
  const std::vector<double> all = gathered(ranks, mine);
  return *std::min_element(all.begin(), all.end());
}
double maximum(Communicator& ranks, double mine) {
  const std::vector<double> all = gathered(ranks, mine);
  return *std::max_element(all.begin(), all.end());
}
bool any(Communicator& ranks, bool mine) {
  const std::vector<char> all = gathered(ranks, static_cast<char>(mine));
  return std::find(all.begin(), all.end(), 1) != all.end();
}

std::string first_text(Communicator& ranks, const std::string& mine) {
  const std::vector<std::uint64_t> sizes = gathered(ranks, std::uint64_t{mine.size()});
  const auto first = std::find_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size > 0; });
  if (first == sizes.end()) return {};
  std::string text = mine;
  text.resize(*first);
  ranks.broadcast(static_cast<int>(first - sizes.begin()), text.data(), text.size());
  return text;
}

}  // namespace tessera
