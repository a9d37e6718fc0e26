// Solves a user's tridiagonal system by every method.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "app/commands.hpp"
#include "app/tridiagonal_file.hpp"
#include "linalg/market_vector.hpp"
#include "output/files.hpp"
#include "solvers/tridiagonal/tridiagonal.hpp"

namespace tessera::app {
namespace {

using solvers::TridiagonalLayout;
using solvers::TridiagonalMethod;
using solvers::TridiagonalReport;

/// A batch of the system on a backend.
template <class Space>
struct Batch {
  Array<double, Space> lower, diag, upper, rhs, x;
  solvers::Tridiagonal<double> matrix;

  Batch(const TridiagonalRows& rows, int systems, bool interleaved) : x(static_cast<Offset>(rows.size()) * systems) {
    const auto placed = [&](const std::vector<double>& of_one) {
      std::vector<double> all(of_one.size() * static_cast<std::size_t>(systems));
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = of_one[interleaved ? i / static_cast<std::size_t>(systems) : i % of_one.size()];
      return to_space<Space>(all);
    };
    lower = placed(rows.lower), diag = placed(rows.diag), upper = placed(rows.upper), rhs = placed(rows.rhs);
    matrix = {lower.view(), diag.view(),
              upper.view(), static_cast<Index>(rows.size()),
              systems,      interleaved ? TridiagonalLayout::interleaved : TridiagonalLayout::contiguous};
  }
};

/// max |x - reference| / max |reference|, over all systems of a batch.
double forward_error(const std::vector<double>& x, const std::vector<double>& reference, int systems,
                     bool interleaved) {
  double most = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error =
        std::abs(x[i] - reference[interleaved ? i / static_cast<std::size_t>(systems) : i % reference.size()]);
    if (!(error <= most)) most = error;  // one that is not a number stays
    if (std::isnan(most)) break;
  }
  for (const double value : reference) scale = std::max(scale, std::abs(value));
  return scale > 0 ? most / scale : most;
}

template <class Exec>
class Comparison {
  using Space = typename Exec::Space;

 public:
  Comparison(Exec& exec, const TridiagonalRows& rows, const TridiagonalCommand& command)
      : exec_(exec),
        command_(command),
        batch_(rows, command.batch, command.interleaved),
        reference_(reference_solution(rows)) {}

  /// The solution of the first system by the method that was asked for, or by that of `auto`; empty where it failed.
  std::vector<double> run() {
    fmt::print("  {:<26} {:>10} {:>10} {:>8} {:>15} {:>14}\n", "method", "solve ms", "Mrows/s", "GB/s",
               "backward error", "forward error");
    if (!command_.method.empty()) return add(solvers::tridiagonal_method(command_.method));
    for (const TridiagonalMethod method : solvers::tridiagonal_methods())
      if (method != TridiagonalMethod::automatic) add(method);
    fmt::print("\n");
    return add(TridiagonalMethod::automatic);
  }

 private:
  /// Solves once with all checks, then for the time, and prints a line.
  std::vector<double> add(TridiagonalMethod method) {
    const auto rhs = std::as_const(batch_.rhs).view();
    solvers::TridiagonalSolver<Exec> checked({.method = method});
    const TridiagonalReport report = checked.solve(exec_, batch_.matrix, rhs, batch_.x.view());
    const char* name = solvers::name_of(method);
    if (!report.solved()) {
      fmt::print("  {:<26} {}\n", name, report.failure);
      return {};
    }
    const std::vector<double> x = to_vector(batch_.x);
    const double ms = milliseconds(report.method);
    const double rows = static_cast<double>(batch_.matrix.rows());
    fmt::print("  {:<26} {:>10.4f} {:>10.1f} {:>8.1f} {:>15.1e} {:>14.1e}\n", name, ms, rows / ms / 1e3,
               40 * rows / ms / 1e6, report.backward_error,
               forward_error(x, reference_, command_.batch, command_.interleaved));
    if (method == TridiagonalMethod::automatic)
      fmt::print("  auto takes {}{}{}\n", solvers::name_of(report.method), report.note.empty() ? "" : ": ",
                 report.note);
    else if (!report.note.empty())
      fmt::print("  {:<26} {}\n", "", report.note);
    std::fflush(stdout);
    return first_system(x);
  }

