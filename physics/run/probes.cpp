#include "physics/run/probes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assembly/fields/quantities.hpp"
#include "base/communicator.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/traces.hpp"

namespace tessera::physics {

namespace {

/// The probes whose cell this rank sees: of a point on several cells the first one of the whole mesh, on any number of
/// ranks. Cells keep their order, so that each rank that sees it finds it first.
std::vector<char> seen_points(const std::vector<ProbeParams>& probes, const mesh::PointLocator& locator,
                              const Share* share) {
  const double nowhere = -std::numeric_limits<double>::infinity();
  std::vector<double> here;  // less the numbers of cells
  for (const ProbeParams& probe : probes) {
    const auto found = locator.find(probe.point());
    if (!found)
      here.push_back(nowhere);
    else
      here.push_back(
          -static_cast<double>(share ? share->cell_numbers[static_cast<std::size_t>(found->cell)] : found->cell));
  }
  std::vector<double> first = here;
  in_common::largest(share, first);
  std::vector<char> seen;
  for (std::size_t i = 0; i < here.size(); ++i) seen.push_back(here[i] != nowhere && here[i] == first[i]);
  return seen;
}

/// Leaves the columns of dofs that this rank owns: their owners see the cell, too, and values are sums over ranks. So
/// nobody needs ghosts of what a probe looks at.
void keep_own(const Discretisation& space, std::vector<std::pair<Index, double>>& weights) {
  if (!space.ranks) return;
  const Index rows = space.rows(), owned_rows = space.owned_rows(), owned = space.index_map.owned();
  std::erase_if(weights, [&](const auto& weight) {
    return weight.first < rows ? weight.first >= owned_rows : weight.first - rows >= owned;
  });
}

/// A matrix of one row a probe, some of which are empty.
struct Rows {
  std::vector<Offset> first{0};
  std::vector<Index> rows;
  std::vector<double> weights;

  void add(const std::vector<std::pair<Index, double>>& row) {
    for (const auto& [column, weight] : row) {
      rows.push_back(column);
      weights.push_back(weight);
    }
    first.push_back(static_cast<Offset>(rows.size()));
  }
  linalg::Crs<Host> matrix(Index columns) const {
    linalg::Crs<Host> result;
    result.rows = static_cast<Index>(first.size() - 1);
    result.cols = columns;
    result.row_ptr = to_space<Host>(first);
    result.col_ind = to_space<Host>(rows);
    result.values = to_space<Host>(weights);
    return result;
  }
};

/// A component of the field or of its rate, as the probe says.
Receiver of_field(const FieldInfo& field, const Discretisation& space, const mesh::PointLocator& locator,
                  const ProbeParams& probe, bool seen) {
  Receiver receiver;
  int c = 0;
  receiver.of = is_component(field, probe.of, space.mesh.dim, c) ? Receiver::Of::field : Receiver::Of::rate;
  if (receiver.of == Receiver::Of::rate) (void)is_component(field.rate_field(), probe.of, space.mesh.dim, c);
  receiver.unit = receiver.of == Receiver::Of::field ? field.unit : field.rate_field().unit;
  if (!seen) return receiver;
  const assembly::Probe point = assembly::make_probe(space.mesh, space.dofs, locator, probe.point());
  for (std::size_t k = 0; k < point.dofs.size(); ++k)
    receiver.weights.emplace_back(space.row(point.dofs[k], c), point.weights[k]);
  return receiver;
}

}  // namespace

Probes::Probes(const CommonParams& params, const FieldInfo& field, const Discretisation& space, const Context& context,
               std::optional<double> t, const Receivers& receivers)
    : share_(space.shared()) {
  const std::vector<ProbeParams>& probes = params.probes;
  if (probes.empty()) return;
  const mesh::PointLocator locator(space.mesh);
  const std::vector<char> seen = seen_points(probes, locator, share_);
  Rows rows[3];
  bool any[3] = {true, false, false};
  std::vector<std::string> units;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    std::optional<Receiver> receiver = receivers(locator, probes[i]);
    if (!receiver) receiver = of_field(field, space, locator, probes[i], seen[i]);
    if (!seen[i]) receiver->weights.clear();
    keep_own(space, receiver->weights);
    std::sort(receiver->weights.begin(), receiver->weights.end());
    const int of = static_cast<int>(receiver->of);
    any[of] = true;
    for (int which = 0; which < 3; ++which)
      rows[which].add(which == of ? receiver->weights : std::vector<std::pair<Index, double>>());
    units.push_back(receiver->unit);
  }
  for (bool& of_some_rank : any) of_some_rank = in_common::any(share_, of_some_rank);
  weights_ = rows[0].matrix(space.rows());
  if (any[1]) rate_weights_ = rows[1].matrix(space.rows());
  if (any[2]) acceleration_weights_ = rows[2].matrix(space.rows());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto same = std::find_if(tables_.begin(), tables_.end(),
                                   [&](const Table& table) { return table.every == probes[i].every; });
    Table& table = same == tables_.end() ? tables_.emplace_back() : *same;
    table.every = probes[i].every;
    table.probes.push_back(i);
  }
  in_common::root(share_, [&] {
    for (Table& table : tables_) {
      std::vector<output::SeriesColumn> columns;
      for (const std::size_t i : table.probes) columns.push_back({probes[i].name, units[i]});
      const output::ProbeSeriesOptions options{.every = table.every};
      const std::filesystem::path path = context.output_directory / (name_of_table(table.every) + ".csv");
      table.file.emplace(t ? output::ProbeSeries::resume(path, columns, *t, options)
                           : output::ProbeSeries(path, columns, options));
    }
  });
}

bool Probes::is_due(Offset step) const {
  return std::any_of(tables_.begin(), tables_.end(), [&](const Table& table) { return step % table.every == 0; });
}

void Probes::add(Offset step, double t, std::vector<double> values) {
  in_common::add(share_, values);
  in_common::root(share_, [&] {
    for (Table& table : tables_) {
      std::vector<double> row;
      for (const std::size_t i : table.probes) row.push_back(values[i]);
      table.file->add(step, t, row);
    }
  });
}

void Probes::flush() {
  in_common::root(share_, [&] {
    for (Table& table : tables_) table.file->flush();
  });
}

}  // namespace tessera::physics
