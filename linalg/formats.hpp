#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/convert.hpp"
#include "linalg/operator.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::linalg {

namespace detail {
/// Throws Error(internal): a refill with values of another kind of matrix.
[[noreturn]] void refuse_refill(const std::string& format, const char* kind);
}  // namespace detail

/// An operator that keeps a matrix in a format of its own, apart from the CRS or the block rows it was made from.
template <class Exec, class T>
class StoredOperator : public Operator<Exec, T> {
 public:
  StoredOperator* stored() override { return this; }
  const StoredOperator* stored() const override { return this; }
  /// Takes the values of a matrix of the same pattern, which is one of scalars or one of block rows as that it was made
  /// from: a numeric refill. Throws Error(internal) for the other kind.
  virtual void assign_values(Exec& exec, const Crs<typename Exec::Space, T>& A) {
    (void)exec, (void)A;
    detail::refuse_refill(this->format(), "scalars");
  }
  virtual void assign_values(Exec& exec, const BlockCrs<typename Exec::Space, T>& A) {
    (void)exec, (void)A;
    detail::refuse_refill(this->format(), "block rows");
  }
  /// Where an assembler may write `values` itself; nothing when the rows do not stand in a regular order (sorted or
  /// packed slices, CMRS), or are not those of scalars: such a matrix takes them from CRS or from block rows. Padding
  /// is 0 and must stay so.
  virtual std::optional<RowLayout> layout() const = 0;
  virtual View<T> values() = 0;
  /// Entries stored, padding included.
  virtual Offset stored_entries() const = 0;
  /// Bytes that the matrix takes.
  virtual double stored_bytes() const = 0;
};

/// A as an operator in one format.
template <class Exec, class T>
using MakeOperator = std::unique_ptr<Operator<Exec, T>> (*)(Exec&, const Crs<typename Exec::Space, T>& A);

/// The same of a matrix of block rows.
template <class Exec, class T>
using MakeBlockOperator = std::unique_ptr<Operator<Exec, T>> (*)(Exec&, const BlockCrs<typename Exec::Space, T>& A);

/// A format that a deck may name, and how an operator of it is made on each backend; `tessera list formats` prints the
/// table. A format is of scalars or of block rows and has the makers of its kind; "auto" has none.
struct FormatInfo {
  std::string name;
  std::string help;
  MakeOperator<Threads, double> threads = nullptr;
  MakeOperator<Threads, float> threads_float = nullptr;
  MakeOperator<Cuda, double> cuda = nullptr;
  MakeOperator<Cuda, float> cuda_float = nullptr;
  MakeBlockOperator<Threads, double> block_threads = nullptr;
  MakeBlockOperator<Threads, float> block_threads_float = nullptr;
  MakeBlockOperator<Cuda, double> block_cuda = nullptr;
  MakeBlockOperator<Cuda, float> block_cuda_float = nullptr;

  /// Whether only a matrix of block rows can be stored so. (One of block rows takes the formats of scalars, too.)
  bool only_blocks() const { return block_threads != nullptr; }
};
const std::vector<FormatInfo>& format_table();
/// The formats of that table that a matrix of `block` unknowns a node takes, "auto" first.
std::vector<std::string> format_names(Index block);

/// A format and why it was taken, in one sentence.
struct FormatChoice {
  std::string name;
  std::string reason;
};

/// The format that "auto" stands for. `backend` is "threads" or "cuda". The rule and the figures behind it are in
/// docs/methods/sparse_formats.md.
FormatChoice choose_format(const RowLengths& lengths, const std::string& backend);

/// The same for a matrix of block rows, by the lengths of those.
FormatChoice choose_block_format(const RowLengths& block_lengths, const std::string& backend);

/// A as an operator in the format of that name. "crs" borrows A, the others copy it; "auto" is choose_format's.
/// `reason`, where given, says why that format. Throws Error(usage) for an unknown name, for a format of block rows, or
/// where a format would pad too much.
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_operator(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                                 const std::string& format, std::string* reason = nullptr);

/// The same for a matrix of block rows. "block_crs" borrows A, the others copy it; a format of scalars takes the
/// entries of A one by one, zeros within blocks among them, and is still an operator of block_size() = A.block with
/// `diagonal_blocks`. Throws Error(usage) for an unknown name, or where a format would pad too much.
template <class Exec, class T>
std::unique_ptr<Operator<Exec, T>> make_operator(Exec& exec, const BlockCrs<typename Exec::Space, T>& A,
                                                 const std::string& format, std::string* reason = nullptr);

/// Brings an operator that make_operator made from a matrix up to date after the values of that matrix have changed.
template <class Exec, class T>
void refill(Exec& exec, const Crs<typename Exec::Space, T>& A, Operator<Exec, T>& op) {
  if (StoredOperator<Exec, T>* stored = op.stored()) stored->assign_values(exec, A);
}
template <class Exec, class T>
void refill(Exec& exec, const BlockCrs<typename Exec::Space, T>& A, Operator<Exec, T>& op) {
  if (StoredOperator<Exec, T>* stored = op.stored()) stored->assign_values(exec, A);
}

}  // namespace tessera::linalg
