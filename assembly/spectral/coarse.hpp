#pragma once
// Forces of spectral elements of which some points remember their strain.
#include <array>
#include <vector>

#include "assembly/space/numbers_of_cells.hpp"
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/coarse_view.hpp"
#include "forms/attenuation.hpp"

namespace tessera::assembly {

/// The leapfrog of a law with parts (forms/attenuation.hpp) with s = M_U : e at all points, less sum_l Y_l M_U : e_l at
/// those of a coarser rule (CoarseRule) with its weights; tau_l e_l' = e - e_l there. Cells remember mechanisms x
/// strains numbers a point of theirs, which every rank moves for all cells that it sees. Between two steps strains are
/// taken as straight, for which e_l is exact. `apply` is that of a body without memory.
///
/// With the nodes' weights w and those of the rule W the energy is a sum over points of
///   w / 2 (1 - W/w sum_l Y_l) e : M_U : e + W / 2 sum_l Y_l (e - e_l) : M_U : (e - e_l),
/// which falls as W sum_l Y_l / tau_l (e - e_l) : M_U : (e - e_l), and is positive where W/w sum_l Y_l < 1. M. van
/// Driel & T. Nissen-Meyer, Geophys. J. Int. 199 (2014) 1078-1093.
template <class Exec, class Law, class T = double>
class CoarseOperator : public SpectralOperator<Exec, Law, T> {
 public:
  using Base = SpectralOperator<Exec, Law, T>;
  using typename Base::Space;

  CoarseOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const spectral::Cells& cells,
                 const spectral::Coefficients& material, const SpectralOptions& options = {});

  void set_times(const std::array<double, spectral::mechanisms>& times) { times_ = times; }
  /// e_l = 0 at a displacement u [dofs, components], before a step of this length.
  void forget(Exec& exec, View<const T> u, double dt);
  /// The next call of `leap` is a step dt after one of `before`. Unless it is `kept`, memory stays as it is.
  void begin_step(double before, double dt, bool kept);
  void leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u, View<T> a);

  /// What nodes remember: nothing.
  std::vector<std::vector<double>> memory() const { return {}; }
  std::size_t vectors_of_memory() const { return 0; }
  void restore_memory(const std::vector<std::vector<double>>&) {}
  /// What cells remember, on the host.
  NumbersOfCells memory_of_cells() const;
  void restore_memory_of_cells(const NumbersOfCells& numbers);
  double bytes() const;

 private:
  /// z of a block, [cells / lanes, mechanisms, strains, points, lanes].
  using Memory = Array<T, Space>;
  spectral::CoarseView<T> view_of(std::size_t block) const;
  void apply_blocks(Exec& exec, const T* u, const spectral::Target<T>& target);
  std::size_t numbers_of_cell() const;
  /// Calls visit(number in the mesh, where its first number stands in the memory of the block) for the cells of a
  /// block.
  template <class Visit>
  void each_cell(std::size_t block, Visit visit) const;

  int lanes_ = 1;
  std::array<double, spectral::mechanisms> times_{};
  std::vector<Memory> memory_;  ///< [blocks]
  double before_ = 0, dt_ = 0;
  bool kept_ = false, begins_ = false;
};

template <class Exec, class Law, class T>
struct ForceOfLaw<Exec, forms::CoarseMemory<Law>, T> {
  static constexpr bool attenuates = true;
  using Type = CoarseOperator<Exec, Law, T>;
};

}  // namespace tessera::assembly
