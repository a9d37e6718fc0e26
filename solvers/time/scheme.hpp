#pragma once
#include <string>
#include <vector>

#include "deck/section.hpp"

namespace tessera::solvers {

enum class SchemeKind {
  explicit_,     ///< Runge-Kutta schemes whose stable step is a property of the scheme
  stabilised,    ///< explicit, with as many stages as the stiffness asks for
  implicit,      ///< each step solves a system
  second_order,  ///< for u'' = f(t, u, u')
};

/// A row of the table behind `time.scheme` and `tessera list schemes`.
struct Scheme {
  std::string name;
  std::string help;
  SchemeKind kind = SchemeKind::explicit_;
  int order = 0;                 ///< of convergence on smooth problems; 0: that of the tableau which the deck gives
  bool estimates_error = false;  ///< whether it can choose its own step for a tolerance
  int stages = 0;                ///< evaluations of f in a step; 0: chosen in the run, or given by the deck
};

const std::vector<Scheme>& schemes();

/// The scheme of that name; throws Error(usage) with the nearest names.
const Scheme& find_scheme(const std::string& name, const deck::Where& where = {});

/// What `kind` is called in lists and messages: "explicit", "stabilised", "implicit", "second order".
const char* name_of(SchemeKind kind);

}  // namespace tessera::solvers
