#pragma once
// Scheme of an equation, written once; modules instantiate it with theirs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/error.hpp"
#include "base/reduce_least.hpp"
#include "base/resident.hpp"
#include "physics/conservation/float_graph.hpp"
#include "physics/conservation/implicit_rows.hpp"
#include "physics/conservation/limit_rows.hpp"
#include "physics/conservation/monolithic.hpp"
#include "physics/conservation/node_passes.hpp"
#include "physics/conservation/rows.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/conservation/tiles.hpp"

namespace tessera::physics::conservation {

/// Of equations without one, Limiter::fct is not there. One that is has count, numbers of a node, and
/// run(exec, views, owned, exchange, dt, correction [count, nodes], to).
struct NoCorrection {
  static constexpr int count = 0;
};

/// `Correction`: that of Limiter::fct.
template <class Exec, class Equation, class Correction = NoCorrection>
class SchemeOf final : public Scheme<Exec> {
 public:
  using typename Scheme<Exec>::Space, typename Scheme<Exec>::Exchange, typename Scheme<Exec>::FloatExchange;
  using Real = typename Equation::Real;
  static constexpr int n = Equation::n, dim_ = Equation::dim;
  static constexpr bool limits_some = can_limit<Equation>, in_float = std::is_same_v<Real, float>;

  SchemeOf(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs, const Equation& equation,
           const LimitParams& params, Index owned, Exchange exchange, FloatExchange float_exchange = {},
           const typename Scheme<Exec>::Sum& sum = {})
      : exec_(exec),
        equation_(equation),
        params_(params),
        owned_(owned),
        exchange_(std::move(exchange)),
        float_exchange_(std::move(float_exchange)) {
    graph_.edges = assembly::make_edges(exec, mesh, dofs);
    graph_.loop = assembly::make_edge_loop(exec, graph_.edges, assembly::EdgeStrategy::nodes);
    const Offset entries = graph_.loop.lists.entries;
    stride_ = graph_.edges.nodes;
    make_tiles();
    if constexpr (in_float) {
      units_.set_length(unit_of_length(masses_of(graph_, owned_), dim_, sum));
      rounded_ = rounded(exec, graph_, units_.length, dim_);
      copy_ = Array<float, Space>(n * stride_);
    }
    node_ = Array<Real, Space>(Equation::node_count * stride_);
    if constexpr (limits_some) viscosity_ = Array<Real, Space>(entries);
    middle_ = Array<Real, Space>(middle_numbers<Equation> * stride_);
    longest_ = Array<double, Space>(owned_);
    found_ = Array<double, Space>(2 * slots + 1);  // the last one is square_of_rates()'s
    length_ = Array<double, Space>(1);
    length_.set_zero();
    if (corrects()) correction_ = Array<double, Space>(Correction::count * stride_);
    if (params_.limiter != Limiter::none) weight_ = Array<Real, Space>(stride_);
    set_prescribed({});
    if (!limits_edges()) return;
    part_ = Array<Real, Space>(entries);
    smooth_ = Array<Real, Space>(2 * stride_);
    low_ = Array<Real, Space>((n + Equation::guards) * stride_);
    relaxation_ = Array<Real, Space>(owned_);
    if (params_.limiter == Limiter::convex) {
      refused_ = Array<std::uint64_t, Space>(stride_);
      open_ = Array<std::uint64_t, Space>(owned_);
      names_ = Array<std::uint8_t, Space>(entries);
      for_each(exec, owned_, NamesPass{view_of(graph_), owned_, names_.data()});
    }
    set_measure(1);
  }

  int dim() const override { return dim_; }
  int numbers() const override { return n; }
  /// What the passes are given from now on.
  Equation& equation() { return equation_; }
  Offset nodes() const override { return stride_; }
  View<const double> lumped_mass() const override { return graph_.edges.node_lumped_mass.view(); }

