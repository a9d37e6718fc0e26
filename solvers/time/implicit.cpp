#include "solvers/time/implicit_impl.hpp"

#include <algorithm>
#include <array>

namespace tessera::solvers {

bool is_implicit(const std::string& scheme) {
  constexpr std::array names = {"backward_euler", "theta", "crank_nicolson", "bdf2", "sdirk2"};
  return std::find(names.begin(), names.end(), scheme) != names.end();
}

template class ImplicitStepper<Threads>;

}  // namespace tessera::solvers
