#pragma once
// A linear system that ranks share, on a backend.
#include <memory>
#include <utility>

#include "base/collective.hpp"
#include "base/profile.hpp"
#include "linalg/component_operator.hpp"
#include "linalg/rank_cells.hpp"
#include "linalg/rank_operator.hpp"
#include "physics/run/solve.hpp"

namespace tessera::physics {

/// Says which GPU of its machine each rank has, in the summary and in the log. Collective.
void summarise_devices(Communicator& ranks, output::Summary& summary);

/// Says in the summary how ranks share the vectors. Collective.
void summarise_link(const Link& link, const std::string& why_through_host, Offset sent, Offset ghosts,
                    output::Summary& summary);

/// What takes a system that was assembled on all the cells that a rank sees to the rows that it owns, and solves it
/// with the others. On one rank it does nothing.
template <class Exec>
class OverRanks {
 public:
  using Space = typename Exec::Space;
  /// Collective.
  OverRanks(Exec& exec, const Discretisation& space, output::Summary& summary) : exec_(exec), space_(space) {
    if (!space.ranks) return;
    Scope scope(exec, "connect");
    std::string why_through_host;
    link_ = make_link(exec, *space.ranks, &why_through_host);
    if constexpr (std::is_same_v<Exec, Cuda>) summarise_devices(*space.ranks, summary);
    halo_ = std::make_shared<linalg::Halo<Exec>>(*link_, space.index_map, space.components);
    summarise_link(*link_, why_through_host, halo_->sent(), halo_->ghosts(), summary);
  }
  /// Of another space of the same ranks, over their link. Collective.
  OverRanks(const OverRanks& others, const Discretisation& space)
      : exec_(others.exec_), space_(space), link_(others.link_) {
    if (link_) halo_ = std::make_shared<linalg::Halo<Exec>>(*link_, space.index_map, space.components);
  }

  explicit operator bool() const { return link_ != nullptr; }
  /// Work of each rank alone; where it throws on one, all throw.
  template <class Work>
  void each(Work work) const {
    if (link_)
      on_each_rank(ranks(), work);
    else
      work();
  }
  Link* link() const { return link_.get(); }
  /// That brings the ghosts of a vector; null on one rank.
  const std::shared_ptr<linalg::Halo<Exec>>& halo() const { return halo_; }
  Communicator& ranks() const { return *space_.ranks; }
  const Discretisation& space() const { return space_; }
  Index rows() const { return link_ ? space_.owned_rows() : space_.rows(); }

  /// `system` has the operator of its own rows and b [owned rows], where it had a matrix; of one in the format of the
  /// deck. Phase: convert.
  void complete(const CommonParams& params, System<Exec>& system, output::Summary& summary) const {
    if (!link_) return physics::complete(exec_, params, system, summary);
    split(system, system);
    system.matrix = {};
    system.blocks = {};
    store(params, system, summary);
    system.nnz = sum(ranks(), system.nnz);
    shorten(system);
  }

  /// The same of an operator without a matrix, from those of the cells without ghosts and of the cells with them, which
  /// have the dofs `own` of this rank.
  void join(System<Exec>& inner, System<Exec>& outer, const std::vector<Index>& own, System<Exec>& to) const {
    std::vector<Index> list;
    for (const Index dof : own)
      for (int c = 0; c < space_.components; ++c) list.push_back(space_.row(dof, c));
    auto rows_of_outer = std::make_shared<const Array<Index, Space>>(to_space<Space>(list));
    if (to.with_loads) join_loads(inner, outer, rows_of_outer->view(), to);
    to.level = inner.A ? inner.level : outer.level;
    to.A = std::make_unique<linalg::RankCells<Exec>>(halo_, std::move(inner.A), std::move(outer.A),
                                                     std::move(rows_of_outer), rows(), first_row(), global_rows());
  }

  /// A matrix of nodes, with all rows that this rank sees, for each of the unknowns of a node by itself.
  std::unique_ptr<linalg::Operator<Exec>> of_components(linalg::Crs<Space> of_nodes) const {
    using Components = linalg::ComponentOperator<Exec>;
    const Index block = space_.components;
    if (!link_) return std::make_unique<Components>(std::move(of_nodes), block);
    auto split = linalg::split_ghosts(exec_, of_nodes, boundary_nodes(), space_.index_map.owned());
    return std::make_unique<linalg::RankOperator<Exec>>(
        halo_, std::make_unique<Components>(std::move(split.own), block),
        std::make_unique<Components>(std::move(split.ghost), block), first_row(), global_rows());
  }

  /// The entries of x [rows that are seen] that others own. Collective.
  template <class T>
  void update_ghosts(View<T> x) const {
    halo_->start(exec_, View<const T>(x).part(0, rows()));
    const View<const T> ghosts = halo_->template finish<T>(exec_);
    linalg::copy(exec_, ghosts, x.part(rows(), halo_->ghosts()));
  }

