#pragma once
#include <initializer_list>
#include <utility>

#include "base/link.hpp"
#include "base/posted.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics::wave {

/// Sums of squares of vectors that ranks share, which the host may read later without waiting for what is queued since.
template <class Exec>
class Squares {
 public:
  explicit Squares(int vectors) : sums_(vectors), posted_(vectors) {}

  /// Queues those of `vectors` [own rows], as many as the constructor was told. Collective.
  template <class T>
  void ask(Exec& exec, const OverRanks<Exec>& ranks, std::initializer_list<View<const T>> vectors) {
    const Linked linked(exec, ranks.link());
    double* sum = sums_.data();
    for (const View<const T> x : vectors) linalg::dot(exec, x, x, sum++);
    linalg::copy(exec, std::as_const(sums_).view(), posted_.target());
    posted_.post(exec);
  }
  /// The sum of those that were asked for last.
  double sum() const {
    double all = 0;
    const View<const double> sums = posted_.read();
    for (Offset i = 0; i < sums.size(); ++i) all += sums.data()[i];
    return all;
  }

 private:
  Array<double, typename Exec::Space> sums_;
  Posted<Exec> posted_;
};

}  // namespace tessera::physics::wave
