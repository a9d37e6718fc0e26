#pragma once
#include <string>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// How the contributions of cells that share a dof are brought together.
enum class Strategy : std::uint8_t { nonzeros, colour, colour_blocks, atomic, two_pass, shared };

struct AssemblyOptions {
  std::string strategy = "auto";
  /// A vector comes at points, so that computing a cell again for each of its rows is dear: for "auto".
  bool vector_at_points = false;
  /// Cells of a partition of colour_blocks and shared; 0: tuned for the element.
  Index partition_size = 0;
  /// How partitions are cut: "metis", "geometric" (along a space-filling curve), "auto": METIS on small meshes, where
  /// it takes little time.
  std::string partition = "auto";
  /// two_pass: bytes of element matrices kept at a time; 0: a quarter of the memory that is free, at most 8 GiB.
  double buffer_bytes = 0;
  /// Dofs that have entries between each other beside those of cells, as cells without integrals: the terms that fill
  /// them are added to what a refill makes. Null: none; they must outlive the assembler.
  const std::vector<DofBlock>* couplings = nullptr;
};

struct StrategyEntry {
  Strategy strategy;
  const char* name;
  const char* help;
  bool deterministic;
  bool partitioned = false;  ///< reads partition_size
};

/// Every strategy of assembly into a matrix, from the structs of strategies.hpp; "auto" is not among them.
const std::vector<StrategyEntry>& strategy_table();
const StrategyEntry& strategy_entry(Strategy strategy);

/// What was chosen, and a sentence that says why.
struct StrategyChoice {
  Strategy strategy = Strategy::colour;
  std::string why;
};

/// The strategy that the options name; for "auto" by the rule of docs/methods/assembly.md, from the elements and the
/// backend. Throws Error(usage) for another name, listing the valid ones.
StrategyChoice choose_strategy(const AssemblyOptions& options, bool on_gpu, const mesh::Mesh& mesh, int order);

/// shared: cells of a partition where the options leave it open, for elements of `values` numbers and a fast memory of
/// `bytes`.
Index tuned_shared_size(bool on_gpu, int values, std::size_t bytes);

}  // namespace tessera::assembly
