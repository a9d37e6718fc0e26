#include "solvers/two_point/two_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/team.hpp"
#include "solvers/registry.hpp"
#include "solvers/two_point/two_point_impl.hpp"

namespace tessera::solvers {

const std::vector<TwoPointMethod>& two_point_table() {
  // clang-format off
  static const std::vector<TwoPointMethod> table = {
      {"auto", "scan", true, true, true},
      {"scan", "prefix sums of tiles that stay on the chip: reads f twice and writes u once", true, true, true},
      {"sequential", "A1: two recurrences on one core", true, false, false},
      {"divide_and_conquer", "A2: columns in parallel, recurrences between them on the host", true, true, true, {"rows"}},
      {"square_blocked", "A2 over an array of square blocks (ND)", true, false, true, {"rows", "block"}},
  };
  // clang-format on
  return table;
}

deck::Section<TwoPointParams> two_point_section() {
  std::string help = "method";
  for (const TwoPointMethod& method : two_point_table())
    help += fmt::format("; {}: {}{}", method.name, method.help, method.cuda ? "" : " (threads)");
  return deck::Section<TwoPointParams>("solver", "How to solve the tridiagonal system")
      .key("type", &TwoPointParams::type, {.help = help, .choices = names(two_point_table())})
      .key("rows", &TwoPointParams::rows,
           {.help = "unknowns of a column of divide_and_conquer and square_blocked; 0: the square root of their "
                    "number, at most 256",
            .min = 0})
      .key("block", &TwoPointParams::block,
           {.help = "unknowns on a side of a block of square_blocked", .min = 1, .max = two_point::most_block})
      .position(&TwoPointParams::where);
}

TwoPointParams read_two_point(const deck::Deck& deck) {
  const TwoPointParams params = two_point_section().read(deck);
  for (const char* key : {"rows", "block"}) {
    std::vector<std::string> readers;
    for (const TwoPointMethod& method : two_point_table())
      if (std::find(method.keys.begin(), method.keys.end(), key) != method.keys.end()) readers.push_back(method.name);
    const deck::Where where = deck.where(fmt::format("solver.{}", key));
    if (!where || std::find(readers.begin(), readers.end(), params.type) != readers.end()) continue;
    refuse_unread(
        fmt::format("solver.{} is read by {}; solver.type is \"{}\"", key, fmt::join(readers, ", "), params.type),
        fmt::format("leave {} out, or choose type = \"{}\"", key, fmt::join(readers, "\" or \"")), where,
        deck.where("solver.type"));
  }
  return params;
}

const TwoPointMethod& find_two_point(Offset n, const TwoPointParams& params, const std::string& backend, bool mixed) {
  const TwoPointMethod& method = find(two_point_table(), params.type == "auto" ? "scan" : params.type,
                                      "solver of two-point problems", params.where);
  if (!(backend == "cuda" ? method.cuda : method.threads))
    throw Error(ExitCode::usage, fmt::format("the solver '{}' does not run on the backend '{}'", method.name, backend),
                "choose type = \"scan\" or \"divide_and_conquer\", or --backend threads", params.where);
  if (mixed && !method.mixed)
    throw Error(ExitCode::usage,
                fmt::format("the solver '{}' has no mixed precision: it has no steps between blocks", method.name),
                "choose run.precision = \"double\" or \"float\", or another solver", params.where);
  if (n < 1)
    throw Error(ExitCode::usage, fmt::format("a two-point problem of {} unknowns was asked for", n),
                "it needs at least 1", params.where);
  if (params.rows < 0)
    throw Error(ExitCode::usage, fmt::format("solver.rows is {}", params.rows), "choose a positive number, or 0",
                params.where);
  if (params.block < 1 || params.block > two_point::most_block)
    throw Error(ExitCode::usage, fmt::format("solver.block is {}", params.block),
                fmt::format("choose 1 to {}", two_point::most_block), params.where);
  return method;
}

template <class T>
double two_point_backward_error(double h, View<const T> f, View<const T> u, int threads) {
  const Offset n = u.size();
  struct Largest {
    double residual = 0, u = 0, d = 0;
  };
  const Largest largest = parallel_reduce(
      Threads(threads).count(), n, Largest{},
      [&](Offset first, Offset last) {
        Largest of_range;
        for (Offset i = first; i < last; ++i) {
          const double d = h * h * static_cast<double>(f[i]) * (i == 0 ? 0.5 : 1.0);
          const double here = u[i], right = i + 1 < n ? u[i + 1] : 0.0;
          const double Au = i == 0 ? here - right : (here - right) - (u[i - 1] - here);
          of_range.residual = std::max(of_range.residual, std::abs(d - Au));
          of_range.u = std::max(of_range.u, std::abs(here));
          of_range.d = std::max(of_range.d, std::abs(d));
        }
        return of_range;
      },
      [](const Largest& a, const Largest& b) {
        return Largest{std::max(a.residual, b.residual), std::max(a.u, b.u), std::max(a.d, b.d)};
      });
  const double scale = 4 * largest.u + largest.d;
  return scale > 0 ? largest.residual / scale : largest.residual;
}

template double two_point_backward_error<double>(double, View<const double>, View<const double>, int);
template double two_point_backward_error<float>(double, View<const float>, View<const float>, int);

template std::unique_ptr<TwoPointSolver<Threads, double>> make_two_point<Threads, double, double>(
    Threads&, Offset, const TwoPointParams&);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_two_point<Threads, float, float>(Threads&, Offset,
                                                                                               const TwoPointParams&);
template std::unique_ptr<TwoPointSolver<Threads, float>> make_two_point<Threads, float, double>(Threads&, Offset,
                                                                                                const TwoPointParams&);

}  // namespace tessera::solvers
