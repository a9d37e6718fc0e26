#pragma once
// Scheme of an equation, written once; modules instantiate it with theirs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/error.hpp"
#include "base/resident.hpp"
#include "physics/conservation/implicit_rows.hpp"
#include "physics/conservation/monolithic.hpp"
#include "physics/conservation/rows.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/conservation/tiles.hpp"

namespace tessera::physics::conservation {

/// The least of `longest` and its first entry that is not positive (none: 1e300), by `strides` threads of which each
/// looks at every `strides`-th entry.
struct LeastPass {
  Offset owned, strides;
  const double* longest;
  double* least;  ///< [2, strides]

  TESSERA_HD void operator()(Offset k) const {
    double result = 1e300, first = 1e300;
    for (Offset i = k; i < owned; i += strides) {
      const double value = longest[i];
      if (value > 0)
        result = value < result ? value : result;
      else if (first == 1e300)
        first = static_cast<double>(i);
    }
    least[k] = result;
    least[strides + k] = first;
  }
};

/// The least of both numbers, by `few` threads.
struct FewLeastPass {
  Offset strides, few;
  const double* least;  ///< [2, strides]
  double* found;        ///< [2, few]

  TESSERA_HD void operator()(Offset k) const {
    for (Offset which = 0; which < 2; ++which) {
      double result = 1e300;
      for (Offset i = k; i < strides; i += few) result = std::fmin(result, least[which * strides + i]);
      found[which * few + k] = result;
    }
  }
};

/// Of each limited edge the share of a node: n_i / m_i.
struct WeightPass {
  GraphView graph;
  double* weight;

  TESSERA_HD void operator()(Offset i) const { weight[i] = graph.degree[i] / graph.lumped_mass[i]; }
};

/// Takes prescribed nodes out of what is limited.
struct PrescribedPass {
  const Index* nodes;
  const double* values;
  double* weight;

  TESSERA_HD void operator()(Offset k) const {
    if (values[k] == values[k]) weight[nodes[k]] = 0;
  }
};

/// By which part bounds may be relaxed: factor (m_i / |Omega|)^(3 / (2 dim)), like h^(3/2).
struct RelaxationPass {
  GraphView graph;
  double inverse_measure, exponent, factor;
  double* relaxation;

  TESSERA_HD void operator()(Offset i) const {
    relaxation[i] = std::fmin(0.5, factor * std::pow(graph.lumped_mass[i] * inverse_measure, exponent));
  }
};

/// share start + (1 - share) (u + dt r) with the dt of the node in the place of that of all.
struct StretchPass {
  int numbers;
  Offset stride;
  double dt, cfl, share;
  const double *longest, *u, *start;
  double* to;

  TESSERA_HD void operator()(Offset i) const {
    const double ratio = cfl * longest[i] / dt;
    for (int k = 0; k < numbers; ++k) {
      const Offset at = k * stride + i;
      const double before = share > 0 ? share * start[at] : 0;
      const double moved = (to[at] - before) / (1 - share);
      to[at] = before + (1 - share) * (u[at] + ratio * (moved - u[at]));
    }
  }
};

/// m (d/dt)^2 of the first number.
struct SquareOfRate {
  double inverse_cfl;
  const double *mass, *longest, *before, *after;

  TESSERA_HD double operator()(Offset i) const {
    const double rate = (after[i] - before[i]) * inverse_cfl / longest[i];
    return mass[i] * rate * rate;
  }
};

/// The least part of the edges of a node.
struct LeastPartPass {
  GraphView graph;
  const double* part;
  double* least;