  void set_measure(double measure) override {
    if (!limits_edges()) return;
    inverse_length_ = std::pow(measure, -1.0 / dim_);
    if constexpr (in_float) inverse_length_ /= units_.length;
    for_each(exec_, owned_,
             RelaxationPass<Real>{view_of(graph_), 1 / measure, 1.5 / dim_, params_.relaxation, relaxation_.data()});
  }

  void set_prescribed(const std::vector<typename Scheme<Exec>::Prescribed>& lists) override {
    if (params_.limiter == Limiter::none) return;
    for_each(exec_, stride_, WeightPass<Real>{rows(), weight_.data()});
    for (const auto& list : lists)
      for_each(exec_, list.nodes.size(), PrescribedPass<Real>{list.nodes.data(), list.values.data(), weight_.data()});
    exchange_ghosts(weight_.view(), 1);
  }

  void set_units([[maybe_unused]] const std::vector<double>& numbers, [[maybe_unused]] double speed) override {
    if constexpr (in_float) units_.set_state(numbers, speed);
  }

  void take(View<const double> u, int slot) override {
    const PassViews<Equation> v = views(u);
    if constexpr (Equation::node_count > 0)
      for_each(exec_, stride_, NodePass<Equation>{equation_, stride_, u.data(), node_.data(), copy_.data(), units_});
    if (limits_stages())
      gather(v);
    else
      for_rows<blocks_of_low_order>(RatesPass<Equation, false>{v, PassColumns<Equation>(v), 0, 0});
    reduce_least(exec_, owned_, StepOfNode{longest_.data()}, {StepOfNode::none, StepOfNode::none},
                 found_.data() + 2 * slot);
  }

  std::vector<StepLimit> limits(int count) override {
    std::vector<double> found(static_cast<std::size_t>(2 * count));
    copy_bytes(Space{}, found_.data(), Host{}, found.data(), found.size() * sizeof(double));
    return limits_of({found.data(), static_cast<Offset>(found.size())});
  }
  void note(const StepRule& rule, int count, View<double> note) override {
    for_each(exec_, Offset{1}, NotePass{rule, count, found_.data(), length_.data(), note.data()});
  }
  const double* noted_length() const override { return length_.data(); }

  Index slowest() override {
    std::vector<double> longest(static_cast<std::size_t>(owned_));
    copy_bytes(Space{}, longest_.data(), Host{}, longest.data(), longest.size() * sizeof(double));
    return static_cast<Index>(std::min_element(longest.begin(), longest.end()) - longest.begin());
  }

  void advance(View<const double> u, StepLength dt, double share, View<const double> start, View<double> to) override {
    const PassViews<Equation> v = views(u);
    if (!limits_stages())
      return for_each(exec_, owned_, LowPass<Equation>{v, in_rows(dt), share, start.data(), to.data()});
    if constexpr (limits_some) {
      find_bounds<false>(v, dt);
      const bool consistent = params_.consistent_mass;
      if (params_.limiter == Limiter::monolithic && is_blended_)
        return for_each(exec_, owned_,
                        MonolithicPass<Equation, true>{v, in_rows(dt), consistent, share, start.data(), to.data()});
      if (params_.limiter == Limiter::monolithic)
        return for_each(exec_, owned_,
                        MonolithicPass<Equation>{v, in_rows(dt), consistent, share, start.data(), to.data()});
      limit<false>(v, dt, params_.passes, share, start.data(), to.data());
    }
  }
  void advance_stage(View<const double> u, StepLength dt, const std::vector<double>& weights, bool is_last,
                     View<double> to) override {
    if (params_.limiter != Limiter::convex) throw Error(ExitCode::internal, "stages of one length are limited");
    PassViews<Equation> v = views(u);
    const std::size_t stage = weights.size();
    PastPass<Equation> pass{equation_, stride_, v.u, v.node, static_cast<int>(stage), {}, {}, nullptr, nullptr};
    for (std::size_t k = 0; k < stage; ++k) {
      pass.weights[k] = static_cast<Real>(weights[k]);
      pass.past[k] = past_[k].data();
    }
    const auto of_nodes = [&](Array<Real, Space>& array) {
      if (array.size() == 0) array = Array<Real, Space>(Offset{n} * dim_ * stride_);
      return array.data();
    };
    if (!is_last) pass.kept = of_nodes(past_[stage]);
    if (stage > 0) v.past = pass.sum = of_nodes(past_sum_);
    for_each(exec_, stride_, pass);
    if (stage == 0) return advance(u, dt, 0, u, to);
    if constexpr (limits_some) {
      find_bounds<true>(v, dt);
      limit<true>(v, dt, 2, 0, u.data(), to.data());
    }
  }

