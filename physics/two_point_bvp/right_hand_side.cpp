#include "physics/two_point_bvp/right_hand_side.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "output/files.hpp"

namespace tessera::physics::two_point_bvp {

namespace {

/// Nodes that are evaluated at once: their coordinates take 6 MiB.
constexpr Offset evaluation_run = 1 << 18;

}  // namespace

bool evaluate_on_grid(const deck::Expression& expression, const Grid& grid, int threads,
                      const std::function<bool(Offset done)>& go_on,
                      const std::function<void(Offset first, const std::vector<double>& values)>& use) {
  deck::Evaluator evaluator(expression);
  std::vector<double> points, values;
  for (Offset first = 0; first < grid.n; first += evaluation_run) {
    if (go_on && !go_on(first)) return false;
    const Offset count = std::min(evaluation_run, grid.n - first);
    points.assign(3 * static_cast<std::size_t>(count), 0.0);
    values.resize(static_cast<std::size_t>(count));
    for (Offset i = 0; i < count; ++i) points[3 * i] = grid.x(first + i);
    evaluator.evaluate(points.data(), values.size(), 0, values.data(), threads);
    use(first, values);
  }
  return true;
}

Array<double> read_values(const std::filesystem::path& file, const Grid& grid, const deck::Where& where) {
  const std::string text = output::read_text(file);
  Array<double> values(grid.n);
  Offset count = 0;
  int line_number = 0;
  for (std::size_t start = 0; start < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    const char* const stop = line.data() + std::min(line.find('#'), line.size());
    for (const char* at = line.data(); at < stop;) {
      if (*at == ' ' || *at == '\t' || *at == '\r' || *at == ',') {
        ++at;
        continue;
      }
      double value = 0;
      const auto [next, failure] = std::from_chars(at, stop, value);
      const bool ended = next == stop || *next == ' ' || *next == '\t' || *next == '\r' || *next == ',';
      if (failure != std::errc() || !ended || !std::isfinite(value))
        throw Error(ExitCode::usage, fmt::format("value {} of f is not a finite number", count + 1),
                    "the file holds numbers with a point, between spaces, commas or line ends; # starts a comment",
                    Position{file.string(), line_number + 1, static_cast<int>(at - line.data()) + 1, line, 1});
      if (count < grid.n) values[count] = value;
      ++count;
      at = next;
    }
  }
  if (count != grid.n && count != grid.n + 1)
    throw Error(ExitCode::usage,
                fmt::format("{} holds {} numbers, the mesh has {} cells", file.string(), count, grid.n),
                fmt::format("give {} numbers, one at the left end of each cell, or {} with the last node's", grid.n,
                            grid.n + 1),
                where);
  return values;
}

}  // namespace tessera::physics::two_point_bvp
