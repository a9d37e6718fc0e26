#pragma once
// One row of the benches of assembly: a refill beside a product with the same matrix, checked against another strategy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "assembly/cells/assembler.hpp"
#include "bench/support/bench.hpp"
#include "linalg/block_ops.hpp"
#include "linalg/spmv.hpp"

namespace tessera::bench {

/// What the other strategies are held against: the first result.
struct Reference {
  std::vector<double> values, b;
};

/// In relation to the largest entry.
inline double largest_difference(const std::vector<double>& expected, const std::vector<double>& found) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    size = std::max(size, std::abs(expected[i]));
    difference = std::max(difference, std::isfinite(found[i]) ? std::abs(expected[i] - found[i]) : INFINITY);
  }
  return size > 0 ? difference / size : difference;
}

/// Measures refills of an Assembler with `data` into A, of its make_matrix() or make_block_matrix(), and reports them
/// as "strategy, label".
template <class Exec, class Assembler, class Matrix, class Data>
void report_refill(Exec& exec, Assembler& assembler, Matrix A, const Data& data, const std::string& label, Index cells,
                   Reference& reference, Report& report) {
  using Space = typename Exec::Space;
  Array<double, Space> b(A.rows), x(A.rows), y(A.rows);
  copy(to_space<Space>(random_values(A.rows)), x);
  assembler.set_data(data);
  Row row;
  row.name = fmt::format("{}, {}", assembler.report().strategy, label);
  row.size = fmt::format("{} cells, {} dofs", cells, A.rows);
  row.bytes = assembler.refill_bytes(A);
  row.items = cells;
  row.item = "elements";
  row.timing = measure(
      exec, [&] { assembler.refill(A, b.view()); }, 5);
  const Timing product = measure(
      exec, [&] { linalg::spmv(exec, std::as_const(A).view(), x.view(), y.view()); }, 5);
  const Reference found{to_vector(A.values), to_vector(b)};
  if (reference.values.empty()) reference = found;
  const double difference =
      std::max(largest_difference(reference.values, found.values), largest_difference(reference.b, found.b));
  const assembly::AssemblyReport& r = assembler.report();
  row.note = fmt::format("{:.1f} SpMV; set-up {:.0f} ms + pattern {:.0f} ms, {:.2f} GB",
                         row.timing.median_ms / product.median_ms, r.setup_seconds * 1e3, r.sparsity_seconds * 1e3,
                         r.setup_bytes * 1e-9);
  if (r.colours) row.note += fmt::format(", {} colours", r.colours);
  if (r.partition_size) row.note += fmt::format(", {} partitions of {} cells", r.partitions, r.partition_size);
  row.note += fmt::format(", differs by {:.0e}", difference);
  if (!(difference < 1e-12)) row.note += " WRONG";
  report.add(row);
}

}  // namespace tessera::bench