  /// The stored form of a system with new values: that of `system`, made or filled anew, and over ranks that of `own`.
  void store(const CommonParams& params, System<Exec>& system, System<Exec>& own, output::Summary& summary) const {
    if (*this) return take(params, system, own, summary);
    if (!system.A) return convert(exec_, params, system, summary);
    Scope scope(exec_, "convert");
    linalg::refill(exec_, system.matrix, *system.A);
  }

  /// own = that of `local`, which stays as it is. An `own` that has been taken of such a matrix before is filled anew:
  /// its operator stays, and all that others have made of its pattern.
  void take(const CommonParams& params, const System<Exec>& local, System<Exec>& own, output::Summary& summary) const {
    if (own.A) {
      refill(local, own);
    } else {
      split(local, own);
      make_operator(params, own, summary);
      own.nnz = sum(ranks(), own.nnz);
      own.b = Array<double, Space>(rows());
    }
    linalg::copy(exec_, local.b.view().part(0, rows()), own.b.view());
  }

 private:
  Offset first_row() const { return space_.first_row(); }
  Offset global_rows() const { return space_.index_map.global_size() * space_.components; }

  void join_loads(const System<Exec>& inner, const System<Exec>& outer, View<const Index> rows_of_outer,
                  System<Exec>& to) const {
    to.b = Array<double, Space>(rows());
    if (inner.A)
      linalg::copy(exec_, inner.b.view(), to.b.view());
    else
      linalg::fill(exec_, to.b.view(), 0);
    if (outer.A) linalg::add_to_rows(exec_, rows_of_outer, outer.b.view().part(0, rows_of_outer.size()), to.b.view());
  }

  std::vector<Index> boundary_nodes() const {
    std::vector<Index> boundary = to_vector(halo_->boundary());
    std::erase_if(boundary, [&](Index row) { return row % space_.components != 0; });
    for (Index& row : boundary) row /= space_.components;
    return boundary;
  }

  void split(const System<Exec>& from, System<Exec>& to) const {
    if (from.blocks.rows > 0)
      to.split_blocks = linalg::split_ghosts(exec_, from.blocks, boundary_nodes(), space_.index_map.owned());
    else
      to.split = linalg::split_ghosts(exec_, from.matrix, to_vector(halo_->boundary()), rows());
    to.nnz = to.split.own.nnz() + to.split.ghost.nnz() + to.split_blocks.own.nnz() + to.split_blocks.ghost.nnz();
  }

  void refill(const System<Exec>& from, System<Exec>& to) const {
    Scope scope(exec_, "convert");
    if (from.blocks.rows > 0) {
      linalg::refill_split(exec_, from.blocks, to.split_blocks);
      linalg::refill(exec_, to.split_blocks.own, *to.A);
    } else {
      linalg::refill_split(exec_, from.matrix, to.split);
      linalg::refill(exec_, to.split.own, *to.A);
    }
  }

  /// That of the matrices of `split`, which it borrows, those of its own rows only in CRS.
  void make_operator(const CommonParams& params, System<Exec>& system, output::Summary& summary) const {
    const bool blocks = system.split_blocks.own.rows > 0;
    std::unique_ptr<linalg::Operator<Exec>> own, ghost;
    on_each_rank(ranks(), [&] {
      if (blocks) {
        own = in_format(exec_, params, system.split_blocks.own, summary);
        ghost = std::make_unique<linalg::BlockCrsOperator<Exec>>(system.split_blocks.ghost);
      } else {
        own = in_format(exec_, params, system.split.own, summary);
        ghost = std::make_unique<linalg::CrsOperator<Exec>>(system.split.ghost);
      }
    });
    system.A = std::make_unique<linalg::RankOperator<Exec>>(halo_, std::move(own), std::move(ghost), first_row(),
                                                            global_rows());
    system.A->set_near_kernel(system.near_kernel);
  }

  /// The same, and lets go what the operator does not borrow.
  void store(const CommonParams& params, System<Exec>& system, output::Summary& summary) const {
    make_operator(params, system, summary);
    if (!system.A->entries()) system.split.own = {};
    if (system.A->format() != linalg::BlockCrsView<>::format) system.split_blocks.own = {};
  }

  void shorten(System<Exec>& system) const {
    Array<double, Space> b(rows());
    linalg::copy(exec_, std::as_const(system.b).view().part(0, rows()), b.view());
    system.b = std::move(b);
  }

  Exec& exec_;
  const Discretisation& space_;
  std::shared_ptr<Link> link_;
  std::shared_ptr<linalg::Halo<Exec>> halo_;
};

/// What is fixed of the rows that this rank owns.
DirichletData of_owned_rows(DirichletData fixed, Index rows);

}  // namespace tessera::physics