  void stretch(View<const double> u, double dt, double cfl, double share, View<const double> start,
               View<double> to) override {
    for_each(exec_, owned_,
             StretchPass{n, stride_, dt, cfl, share, longest_.data(), u.data(), start.data(), to.data()});
  }
  double square_of_rates(View<const double> before, View<const double> after, double cfl) override {
    double* const square = found_.data() + 2 * slots;
    reduce(exec_, owned_, SquareOfRate{1 / cfl, lumped_mass().data(), longest_.data(), before.data(), after.data()},
           square);
    double sum = 0;
    copy_bytes(Space{}, square, Host{}, &sum, sizeof sum);
    return sum;
  }

  void set_blend(double blend) override {
    is_blended_ = true;
    blend_ = blend;
  }

  View<const double> longest_steps() const override { return longest_.view(); }
  ImplicitMatrix<Space> implicit_pattern(const std::vector<Index>& boundary) override {
    return block_pattern(exec_, graph_, static_cast<Index>(owned_), boundary, n);
  }
  void implicit_matrix(View<const double> u, const ImplicitStep& step, ImplicitMatrix<Space>& A) override {
    if constexpr (is_implicit<Equation>)
      for_each(exec_, owned_,
               ImplicitPass<Equation>{views(u), step, places_of(A), A.own.values.data(), A.ghost.values.data()});
    else
      throw Error(ExitCode::internal, "this conservation law has no implicit steps");
  }

  bool corrects() const override {
    return (Correction::count > 0 && params_.limiter == Limiter::fct) || (limits_edges() && params_.at_end);
  }
  void correct(View<const double> u, StepLength dt, View<double> to) override {
    if constexpr (limits_some)
      if (limits_edges()) {
        const PassViews<Equation> v = views(u);
        gather(v);
        find_bounds<false>(v, 0);
        return limit<false>(v, dt, params_.passes, 0, nullptr, to.data());
      }
    if constexpr (Correction::count > 0)
      Correction::run(
          exec_, views(u), owned_, [this](View<double> x, int components) { exchange_ghosts(x, components); }, dt,
          correction_.view(), to);
  }

  void least_parts(View<const double> u, double dt, View<double> parts) override {
    if constexpr (std::is_same_v<Space, Host> && limits_some) {
      if (!limits_edges()) throw Error(ExitCode::internal, "this limiter has no parts of edges");
      const PassViews<Equation> v = views(u);
      const bool consistent = params_.consistent_mass;
      for_each(exec_, part_.size(), [part = part_.data()](Offset k) { part[k] = 1; });
      if (params_.at_end) gather(v);
      find_bounds<false>(v, params_.at_end ? 0 : dt);
      Array<double, Space> to(u.size());
      if (params_.limiter == Limiter::monolithic)
        for_each(exec_, owned_, MonolithicPass<Equation, true>{v, in_rows(dt), consistent, 0, nullptr, to.data()});
      else
        limit<false>(v, dt, 2, 0, nullptr, to.data());
      for_each(exec_, owned_, LeastPartPass<Real>{view_of(graph_), part_.data(), parts.data()});
    } else {
      throw Error(ExitCode::internal, "parts of edges are looked at on the host, where there are some");
    }
  }

