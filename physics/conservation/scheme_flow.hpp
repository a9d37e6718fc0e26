#pragma once
// A flow whose steps are those of a Scheme: what conservation laws of all kinds have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/profile.hpp"
#include "linalg/halo.hpp"
#include "linalg/interleave.hpp"
#include "output/checkpoint_header.hpp"
#include "output/summary.hpp"
#include "physics/conservation/steps.hpp"
#include "physics/conservation/theta_calls.hpp"
#include "physics/run/flow.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics::conservation {

/// To a steady state.
struct March {
  double tolerance = 0;      ///< the march ends where the rate of change has fallen by this factor
  double damping = 0;        ///< steps in which limits come to follow the state half as fast; 0: they do so at once
  double damping_below = 0;  ///< from where on, a factor as the tolerance
  double most_cfl = 0;       ///< of implicit steps, which grow as the rate of change falls
  double growth = 1;         ///< by this power

  bool damps() const { return damping > 0; }
};

/// Borrows all. A law says what its scheme is, and what its boundaries do.
template <class Exec>
class SchemeFlow : public Flow<Exec> {
 public:
  using typename Flow<Exec>::Space;
  using Step = typename Flow<Exec>::Step;
  using Exchange = typename Scheme<Exec>::Exchange;

  SchemeFlow(Exec& exec, const Discretisation& space, const TimeParams& time, output::Summary& summary)
      : exec_(exec), space_(space), time_(time), summary_(summary), rows_(space.rows()) {}

  std::string start(const OverRanks<Exec>& ranks, double t, const std::vector<double>& u, bool first) override {
    ranks_ = &ranks;
    before_start(t);
    make_steps();
    const auto nodes = static_cast<std::size_t>(nodes_seen()), n = static_cast<std::size_t>(components());
    std::vector<double> columns(u.size());
    for (std::size_t node = 0; node < nodes; ++node)
      for (std::size_t c = 0; c < n; ++c) columns[c * nodes + node] = u[node * n + c];
    copy_bytes(Host{}, columns.data(), Space{}, steps_->state().data(), columns.size() * sizeof(double));
    at_start(t, steps_->state(), first);
    return steps_->begin(t) ? std::string() : failure(t);
  }

  /// Of a march: where it is, and the residuals on the way. Of other implicit steps, what their length is up to.
  std::vector<double> kept() const override {
    if (march_.tolerance <= 0)
      return is_implicit() ? std::vector<double>{trusted_, static_cast<double>(taken_)} : std::vector<double>();
    std::vector<double> numbers{layout,  largest_,  static_cast<double>(marched_), is_damped_ ? 1.0 : 0.0, blend_,
                                fallen_, last_cfl()};
    numbers.insert(numbers.end(), history_.begin(), history_.end());
    return numbers;
  }
  void restore(const std::vector<double>& kept) override {
    if (march_.tolerance <= 0 && (kept.size() == 1 || kept.size() == 2)) {
      trusted_ = kept[0];
      if (kept.size() == 2) taken_ = static_cast<std::int64_t>(kept[1]);  // older ones have no count
    }
    if (march_.tolerance <= 0 || kept.size() <= 2) return;  // of a run that was no march, or to be none
    if (kept[0] != layout || kept.size() < kept_numbers)
      output::refuse_content("its numbers of [steady] are those of an older program");
    largest_ = kept[1];
    marched_ = static_cast<std::int64_t>(kept[2]);
    is_damped_ = kept[3] != 0;
    blend_ = kept[4];
    fallen_ = kept[5];
    last_cfl_ = kept[6];
    history_.assign(kept.begin() + kept_numbers, kept.end());
    lacks_limits_ = true;
  }

  Step step(double t, double most) override {
    const double cfl = time_.cfl.value_or(is_implicit() ? 0 : default_cfl);
    if (march_.tolerance > 0) return step_to_steady(t, most, is_implicit() ? growing(cfl) : cfl);
    if (!is_implicit() && time_.step && most > cfl * longest_step()) warn_of_length(t, cfl);
    const bool is_held = is_implicit() && trusted_ > 0 && trusted_ < most;
    const double length = without_crumb(t, cfl, is_held ? trusted_ : most);
    const auto done = steps_->step(t, cfl, length, shortest * (time_.end - time_.start));
    if (done.rejected > 0)  // the next one is as long, and each one after that at most twice the last
      trusted_ = done.dt;
    else
      trusted_ = is_held && done.dt >= trusted_ ? 2 * done.dt : 0;
    summarise_steps(summary_);
    if (!said_graph_ && steps_->replayed()) summary_.set("time.graph", said_graph_ = true);
    Step step{done.dt, done.rejected, {}};
    if (done.dt == 0) step.failure = failure(t);
    taken_ += done.dt > 0 ? 1 : 0;
    return step;
  }

