#pragma once
#include <utility>

#include "linalg/multivector.hpp"
#include "linalg/operator.hpp"

namespace tessera::linalg {

/// A (x) 1: a matrix of nodes for each of `block` unknowns a node by itself, as the mass of a vector field is.
template <class Exec>
class ComponentOperator final : public Operator<Exec> {
 public:
  using Space = typename Exec::Space;
  ComponentOperator(Crs<Space> of_nodes, Index block) : A_(std::move(of_nodes)), block_(block) {}

  Index rows() const override { return A_.rows * block_; }
  Index cols() const override { return A_.cols * block_; }
  Index block_size() const override { return block_; }
  void apply(Exec& exec, View<const double> x, View<double> y) const override {
    if (block_ == 1)
      spmv(exec, A_.view(), x, y);
    else
      multiply_components(exec, A_.view(), block_, x, y);
  }
  void diagonal(Exec& exec, View<double> d) const override {
    Array<double, Space> of_nodes(A_.rows);
    extract_diagonal(exec, A_.view(), of_nodes.view());
    for (Index c = 0; c < block_; ++c) set_column(exec, of_nodes, c, d);
  }
  double bytes() const override {
    return static_cast<double>(A_.row_ptr.bytes() + A_.col_ind.bytes() + A_.values.bytes()) + 16.0 * rows();
  }
  std::string format() const override { return "crs of nodes"; }
  const Crs<Space>& of_nodes() const { return A_; }

 private:
  Crs<Space> A_;
  Index block_;
};

}  // namespace tessera::linalg
