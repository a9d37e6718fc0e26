#pragma once
#include <string>
#include <vector>

#include "deck/section.hpp"

namespace tessera::solvers {

/// An explicit Runge-Kutta scheme of s stages (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I,
/// section II.1):
///   k_i = f(t + c_i dt, u + dt sum_{j<i} a_ij k_j),   u_new = u + dt sum_i b_i k_i.
/// The error is estimated by dt sum_i (b_i - b_embedded_i) k_i.
struct Tableau {
  std::string name;
  int order = 0;                            ///< 0: found by `checked`
  int embedded_order = 0;                   ///< 0: no embedded scheme, or found by `checked`
  std::vector<std::vector<double>> a = {};  ///< [s][s], or row i with its i entries below the diagonal
  std::vector<double> b = {};               ///< [s]
  std::vector<double> b_embedded = {};      ///< [s]; empty: none
  std::vector<double> c = {};               ///< [s]; empty: the row sums of a

  int stages() const { return static_cast<int>(b.size()); }
  bool has_estimate() const { return !b_embedded.empty(); }
  /// Whether the last stage is evaluated at the new solution, so that it is the first of the next step.
  bool last_is_first() const;
};

/// Most stages of a tableau: so many vectors one pass combines.
inline constexpr int max_stages = 16;

/// The tableau of a scheme that has one (not that of two vectors, low_storage_rk45); throws Error(internal) for others.
const Tableau& tableau_of(const std::string& scheme);

/// The order that the conditions show that weights b have with the a and c of the tableau; 4 means 4 or more.
int order_of(const Tableau& tableau, const std::vector<double>& b);

/// The tableau with a made [s][s], with c, and with its orders where they were 0. Throws Error(usage), in words, where
/// sizes do not agree, a is not strictly lower triangular, c are not the row sums of a (order conditions and
/// stage times need that), the weights do not sum to 1, an order is claimed that the conditions up to 4 disprove, or
/// the embedded weights are those of the scheme.
Tableau checked(Tableau tableau, const deck::Where& where = {});

}  // namespace tessera::solvers
