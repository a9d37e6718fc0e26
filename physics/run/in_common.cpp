#include "physics/run/in_common.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "base/collective.hpp"
#include "linalg/halo.hpp"

namespace tessera::physics::in_common {

namespace {

/// [ranks, values]
std::vector<double> of_all(Communicator& ranks, std::span<const double> values) {
  std::vector<double> all(values.size() * static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(values.data(), values.size_bytes(), all.data());
  return all;
}

/// Appends the bytes of items.
template <class T>
void put(std::span<const T> items, Communicator::Bytes& bytes) {
  const char* const first = reinterpret_cast<const char*>(items.data());
  bytes.insert(bytes.end(), first, first + items.size_bytes());
}

/// Sends records of a place and `width` values to the root, which is given each: visit(place, values).
template <class Place, class Visit>
void to_root(Communicator& ranks, const std::vector<Place>& places, const std::vector<double>& values,
             std::size_t width, Visit visit) {
  std::vector<Communicator::Bytes> to(static_cast<std::size_t>(ranks.size()));
  put(std::span<const Place>(places), to.front());
  put(std::span<const double>(values), to.front());
  std::vector<double> of_place(width);
  for (const Communicator::Bytes& from : ranks.exchange(std::move(to))) {
    const std::size_t count = from.size() / (sizeof(Place) + width * sizeof(double));
    const char* const first_value = from.data() + count * sizeof(Place);
    for (std::size_t i = 0; i < count; ++i) {
      Place place;
      std::memcpy(&place, from.data() + i * sizeof(Place), sizeof(Place));
      std::memcpy(of_place.data(), first_value + i * width * sizeof(double), width * sizeof(double));
      visit(place, of_place.data());
    }
  }
}

}  // namespace

void each(const Share* share, const std::function<void()>& work) { share ? on_each_rank(*share->ranks, work) : work(); }

void root(const Share* share, const std::function<void()>& work) { share ? on_root(*share->ranks, work) : work(); }

void add(const Share* share, std::span<double> values) {
  if (!share) return;
  const std::vector<double> all = of_all(*share->ranks, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = all[i];
    for (std::size_t at = i + values.size(); at < all.size(); at += values.size()) values[i] += all[at];
  }
}

double sum(const Share* share, double value) {
  add(share, {&value, 1});
  return value;
}

void largest(const Share* share, std::span<double> values) {
  if (!share) return;
  const std::vector<double> all = of_all(*share->ranks, values);
  for (std::size_t at = 0; at < all.size(); ++at) {
    double& value = values[at % values.size()];
    if (all[at] > value || std::isnan(all[at])) value = all[at];
  }
}

bool any(const Share* share, bool value) { return share ? tessera::any(*share->ranks, value) : value; }

void first_found(const Share* share, std::vector<char>& found, std::vector<double>& values, std::size_t width) {
  if (!share) return;
  std::vector<Index> places;
  std::vector<double> own;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    places.push_back(static_cast<Index>(i));
    own.insert(own.end(), &values[i * width], &values[i * width] + width);
  }
  std::fill(found.begin(), found.end(), 0);
  to_root(*share->ranks, places, own, width, [&](Index place, const double* of_place) {
    const auto i = static_cast<std::size_t>(place);
    if (std::exchange(found[i], 1) == 0) std::copy_n(of_place, width, &values[i * width]);
  });
}

std::vector<double> gather_rows(const Share* share, const std::vector<double>& values) {
  if (!share) return values;
  std::vector<double> all;
  std::vector<Communicator::Bytes> to(static_cast<std::size_t>(share->ranks->size()));
  put(std::span<const double>(values), to.front());
  for (const Communicator::Bytes& from : share->ranks->exchange(std::move(to))) {
    const std::size_t before = all.size();
    all.resize(before + from.size() / sizeof(double));
    if (!from.empty()) std::memcpy(&all[before], from.data(), from.size());
  }
  return all;
}

void update_ghosts(const NodalSolution& s, int components, std::vector<double>& values) {
  if (s.share) linalg::update_ghosts(*s.share->ranks, s.space.index_map, components, values);
}

namespace {

/// Of the whole, which the root has.
std::size_t dof_at(const Discretisation& whole, const assembly::DofPlace& place) {
  const auto cell = static_cast<Index>(place.cell);
  const assembly::DofBlock& block = whole.solution_space().dofs.block_of(cell);
  return static_cast<std::size_t>(block.cell(cell - block.first_cell)[place.node]);
}

}  // namespace

std::vector<double> gather_nodes(const Share& share, int components, std::span<const double> values) {
  const auto width = static_cast<std::size_t>(components);
  const Discretisation* const whole = share.whole;
  std::vector<double> result(whole ? static_cast<std::size_t>(whole->solution_space().dofs.dofs) * width : 0);
  const std::span<const double> own = values.first(share.places.size() * width);
  to_root(*share.ranks, share.places, {own.begin(), own.end()}, width,
          [&](const assembly::DofPlace& place, const double* of_place) {
            std::copy_n(of_place, width, &result[dof_at(*whole, place) * width]);
          });
  return result;
}

std::vector<double> scatter_nodes(const Share& share, const IndexMap& map, int components, Offset rows,
                                  std::span<const double> whole) {
  Communicator& ranks = *share.ranks;
  const auto width = static_cast<std::size_t>(components), count = static_cast<std::size_t>(ranks.size());
  std::vector<Communicator::Bytes> to(count);
  put(std::span<const assembly::DofPlace>(share.places), to.front());
  const std::vector<Communicator::Bytes> asked = ranks.exchange(std::move(to));
  std::vector<Communicator::Bytes> answers(count);
  for (std::size_t rank = 0; share.whole && rank < count; ++rank) {
    std::vector<double> values;
    for (std::size_t at = 0; at < asked[rank].size(); at += sizeof(assembly::DofPlace)) {
      assembly::DofPlace place;
      std::memcpy(&place, asked[rank].data() + at, sizeof place);
      const double* const first = &whole[dof_at(*share.whole, place) * width];
      values.insert(values.end(), first, first + width);
    }
    put(std::span<const double>(values), answers[rank]);
  }
  const std::vector<Communicator::Bytes> received = ranks.exchange(std::move(answers));
  std::vector<double> result(static_cast<std::size_t>(rows));
  std::memcpy(result.data(), received.front().data(), received.front().size());
  linalg::update_ghosts(ranks, map, components, result);
  return result;
}

std::vector<double> gather_cells(const NodalSolution& s, std::span<const double> values) {
  const Discretisation* const whole = s.share->whole;
  std::vector<double> result(whole ? static_cast<std::size_t>(whole->mesh.cells()) : 0), own;
  std::vector<Offset> numbers;
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (!s.share->cells[cell]) continue;
    numbers.push_back(s.share->cell_numbers[cell]);
    own.push_back(values[cell]);
  }
  to_root(*s.share->ranks, numbers, own, 1,
          [&](Offset cell, const double* value) { result[static_cast<std::size_t>(cell)] = *value; });
  return result;
}

