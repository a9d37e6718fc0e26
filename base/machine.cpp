#include "base/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

namespace tessera {
namespace {

/// A number that the system has of a core; the largest where it has none, as behind some virtual machines.
int topology_of(int core, const char* what) {
  int number = std::numeric_limits<int>::max();
  std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/{}", core, what));
  return file >> number ? number : std::numeric_limits<int>::max();
}

/// The same on all ranks of a machine: its name, and the start of its system.
std::uint64_t machine() {
  char name[256] = {};
  (void)gethostname(name, sizeof name - 1);
  std::string start;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> start;
  return std::hash<std::string>()(name + start);
}

}  // namespace

Cores usable_cores() {
  Cores cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

bool keep_to(const Cores& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::string ranges_of(const Cores& cores) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < cores.size(); first = last + 1) {
    last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cores[first]);
    if (last > first) text += fmt::format("-{}", cores[last]);
  }
  return text;
}

std::vector<Cores> by_units(const Cores& cores) {
  std::map<std::array<int, 3>, Cores> units;
  for (const int core : cores) {
    const int socket = topology_of(core, "physical_package_id"), unit = topology_of(core, "core_id");
    // Where the system does not say it each is one of its own.
    const int number = unit == std::numeric_limits<int>::max() ? core : 0;
    units[{socket, unit, number}].push_back(core);
  }
  std::vector<Cores> result;
  for (auto& [place, unit] : units) result.push_back(std::move(unit));
  return result;
}

Cores part_of(const std::vector<Cores>& units, int parts, int part) {
  const auto share = [&](std::size_t count, int before) {
    return count * static_cast<std::size_t>(before) / static_cast<std::size_t>(parts);
  };
  Cores all;
  for (const Cores& unit : units) all.insert(all.end(), unit.begin(), unit.end());
  const auto wanted = static_cast<std::size_t>(parts);
  Cores mine;
  if (wanted <= units.size())
    for (std::size_t u = share(units.size(), part); u < share(units.size(), part + 1); ++u)
      mine.insert(mine.end(), units[u].begin(), units[u].end());
  else if (wanted <= all.size())
    for (std::size_t c = share(all.size(), part); c < share(all.size(), part + 1); ++c) mine.push_back(all[c]);
  std::sort(mine.begin(), mine.end());
  return mine;
}

std::vector<int> first_ranks_of_machines(Communicator& ranks) {
  const std::vector<std::uint64_t> machines = gathered(ranks, machine());
  std::vector<int> first;
  for (const std::uint64_t& one : machines)
    first.push_back(static_cast<int>(std::find(machines.begin(), machines.end(), one) - machines.begin()));
  return first;
}

}  // namespace tessera