  TESSERA_HD void operator()(Offset node) const {
    double result = 1;
    graph.each(static_cast<Index>(node), [&](Offset entry, Index) { result = std::fmin(result, part[entry]); });
    least[node] = result;
  }
};

/// Of equations without one, Limiter::fct is not there. One that is has count, numbers of a node, and
/// run(exec, views, owned, exchange, dt, correction [count, nodes], to).
struct NoCorrection {
  static constexpr int count = 0;
};

/// `Correction`: that of Limiter::fct.
template <class Exec, class Equation, class Correction = NoCorrection>
class SchemeOf final : public Scheme<Exec> {
 public:
  using typename Scheme<Exec>::Space, typename Scheme<Exec>::Exchange;
  static constexpr int n = Equation::n, dim_ = Equation::dim;
  static constexpr bool limits_some = can_limit<Equation>;

  SchemeOf(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs, const Equation& equation,
           const LimitParams& params, Index owned, Exchange exchange)
      : exec_(exec), equation_(equation), params_(params), owned_(owned), exchange_(std::move(exchange)) {
    graph_.edges = assembly::make_edges(exec, mesh, dofs);
    graph_.loop = assembly::make_edge_loop(exec, graph_.edges, assembly::EdgeStrategy::nodes);
    const Offset entries = graph_.loop.lists.entries;
    stride_ = graph_.edges.nodes;
    make_tiles();
    strides_ = std::min<Offset>(owned_, most_strides);
    node_ = Array<double, Space>(Equation::node_count * stride_);
    if constexpr (limits_some) viscosity_ = Array<double, Space>(entries);
    middle_ = Array<double, Space>(middle_numbers<Equation> * stride_);
    longest_ = Array<double, Space>(owned_);
    least_ = Array<double, Space>(2 * strides_);
    found_ = Array<double, Space>(slots * 2 * few);
    if (corrects()) correction_ = Array<double, Space>(Correction::count * stride_);
    if (params_.limiter != Limiter::none) weight_ = Array<double, Space>(stride_);
    set_prescribed({});
    if (!limits_edges()) return;
    part_ = Array<double, Space>(entries);
    smooth_ = Array<double, Space>(2 * stride_);
    low_ = Array<double, Space>((n + Equation::guards) * stride_);
    relaxation_ = Array<double, Space>(owned_);
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
    for_each(exec_, owned_,
             RelaxationPass{view_of(graph_), 1 / measure, 1.5 / dim_, params_.relaxation, relaxation_.data()});
  }

  void set_prescribed(const std::vector<typename Scheme<Exec>::Prescribed>& lists) override {
    if (params_.limiter == Limiter::none) return;
    for_each(exec_, stride_, WeightPass{view_of(graph_), weight_.data()});
    for (const auto& list : lists)
      for_each(exec_, list.nodes.size(), PrescribedPass{list.nodes.data(), list.values.data(), weight_.data()});
    exchange_ghosts(weight_.view(), 1);
  }

  void take(View<const double> u, int slot) override {
    const PassViews<Equation> v = views(u);
    if constexpr (Equation::node_count > 0)
      for_each(exec_, stride_, NodePass<Equation>{equation_, stride_, v.u, node_.data()});
    if (!limits_edges()) for_rows<blocks_of_rates>(RatesPass<Equation, false>{v, 0, 0});
    if constexpr (limits_some)
      if (limits_edges())
        for_rows<blocks_of_rates>(RatesPass<Equation, true>{v, params_.viscosity_factor, inverse_length_});
    for_each(exec_, strides_, LeastPass{owned_, strides_, longest_.data(), least_.data()});
    for_each(exec_, few, FewLeastPass{strides_, few, least_.data(), found_.data() + slot * 2 * few});
  }

  std::vector<StepLimit> limits(int count) override {
    std::vector<double> found(static_cast<std::size_t>(count * 2 * few));
    copy_bytes(Space{}, found_.data(), Host{}, found.data(), found.size() * sizeof(double));
    std::vector<StepLimit> result;
    for (auto least = found.begin(); least != found.end(); least += 2 * few) {
      const double bad = *std::min_element(least + few, least + 2 * few);
      result.push_back({*std::min_element(least, least + few), bad < 1e300 ? static_cast<Index>(bad) : -1});
    }
    return result;
  }

