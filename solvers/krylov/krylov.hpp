#pragma once
// What every Krylov method does around its iteration. Host code: it only calls declared functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/link.hpp"
#include "base/posted.hpp"
#include "base/replay.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/fit.hpp"
#include "solvers/krylov/equation.hpp"
#include "solvers/params.hpp"
#include "solvers/precondition/preconditioner.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// A method that iterates on a residual, with its vectors, for one solve after the other. The method queues blocks of
/// iterations, whose scalars stay with the vectors; the host fetches them after every block and judges, while the next
/// block runs where it is likely to be needed. Only b - A x, recomputed, decides that a solution is accepted: while it
/// does not meet the tolerance, the method is started again from it.
template <class Exec, class T>
class Krylov {
 public:
  using Space = typename Exec::Space;

  virtual ~Krylov() = default;
  /// From now on A, and M of A, of the size and the form that they were made for.
  void bind(const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M) {
    A_ = &A;
    M_ = &M;
    replay_.forget();
  }
  Report run(Equation<Exec, T>& equation, const Monitor& monitor);

 protected:
  /// What the host learns about one iteration.
  struct Look {
    double norm = 0;        ///< ||r|| after it, as the recurrence has it
    std::string breakdown;  ///< the method cannot go on from here, but may be started again from x
    std::string failure;    ///< and this is why it should not
    double decrease = 0;    ///< of (e, A e), e the error, where the method knows it
  };

  Krylov(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M, const SolverParams& params,
         int scalars_per_block, int longest_block)
      : exec_(exec),
        A_(&A),
        M_(&M),
        params_(params),
        block_(longest_block),
        r_(A.rows()),
        scalars_(scalars_per_block),
        host_(static_cast<std::size_t>(scalars_per_block)),
        posted_{Posted<Exec>(scalars_per_block), Posted<Exec>(scalars_per_block)} {}

  static constexpr bool queues_ahead = !std::is_same_v<Exec, Threads>;

  static bool is_identity(const Preconditioner<Exec, T>& M) { return M.diagonal() && M.diagonal()->empty(); }

  /// Iterations between two looks of the host: threads look at every one.
  static int block_of(const SolverParams& params) {
    if (std::is_same_v<Exec, Threads>) return 1;
    const PreconditionerEntry* preconditioner = find_preconditioner(params);
    const bool own = preconditioner && preconditioner->check_every > 0 && !params.given.contains("check_every");
    return own ? preconditioner->check_every : params.check_every;
  }

  static std::string not_finite(int iteration) {
    return fmt::format("a value that is not finite appeared in iteration {}", iteration);
  }

  // --- What a method implements.
  /// r_ holds b - A x. `again`: its recurrence had arrived there too, so the direction of the last iteration may be
  /// kept.
  virtual void start(bool again) = 0;
  /// Queues `count` iterations, at most `block_` and `room()`.
  virtual void iterate(int count) = 0;
  /// Iteration i of the last block, from host_; texts call it `iteration`.
  virtual Look look(int i, int iteration) = 0;
  /// Brings x up to date with `done` iterations since the start. r_ is about to be overwritten.
  virtual void finish(int done) { (void)done; }
  /// A sentence when the true residual went from `before` to `after` between two starts and there is no use in a third.
  virtual std::string no_progress(double before, double after) const {
    (void)before, (void)after;
    return {};
  }
  /// What to do when max_iterations were not enough.
  virtual std::string advice() const { return "raise max_iterations or choose another preconditioner"; }
  /// Iterations that the method can do before it must be started again.
  virtual int room(int done) const {
    (void)done;
    return std::numeric_limits<int>::max();
  }
  /// For methods that keep their direction: with a residual of lower precision, `refresh` iterations, in whole blocks.
  int room_between_residuals(int done, int refresh) const {
    if (equation_->reach() == 0) return std::numeric_limits<int>::max();
    return (refresh + block_ - 1) / block_ * block_ - done;
  }
  /// Whether a recurrence may end before the solution: what is done after that moves x at random.
  virtual bool may_break_down() const { return false; }
  /// Whether every block of `block_` iterations queues the same work.
  virtual bool repeats() const { return true; }

  void fetch() { copy_bytes(Space{}, scalars_.data(), Host{}, host_.data(), scalars_.bytes()); }
  double host(int i) const { return host_[static_cast<std::size_t>(i)]; }

  Exec& exec_;
  const linalg::Operator<Exec, T>* A_;
  Preconditioner<Exec, T>* M_;
  const SolverParams& params_;  ///< of the owner
  Equation<Exec, T>* equation_ = nullptr;
  const Monitor* monitor_ = nullptr;
  View<T> x_;
  const int block_;
  Array<T, Space> r_;
  Array<double, Space> scalars_;
  std::vector<double> host_;
  Report report_;

