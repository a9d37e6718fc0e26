// The k-th request for memory of a run fails: the run ends with 0 or 5, for every k. Some k are tried here, all of them
// with TESSERA_FAULTS=all (some minutes), one with TESSERA_FAULTS=k. This program's malloc stands before that of the C
// library.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/program.hpp"
#include "output/vtkhdf.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

/// Requests since the child was made, in memory that the parent shares; null: nobody counts.
std::atomic<long>* requests = nullptr;
long first_to_fail = 0;  ///< 0: none
bool all_later_fail = false;

bool fails() {
  if (!requests) return false;
  const long number = requests->fetch_add(1) + 1;
  if (first_to_fail == 0 || number < first_to_fail || (number > first_to_fail && !all_later_fail)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) { return fails() ? nullptr : __libc_realloc(memory, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

namespace tessera::testing {
namespace {

struct End {
  int code = -1;  ///< minus the signal where one ended it
  long requests = 0;
  std::string words;

  /// With 0 or 5. The system does not say why it starts no thread, so that a want of memory for one cannot be told from
  /// its limits.
  bool is_fine() const {
    return code == 0 || code == 5 || (code == 2 && words.find("the system starts only") != std::string::npos);
  }
};

/// Runs the program in a child of this process; its request `failing` gets no memory, and with `and_later` none after
/// it.
End run(const std::vector<std::string>& arguments, long failing, bool and_later, const std::string& log) {
  auto* shared = static_cast<std::atomic<long>*>(
      mmap(nullptr, sizeof(std::atomic<long>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  new (shared) std::atomic<long>(0);
  std::vector<const char*> argv{"tessera"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(log.c_str(), "w", stderr) || !std::freopen("/dev/null", "w", stdout)) _exit(99);
    alarm(120);  // a run that hangs is ended by this signal
    first_to_fail = failing, all_later_fail = and_later, requests = shared;
    const int code = tessera::app::run_program(static_cast<int>(argv.size()), argv.data());
    requests = nullptr;
    std::fflush(stderr);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  End end;
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  end.requests = shared->load();
  munmap(shared, sizeof(std::atomic<long>));
  std::ifstream file(log);
  end.words.assign(std::istreambuf_iterator<char>(file), {});
  return end;
}

constexpr const char* head =
    "[run]\nbackend = \"threads\"\nthreads = 2\n[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [4, 4], shape = "
    "\"triangle\" }\n[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = \"1 + x\"\nsource = "
    "1\n[[boundary]]\non "
    "= [\"left\", \"right\"]\ntype = \"dirichlet\"\nvalue = \"y\"\n";

/// A run that has its folder leaves a whole summary that says so, and no half of a file.
void expect_summary(const std::filesystem::path& folder, const End& end) {
  namespace fs = std::filesystem;
  // The lock stands where the folder was being made.
  if (end.code != 5 || !fs::exists(folder) || fs::exists(folder / ".tessera.lock")) return;
  std::ifstream file(folder / "summary.json");
  const auto summary = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << end.words;
  EXPECT_EQ(summary.value("status", ""), "error");
  EXPECT_EQ(summary.value("exit_code", 0), 5);
  EXPECT_NE(summary.value("error", "").find("out of host memory"), std::string::npos) << summary;
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path() << "\n" << end.words;
}

void expect_refusals(const std::string& deck) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("tessera_faults_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "deck.toml") << deck;
  const std::string log = (folder / "log").string();
  const std::filesystem::path out = folder / "out";
  const std::vector<std::string> arguments{"run", (folder / "deck.toml").string(), "--quiet", "--output", out.string()};
  const auto run = [&](long failing, bool and_later) {
    std::filesystem::remove_all(out);
    const End end = testing::run(arguments, failing, and_later, log);
    EXPECT_TRUE(end.is_fine()) << "request " << failing << (and_later ? " and later ones" : "") << ": " << end.code
                               << "\n"
                               << end.words;
    SCOPED_TRACE("request " + std::to_string(failing) + (and_later ? " and later ones" : ""));
    expect_summary(out, end);
    return end;
  };
  const End whole = run(0, false);
  ASSERT_EQ(whole.code, 0) << whole.words;
  ASSERT_GT(whole.requests, 1000);
  const char* asked = std::getenv("TESSERA_FAULTS");
  if (const long one = asked ? std::atol(asked) : 0; one > 0) {
    for (const bool and_later : {false, true}) run(one, and_later);
    return;
  }
  const long samples = 25, step = asked && asked == std::string("all") ? 1 : std::max(1L, whole.requests / samples);
  long refused = 0;
  for (const bool and_later : {false, true})
    for (long k = 1; k <= whole.requests; k += step) {
      const End end = run(k, and_later);
      if (end.code == 5) {
        EXPECT_NE(end.words.find("out of host memory"), std::string::npos) << "request " << k << "\n" << end.words;
        ++refused;
      }
    }
  EXPECT_GT(refused, samples);
  std::filesystem::remove_all(folder);
}

TEST(AllocationFaults, ARunWithIterationsEndsWith0Or5) {
  expect_refusals(std::string(head) +
                  "[solver]\ntype = \"cg\"\npreconditioner = \"jacobi\"\n[[quantity]]\nname = "
                  "\"mean\"\nkind = \"average\"\n");
}

TEST(AllocationFaults, ARunWithAFactorisationEndsWith0Or5) {
  expect_refusals(std::string(head) + "[solver]\ntype = \"direct\"\n");
}

/// States are written by a thread beside the run, by VTK and by HDF5.
TEST(AllocationFaults, ARunThroughTimeEndsWith0Or5) {
  std::string deck = head;
  deck.replace(deck.find("poisson"), 7, "heat");
  deck.replace(deck.find("diffusivity"), 11, "conductivity");
  deck += "[time]\nend = 0.003\nstep = 0.001\n[checkpoint]\nevery = 2\n[output]\nevery = 1\nformats = [\"vtu\"";
  if (!output::hdf5_version().empty()) deck += ", \"vtkhdf\"";
  expect_refusals(deck + "]\n");
}

}  // namespace
}  // namespace tessera::testing
