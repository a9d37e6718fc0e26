#pragma once
#include <memory>
#include <utility>

#include "base/aside.hpp"
#include "linalg/ghost_product.hpp"
#include "linalg/halo.hpp"
#include "linalg/operator.hpp"

namespace tessera::linalg {

/// The rows that this rank owns of an operator without a matrix, as two operators over the cells that it sees: `inner`
/// [rows, rows] of those without ghosts, which are applied while the ghosts travel, and `outer` of the others, whose
/// unknowns are `rows_of_outer` of this rank's rows and behind these all ghosts; on CUDA beside `inner`, in a queue of
/// its own. Either is null where there are no such cells. Sums are those over all ranks of the execution's link.
template <class Exec, class T = double>
class RankCells final : public Operator<Exec, T> {
 public:
  using Space = typename Exec::Space;
  RankCells(std::shared_ptr<Halo<Exec>> halo, std::unique_ptr<Operator<Exec, T>> inner,
            std::unique_ptr<Operator<Exec, T>> outer, std::shared_ptr<const Array<Index, Space>> rows_of_outer,
            Index rows, Offset first_row, Offset global_rows)
      : halo_(std::move(halo)),
        inner_(std::move(inner)),
        outer_(std::move(outer)),
        list_(std::move(rows_of_outer)),
        rows_(rows),
        first_row_(first_row),
        global_rows_(global_rows),
        x_(outer_ ? outer_->rows() : 0),
        y_(outer_ ? outer_->rows() : 0) {}

  Index rows() const override { return rows_; }
  Index cols() const override { return rows_; }
  Offset first_row() const override { return first_row_; }
  Offset global_rows() const override { return global_rows_; }
  Index block_size() const override { return either().block_size(); }

  void apply(Exec& exec, View<const T> x, View<T> y) const override {
    Exec& aside = aside_.begin(exec);
    if (outer_)
      halo_->start_into(exec, aside, x, x_.view().part(list_->size(), halo_->ghosts()));
    else
      halo_->start(exec, aside, x);
    const Linked within(exec, nullptr);
    if (inner_)
      inner_->apply(exec, x, y);
    else
      fill(exec, y, 0);
    if (outer_) gather_rows(aside, list_->view(), x, own(x_.view()));
    halo_->template finish<T>(aside);
    if (outer_) outer_->apply(aside, x_, y_.view());
    aside_.end(exec);
    if (outer_) add_to_rows(exec, list_->view(), own(std::as_const(y_).view()), y);
  }
  void diagonal(Exec& exec, View<T> d) const override {
    if (inner_)
      inner_->diagonal(exec, d);
    else
      fill(exec, d, 0);
    if (!outer_) return;
    outer_->diagonal(exec, y_.view());
    add_to_rows(exec, list_->view(), own(std::as_const(y_).view()), d);
  }
  bool has_diagonal_blocks() const override { return either().has_diagonal_blocks(); }
  void diagonal_blocks(Exec& exec, View<T> blocks) const override {
    if (inner_)
      inner_->diagonal_blocks(exec, blocks);
    else
      fill(exec, blocks, 0);
    if (!outer_) return;
    // A row of blocks is `block_size` numbers; column after column of them.
    const Index columns = block_size();
    Array<T, Space> of_outer(Offset{outer_->rows()} * columns);
    outer_->diagonal_blocks(exec, of_outer.view());
    std::vector<Index> entries;
    for (const Index row : to_vector(*list_))
      for (Index c = 0; c < columns; ++c) entries.push_back(row * columns + c);
    const auto list = to_space<Space>(entries);
    add_to_rows(exec, list.view(), std::as_const(of_outer).view().part(0, list.size()), blocks);
  }
  double bytes() const override { return (inner_ ? inner_->bytes() : 0) + (outer_ ? outer_->bytes() : 0); }
  std::string format() const override { return either().format(); }
  std::unique_ptr<Operator<Exec, float>> to_float(Exec& exec) const override {
    std::unique_ptr<Operator<Exec, float>> inner, outer;
    if (inner_) inner = inner_->to_float(exec);
    if (outer_) outer = outer_->to_float(exec);
    if ((inner_ && !inner) || (outer_ && !outer)) return nullptr;
    return std::make_unique<RankCells<Exec, float>>(halo_, std::move(inner), std::move(outer), list_, rows_, first_row_,
                                                    global_rows_);
  }

 private:
  const Operator<Exec, T>& either() const { return inner_ ? *inner_ : *outer_; }
  template <class U>
  View<U> own(View<U> of_outer) const {
    return of_outer.part(0, list_->size());
  }

  std::shared_ptr<Halo<Exec>> halo_;
  std::unique_ptr<Operator<Exec, T>> inner_, outer_;
  std::shared_ptr<const Array<Index, Space>> list_;
  Index rows_;
  Offset first_row_, global_rows_;
  mutable Array<T, Space> x_, y_;  ///< of the outer cells
  mutable Aside<Exec> aside_;      ///< has the exchange and the outer cells
};

}  // namespace tessera::linalg
