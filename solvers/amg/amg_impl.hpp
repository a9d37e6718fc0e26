#pragma once
// The preconditioner of multigrid by smoothed aggregation for one backend; only calls declared functions, so any
// compiler instantiates it.
#include <chrono>
#include <optional>

#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_clock.hpp"
#include "solvers/amg/hierarchy.hpp"
#include "solvers/amg/node_entries.hpp"
#include "solvers/amg/node_hierarchy.hpp"
#include "solvers/precondition/entries.hpp"

namespace tessera::solvers {

/// Whether the method takes its matrix for symmetric: then the preconditioner does, too.
inline bool takes_symmetric(const SolverParams& params) { return find_solver(params.type)->needs.symmetric; }

/// T: type of the outer iteration; V: of the hierarchy.
template <class Exec, class T, class V>
class Amg final : public Preconditioner<Exec, T> {
 public:
  explicit Amg(const SolverParams& params)
      : hierarchy_(params.preconditioning.as<AmgParams>(), takes_symmetric(params)),
        nodes_(params.preconditioning.as<AmgParams>()),
        where_(params.where) {}

  /// Where ranks share rows whose entries are not at hand, each takes the rows and columns that are its own.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>&, linalg::Sign,
                     Reuse reuse) override {
    if (reuse == Reuse::all) return {};
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    several_ = A.block_size() > 1;
    const std::string failure = several_ ? set_up_nodes(exec, A, reuse) : set_up_rows(exec, A, reuse);
    exec.synchronize();
    set_up_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    clock_ = {};
    return failure;
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override {
    clock_.start(exec);
    if (several_)
      nodes_.apply(exec, r, z);
    else
      hierarchy_.apply(exec, r, z);
    clock_.stop(exec);
  }
  bool set_up_takes_room() const override { return true; }
  void describe(Report& report) const override {
    report.multigrid = {several_ ? nodes_.sizes() : hierarchy_.sizes(), set_up_seconds_, clock_.seconds()};
  }

 private:
  /// How ranks share A, where they do and its entries are at hand on all of them.
  std::optional<amg::RowsOfRanks<Exec>> rows_of_ranks(Exec& exec, const linalg::Operator<Exec>& A) const {
    if (!exec.link()) return {};
    const auto beside = linalg::shared_rows_of(A);
    // A rank without rows may not know how many unknowns a node has.
    const bool agree = several_ == any(exec.link()->ranks(), several_);
    const bool known = agree && beside && (several_ ? beside->ghost_blocks.has_value() : beside->ghost.has_value());
    if (any(exec.link()->ranks(), !known)) return {};
    return amg::RowsOfRanks<Exec>{*beside, A.first_row(), A.global_rows()};
  }
  std::string set_up_rows(Exec& exec, const linalg::Operator<Exec>& A, Reuse reuse) {
    const auto ranks = rows_of_ranks(exec, A);
    const linalg::CrsView<const double> entries = entries_of(exec, A, reuse, entries_, "amg", where_);
    return reuse == Reuse::pattern && !hierarchy_.empty() ? hierarchy_.refresh(exec, entries, ranks)
                                                          : hierarchy_.set_up(exec, entries, ranks);
  }
  std::string set_up_nodes(Exec& exec, const linalg::Operator<Exec>& A, Reuse reuse) {
    const auto ranks = rows_of_ranks(exec, A);
    const amg::NodeMatrixView<const double> entries = node_entries_.of(exec, A, where_);
    return reuse == Reuse::pattern && !nodes_.empty() ? nodes_.refresh(exec, entries, A.near_kernel(), ranks)
                                                      : nodes_.set_up(exec, entries, A.near_kernel(), ranks);
  }

  amg::Hierarchy<Exec, V> hierarchy_;  ///< where a node has one unknown
  amg::NodeHierarchy<Exec, V> nodes_;  ///< and where it has several
  bool several_ = false;
  Entries<Exec> entries_;
  amg::NodeEntries<Exec> node_entries_;
  amg::CycleClock<Exec> clock_;
  double set_up_seconds_ = 0;
  deck::Where where_;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_amg(const SolverParams& params) {
  if (params.preconditioning.as<AmgParams>().hierarchy == "double")
    return std::make_unique<Amg<Exec, T, double>>(params);
  return std::make_unique<Amg<Exec, T, float>>(params);
}

}  // namespace tessera::solvers
