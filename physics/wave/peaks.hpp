#pragma once
// Maps of the largest values that nodes have had since the run began.
#include <algorithm>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/log.hpp"
#include "physics/wave/node_ops.hpp"
#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// Which maps a deck asks for, and what of them the host has seen last: [dofs seen], those of ghosts 0.
struct PeakMaps {
  struct Map {
    bool asked = false;
    std::vector<double> values = {};
  };
  Map u, rate;  ///< of |u|, or |p|; of the rate of change

  /// "peak_u", "peak_v", and of pressures "peak_p", "peak_p_rate".
  static std::string name(const std::string& of) { return "peak_" + of; }
  bool any() const { return u.asked || rate.asked; }
};

/// The maps of a run where its backend computes; one pass over the nodes a step for each that is asked for. Rates are
/// those half a step before and behind the states.
template <class Exec, class T>
class Peaks {
 public:
  using Space = typename Exec::Space;

  /// `maps` gets what the host sees, of `dofs` nodes of which this rank owns the first `owned`.
  Peaks(Exec& exec, PeakMaps* maps, int components, Index owned, Index dofs)
      : exec_(exec), maps_(maps), components_(components), dofs_(dofs) {
    for (const Pair& of : pairs())
      if (of.map->asked) {
        *of.peaks = Array<T, Space>(owned);
        of.peaks->set_zero();
      }
  }

  /// The state of a step: u [rows seen] and its rate [own rows].
  void take(const Array<T, Space>& u, const Array<T, Space>& rate) {
    if (!u_.empty()) take_peaks(exec_, components_, u.view(), u_.view());
    if (!rate_.empty()) take_peaks(exec_, components_, rate.view(), rate_.view());
  }
  /// Brings the maps to the host.
  void look() {
    for (const Pair& of : pairs())
      if (of.map->asked) {
        const std::vector<T> values = to_vector(*of.peaks);
        of.map->values.assign(values.begin(), values.end());
        of.map->values.resize(static_cast<std::size_t>(dofs_));
      }
  }

  /// For checkpoints: a vector [rows seen] each, with the number of a node in its first row.
  void add_kept(std::vector<std::vector<double>>& kept) const {
    for (const Array<T, Space>* of : {&u_, &rate_}) {
      if (of->empty()) continue;
      const std::vector<T> values = to_vector(*of);
      std::vector<double>& rows = kept.emplace_back(static_cast<std::size_t>(Offset{dofs_} * components_), 0.0);
      for (std::size_t i = 0; i < values.size(); ++i) rows[i * static_cast<std::size_t>(components_)] = values[i];
    }
  }
  /// From what add_kept has added behind the first ones; where it did not, maps begin anew.
  void restore(const std::vector<std::vector<double>>& kept, std::size_t first) {
    for (Array<T, Space>* of : {&u_, &rate_}) {
      if (of->empty()) continue;
      if (first >= kept.size()) {
        warn("the checkpoint has no peaks: their maps begin where the run goes on");
        return;
      }
      std::vector<T> values(static_cast<std::size_t>(of->size()));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(kept[first].at(i * static_cast<std::size_t>(components_)));
      *of = to_space<Space>(values);
      ++first;
    }
  }

 private:
  struct Pair {
    PeakMaps::Map* map;
    Array<T, Space>* peaks;
  };
  std::vector<Pair> pairs() {
    if (!maps_) return {};
    return {{&maps_->u, &u_}, {&maps_->rate, &rate_}};
  }

  Exec& exec_;
  PeakMaps* maps_;
  int components_;
  Index dofs_;
  Array<T, Space> u_, rate_;  ///< [own dofs]; empty: not asked for
};

}  // namespace tessera::physics::wave
