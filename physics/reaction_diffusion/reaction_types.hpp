#pragma once
#include <cmath>

#include "base/view.hpp"

namespace tessera::physics::reaction_diffusion {

// Reactions as types, as solvers/odes/ode_systems.hpp describes. They have no units of their own: theirs are what the
// parameters are in.

/// Of a reaction with a fixed number of species, whose rates do not depend on t.
template <int n>
struct AutonomousReaction {
  static constexpr int most_species = n;
  static constexpr bool needs_time = false;
  TESSERA_HD static constexpr int species() { return n; }
};

/// Gray & Scott, autocatalysis in a stirred tank, u = (u, v):
///   u' = F (1 - u) - u v^2,   v' = u v^2 - (F + k) v.
/// Pearson, Science 261 (1993) 189, who also draws the patterns that it makes with diffusion.
struct GrayScott : AutonomousReaction<2> {
  double feed = 0.04, kill = 0.06;

  TESSERA_HD void rates(const double* u, double, double* du) const {
    const double reaction = u[0] * u[1] * u[1];
    du[0] = feed * (1 - u[0]) - reaction;
    du[1] = reaction - (feed + kill) * u[1];
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    const double square = u[1] * u[1], product = 2 * u[0] * u[1];
    J[0] = -feed - square, J[1] = -product;
    J[2] = square, J[3] = product - (feed + kill);
  }
};

/// FitzHugh & Nagumo, the potential v of a nerve's membrane and its recovery w, u = (v, w):
///   v' = v - v^3 / 3 - w + I,   w' = epsilon (v + a - b w).
/// FitzHugh, Biophys. J. 1 (1961) 445.
struct FitzHughNagumo : AutonomousReaction<2> {
  double a = 0.7, b = 0.8, epsilon = 0.08, current = 0.5;

  TESSERA_HD void rates(const double* u, double, double* du) const {
    du[0] = u[0] - u[0] * u[0] * u[0] / 3 - u[1] + current;
    du[1] = epsilon * (u[0] + a - b * u[1]);
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    J[0] = 1 - u[0] * u[0], J[1] = -1;
    J[2] = epsilon, J[3] = -epsilon * b;
  }
};

/// The Brusselator of Prigogine & Lefever, u = (x, y):
///   x' = a + x^2 y - (b + 1) x,   y' = b x - x^2 y,
/// with a limit cycle for b > 1 + a^2. Hairer, Norsett & Wanner I, section I.16.
struct Brusselator : AutonomousReaction<2> {
  double a = 1, b = 3;

  TESSERA_HD void rates(const double* u, double, double* du) const {
    const double reaction = u[0] * u[0] * u[1];
    du[0] = a + reaction - (b + 1) * u[0];
    du[1] = b * u[0] - reaction;
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    const double square = u[0] * u[0], product = 2 * u[0] * u[1];
    J[0] = product - (b + 1), J[1] = square;
    J[2] = b - product, J[3] = -square;
  }
};

/// Robertson's three reactions A -> B (k1), 2 B -> B + C (k2), B + C -> A + C (k3), u = (A, B, C):
///   A' = -k1 A + k3 B C,   B' = k1 A - k3 B C - k2 B^2,   C' = k2 B^2,
/// whose times lie 1e11 apart and whose sum stays. Hairer & Wanner II, (IV.1.4), with their names of k2 and k3.
struct Robertson : AutonomousReaction<3> {
  double k1 = 0.04, k2 = 3e7, k3 = 1e4;

  TESSERA_HD void rates(const double* u, double, double* du) const {
    // Late, k1 A and k3 B C are equal to ten digits: what is left of them is the same number in both species.
    const double net = k1 * u[0] - k3 * u[1] * u[2], twofold = k2 * u[1] * u[1];
    du[0] = -net;
    du[1] = net - twofold;
    du[2] = twofold;
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    const double by_c = k3 * u[1], by_b = k3 * u[2], twofold = 2 * k2 * u[1];
    J[0] = -k1, J[1] = by_b, J[2] = by_c;
    J[3] = k1, J[4] = -by_b - twofold, J[5] = -by_c;
    J[6] = 0, J[7] = twofold, J[8] = 0;
  }
};

/// The Oregonator of Field & Noyes, the reaction of Belousov and Zhabotinsky, u = (HBrO2, Br-, Ce(IV)), scaled:
///   x' = s (y + x (1 - q x - y)),   y' = (z - (1 + x) y) / s,   z' = w (x - z).
/// Hairer & Wanner II, section IV.10.
struct Oregonator : AutonomousReaction<3> {
  double s = 77.27, q = 8.375e-6, w = 0.161;