  std::vector<double> u() override {
    const auto nodes = static_cast<std::size_t>(nodes_seen()), n = static_cast<std::size_t>(components());
    std::vector<double> columns(nodes * n), u(nodes * n);
    copy_bytes(Space{}, steps_->state().data(), Host{}, columns.data(), columns.size() * sizeof(double));
    for (std::size_t node = 0; node < nodes; ++node)
      for (std::size_t c = 0; c < n; ++c) u[node * n + c] = columns[c * nodes + node];
    return u;
  }
  View<const double> rows() override {
    const Offset nodes = nodes_seen();
    const View<const double> columns = steps_->state();
    for (int c = 0; c < components(); ++c)
      linalg::set_component(exec_, columns.part(c * nodes, nodes), c, components(), rows_.view());
    return rows_.view();
  }
  double longest_step() const override { return steps_->longest(); }
  Offset evaluations() const override { return steps_->evaluations(); }

 protected:
  /// Steps are those of each node by itself from now on, each of which counts as 1 of the time of the run, and the run
  /// ends where the rate of change of the first number has fallen by this factor.
  void march(const March& march) { march_ = march; }

  /// The scheme on this mesh. Phase: assemble.
  virtual std::unique_ptr<Scheme<Exec>> create_scheme(const Exchange& exchange) = 0;
  /// u [numbers, nodes seen] becomes a state that the boundary lets be at time t; ghosts follow by themselves.
  virtual void constrain(double t, View<double> u) = 0;
  /// Before there is a scheme.
  virtual void before_start(double) {}
  /// The state as it is given to the scheme, with its ghosts; `first`: it is that of the deck.
  virtual void at_start(double, View<double>, bool) {}
  /// What else the scheme looks at becomes that of time t and of the state u, before each look.
  virtual void prepare(double, View<const double>) {}
  /// Whether `constrain` and `prepare` do the same at any time, and on one rank only queue work where the vectors are.
  virtual bool is_same_at_any_time() const { return false; }
  /// What implicit steps have solved, for the summary; and what no step was short enough for and what to do about it,
  /// empty: nothing.
  virtual void summarise_steps(output::Summary&) const {}
  virtual std::string why_unsolved() const { return {}; }
  /// Longer steps that the last one of a march was tried with.
  virtual Offset rejected_locally() const { return 0; }
  /// Steps that are not those of stages; null: there are none.
  virtual std::unique_ptr<SchemeSteps<Exec>> create_implicit(ThetaCalls<Exec>) { return nullptr; }
  /// Throws Error(usage) where a state [nodes seen, numbers] that is lost says by itself what is wrong.
  virtual void refuse(const std::vector<double>&) const {}
  /// What a message says of the state at a node, [numbers].
  virtual std::string describe(const double* state) const = 0;
  /// "the gas a gas": what no step keeps where a state is lost.
  virtual const char* what_is_lost() const = 0;

  int components() const { return space_.components; }
  int dim() const { return space_.mesh.dim; }
  Offset nodes_seen() const { return space_.dofs.dofs; }
  Index owned() const { return space_.ranks ? space_.index_map.owned() : space_.dofs.dofs; }
  Scheme<Exec>& scheme() { return *scheme_; }
  const OverRanks<Exec>& ranks() const { return *ranks_; }
  /// Work of each rank alone; where it throws on one, all throw.
  template <class Work>
  void on_each(Work work) const {
    if (ranks_)
      ranks_->each(work);
    else
      work();
  }

  /// x [count, nodes seen], double or float. Collective.
  template <class T>
  void update_ghosts(View<T> x, int count) {
    if (!*ranks_) return;
    auto& halo = halos_[count];
    if (!halo) halo = std::make_unique<linalg::Halo<Exec>>(*ranks_->link(), space_.index_map, count);
    halo->update_columns(exec_, x);
  }

  Exec& exec_;
  const Discretisation& space_;
  const TimeParams& time_;

 private:
  static constexpr double default_cfl = 0.9;  ///< of a fixed step, which is shortened where it is too long

