#include "bench/support/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tessera::bench {

Timing summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front(), samples.back()};
}

Timing measure(Threads&, const std::function<void()>& work, int samples) {
  auto run = [&](int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / calls;
  };
  work();
  const int calls = std::clamp(static_cast<int>(20 / std::max(run(1), 1e-4)), 1, 1000);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(run(calls));
  return summarise(times);
}

Report::Report(std::string bench, std::string backend, std::string device, double copy)
    : bench_(std::move(bench)), backend_(std::move(backend)), device_(std::move(device)), copy_(copy) {
  fmt::print("\n{} on {} ({}), copy {:.0f} GB/s\n", bench_, backend_, device_, copy_);
  fmt::print("{:<34} {:<24} {:>10} {:>9} {:>7} {:>12} {:>22} {:>7}\n", "name", "size", "ms", "GB/s", "copy",
             "G items/s", "peer ms", "ratio");
}

void Report::add(const Row& row) {
  rows_.push_back(row);
  const double rate = row.bytes > 0 ? row.bytes / row.timing.median_ms / 1e6 : 0;
  fmt::print("{:<34} {:<24} {:>10} {:>9.1f} {:>7.3f} {:>12} {:>22} {:>7}  {}\n", row.name, row.size,
             row.failed ? "failed" : fmt::format("{:.4f}", row.timing.median_ms), rate, rate / copy_,
             row.items > 0 ? fmt::format("{:.3f}", row.items / row.timing.median_ms / 1e6) : "",
             row.peer_ms > 0 ? fmt::format("{} {:.4f}", row.peer, row.peer_ms) : "",
             row.peer_ms > 0 ? fmt::format("{:.2f}x", row.peer_ms / row.timing.median_ms) : "", row.note);
  std::fflush(stdout);
}

void Report::write(const std::string& path) const {
  nlohmann::ordered_json json;
  json["bench"] = bench_;
  json["backend"] = backend_;
  json["device"] = device_;
  json["date"] = fmt::format("{}", [] {
    char text[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return std::string(text);
  }());
  const char* commit = std::getenv("TESSERA_COMMIT");
  json["commit"] = commit ? commit : "unknown";
  json["copy_GB_per_s"] = copy_;
  for (const Row& row : rows_) {
    nlohmann::ordered_json r;
    r["name"] = row.name;
    r["size"] = row.size;
    r["ms"] = row.failed ? 0 : row.timing.median_ms;
    if (row.failed) {
      r["failed"] = true;
    } else {
      r["ms_min"] = row.timing.min_ms;
      r["ms_max"] = row.timing.max_ms;
    }
    if (row.bytes > 0) {
      r["bytes"] = row.bytes;
      r["GB_per_s"] = row.bytes / row.timing.median_ms / 1e6;
      r["copy_fraction"] = row.bytes / row.timing.median_ms / 1e6 / copy_;
    }
    if (row.items > 0) {
      r["item"] = row.item;
      r["G_items_per_s"] = row.items / row.timing.median_ms / 1e6;
    }
    if (row.peer_ms > 0) {
      r["peer"] = row.peer;
      r["peer_ms"] = row.peer_ms;
      r["ratio"] = row.peer_ms / row.timing.median_ms;
    }
    if (!row.note.empty()) r["note"] = row.note;
    json["rows"].push_back(r);
  }
  std::ofstream file(path);
  file << json.dump(2) << "\n";
  if (!file) throw Error(ExitCode::file_system, "cannot write " + path);
}

double copy_bandwidth(Threads& exec) {
  const Offset n = Offset{1} << 26;
  Array<double> a(n), b(n);
  View<double> from = a, to = b;
  for_each(exec, n, [=](Offset i) { from[i] = static_cast<double>(i), to[i] = 0; });
  const Timing timing = measure(exec, [&] { for_each(exec, n, [=](Offset i) { to[i] = from[i]; }); });
  return 16.0 * static_cast<double>(n) / timing.median_ms / 1e6;
}

std::string device_name(Threads& exec) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line))
    if (line.rfind("model name", 0) == 0)
      return fmt::format("{}, {} threads", line.substr(line.find(':') + 2), exec.count());
  return fmt::format("{} threads", exec.count());
}
std::string device_name(Cuda& exec) { return exec.device_name(); }

namespace {

/// What nobody has caught, in the words and with the code that the program would have.
[[noreturn]] void end_with_words() {
  int code = static_cast<int>(ExitCode::internal);
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    fmt::print(stderr, "error: the bench was ended\n");
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    if (!error.help().empty()) fmt::print(stderr, "  help: {}\n", error.help());
    code = static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  } catch (...) {
    fmt::print(stderr, "error: the bench was ended\n");
  }
  std::fflush(nullptr);
  std::_Exit(code);
}

/// Before anything is measured, for nothing of it would be kept.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw Error(ExitCode::file_system,
                fmt::format("cannot make the folder {}: {}", folder, error ? error.message() : "it is a file"),
                "name another one with --out");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  std::set_terminate(end_with_words);
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--quick")
      options.quick = true;
    else if (word == "--backend" && more)
      options.backend = argv[++i];
    else if (word == "--out" && more)
      options.out = argv[++i];
    else if (word == "--only" && more)
      options.only = argv[++i];
    else if (word == "--threads" && more)
      options.threads = std::atoi(argv[++i]);
    else {
      fmt::print(stderr, "usage: {} [--backend threads|cuda|all] [--threads N] [--out DIR] [--quick] [--only TEXT]\n",
                 argv[0]);
      std::exit(2);
    }
  }
  make_folder(options.out);
  return options;
}

std::vector<double> random_values(Offset count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& v : values) v = static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0;
  return values;
}

std::vector<double> repeated_values(Offset count, unsigned seed) {
  std::vector<double> values = random_values(std::min<Offset>(count, (1 << 20) + 7), seed);
  const std::size_t period = values.size();
  values.resize(static_cast<std::size_t>(count));
  for (std::size_t i = period; i < values.size(); ++i) values[i] = values[i - period];
  return values;
}

}  // namespace tessera::bench
