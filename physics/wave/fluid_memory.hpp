#pragma once
// Fluids that attenuate, on a backend.
//
// The compliance 1 / kappa(omega) = (1 + sum_l Z_l / (1 + i omega tau_l)) / kappa_U is a mass that remembers, of a
// pressure p or beside solids of a potential: the nodes of the mesh have
//   M p'' + sum_l C_l (p' - r_l) = -K p,   tau_l r_l' = p' - r_l,   C_l = int Z_l / (kappa_U tau_l).
// Cells take no part in it, and materials may differ from cell to cell. Steps of the leapfrog solve for p', which is
// one number between two times, so that r is exact for it. A fluid begins without memory, r = 0: its flow is at rest,
// and its pressure was there before.
#include <cmath>

#include "physics/wave/node_ops.hpp"
#include "physics/wave/rayleigh.hpp"

namespace tessera::physics::wave {

template <class Exec, class T>
class FluidMemory {
 public:
  using Space = typename Exec::Space;
  static constexpr int L = times_of_fluids;

  /// `inverse_mass` of the dofs that are owned. What nodes in layers have is left to the force (rates_of_layers).
  FluidMemory(const Problem& problem, const std::vector<double>& inverse_mass, const std::vector<Index>& held,
              const std::vector<Index>& in_layers)
      : times_(problem.media.times), rate_of_nodes_(inverse_mass.size(), 0.0) {
    const assembly::spectral::Cells& cells = problem.cells;
    std::vector<T> c(inverse_mass.size() * L), of_held;
    for (int l = 0; l < L; ++l) {
      assembly::spectral::Coefficients Z{
          .components = 1, .at_places = problem.media.compliance.at_places, .values = {}};
      for (std::size_t i = static_cast<std::size_t>(l); i < problem.media.compliance.values.size(); i += L)
        Z.values.push_back(problem.media.compliance.values[i] / times_[static_cast<std::size_t>(l)]);
      const std::vector<double> sums = assembly::spectral::diagonal_mass(problem.mesh(), problem.space.dofs, cells,
                                                                         product(cells, problem.media.mass, Z));
      for (std::size_t i = 0; i < inverse_mass.size(); ++i) {
        const double of_node = sums[i] * inverse_mass[i];
        rate_of_nodes_[i] += of_node;
        c[i * L + static_cast<std::size_t>(l)] = static_cast<T>(of_node);
      }
    }
    std::vector<T> all(rate_of_nodes_.begin(), rate_of_nodes_.end());
    for (const Index dof : held)
      for (std::size_t l = 0; l < L; ++l) {
        T& of_node = c[static_cast<std::size_t>(dof) * L + l];
        of_held.push_back(std::exchange(of_node, T(0)));
        all[static_cast<std::size_t>(dof)] = 0;
      }
    for (const Index dof : in_layers)
      for (std::size_t l = 0; l < L; ++l) {
        T& of_node = c[static_cast<std::size_t>(dof) * L + l];
        of_layers_.push_back(std::exchange(of_node, T(0)));
        all[static_cast<std::size_t>(dof)] = 0;
      }
    c_ = to_space<Space>(c);
    all_ = to_space<Space>(all);
    held_ = to_space<Space>(held);
    c_of_held_ = to_space<Space>(of_held);
    r_ = Array<T, Space>(c_.size());
    r_.set_zero();
  }

  /// sum_l C_l over the mass, of the dofs that are owned: a damping that nodes which are held solve for themselves.
  const std::vector<double>& rate_of_nodes() const { return rate_of_nodes_; }
  /// C_l over the mass, [nodes in layers, L], and their times.
  const std::vector<double>& rates_of_layers() const { return of_layers_; }
  std::vector<double> times() const { return {times_.begin(), times_.end()}; }
  double bytes() const {
    return static_cast<double>(c_.bytes() + all_.bytes() + held_.bytes() + c_of_held_.bytes() + r_.bytes());
  }

  void forget() { r_.set_zero(); }
  /// In a step, with a = M^-1 (f - sum_l C_l (v + h a - r_l)): before the force moves v.
  void push(Exec& exec, double h, double kick, View<T> v) {
    push_by_memory(exec, View<const T>(c_.view()), View<const T>(r_.view()), h - kick, kick, v);
  }
  /// After the force has written a of the nodes that are held.
  void add_held(Exec& exec, View<T> a) {
    add_memory(exec, View<const Index>(held_.view()), View<const T>(c_of_held_.view()), View<const T>(r_.view()), a);
  }
  /// After all has moved v and u.
  void end(Exec& exec, double h, double drift, View<T> v, View<T> u) {
    divide_leap(exec, 1, View<const T>(all_.view()), h, drift, v, u);
  }
  /// After a step dt of all nodes whose velocity was v.
  void remember(Exec& exec, double dt, View<const T> v) {
    std::array<double, L> kept{};
    for (std::size_t l = 0; l < L; ++l) kept[l] = std::exp(-dt / times_[l]);
    follow(exec, kept, v, r_.view());
  }

  /// r on the host: of each l [dofs].
  std::vector<std::vector<double>> memory(Index dofs) const {
    const std::vector<T> r = to_vector(r_);
    std::vector<std::vector<double>> result(L, std::vector<double>(static_cast<std::size_t>(dofs), 0.0));
    for (std::size_t i = 0; i < r.size(); ++i) result[i % L][i / L] = r[i];
    return result;
  }
  static constexpr std::size_t vectors_of_memory() { return L; }
  void restore_memory(const std::vector<std::vector<double>>& memory, std::size_t first) {
    std::vector<T> r(static_cast<std::size_t>(r_.size()));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<T>(memory.at(first + i % L).at(i / L));
    r_ = to_space<Space>(r);
  }

 private:
  std::array<double, L> times_;
  std::vector<double> rate_of_nodes_, of_layers_;
  Array<T, Space> c_, all_;  ///< [own dofs, L] and their sums, 0 at nodes that are held or in layers
  Array<Index, Space> held_;
  Array<T, Space> c_of_held_, r_;  ///< [held nodes, L], [own dofs, L]
};

}  // namespace tessera::physics::wave
