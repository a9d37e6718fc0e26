#pragma once
// du/dt = div(D grad u) of several fields on a backend, which do not meet but at the nodes.
#include <memory>
#include <vector>

#include "physics/run/evolution.hpp"
#include "physics/scalar/evolution.hpp"

namespace tessera::physics::reaction_diffusion {

/// One field of several: `problem` and `now` as they are at the time that the model was moved to, `deck` with t in its
/// expressions.
struct FieldProblem {
  const scalar::Problem& problem;
  const scalar::Params& deck;
  bool still = false;  ///< it does not diffuse
};

/// M and A of all fields, with rows node * fields + field. What stands before du/dt is 1, given by `storage`. `varies`:
/// whether anything is assembled again at another time; else there is no more than one assembler at a time. Says in the
/// summary which strategy was taken and why. Borrows all but the list. A matrix has 12 B a non-zero of each field.
template <class Exec>
std::unique_ptr<Evolution<Exec>> make_evolution(Exec& exec, std::vector<FieldProblem> fields,
                                                const scalar::Storage& storage, bool varies, output::Summary& summary);

}  // namespace tessera::physics::reaction_diffusion