 private:
  enum class End { small, broken, refresh, failed };
  void begin(Equation<Exec, T>& equation, const Monitor& monitor);
  End iterate_until_small(double& norm);
  int next_block(int done) const;
  bool is_replayed(int count) const {
    return count == block_ && repeats() && (!exec_.link() || exec_.link()->recordable());
  }
  void queue(int count);
  void take();
  void judge(int count, int& done, double& norm, End& end, bool& ended);
  double tolerance() const { return std::max(params_.tolerance, monitor_->tolerance); }
  double target() const { return std::max(tolerance() * reference_, params_.absolute_tolerance); }
  bool meets_tolerance(double norm);
  void conclude(double norm);
  std::string preconditioner_to_blame();
  std::string stagnation(double norm) const;
  std::string too_many(double norm) const;

  /// Iterations without a new least residual after which to give up (or as many as led to it, if more): badly scaled
  /// systems stay level for hundreds of iterations and then converge.
  static constexpr int stagnation_window = 2000;
  bool is_falling() const;

  Replay<Exec> replay_;
  std::array<Posted<Exec>, 2> posted_;  ///< scalars of two blocks
  std::size_t queued_ = 0, taken_ = 0;  ///< blocks since the start
  int first_iteration_ = 0;             ///< of the run, at the start
  double norm_b_ = 0, reference_ = 0, target_ = 0;
  double enough_ = 0;              ///< of the residual, until it is recomputed
  std::vector<double> decreases_;  ///< of (e, A e), of every iteration
  double best_ = std::numeric_limits<double>::infinity();
  int best_iteration_ = 0;
  std::string breakdown_;
};

/// Forgets the last solve, but for what it queued: as long as x stays where it is, the same again.
template <class Exec, class T>
void Krylov<Exec, T>::begin(Equation<Exec, T>& equation, const Monitor& monitor) {
  equation_ = &equation;
  monitor_ = &monitor;
  if (x_.data() != equation.x().data()) replay_.forget();
  x_ = equation.x();
  report_ = {};
  decreases_.clear();
  breakdown_.clear();
  best_ = std::numeric_limits<double>::infinity();
  best_iteration_ = 0;
}

template <class Exec, class T>
Report Krylov<Exec, T>::run(Equation<Exec, T>& equation, const Monitor& monitor) {
  begin(equation, monitor);
  norm_b_ = equation_->norm_b();
  if (!(norm_b_ > 0) || !std::isfinite(norm_b_)) {
    report_.failure = equation_->bad_right_hand_side();
    report_.converged = report_.failure.empty();
    report_.relative_residual = report_.converged ? 0 : std::numeric_limits<double>::quiet_NaN();
    if (report_.converged) {
      equation_->set_solution_to_zero();
      report_.history.push_back(0);
    }
    return report_;
  }
  reference_ = norm_b_;
  target_ = target();

  double norm = equation_->residual(r_);
  report_.history.push_back(norm);
  if (!std::isfinite(norm)) report_.failure = "the matrix or the initial guess holds a value that is not finite";
  double norm_before = std::numeric_limits<double>::infinity(), aimed = target_;
  End end = End::small;
  bool again = false;
  while (report_.failure.empty() && !meets_tolerance(norm)) {
    const bool arrived = target_ < aimed;  // where the method aimed; what it was related to has turned out smaller
    aimed = target_;
    if (arrived || end != End::refresh) {
      if (!arrived && norm > 0.9 * norm_before) {
        report_.failure = end == End::broken ? breakdown_ : stagnation(norm);
        break;
      }
      best_ = std::numeric_limits<double>::infinity();
      best_iteration_ = report_.iterations;
    }
    norm_before = norm;
    start(again);
    double recurred = norm;
    const double before = norm;
    end = iterate_until_small(recurred);
    norm = equation_->residual(r_);  // the recurrence of r drifts away from b - A x; only the latter counts
    ++report_.residuals;
    if (!std::isfinite(norm) && report_.failure.empty()) report_.failure = not_finite(report_.iterations);
    again = end != End::broken && norm <= 2 * recurred;
    if (end == End::refresh && norm > target_) report_.failure = no_progress(before, norm);
  }
  conclude(norm);
  // Where iterations were left; only then is there a vector more than `bytes` of the method says.
  if (!report_.converged && !report_.interrupted && report_.iterations < params_.max_iterations)
    if (const std::string why = preconditioner_to_blame(); !why.empty()) report_.failure = why;
  return report_;
}