  Index slowest() override {
    std::vector<double> longest(static_cast<std::size_t>(owned_));
    copy_bytes(Space{}, longest_.data(), Host{}, longest.data(), longest.size() * sizeof(double));
    return static_cast<Index>(std::min_element(longest.begin(), longest.end()) - longest.begin());
  }

  void advance(View<const double> u, double dt, double share, View<const double> start, View<double> to) override {
    const PassViews<Equation> v = views(u);
    if (!limits_edges()) return for_each(exec_, owned_, LowPass<Equation>{v, dt, share, start.data(), to.data()});
    if constexpr (limits_some) {
      find_bounds<false>(v, dt);
      const bool consistent = params_.consistent_mass;
      if (params_.limiter == Limiter::monolithic && is_blended_)
        return for_each(exec_, owned_,
                        MonolithicPass<Equation, true>{v, dt, consistent, share, start.data(), to.data()});
      if (params_.limiter == Limiter::monolithic)
        return for_each(exec_, owned_, MonolithicPass<Equation>{v, dt, consistent, share, start.data(), to.data()});
      if (params_.passes == 1) return limit<true, true, false>(v, dt, share, start.data(), to.data());
      limit_twice<false>(v, dt, share, start.data(), to.data());
    }
  }
  void advance_stage(View<const double> u, double dt, const std::vector<double>& weights, bool is_last,
                     View<double> to) override {
    if (params_.limiter != Limiter::convex) throw Error(ExitCode::internal, "stages of one length are limited");
    PassViews<Equation> v = views(u);
    const std::size_t stage = weights.size();
    PastPass<Equation> pass{equation_, stride_, v.u, v.node, static_cast<int>(stage), {}, {}, nullptr, nullptr};
    for (std::size_t k = 0; k < stage; ++k) {
      pass.weights[k] = weights[k];
      pass.past[k] = past_[k].data();
    }
    const auto of_nodes = [&](Array<double, Space>& array) {
      if (array.size() == 0) array = Array<double, Space>(Offset{n} * dim_ * stride_);
      return array.data();
    };
    if (!is_last) pass.kept = of_nodes(past_[stage]);
    if (stage > 0) v.past = pass.sum = of_nodes(past_sum_);
    for_each(exec_, stride_, pass);
    if (stage == 0) return advance(u, dt, 0, u, to);
    if constexpr (limits_some) {
      find_bounds<true>(v, dt);
      limit_twice<true>(v, dt, 0, u.data(), to.data());
    }
  }

  void stretch(View<const double> u, double dt, double cfl, double share, View<const double> start,
               View<double> to) override {
    for_each(exec_, owned_,
             StretchPass{n, stride_, dt, cfl, share, longest_.data(), u.data(), start.data(), to.data()});
  }
  double square_of_rates(View<const double> before, View<const double> after, double cfl) override {
    reduce(exec_, owned_, SquareOfRate{1 / cfl, lumped_mass().data(), longest_.data(), before.data(), after.data()},
           found_.data());
    double sum = 0;
    copy_bytes(Space{}, found_.data(), Host{}, &sum, sizeof sum);
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

  bool corrects() const override { return Correction::count > 0 && params_.limiter == Limiter::fct; }
  void correct(View<const double> u, double dt, View<double> to) override {
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
      find_bounds<false>(v, dt);
      Array<double, Space> to(u.size());
      if (params_.limiter == Limiter::monolithic)
        for_each(exec_, owned_, MonolithicPass<Equation, true>{v, dt, consistent, 0, nullptr, to.data()});
      else
        limit<true, false, false>(v, dt, 0, nullptr, nullptr);
      for_each(exec_, owned_, LeastPartPass{view_of(graph_), part_.data(), parts.data()});
    } else {
      throw Error(ExitCode::internal, "parts of edges are looked at on the host, where there are some");
    }
  }