  TESSERA_HD void rates(const double* u, double, double* du) const {
    du[0] = s * (u[1] + u[0] * (1 - q * u[0] - u[1]));
    du[1] = (u[2] - (1 + u[0]) * u[1]) / s;
    du[2] = w * (u[0] - u[2]);
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    J[0] = s * (1 - 2 * q * u[0] - u[1]), J[1] = s * (1 - u[0]), J[2] = 0;
    J[3] = -u[1] / s, J[4] = -(1 + u[0]) / s, J[5] = 1 / s;
    J[6] = w, J[7] = 0, J[8] = -w;
  }
};

/// Mass action: the rate of reaction r is k_r prod_s u_s^(order of s in r), and a species changes by the sum of rates
/// times what each reaction makes of it less what it takes. Reactions that make the same, or take back what others
/// make, are a group with one net rate: where two of them nearly cancel, what is left of them is the same number in all
/// species, so that sums that stay constant do so in proportion to that number and not to the rates.
/// It views the tables of a mechanism (mechanism.hpp), which every node reads in the same order. Since these name the
/// species, the arrays of a node are in local memory on CUDA: a bound near the number of species saves memory, not
/// time.
template <int bound>
struct MassAction {
  static constexpr int most_species = bound;
  static constexpr bool needs_time = false;

  int species_count = 0, groups = 0;
  const Index* group_first = nullptr;     ///< [groups + 1], its first reaction
  const double* k = nullptr;              ///< [reactions], negative: it takes back what its group makes
  const Index* reactant_first = nullptr;  ///< [reactions + 1] into the two that follow
  const Index* reactant = nullptr;        ///< a species
  const Index* order = nullptr;           ///< its exponent, at least 1
  const Index* change_first = nullptr;    ///< [groups + 1] into the two that follow
  const Index* changed = nullptr;         ///< a species
  const double* change = nullptr;         ///< what one reaction of the group makes of it; never 0

  TESSERA_HD int species() const { return species_count; }

  TESSERA_HD void rates(const double* u, double, double* du) const {
    for (int i = 0; i < species_count; ++i) du[i] = 0;
    for (int g = 0; g < groups; ++g) {
      double net = 0;
      for (Index r = group_first[g]; r < group_first[g + 1]; ++r) {
        double rate = k[r];
        for (Index a = reactant_first[r]; a < reactant_first[r + 1]; ++a) rate *= power(u[reactant[a]], order[a]);
        net += rate;
      }
      for (Index c = change_first[g]; c < change_first[g + 1]; ++c) du[changed[c]] += change[c] * net;
    }
  }
  TESSERA_HD void jacobian(const double* u, double, double* J) const {
    for (int i = 0; i < species_count * species_count; ++i) J[i] = 0;
    for (int g = 0; g < groups; ++g)
      for (Index r = group_first[g]; r < group_first[g + 1]; ++r)
        for (Index b = reactant_first[r]; b < reactant_first[r + 1]; ++b) {
          // d rate / d u_b
          double slope = k[r] * order[b];
          for (Index a = reactant_first[r]; a < reactant_first[r + 1]; ++a)
            slope *= power(u[reactant[a]], a == b ? order[a] - 1 : order[a]);
          for (Index c = change_first[g]; c < change_first[g + 1]; ++c)
            J[changed[c] * species_count + reactant[b]] += change[c] * slope;
        }
  }

 private:
  TESSERA_HD static double power(double x, Index exponent) {
    double product = 1;
    for (Index i = 0; i < exponent; ++i) product *= x;
    return product;
  }
};

}  // namespace tessera::physics::reaction_diffusion
