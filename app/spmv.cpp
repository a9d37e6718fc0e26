// Times y = A x of a user's matrix in every format.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/commands.hpp"
#include "base/memory.hpp"
#include "linalg/formats.hpp"
#include "linalg/formats_cusparse.hpp"
#include "linalg/matrix_market.hpp"

namespace tessera::app {
namespace {

using linalg::Crs;

/// Results further from those of CRS than this, relative to the largest entry, are wrong.
constexpr double agreement = 1e-10;

struct Line {
  std::string format;
  double convert_ms = -1, product_ms = 0, bytes = 0, stored = 0, padding = -1, difference = 0;
};

void print_title() {
  fmt::print("  {:<18} {:>11} {:>10} {:>8} {:>10} {:>9} {:>11}\n", "format", "convert ms", "SpMV ms", "GB/s", "stored",
             "padding", "difference");
}

void print(const Line& line) {
  auto known = [](double value, const std::string& text) { return value < 0 ? std::string("-") : text; };
  fmt::print("  {:<18} {:>11} {:>10.4f} {:>8.1f} {:>10} {:>9} {:>11}\n", line.format,
             known(line.convert_ms, fmt::format("{:.3f}", line.convert_ms)), line.product_ms,
             line.product_ms > 0 ? line.bytes / line.product_ms / 1e6 : 0.0, human_bytes(line.stored),
             known(line.padding, fmt::format("{:.1f}%", 100 * line.padding)), fmt::format("{:.1e}", line.difference));
  std::fflush(stdout);
}

template <class Exec, class Work>
double milliseconds(Exec& exec, Work work) {
  exec.synchronize();
  const auto start = std::chrono::steady_clock::now();
  work();
  exec.synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Median of 5 samples of `repeat` products each, after a warm-up.
template <class Exec, class Work>
double time_products(Exec& exec, int repeat, Work work) {
  work();
  std::vector<double> samples;
  for (int sample = 0; sample < 5; ++sample)
    samples.push_back(milliseconds(exec,
                                   [&] {
                                     for (int i = 0; i < repeat; ++i) work();
                                   }) /
                      repeat);
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

/// max |y - expected| / max |expected|
double difference(const std::vector<double>& y, const std::vector<double>& expected) {
  double most = 0, scale = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    most = std::max(most, std::abs(y[i] - expected[i]));
    scale = std::max(scale, std::abs(expected[i]));
  }
  return scale > 0 ? most / scale : most;
}

template <class Space>
Crs<Space> in_space(const Crs<Host>& A) {
  Crs<Space> B;
  B.rows = A.rows;
  B.cols = A.cols;
  auto copied = [](const auto& from) { return to_space<Space>(std::span(from.begin(), from.end())); };
  B.row_ptr = copied(A.row_ptr);
  B.col_ind = copied(A.col_ind);
  B.values = copied(A.values);
  return B;
}

template <class Exec>
class Comparison {
  using Space = typename Exec::Space;

 public:
  Comparison(Exec& exec, const Crs<Host>& A, int repeat)
      : exec_(exec), A_(in_space<Space>(A)), y_(A.rows), repeat_(repeat) {
    std::vector<double> x(static_cast<std::size_t>(A.cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
    x_ = to_space<Space>(x);
    linalg::spmv(exec_, A_.view(), x_, y_.view());
    expected_ = to_vector(y_);
  }

  /// Whether all formats agreed.
  bool run() {
    print_title();
    for (const std::string& format : linalg::format_names(1))
      if (format != "auto") add(format);
    if constexpr (std::is_same_v<Exec, Cuda>) add_cusparse();
    const linalg::FormatChoice choice =
        linalg::choose_format(linalg::row_lengths(exec_, A_.cols, A_.row_ptr), Exec::name);
    fmt::print("\n  auto takes {}: {}\n", choice.name, choice.reason);
    return agree_;
  }

 private:
  void finish(Line line) {
    line.difference = difference(to_vector(y_), expected_);
    if (!(line.difference <= agreement)) agree_ = false;
    print(line);
  }

  void add(const std::string& format) {
    try {
      std::unique_ptr<linalg::Operator<Exec>> op;
      Line line{.format = format};
      const double convert = milliseconds(exec_, [&] { op = linalg::make_operator(exec_, A_, format); });
      const auto* stored = std::as_const(*op).stored();
      line.convert_ms = stored ? convert : -1;
      line.product_ms = time_products(exec_, repeat_, [&] { op->apply(exec_, x_, y_); });
      line.bytes = op->bytes();
      line.stored = op->bytes() - 8.0 * (static_cast<double>(A_.rows) + A_.cols);
      const auto nnz = static_cast<double>(A_.nnz());
      line.padding = stored && nnz > 0 ? static_cast<double>(stored->stored_entries()) / nnz - 1 : 0;
      finish(line);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      fmt::print("  {:<18} {}\n", format, error.what());
    }
  }

  void add_cusparse() {
    if (const std::string problem = linalg::CusparseProduct::why_not(); !problem.empty()) {
      fmt::print("  {:<18} {}\n", "cuSPARSE", problem);
      return;
    }
    try {
      for (int algorithm : {1, 2}) {
        linalg::CusparseProduct product(exec_, A_, algorithm, x_, y_);
        add(product, linalg::crs_bytes<double>(A_.rows, A_.cols, A_.nnz()) - 4.0 * A_.rows);
      }
      const auto sliced = linalg::sliced_ell_from_crs(exec_, A_, {.window = 1});
      linalg::CusparseProduct product(exec_, sliced, x_, y_);
      add(product, sliced.stored_bytes() + 8.0 * (static_cast<double>(A_.rows) + A_.cols));
    } catch (const Error& error) {
      fmt::print("  {:<18} {}\n", "cuSPARSE", error.what());
    }
  }
  void add(linalg::CusparseProduct& product, double bytes) {
    Line line{.format = product.name()};
    line.product_ms = time_products(exec_, repeat_, [&] { product.apply(); });
    line.bytes = bytes;
    line.stored = bytes - 8.0 * (static_cast<double>(A_.rows) + A_.cols);
    finish(line);
  }

  Exec& exec_;
  Crs<Space> A_;
  Array<double, Space> x_, y_;
  std::vector<double> expected_;
  int repeat_;
  bool agree_ = true;
};

std::string device_of(const Threads& exec) { return fmt::format("{} threads", exec.count()); }
[[maybe_unused]] std::string device_of(const Cuda& exec) { return exec.device_name(); }

}  // namespace

ExitCode compare_formats(const SpmvCommand& command) {
  (void)resolve_backend(command.backend);  // before a long read
  const Crs<Host> A = linalg::read_matrix_market(command.file);
  Threads host(command.threads);
  const linalg::RowLengths lengths = linalg::row_lengths(host, A.cols, A.row_ptr);
  fmt::print("{}: {} x {}, {} non-zeros, {:.1f} a row, {} in the longest\n", command.file, A.rows, A.cols, A.nnz(),
             lengths.mean(), lengths.longest);
  const bool agree = with_backend(command.backend, command.threads, [&](auto& exec) {
    fmt::print("backend {} ({}), median of 5 samples of {} products; GB/s of the bytes a format must move\n\n",
               exec.name, device_of(exec), command.repeat);
    return Comparison(exec, A, command.repeat).run();
  });
  if (agree) return ExitCode::ok;
  fmt::print(stderr, "error: products differ from that of crs by more than {:.0e}\n", agreement);
  return ExitCode::differs;
}

}  // namespace tessera::app