  double bytes_per_stage() const override {
    const double entries = 2.0 * graph_.edges.edges, nodes = static_cast<double>(stride_);
    const double rates = entries * (8.0 * dim_ + 0.25 + 4 + 8) + nodes * 8 * (2 * n + Equation::node_count + 2);
    const double node = nodes * 8 * (n + Equation::node_count);
    if (!limits_edges()) return node + rates + nodes * 8 * (3 * n + 1);
    const double middle = entries * 12 + nodes * 8 * (4 * n + 10);
    const double of_pass = nodes * 8 * (3 * n + 8 + n + 1);
    const double mass = params_.consistent_mass ? 8 : 0;
    if (params_.limiter == Limiter::monolithic)
      return node + rates + nodes * 8 * 6 + middle + of_pass + entries * (8.0 * dim_ + 12 + mass);
    return node + rates + nodes * 8 * 6 + middle + params_.passes * (of_pass + entries * (12 + mass)) +
           (params_.passes - 1) * entries * 16;
  }

 private:
  static constexpr Offset most_strides = 65536;  ///< threads that look for the longest step: 37 us, 16384 take 100
  static constexpr Offset few = 1024;            ///< numbers of them that the host looks at
  static constexpr int slots = 3;
  // Blocks of 128 on a multiprocessor; measured on an H100 (2026-11-25), when searches had kernels of their own: stages
  // of 3, 6, 3 took 8 to 10 per cent longer, those of 6, 7, 6, which spilt, 17 to 36.
  static constexpr int blocks_of_rates = dim_ < 3 ? 5 : 4, blocks_of_middle = 8, blocks_of_limit = 4,
                       blocks_of_powers = 4;

  bool limits_edges() const {
    return limits_some && (params_.limiter == Limiter::convex || params_.limiter == Limiter::monolithic);
  }

  PassViews<Equation> views(View<const double> u) {
    return {view_of(graph_),    equation_,      stride_,        u.data(),        node_.data(), viscosity_.data(),
            part_.data(),       middle_.data(), smooth_.data(), longest_.data(), low_.data(),  weight_.data(),
            relaxation_.data(), nullptr,        blend_};
  }
  template <bool staged>
  void find_bounds(const PassViews<Equation>& v, double dt) {
    exchange_ghosts(smooth_.view(), 2);
    for_rows<blocks_of_middle>(MiddlePass<Equation, staged>{v, dt, params_.relaxed});
    exchange_ghosts(middle_.view(), middle_numbers<Equation>);
  }
  template <bool staged>
  void limit_twice(const PassViews<Equation>& v, double dt, double share, const double* start, double* to) {
    limit<true, false, staged>(v, dt, 0, nullptr, nullptr);
    exchange_ghosts(low_.view(), n + Equation::guards);
    limit<false, true, staged>(v, dt, share, start, to);
  }
  template <bool first, bool last, bool staged>
  void limit(const PassViews<Equation>& v, double dt, double share, const double* start, double* to) {
    const bool consistent = params_.consistent_mass;
    if constexpr (Equation::powers)
      if (equation_.has_powers())
        return for_rows<blocks_of_powers>(
            LimitPass<Equation, first, last, staged, true>{v, dt, consistent, share, start, to});
    for_rows<blocks_of_limit>(LimitPass<Equation, first, last, staged>{v, dt, consistent, share, start, to});
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

  Exec& exec_;
  Equation equation_;
  LimitParams params_;
  Offset owned_, stride_ = 0, strides_ = 0;
  double inverse_length_ = 1, blend_ = 1;
  bool is_blended_ = false;
  Exchange exchange_;
  Graph<Space> graph_;
  Array<double, Space> node_, viscosity_, part_, middle_, smooth_, longest_, low_, weight_, relaxation_, least_, found_,
      correction_, past_[most_past], past_sum_;  ///< the last two: [n, dim, nodes], where stages ask for them
  Array<Index, Space> tiles_;                    ///< slices of rows as blocks of a GPU take them
};

}  // namespace tessera::physics::conservation
