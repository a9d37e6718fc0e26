#pragma once
#include <fmt/format.h>

#include "solvers/amg/node_setup.hpp"
#include "solvers/precondition/entries.hpp"

namespace tessera::solvers::amg {

/// The block rows of an operator of several unknowns a node: its own, or a copy where it stores them otherwise, which
/// takes what `linalg::BlockCrs` does, and 12 B an entry for a moment.
template <class Exec>
class NodeEntries {
 public:
  /// Throws Error(usage) where A has no entries, or blocks that are larger than a hierarchy takes.
  NodeMatrixView<const double> of(Exec& exec, const linalg::Operator<Exec>& A, const deck::Where& where) {
    const auto block = static_cast<int>(A.block_size());
    if (block > most_unknowns)
      throw Error(
          ExitCode::usage,
          fmt::format("the preconditioner amg takes up to {} unknowns a node, here are {}", most_unknowns, block),
          "choose preconditioner = \"jacobi\"", where);
    if (const auto own = A.block_entries()) {
      copy_ = {};
      return as_node_matrix(*own);
    }
    Entries<Exec> entries;
    gather_blocks(exec, entries_of(exec, A, Reuse::nothing, entries, "amg", where), block, copy_);
    return std::as_const(copy_).view();
  }

 private:
  NodeMatrix<typename Exec::Space, double> copy_;
};

}  // namespace tessera::solvers::amg