/// A sentence where M^-1 makes vectors so much larger that nothing of them is left in their images: a sweep along the
/// rows then grows from row to row (H. C. Elman, A stability analysis of incomplete LU factorizations, Math. Comp. 47
/// (1986) 191-217). Overwrites r_.
template <class Exec, class T>
std::string Krylov<Exec, T>::preconditioner_to_blame() {
  if (M_->diagonal()) return {};
  Array<T, Space> z;
  std::string no_memory;  // for this question
  try {
    z = Array<T, Space>(r_.size());
  } catch (const Error& error) {
    no_memory = error.what();
  }
  if (!on_any_rank(exec_, no_memory).empty()) return {};
  const auto square = [&](const Array<T, Space>& v) {
    linalg::dot(exec_, v.view(), v, scalars_.data());
    fetch();
    return host(0);
  };
  linalg::fill_random(exec_, r_.view(), 1);
  const double before = square(r_);
  A_->apply(exec_, r_, z);
  if (!std::isfinite(square(z))) return {};
  M_->apply(exec_, r_, z);
  A_->apply(exec_, z, r_);
  const double growth = std::sqrt(square(r_) / before);
  if (growth < 1 / std::numeric_limits<double>::epsilon()) return {};
  const bool in_rows = params_.preconditioner == "ssor";
  return fmt::format(
      "preconditioner = \"{}\" is of no use for this matrix: it makes a vector {} times larger{}; choose {}",
      params_.preconditioner, std::isfinite(growth) ? fmt::format("{:.1e}", growth) : "more than 1e+38",
      in_rows ? ", for its sweeps grow from row to row where the entries beside the diagonal outweigh it, as those of "
                "convection without upwinding do"
              : "",
      in_rows ? "upwinding (discretisation = \"supg\" or \"upwind\"), solver.type = \"lu\", or type = \"gmres\" with "
                "restart = 200 and preconditioner = \"jacobi\""
              : "another one");
}

/// Where the residual seems small enough the solution is good enough to say what it is in proportion to.
template <class Exec, class T>
bool Krylov<Exec, T>::meets_tolerance(double norm) {
  if (!(norm <= target_)) return false;
  reference_ = equation_->reference(norm_b_, tolerance());
  target_ = target();
  return norm <= target_;
}

template <class Exec, class T>
void Krylov<Exec, T>::conclude(double norm) {
  report_.converged = meets_tolerance(norm);
  if (report_.converged && !report_.interrupted) report_.failure.clear();
  report_.reference = reference_;
  report_.relative_residual = norm / reference_;
  for (double& value : report_.history) value /= reference_;
  // (e, A e) of some iterations before the end is what was won since, and what is left: Hestenes & Stiefel 1952,
  // theorem 6:1; Strakos & Tichy, On error estimation in the conjugate gradient method, ETNA 13 (2002) 56-80.
  // As few iterations as won a hundred times what the last one did: what is left then counts for little.
  const std::size_t look_back = std::max<std::size_t>(10, decreases_.size() / 10),
                    first = decreases_.size() - std::min(look_back, decreases_.size());
  double won = 0;
  for (std::size_t i = decreases_.size(); i > first && won <= 100 * decreases_.back(); --i) won += decreases_[i - 1];
  report_.energy_error = std::sqrt(won);
}

/// Iterations of the block behind `done` since the start; none where the method must be started again first.
template <class Exec, class T>
int Krylov<Exec, T>::next_block(int done) const {
  int count = std::min({block_, params_.max_iterations - first_iteration_ - done, room(done)});
  if (params_.residual_every > 0) count = std::min(count, params_.residual_every - done);
  return count;
}

/// Queues a block, with what the host will look at.
template <class Exec, class T>
void Krylov<Exec, T>::queue(int count) {
  if (is_replayed(count))
    replay_.run(exec_, [this] { iterate(block_); });
  else
    iterate(count);
  Posted<Exec>& posted = posted_[queued_++ % posted_.size()];
  linalg::copy(exec_, std::as_const(scalars_).view(), posted.target());
  posted.post(exec_);
}

/// Waits for the scalars of the next block that was queued.
template <class Exec, class T>
void Krylov<Exec, T>::take() {
  const View<const double> scalars = posted_[taken_++ % posted_.size()].read();
  std::copy(scalars.data(), scalars.data() + scalars.size(), host_.begin());
}

