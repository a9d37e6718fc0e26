#pragma once
#include "linalg/block_crs.hpp"
#include "linalg/formats_ops.hpp"

namespace tessera::linalg {

/// What a kernel takes of a format of block rows: BlockCrsView, BlockSlicedEllView. Products and diagonals are those
/// of formats_ops.hpp, on Threads and Cuda, in double and float; blocks of 1, 2 and 3 are unrolled, others are loops.
template <class A>
concept BlockFormatView = FormatView<A> && requires(A a) {
  a.block;
  a.block_slots();
};
/// A matrix stored in such a format: BlockCrs, BlockSlicedEll.
template <class M>
concept BlockMatrix = requires(const M m) {
  { m.view() } -> BlockFormatView;
};

/// The blocks on the diagonal, 0 where a block row has none. blocks [rows / block, block, block]; A square.
template <class Exec, BlockFormatView A>
void extract_diagonal_blocks(Exec& exec, const A& a, View<typename A::Scalar> blocks);

/// Entry for entry in CRS, zeros within blocks among them; columns ascend where those of the blocks do.
template <class Exec, BlockMatrix M>
auto to_crs(Exec& exec, const M& from) -> Crs<typename Exec::Space, typename M::Scalar>;
/// The same by parts: the pattern of `from` alone, with room for values,
template <class Exec, BlockFormatView A>
void expand_pattern(Exec& exec, const A& from, Crs<typename Exec::Space, typename A::Scalar>& to);
/// and its values into CRS that has that pattern, without host or allocation.
template <class Exec, BlockFormatView A>
void expand_values(Exec& exec, const A& from, Crs<typename Exec::Space, typename A::Scalar>& to);

}  // namespace tessera::linalg