assembly::NumbersOfCells gather_of_cells(const Share* share, const assembly::NumbersOfCells& own) {
  std::map<Offset, std::vector<double>> all;
  if (!share) {
    for (std::size_t i = 0; i < own.cells.size(); ++i)
      all[own.cells[i]].assign(&own.values[i * own.width], &own.values[i * own.width] + own.width);
  } else {
    std::vector<Offset> numbers;
    std::vector<double> values;
    for (std::size_t i = 0; i < own.cells.size(); ++i) {
      const auto cell = static_cast<std::size_t>(own.cells[i]);
      if (!share->cells[cell]) continue;
      numbers.push_back(share->cell_numbers[cell]);
      values.insert(values.end(), &own.values[i * own.width], &own.values[i * own.width] + own.width);
    }
    const auto width = static_cast<std::size_t>(maximum(*share->ranks, static_cast<double>(own.width)));
    to_root(*share->ranks, numbers, values, width,
            [&](Offset cell, const double* of_cell) { all[cell].assign(of_cell, of_cell + width); });
  }
  assembly::NumbersOfCells whole;
  for (const auto& [cell, values] : all) {
    whole.width = values.size();
    whole.cells.push_back(static_cast<Index>(cell));
    whole.values.insert(whole.values.end(), values.begin(), values.end());
  }
  return whole;
}

assembly::NumbersOfCells scatter_of_cells(const Share* share, const assembly::NumbersOfCells& whole) {
  if (!share) return whole;
  Communicator& ranks = *share->ranks;
  const auto count = static_cast<std::size_t>(ranks.size());
  auto width = static_cast<double>(whole.width);
  ranks.broadcast(0, &width, sizeof width);
  assembly::NumbersOfCells result{static_cast<std::size_t>(width), {}, {}};
  std::vector<Communicator::Bytes> to(count);
  put(std::span<const Offset>(share->cell_numbers), to.front());
  const std::vector<Communicator::Bytes> asked = ranks.exchange(std::move(to));
  // Of each rank the cells that have numbers, by their places among those that it asks for, and then the numbers.
  std::vector<Communicator::Bytes> places(count), values(count);
  for (std::size_t rank = 0; ranks.is_root() && rank < count; ++rank)
    for (std::size_t i = 0; i * sizeof(Offset) < asked[rank].size(); ++i) {
      Offset cell = 0;
      std::memcpy(&cell, asked[rank].data() + i * sizeof(Offset), sizeof cell);
      const auto found = std::lower_bound(whole.cells.begin(), whole.cells.end(), static_cast<Index>(cell));
      if (found == whole.cells.end() || *found != cell) continue;
      const auto place = static_cast<Index>(i);
      put(std::span<const Index>(&place, 1), places[rank]);
      const auto at = static_cast<std::size_t>(found - whole.cells.begin());
      put(std::span<const double>(&whole.values[at * whole.width], whole.width), values[rank]);
    }
  const Communicator::Bytes own_places = ranks.exchange(std::move(places)).front(),
                            own_values = ranks.exchange(std::move(values)).front();
  result.cells.resize(own_places.size() / sizeof(Index));
  result.values.resize(own_values.size() / sizeof(double));
  std::memcpy(result.cells.data(), own_places.data(), own_places.size());
  std::memcpy(result.values.data(), own_values.data(), own_values.size());
  return result;
}

}  // namespace tessera::physics::in_common
