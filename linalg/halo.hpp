#pragma once
#include "base/array.hpp"
#include "base/index_map.hpp"
#include "base/link.hpp"

namespace tessera::linalg {

/// Brings the entries of a vector that other ranks own and this one sees, its ghosts: pack, exchange. Between `start`
/// and `finish` there is time for what needs no ghosts. Entries are double or float; 8 B of room for each that is sent
/// or received, and 8 B for each that is sent, and what the link takes for it.
template <class Exec>
class Halo {
 public:
  using Space = typename Exec::Space;
  /// Of vectors of `components` unknowns a number of the map, which are of one kind on all ranks. Collective.
  Halo(Link& link, const IndexMap& map, int components);

  /// Entries that come from others.
  Offset ghosts() const { return ghosts_; }
  /// Entries that go to others.
  Offset sent() const { return rows_.size(); }
  /// Rows that others see, ascending: no other row has a neighbour among the ghosts.
  const Array<Index, Space>& boundary() const { return boundary_; }
  /// x [owned rows], which what is queued afterwards may change. One exchange at a time.
  template <class T>
  void start(Exec& exec, View<const T> x) {
    start(exec, exec, x);
  }
  /// `aside` goes on beside exec (aside.hpp) and gets the exchange, where the link can do that, and then `finish`: x
  /// may change after both.
  template <class T>
  void start(Exec& exec, Exec& aside, View<const T> x) {
    start_into(exec, aside, x, {reinterpret_cast<T*>(received_.data()), ghosts_});
  }
  /// The same; after `finish` the ghosts are at `to` [ghosts] alone.
  template <class T>
  void start_into(Exec& exec, Exec& aside, View<const T> x, View<T> to);
  /// In place of `finish`: where the kernel that is queued next finds the ghosts, for which it waits itself; or
  /// nullptr, then it is for `finish` to bring them.
  const PeerArrival* arrival() { return link_.finish_in_kernel(); }
  /// [ghosts], in the order of the map; until the next `start`. For what is queued in `exec`, which may be aside.
  template <class T>
  View<const T> finish(Exec& exec);
  /// The same in place of values by components, x [components, numbers of the map].
  template <class T>
  void update_columns(Exec& exec, View<T> x);

 private:
  Link& link_;
  ExchangePlan plan_;
  int components_;
  Offset owned_;
  Offset ghosts_ = 0;
  Array<Index, Space> rows_;  ///< that are sent, rank after rank
  Array<Index, Space> boundary_;
  Array<double, Space> packed_, received_;
};

/// The ghosts of a vector on the host, in place: x [all numbers of the map, components]. Collective.
void update_ghosts(Communicator& ranks, const IndexMap& map, int components, std::span<double> x);

}  // namespace tessera::linalg
