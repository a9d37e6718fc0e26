#include "linalg/halo.hpp"

#include "linalg/halo_plan.hpp"

namespace tessera::linalg {

HaloPlan make_halo_plan(Communicator& ranks, const IndexMap& map, int components) {
  // Each rank tells the owners which numbers it sees; these answer with their local ones.
  std::vector<Communicator::Bytes> wanted(static_cast<std::size_t>(ranks.size()));
  HaloPlan plan;
  for (const IndexMap::Neighbour& of : map.neighbours()) {
    if (of.first == of.last) continue;
    const std::span<const Offset> numbers = map.ghosts().subspan(static_cast<std::size_t>(of.first - map.owned()),
                                                                 static_cast<std::size_t>(of.last - of.first));
    const char* const bytes = reinterpret_cast<const char*>(numbers.data());
    wanted[static_cast<std::size_t>(of.rank)].assign(bytes, bytes + numbers.size_bytes());
    plan.exchange.receive.push_back(
        {of.rank, Offset{of.first - map.owned()} * components, Offset{of.last - map.owned()} * components});
  }
  const std::vector<Communicator::Bytes> asked = ranks.exchange(std::move(wanted));
  for (std::size_t rank = 0; rank < asked.size(); ++rank) {
    if (asked[rank].empty()) continue;
    const auto first = static_cast<Offset>(plan.rows.size());
    std::vector<Offset> numbers(asked[rank].size() / sizeof(Offset));
    std::memcpy(numbers.data(), asked[rank].data(), asked[rank].size());
    for (const Offset number : numbers)
      for (int c = 0; c < components; ++c) plan.rows.push_back(map.local_of(number) * components + c);
    plan.exchange.send.push_back({static_cast<int>(rank), first, static_cast<Offset>(plan.rows.size())});
  }
  return plan;
}

void update_ghosts(Communicator& ranks, const IndexMap& map, int components, std::span<double> x) {
  const HaloPlan plan = make_halo_plan(ranks, map, components);
  std::vector<double> packed;
  for (const Index row : plan.rows) packed.push_back(x[static_cast<std::size_t>(row)]);
  double* const ghosts = x.data() + static_cast<std::size_t>(map.owned()) * static_cast<std::size_t>(components);
  const auto pieces = [](const std::vector<ExchangePlan::Range>& ranges, double* buffer) {
    std::vector<Communicator::Piece> result;
    for (const ExchangePlan::Range& range : ranges)
      result.push_back(
          {range.rank, buffer + range.first, sizeof(double) * static_cast<std::size_t>(range.last - range.first)});
    return result;
  };
  ranks.start(pieces(plan.exchange.send, packed.data()), pieces(plan.exchange.receive, ghosts));
  ranks.finish();
}

}  // namespace tessera::linalg
