#include "assembly/cells/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/strategies.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

const std::vector<StrategyEntry>& strategy_table() {
  static const std::vector<StrategyEntry> table =
      std::apply([](auto... each) { return std::vector<StrategyEntry>{each.entry...}; }, Strategies{});
  return table;
}

const StrategyEntry& strategy_entry(Strategy strategy) {
  for (const StrategyEntry& entry : strategy_table())
    if (entry.strategy == strategy) return entry;
  return strategy_table().front();
}

StrategyChoice choose_strategy(const AssemblyOptions& options, bool on_gpu, const mesh::Mesh& mesh, int order) {
  if (options.strategy != "auto") {
    std::string names = "auto";
    for (const StrategyEntry& entry : strategy_table()) {
      if (options.strategy == entry.name) return {entry.strategy, "asked for"};
      names += fmt::format(", {}", entry.name);
    }
    throw Error(ExitCode::usage, fmt::format("no assembly strategy \"{}\"", options.strategy),
                "choose one of " + names);
  }
  if (!on_gpu) return {Strategy::colour, "on threads blocks of cells by colour need no second pass and no atomics"};
  const bool linear_simplices =
      order == 1 && std::all_of(mesh.blocks.begin(), mesh.blocks.end(), [](const mesh::CellBlock& block) {
        return block.order == 1 && mesh::vertex_count(block.shape) == mesh::dimension(block.shape) + 1;
      });
  if (linear_simplices && options.vector_at_points)
    return {Strategy::two_pass,
            "a vector that varies within cells is dearer to read for each row than entries to exchange"};
  if (linear_simplices)
    return {Strategy::nonzeros, "linear simplices are cheaper to compute again for each row than to exchange"};
  return {Strategy::two_pass, "elements beyond linear simplices are computed once, then summed row by row"};
}

Index tuned_shared_size(bool on_gpu, int values, std::size_t bytes) {
  // Four blocks of threads share a multiprocessor's memory: fewer leave it idle while one waits.
  constexpr std::size_t most_bytes = 56 * 1024;
  const Index most_cells = on_gpu ? 256 : 512;  // H200, P1 tets: 256 is 1.25 times as fast as 128, 1.6 times as 1024
  const auto fit = static_cast<Index>((on_gpu ? std::min(bytes, most_bytes) : bytes) /
                                      (sizeof(double) * static_cast<std::size_t>(values)));
  constexpr Index threads = 128;
  return std::clamp<Index>(fit > threads ? fit / threads * threads : fit, 1, most_cells);
}

}  // namespace tessera::assembly