  double bytes_per_stage() const override {
    constexpr double real = sizeof(Real), copied = in_float ? n * real : 0;
    const double entries = 2.0 * graph_.edges.edges, nodes = static_cast<double>(stride_);
    const double rates =
        entries * (real * dim_ + 0.25 + 4 + real) + nodes * (real * (2 * n + Equation::node_count) + 16);
    const double node = nodes * (8 * n + real * Equation::node_count + copied);
    if (!limits_edges()) return node + rates + nodes * (8 * 2 * n + real * n + 8);
    const double bounds = nodes * real * 6, middle = entries * (4 + real) + nodes * (real * (4 * n + 9) + 8);
    const double mass = params_.consistent_mass ? real : 0;
    // What is added to a state, and the states that a stage begins with and makes.
    const double made = nodes * (8 * 2 * n + 8 + copied);
    if (params_.limiter == Limiter::monolithic)
      return node + rates + bounds + middle + made + nodes * real * (2 * n + 8) +
             entries * (real * dim_ + 4 + real + mass);
    // Where nothing is refused.
    const double whole = made + nodes * real * (2 * n + Equation::bounds + 3) + entries * (4 + real + mass);
    return node + rates + bounds + middle + whole + entries * 5 + nodes * 8 * (2 * params_.passes - 1);
  }

 private:
  static constexpr int slots = 3;
  // Blocks of 128 on a multiprocessor, as measured on an H200 (2026-11-26 and 27): rates of the plane take 14 per cent
  // longer with 3, those of space 14 to 19 with 4; with 5 all spill, and take 26 to 73 longer. Those of low order alone
  // take in space 13 to 27 longer with 3. Rows that take all of each edge take in the plane 12 per cent longer with 4,
  // in space 9 to 12 with 5; the passes of the limiter up to 29 longer with 4, up to 18 with 8. In float rates take 2
  // to 17 per cent longer with 6, 19 to 34 with 10; rows that take all of each edge 34 to 36 with 5, 3 to 24 with 10;
  // the limiter 6 to 19 with 6, up to 44 with 12.
  static constexpr bool in_space_ahead = dim_ == 3 && Equation::reads_ahead;
  static constexpr int blocks_of_rates = in_float         ? 8
                                         : in_space_ahead ? 3
                                                          : 4,
                       blocks_of_low_order = in_float ? 8 : 4, blocks_of_middle = 8,
                       blocks_of_whole = in_float         ? 8
                                         : in_space_ahead ? 4
                                                          : 5,
                       blocks_of_limit = in_float ? 8 : 6;

  bool limits_edges() const {
    return limits_some && (params_.limiter == Limiter::convex || params_.limiter == Limiter::monolithic);
  }
  bool limits_stages() const { return limits_edges() && !params_.at_end; }

