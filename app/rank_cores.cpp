#include "app/rank_cores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/counted.hpp"
#include "base/log.hpp"
#include "base/machine.hpp"
#include "base/team.hpp"

namespace tessera::app {
namespace {

/// The text of every rank, in their order.
std::vector<std::string> gathered_texts(Communicator& ranks, const std::string& mine) {
  std::vector<Communicator::Bytes> to(static_cast<std::size_t>(ranks.size()),
                                      Communicator::Bytes(mine.begin(), mine.end()));
  std::vector<std::string> all;
  for (const Communicator::Bytes& bytes : ranks.exchange(std::move(to))) all.emplace_back(bytes.begin(), bytes.end());
  return all;
}

bool shall_be_bound() {
  const char* const choice = std::getenv("TESSERA_BIND");
  return !choice || std::string_view(choice) != "none";
}

/// This rank among those of its machine that may use the same cores.
struct Sharing {
  int ranks = 0, place = 0;
};
Sharing sharing_of(const std::vector<int>& machines, const std::vector<std::string>& cores, int rank) {
  Sharing mine;
  const auto own = static_cast<std::size_t>(rank);
  for (std::size_t other = 0; other < cores.size(); ++other) {
    if (machines[other] != machines[own] || cores[other] != cores[own]) continue;
    mine.place += other < own;
    ++mine.ranks;
  }
  return mine;
}

void say(Communicator& ranks, const std::vector<int>& machines, int threads, const Cores& mine,
         output::Summary& summary) {
  const std::vector<int> all_threads = gathered(ranks, threads);
  const std::vector<std::string> all_cores = gathered_texts(ranks, ranges_of(mine));
  summary.set_json("ranks.threads", nlohmann::ordered_json(all_threads));
  summary.set_json("ranks.cores", nlohmann::ordered_json(all_cores));
  std::vector<std::string> words;
  for (std::size_t rank = 0; rank < all_cores.size(); ++rank)
    words.push_back(fmt::format("rank {} {}, cores {}{}", rank, counted(all_threads[rank], "thread"), all_cores[rank],
                                machines[rank] == 0 ? "" : fmt::format(" of the machine of rank {}", machines[rank])));
  log_info(fmt::format("{}", fmt::join(words, "; ")));
}

}  // namespace

int take_cores(Communicator& ranks, int threads, bool on_cuda, output::Summary& summary) {
  const std::vector<int> machines = first_ranks_of_machines(ranks);
  Cores mine = usable_cores();
  const Sharing sharing = sharing_of(machines, gathered_texts(ranks, ranges_of(mine)), ranks.rank());
  const bool are_said = threads > 0 || std::getenv("OMP_NUM_THREADS");
  int count = threads > 0 ? threads : default_threads();
  if (!are_said) count = std::max(1, count / std::max(1, sharing.ranks));
  // Which cores are near a GPU is not known here: its rank would be as likely bound to those of another socket.
  if (sharing.ranks > 1 && !on_cuda && shall_be_bound()) {
    const Cores share = part_of(by_units(mine), sharing.ranks, sharing.place);
    const bool suffices = !share.empty() && (!are_said || count <= static_cast<int>(share.size()));
    if (suffices && keep_to(share)) {
      mine = share;
      if (!are_said) count = static_cast<int>(share.size());
    }
  }
  say(ranks, machines, count, mine, summary);
  return count;
}

}  // namespace tessera::app
