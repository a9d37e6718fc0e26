#pragma once
#include <optional>

#include "linalg/halo.hpp"
#include "linalg/operator.hpp"

namespace tessera::linalg {

/// What a rank has of a matrix whose rows ranks share beside the part within itself: the columns of ghosts, of the rows
/// of `Halo::boundary`.
template <class Exec, class T>
struct SharedRows {
  std::optional<CrsView<const T>> ghost;              ///< [boundary rows, ghosts]
  std::optional<BlockCrsView<const T>> ghost_blocks;  ///< the same where it has block rows
  Halo<Exec>* halo = nullptr;                         ///< that brings the ghosts
};

/// What an operator whose rows ranks share is beside an Operator.
template <class Exec, class T>
class SharesRows {
 public:
  virtual ~SharesRows() = default;
  virtual SharedRows<Exec, T> shared_rows() const = 0;
};

/// Nothing where A is no such operator.
template <class Exec, class T>
std::optional<SharedRows<Exec, T>> shared_rows_of(const Operator<Exec, T>& A) {
  const auto* const shares = dynamic_cast<const SharesRows<Exec, T>*>(&A);
  return shares ? std::optional(shares->shared_rows()) : std::nullopt;
}

}  // namespace tessera::linalg