  /// `most`, or half of what is left of the run where a step of cfl times the longest one would leave less than such a
  /// step to the next: no step is what rounding has left.
  double without_crumb(double t, double cfl, double most) const {
    const double wanted = cfl * longest_step(), left = time_.end - t;
    if (cfl > 0 && wanted < most) return left < 2 * wanted ? left / 2 : most;
    constexpr double rounding = 1e-9;
    return left <= (1 + rounding) * most ? left : most;
  }

  /// Once a run.
  void warn_of_length(double t, double cfl) {
    if (std::exchange(is_warned_, true)) return;
    warn(fmt::format(
        "steps of {:.6g} are too long: at t = {:.6g} the longest one that surely keeps {} is {:.3g}, and such steps "
        "are shortened to {:g} of it; choose a smaller time.step, or time.cfl in its place",
        *time_.step, t, what_is_lost(), longest_step(), cfl));
  }

  void make_steps() {
    Scope scope(exec_, "assemble");
    Exchange exchange;
    if (*ranks_) exchange = [this](View<double> x, int count) { update_ghosts(x, count); };
    scheme_ = create_scheme(exchange);
    scheme_->set_measure(measure());
    typename SchemeSteps<Exec>::Least least;
    if (*ranks_)
      least = [this](std::vector<double>& numbers) {
        Communicator& ranks = ranks_->ranks();
        const std::size_t count = numbers.size();
        std::vector<double> all(count * static_cast<std::size_t>(ranks.size()));
        ranks.all_gather(numbers.data(), count * sizeof(double), all.data());
        for (std::size_t i = 0; i < all.size(); ++i) numbers[i % count] = std::min(numbers[i % count], all[i]);
      };
    const auto constrained = [this](double t, View<double> u) {
      constrain(t, u);
      update_ghosts(u, components());
    };
    const auto prepared = [this](double t, View<const double> u) { prepare(t, u); };
    const auto alone = [this](double t, View<double> u) { constrain(t, u); };
    std::function<void(View<double>)> ghosts;
    if (*ranks_) ghosts = [this](View<double> u) { update_ghosts(u, components()); };
    steps_ = is_implicit() ? create_implicit({constrained, alone, ghosts, least, prepared, ranks_})
                           : std::make_unique<SchemeSteps<Exec>>(exec_, *scheme_, stages_of(time_.scheme), constrained,
                                                                 least, prepared);
    if (goes_ahead())
      steps_->go_ahead(time_.cfl.value_or(default_cfl), time_.step.value_or(std::numeric_limits<double>::infinity()));
    summary_.set("assembly.strategy", "rows");
    summary_.set("assembly.bytes_per_stage", scheme_->bytes_per_stage());
  }

  /// Whether steps are queued before the host knows how long they are: on one GPU, where launches take longer than what
  /// they launch.
  bool goes_ahead() const {
    return std::is_same_v<Exec, Cuda> && !*ranks_ && !is_implicit() && march_.tolerance <= 0 &&
           nodes_seen() <= most_nodes_ahead && is_same_at_any_time();
  }

  /// Limits that follow the state at once may keep it from rest; those that do so ever more slowly, and stay as they
  /// are in the end, do not.
  void damp_limits() {
    if (!march_.damps()) return;
    constexpr double least = 1e-8;
    if (is_damped_) blend_ *= std::exp2(-1 / march_.damping);
    if (blend_ < least) blend_ = 0;
    scheme_->set_blend(std::exchange(lacks_limits_, false) ? 1 : blend_);
  }

  /// Whether the scheme of [time] is.
  bool is_implicit() const { return !is_of_stages(time_.scheme); }
  double last_cfl() const { return steps_->local_cfl() > 0 ? steps_->local_cfl() : last_cfl_; }
  /// Switched evolution relaxation: the longer, the further the rate of change has fallen, twice the last one at most.
  /// W. A. Mulder & B. van Leer, J. Comput. Phys. 59 (1985) 232.
  double growing(double cfl) {
    const double wanted = cfl * std::pow(fallen_, -march_.growth), most = march_.most_cfl;
    const double last = last_cfl();
    return std::min({wanted, most, last > 0 ? 2 * last : cfl});
  }

