#pragma once
#include <utility>

#include "solvers/method.hpp"

namespace tessera::solvers {

/// The entries of an operator in CRS, for methods and preconditioners that read them: its own, or a copy where it
/// stores them otherwise, as block rows are. The copy takes copied_entries_bytes.
template <class Exec>
class Entries {
 public:
  /// `reuse`: what of the operator that was read last still holds. A.has_entries().
  linalg::CrsView<const double> of(Exec& exec, const linalg::Operator<Exec>& A, Reuse reuse) {
    if (const auto own = A.entries()) {
      release();
      return *own;
    }
    const bool there = copy_.rows == A.rows() && reuse != Reuse::nothing;
    if (!there || reuse == Reuse::pattern) A.copy_entries(exec, copy_, there);
    return std::as_const(copy_).view();
  }
  /// Gives the copy back.
  void release() { copy_ = {}; }

 private:
  linalg::Crs<typename Exec::Space> copy_;
};

/// What the copy takes: 12 B an entry and 8 B a row; nothing where the operator has its entries in CRS.
inline double copied_entries_bytes(const ProblemSize& size) {
  return size.copies_entries ? 12 * size.entries + 8 * size.rows : 0;
}

}  // namespace tessera::solvers