  /// u is the state; that as rows read it is the one that was taken.
  PassViews<Equation> views(View<const double> u) {
    const Real* read = copy_.data();
    if constexpr (!in_float) read = u.data();
    return {rows(),
            equation_,
            stride_,
            u.data(),
            read,
            node_.data(),
            viscosity_.data(),
            part_.data(),
            middle_.data(),
            smooth_.data(),
            longest_.data(),
            low_.data(),
            weight_.data(),
            relaxation_.data(),
            nullptr,
            static_cast<Real>(blend_),
            refused_.data(),
            open_.data(),
            names_.data(),
            units_};
  }
  StepLength in_rows(StepLength dt) const { return dt.part(units_.step_in_rows(1)); }
  GraphViewOf<Real> rows() const {
    if constexpr (in_float)
      return rounded_.view;
    else
      return view_of(graph_);
  }
  /// What rows gather of their neighbours: viscosities, rates, the indicator and bounds.
  void gather([[maybe_unused]] const PassViews<Equation>& v) {
    if constexpr (limits_some)
      for_rows<blocks_of_rates>(RatesPass<Equation, true>{v, PassColumns<Equation>(v),
                                                          static_cast<Real>(params_.viscosity_factor),
                                                          static_cast<Real>(inverse_length_)});
  }
  /// And the state of low order after dt; of 0 it is the one that was taken.
  template <bool staged>
  void find_bounds(const PassViews<Equation>& v, StepLength dt) {
    exchange_ghosts(smooth_.view(), 2);
    for_rows<blocks_of_middle>(MiddlePass<Equation, staged>{v, PassColumns<Equation>(v), in_rows(dt), params_.relaxed});
    exchange_ghosts(middle_.view(), middle_numbers<Equation>);
  }
  template <bool staged>
  void limit(const PassViews<Equation>& v, StepLength dt, int passes, double share, const double* start, double* to) {
    if constexpr (Equation::powers)
      if (equation_.has_powers()) return limit_as<staged, true>(v, dt, passes, share, start, to);
    limit_as<staged, false>(v, dt, passes, share, start, to);
  }
  template <bool staged, bool powers>
  void limit_as(const PassViews<Equation>& v, StepLength dt, int passes, double share, const double* start,
                double* to) {
    const PassColumns<Equation> columns(v);
    const Antidiffusion<Equation, true, staged> edges{v, columns, in_rows(dt), params_.consistent_mass};
    for_rows<blocks_of_whole>(WholePass<Equation, staged, powers>{edges, share, start, to});
    static_assert(sizeof(std::uint64_t) == sizeof(double));
    exchange_ghosts({reinterpret_cast<double*>(refused_.data()), stride_}, 1);
    if (passes == 1)
      return for_rows<blocks_of_limit>(LimitPass<Equation, true, true, staged, powers>{edges, share, start, to});
    for_rows<blocks_of_limit>(LimitPass<Equation, true, false, staged, powers>{edges, share, start, to});
    exchange_ghosts(low_.view(), n + Equation::guards);
    for_rows<blocks_of_limit>(LimitPass<Equation, false, true, staged, powers>{
        {v, columns, in_rows(dt), params_.consistent_mass}, share, start, to});
  }
  /// Slices of rows that a block of a GPU takes beside each other.
  void make_tiles() {
    constexpr Index slice = assembly::edge_slice<Space>;
    if constexpr (slice > 1) {
      const Index width = std::max<Index>(graph_.loop.lists.longest, 1),
                  slices = static_cast<Index>((owned_ + slice - 1) / slice);
      Array<Index, Space> around(Offset{slices} * width);
      for_each(exec_, slices, AroundPass{view_of(graph_), owned_, slice, width, around.data()});
      exec_.synchronize();
      tiles_ = to_space<Space>(in_tiles(to_vector(around), width, resident_block / slice));
    }
  }
  template <int blocks, class Pass>
  void for_rows(const Pass& pass) {
    constexpr Index slice = assembly::edge_slice<Space>;
    if constexpr (slice > 1)
      for_each_resident<blocks>(exec_, tiles_.size() * slice, InTiles<Pass, slice>{pass, tiles_.data(), owned_});
    else
      for_each_resident<blocks>(exec_, owned_, pass);
  }
  void exchange_ghosts(View<double> x, int components) {
    if (exchange_) exchange_(x, components);
  }
  void exchange_ghosts(View<float> x, int components) {
    if (exchange_) float_exchange_(x, components);
  }

  Exec& exec_;
  Equation equation_;
  LimitParams params_;
  Offset owned_, stride_ = 0;
  double inverse_length_ = 1, blend_ = 1;
  Units<Real, n> units_;  ///< in which rows count
  bool is_blended_ = false;
  Exchange exchange_;
  FloatExchange float_exchange_;
  Graph<Space> graph_;
  Array<Real, Space> node_, viscosity_, part_, middle_, smooth_, low_, weight_, relaxation_, past_[most_past],
      past_sum_;  ///< the last two: [n, dim, nodes], where stages ask for them
  Array<double, Space> longest_, found_, length_, correction_;
  Array<Real, Space> copy_;  ///< [n, nodes] the state that was taken, where rows read floats
  FloatGraph<Space> rounded_;
  Array<std::uint64_t, Space> refused_, open_;
  Array<std::uint8_t, Space> names_;
  Array<Index, Space> tiles_;  ///< slices of rows as blocks of a GPU take them
};

}  // namespace tessera::physics::conservation