  Step step_to_steady(double t, double most, double cfl) {
    Step step{std::min(most, 1.0), 0, {}};
    damp_limits();
    const bool is_done = steps_->step_locally(t, cfl);
    step.rejected = rejected_locally();
    summarise_steps(summary_);
    if (!is_done) {
      step.dt = 0;
      step.failure = failure(t);
      return step;
    }
    double square = steps_->square_of_rates();
    in_common::add(space_.shared(), {&square, 1});
    const double rate = std::sqrt(square);
    largest_ = std::max(largest_, rate);
    const double fallen = fallen_ = largest_ > 0 ? rate / largest_ : 0;
    is_damped_ = is_damped_ || fallen <= march_.damping_below;
    const bool done = fallen <= march_.tolerance;
    if (done || marched_++ % every == 0) history_.push_back(rate);
    if (done) step.dt = most;
    summary_.set("steady.steps", marched_);
    summary_.set("steady.residual", fallen);
    summary_.set("steady.converged", done);
    if (is_implicit()) summary_.set("steady.cfl", steps_->local_cfl());
    if (done || most <= 1) summary_.set("steady.history", history_);
    if (!done && most <= 1)
      warn(fmt::format(
          "the flow is not steady: its rate of change has fallen to {:.2g} of the largest, and {:.2g} is asked "
          "for",
          fallen, march_.tolerance));
    return step;
  }

  double measure() const {
    std::vector<double> masses(static_cast<std::size_t>(owned()));
    copy_bytes(Space{}, scheme_->lumped_mass().data(), Host{}, masses.data(), masses.size() * sizeof(double));
    double total = 0;
    for (const double mass : masses) total += mass;
    in_common::add(space_.shared(), {&total, 1});
    return total;
  }

  /// Which node has lost its state, and what is there.
  std::string failure(double t) {
    on_each([&] { refuse(u()); });
    if (const std::string why = why_unsolved(); !why.empty())
      return fmt::format("step {}, after t = {:.6g}: none is short enough for {}",
                         (march_.tolerance > 0 ? marched_ : taken_) + 1, t, why);
    Index bad = steps_->bad();
    const bool lost = bad >= 0;
    const bool elsewhere = *ranks_ && any(ranks_->ranks(), lost) && !lost;
    if (!lost) bad = elsewhere ? -1 : steps_->slowest(t);
    std::string text;
    if (bad >= 0) {
      const double* const x = &space_.dof_points[3 * static_cast<std::size_t>(bad)];
      const std::vector<double> state = u();
      const double* const own = &state[static_cast<std::size_t>(bad) * static_cast<std::size_t>(components())];
      text = fmt::format("after t = {:.6g} {} at node {}, ({:.6g}, {:.6g}, {:.6g}): {}", t,
                         lost ? fmt::format("no step keeps {}", what_is_lost()) : too_short(), bad, x[0], x[1], x[2],
                         describe(own));
    }
    if (*ranks_) text = first_text(ranks_->ranks(), text);
    return text.empty() ? fmt::format("after t = {:.6g} {}", t, too_short()) : text;
  }
  static std::string too_short() {
    return fmt::format("steps become shorter than {:g} of the time of the run", shortest);
  }

  static constexpr double shortest = 1e-12;  ///< step, of the time of the run

  output::Summary& summary_;
  bool is_warned_ = false, said_graph_ = false;
  const OverRanks<Exec>* ranks_ = nullptr;
  std::unique_ptr<Scheme<Exec>> scheme_;
  std::unique_ptr<SchemeSteps<Exec>> steps_;
  std::map<int, std::unique_ptr<linalg::Halo<Exec>>> halos_;  ///< by components
  Array<double, Space> rows_;
  static constexpr int every = 20;  ///< steps between residuals that are kept
  March march_;                     ///< to a steady state, where its tolerance is above 0
  bool is_damped_ = false;          ///< whether limits follow the state more slowly with each step
  double blend_ = 1;                ///< of Scheme::set_blend
  bool lacks_limits_ = false;       ///< of earlier steps: the next one has its own
  double largest_ = 0;              ///< rate of change of a step
  double fallen_ = 1;               ///< the last one over it
  double trusted_ = 0;              ///< length up to which the next implicit step is; 0: any
  std::int64_t taken_ = 0;          ///< steps, where it is no march
  double last_cfl_ = 0;             ///< of the run that this one goes on with
  static constexpr std::size_t kept_numbers = 7;
  static constexpr double layout = -2;  ///< of the kept numbers; the first one of earlier layouts was not below 0
  std::int64_t marched_ = 0;
  std::vector<double> history_;
};

}  // namespace tessera::physics::conservation
