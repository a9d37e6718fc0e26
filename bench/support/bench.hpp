#pragma once
// What every benchmark shares: honest timing, rows, and the JSON file that docs/performance.md is made from.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/backend.hpp"

namespace tessera::bench {

struct Timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
};

/// Milliseconds of one call of `work`: device events on CUDA, a steady clock on threads; `samples` samples after two
/// warm-ups, each of as many calls as take about 20 ms.
Timing measure(Threads& exec, const std::function<void()>& work, int samples = 9);
Timing measure(Cuda& exec, const std::function<void()>& work, int samples = 9);

/// One measurement. `bytes` are declared: each input read once, each output written once.
struct Row {
  std::string name;
  std::string size;
  Timing timing;
  bool failed = false;  ///< `note` says why; there is no time
  double bytes = 0;
  double items = 0;  ///< elements, rows ...: for a rate in G items/s
  std::string item;
  std::string peer;  ///< the library measured in the same run on the same data
  double peer_ms = 0;
  std::string note;
};

/// Prints a row at a time and writes the whole as JSON.
class Report {
 public:
  /// `device`: name of the GPU or CPU; `copy_GB_per_s`: measured in this run, reads and writes counted.
  Report(std::string bench, std::string backend, std::string device, double copy_GB_per_s);
  void add(const Row& row);
  void write(const std::string& path) const;

 private:
  std::string bench_, backend_, device_;
  double copy_;
  std::vector<Row> rows_;
};

/// GB/s of a large copy, bytes read and written: the ceiling that rows are held against.
double copy_bandwidth(Threads& exec);
double copy_bandwidth(Cuda& exec);

std::string device_name(Threads& exec);
std::string device_name(Cuda& exec);

/// Common command line: --backend threads|cuda|all, --out DIR, --quick (small sizes), --only TEXT (cases whose name
/// holds the text).
struct Options {
  std::string backend = "all";
  std::string out = ".";
  bool quick = false;
  std::string only;
  int threads = 0;

  bool takes(const std::string& name) const { return name.find(only) != std::string::npos; }
  /// The same for cases that take so long that they run by name only.
  bool takes_by_name(const std::string& name) const { return !only.empty() && takes(name); }
};
Options parse_options(int argc, char** argv);

/// Uniform values in (-1, 1), the same on every machine.
std::vector<double> random_values(Offset count, unsigned seed = 1);
/// The same, about a million of them again and again: many take longer to make than what is measured with them.
std::vector<double> repeated_values(Offset count, unsigned seed = 1);

/// Runs `run(exec)` on every backend that the options name and the machine has.
template <class Run>
void on_backends(const Options& options, Run&& run) {
  if (options.backend != "cuda") with_backend("threads", options.threads, run);
  if (options.backend != "threads" && cuda_info().usable) with_backend("cuda", options.threads, run);
}

}  // namespace tessera::bench