  /// Median of 5 samples of `repeat` solves without checks.
  double milliseconds(TridiagonalMethod method) {
    solvers::TridiagonalSolver<Exec> solver({.method = method, .check = solvers::TridiagonalCheck::none});
    const auto rhs = std::as_const(batch_.rhs).view();
    solver.solve(exec_, batch_.matrix, rhs, batch_.x.view());
    std::vector<double> samples;
    for (int sample = 0; sample < 5; ++sample) {
      exec_.synchronize();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < command_.repeat; ++i) solver.solve(exec_, batch_.matrix, rhs, batch_.x.view());
      exec_.synchronize();
      samples.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
                        command_.repeat);
    }
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
  }

  std::vector<double> first_system(const std::vector<double>& x) const {
    std::vector<double> one(reference_.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      one[i] = x[command_.interleaved ? i * static_cast<std::size_t>(command_.batch) : i];
    return one;
  }

  Exec& exec_;
  const TridiagonalCommand& command_;
  Batch<Space> batch_;
  std::vector<double> reference_;
};

std::string device_of(const Threads& exec) { return fmt::format("{} threads", exec.count()); }
[[maybe_unused]] std::string device_of(const Cuda& exec) { return exec.device_name(); }

/// The system of the command with a right-hand side.
TridiagonalRows read(const TridiagonalCommand& command) {
  TridiagonalRows rows = read_tridiagonal(command.file);
  if (!command.rhs.empty()) {
    const Array<double> rhs = linalg::read_market_vector(command.rhs);
    if (rhs.size() != static_cast<Offset>(rows.size()))
      throw Error(ExitCode::usage,
                  fmt::format("{} holds {} numbers, the matrix has {} rows", command.rhs, rhs.size(), rows.size()),
                  "give one number a row");
    rows.rhs.assign(rhs.begin(), rhs.end());
  }
  if (rows.rhs.empty()) rows.rhs = made_right_hand_side(rows);
  return rows;
}

void write(const std::string& file, const std::vector<double>& x) {
  if (std::filesystem::path(file).extension() == ".mtx") {
    output::atomic_write(file, [&](const std::filesystem::path& path) {
      linalg::write_market_vector(path.string(), {x.data(), static_cast<Offset>(x.size())});
    });
    return;
  }
  std::string text = "x\n";
  for (const double value : x) text += fmt::format("{}\n", value);
  output::atomic_write(file, text);
}

}  // namespace

ExitCode solve_tridiagonal(const TridiagonalCommand& command) {
  (void)resolve_backend(command.backend);  // before a long read
  if (!command.method.empty()) (void)solvers::tridiagonal_method(command.method);
  const std::string extension = std::filesystem::path(command.output).extension().string();
  if (!command.output.empty() && extension != ".mtx" && extension != ".csv")
    throw Error(ExitCode::usage, fmt::format("cannot write the solution as {}", command.output),
                "give a name that ends in .mtx or .csv");
  const TridiagonalRows rows = read(command);
  if (static_cast<double>(rows.size()) * command.batch > std::numeric_limits<Index>::max())
    throw Error(ExitCode::usage,
                fmt::format("{} rows {} times are more than 32-bit indices hold", rows.size(), command.batch),
                "choose a smaller --batch");
  fmt::print(
      "{}: {} rows{}\n", command.file, rows.size(),
      command.batch > 1 ? fmt::format(", {} times{}", command.batch, command.interleaved ? ", interleaved" : "") : "");
  const std::vector<double> x = with_backend(command.backend, command.threads, [&](auto& exec) {
    fmt::print("backend {} ({}), median of 5 samples of {} solves; GB/s of 40 B a row\n\n", exec.name, device_of(exec),
               command.repeat);
    return Comparison(exec, rows, command).run();
  });
  if (x.empty()) {
    fmt::print(stderr, "error: the system was not solved: the table says why\n");
    return ExitCode::solver;
  }
  if (!command.output.empty()) write(command.output, x);
  return ExitCode::ok;
}

}  // namespace tessera::app
