// Expressions of decks at many points, in blocks, on one thread and on all; peer: muParser point by point on as many
// threads, a parser each. Values are compared. Threads only.
//   expression_bench [options of every bench]
#include <fmt/format.h>
#include <muParser.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>

#include "base/team.hpp"
#include "bench/support/bench.hpp"
#include "deck/expression.hpp"

using namespace tessera;

namespace {

/// Usual coefficients and solutions, then single functions.
constexpr const char* cases[] = {
    "1+x^2",
    "sin(pi*x)*sin(pi*y)*sin(pi*z)",
    "exp(-(x^2+y^2))",
    "sqrt(x^2+y^2+z^2)",
    "if(x<0.5 && y>=0.2, 1, 2*y)",
    "(x-0.5)^2+(y-0.5)^2 < 0.04 ? 100 : 1",
    "exp(-t)*cos(pi*x)",
    "1000*(1+0.5*sin(20*pi*x)*sin(20*pi*y))",
    "x^1.5",
    "tanh(20*(x-0.5))",
    "log(1+x)",
    "atan2(y, x)",
    "erf(x)",
};

class MuParser {
 public:
  explicit MuParser(const std::string& text) {
    parser_.DefineVar("x", &variables_[0]);
    parser_.DefineVar("y", &variables_[1]);
    parser_.DefineVar("z", &variables_[2]);
    parser_.DefineVar("t", &variables_[3]);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineFun("log", [](double a) { return std::log(a); });
    parser_.DefineFun("erf", [](double a) { return std::erf(a); });
    parser_.DefineFun("if", [](double condition, double yes, double no) { return condition != 0 ? yes : no; });
    parser_.SetExpr(text);
  }
  MuParser(const MuParser&) = delete;
  double operator()(const double* xyz, double t) {
    variables_ = {xyz[0], xyz[1], xyz[2], t};
    return parser_.Eval();
  }

 private:
  std::array<double, 4> variables_{};
  mu::Parser parser_;
};

struct Case {
  Threads& exec;
  bench::Report& report;
  const std::vector<double>& points;
  double t = 0.3;

  void run(const std::string& text, int threads) {
    const std::size_t count = points.size() / 3;
    std::vector<double> values(count), expected(count);
    deck::Evaluator evaluator{deck::Expression(text)};
    std::vector<std::unique_ptr<MuParser>> peers;
    for (int part = 0; part < threads; ++part) peers.push_back(std::make_unique<MuParser>(text));
    bench::Row row;
    row.name = fmt::format("{}, {} thread{}", text, threads, threads == 1 ? "" : "s");
    row.size = fmt::format("{}", count);
    row.timing = bench::measure(
        exec, [&] { evaluator.evaluate(points.data(), count, t, values.data(), threads); }, 7);
    row.bytes = 32.0 * static_cast<double>(count);
    row.items = static_cast<double>(count);
    row.item = "points";
    row.peer = "muParser";
    row.peer_ms = bench::measure(
                      exec,
                      [&] {
                        parallel_ranges(threads, static_cast<Offset>(count), [&](Offset first, Offset last, int part) {
                          MuParser& parser = *peers[static_cast<std::size_t>(part)];
                          for (Offset i = first; i < last; ++i) expected[i] = parser(&points[3 * i], t);
                        });
                      },
                      5)
                      .median_ms;
    double off = 0;
    for (std::size_t i = 0; i < count; ++i)
      off = std::max(off, std::abs(values[i] - expected[i]) / std::max(std::abs(expected[i]), 1e-300));
    row.note = fmt::format("differs by {:.1e}", off);
    report.add(row);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  if (options.backend == "cuda") return 0;
  Threads exec(options.threads);
  bench::Report report("expression", "threads", bench::device_name(exec), bench::copy_bandwidth(exec));
  std::vector<double> points = bench::random_values(3 * Offset{options.quick ? 20000 : 1000000});
  for (double& p : points) p = 0.5 + 0.5 * p;  // the unit cube
  Case one{exec, report, points};
  for (const std::string text : cases)
    for (int threads : std::set<int>{1, exec.count()})
      if (options.takes(text)) one.run(text, threads);
  report.write(fmt::format("{}/expression_threads.json", options.out));
}