/// Iterates until the residual of the recurrence meets the tolerance, or something ends it. For CUDA the host queues a
/// block that is replayed before it looks at the one before, unless the residual may be small then: the device has no
/// gap between them, and where the host was wrong one block was too many.
template <class Exec, class T>
typename Krylov<Exec, T>::End Krylov<Exec, T>::iterate_until_small(double& norm) {
  enough_ = std::max(target_, equation_->reach() * norm);
  End end = End::small;
  bool ended = false, stops = false;
  int done = 0, ahead = 0;
  double least_ratio = 1;  // of residuals after and before a block
  first_iteration_ = report_.iterations;
  queued_ = taken_ = 0;
  while ((norm > enough_ || ahead > 0) && !ended) {
    int count = std::exchange(ahead, 0);
    if (count == 0) {
      count = next_block(done);
      if (report_.iterations >= params_.max_iterations) {
        report_.failure = too_many(norm);
        end = End::failed;
        break;
      }
      if (count <= 0) {
        end = End::refresh;
        break;
      }
      queue(count);
    }
    // As if each of two blocks did what the best one did: residuals do not fall evenly.
    const bool far =
        queues_ahead && !may_break_down() && !stops && done > 0 && norm * least_ratio * least_ratio > enough_;
    if (far && is_replayed(count) && is_replayed(next_block(done + count))) queue(ahead = block_);
    take();
    const double before = norm;
    judge(count, done, norm, end, ended);
    least_ratio = std::min(least_ratio, norm / before);
    if (monitor_->progress) monitor_->progress(report_.iterations, norm / reference_);
    stops = stops || (monitor_->stop && monitor_->stop());
    if (stops && (ahead == 0 || ended)) {
      report_.interrupted = true;
      report_.failure = fmt::format("interrupted in iteration {}", report_.iterations);
      end = End::failed;
      break;
    }
  }
  finish(done);
  return end;
}

/// Looks at the scalars of `count` iterations; `norm` becomes the residual's norm after the last that counts.
template <class Exec, class T>
void Krylov<Exec, T>::judge(int count, int& done, double& norm, End& end, bool& ended) {
  for (int i = 0; i < count && !ended; ++i) {
    const int iteration = report_.iterations + 1;
    const Look seen = look(i, iteration);
    if (!seen.failure.empty() || !seen.breakdown.empty()) {
      // What a block does after the residual has become tiny is no news.
      ended = true;
      if (norm <= enough_) return;
      report_.failure = seen.failure;
      breakdown_ = seen.breakdown;
      end = seen.failure.empty() ? End::broken : End::failed;
      return;
    }
    ++done;
    ++report_.iterations;
    norm = seen.norm * equation_->scale();
    report_.history.push_back(norm);
    if (seen.decrease > 0) decreases_.push_back(seen.decrease * equation_->scale() * equation_->scale());
    if (norm < best_) {
      best_ = norm;
      best_iteration_ = report_.iterations;
    } else if (report_.iterations - best_iteration_ > std::max(stagnation_window, best_iteration_) && norm > target_ &&
               report_.iterations % (stagnation_window / 20) == 0 && !is_falling()) {
      report_.failure = stagnation(norm);
      end = End::failed;
      ended = true;
    }
  }
}

/// Whether the residual is on its way down though it was lower once: that of CG may first grow a thousandfold, where
/// cells are long and thin. By the least of the first and of the last quarter of the window.
template <class Exec, class T>
bool Krylov<Exec, T>::is_falling() const {
  constexpr int quarter = stagnation_window / 4;
  const auto end = report_.history.end(),
             begin = end - std::min<std::ptrdiff_t>(stagnation_window, end - report_.history.begin());
  if (end - begin < stagnation_window) return true;
  return *std::min_element(end - quarter, end) < 0.9 * *std::min_element(begin, begin + quarter);
}

/// Rounding leaves some digits of a residual; far above them it is the method that has come to its end.
template <class Exec, class T>
std::string Krylov<Exec, T>::stagnation(double norm) const {
  constexpr double rounding = 1e-5;
  const Apart apart(norm / reference_, target_ / reference_);
  return fmt::format(
      "the residual stays at {} and does not reach the tolerance {}: {}", apart.first, apart.second,
      norm < rounding * reference_
          ? "rounding forbids less, or the matrix is singular; raise the tolerance, or look for a missing Dirichlet "
            "condition"
          : "the matrix is singular, look for a missing Dirichlet condition; or badly conditioned, as long thin cells "
            "and large jumps of a coefficient make it: choose another preconditioner, or type = \"direct\" or \"lu\"");
}
template <class Exec, class T>
std::string Krylov<Exec, T>::too_many(double norm) const {
  const Apart apart(norm / reference_, target_ / reference_);
  return fmt::format("the residual is {} after {}, asked for {}; {}", apart.first,
                     counted(report_.iterations, "iteration"), apart.second, advice());
}

}  // namespace tessera::solvers
