#pragma once
// The block Jacobi preconditioner for one backend; only calls declared functions, so any compiler instantiates it.
#include "linalg/block_diagonal.hpp"
#include "solvers/precondition/block_jacobi.hpp"
#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class BlockJacobi final : public Preconditioner<Exec, T> {
 public:
  /// Of the matrix in the type of the method, whose iteration is what M is for.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                     linalg::Sign sign, Reuse reuse) override {
    if (reuse == Reuse::all) return {};
    block_ = static_cast<int>(A.block_size());
    if (block_ == 1) return invert_diagonal_of(exec, A, sign, inverse_);
    const Offset size = Offset{A.rows()} * block_;
    if (inverse_.size() != size) inverse_ = Array<T, typename Exec::Space>(size);
    Array<double, typename Exec::Space> bad(1);
    A_in_type.diagonal_blocks(exec, inverse_);
    linalg::invert_blocks(exec, block_, inverse_.view(), bad.data(), sign);
    if (to_vector(bad)[0] == 0) return {};
    A_in_type.diagonal_blocks(exec, inverse_);
    return describe_bad_block(block_, to_vector(inverse_), sign);
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override { linalg::multiply_blocks(exec, block_, inverse_, r, z); }

 private:
  int block_ = 1;
  Array<T, typename Exec::Space> inverse_;  ///< [rows / block, block, block]
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_block_jacobi(const SolverParams&) {
  return std::make_unique<BlockJacobi<Exec, T>>();
}

}  // namespace tessera::solvers
