#include "physics/scalar/at_time.hpp"

#include <algorithm>

#include "physics/at_time.hpp"

namespace tessera::physics::scalar {

void set_time(const Params& from, double t, Params& to) {
  for (std::size_t m = 0; m < from.materials.size(); ++m) {
    const MaterialParams& material = from.materials[m];
    MaterialParams& now = to.materials[m];
    for (std::size_t c = 0; c < material.diffusivity.size(); ++c)
      now.diffusivity[c] = at_time(material.diffusivity[c], t);
    now.reaction = at_time(material.reaction, t);
    now.source = at_time(material.source, t);
  }
  for (std::size_t b = 0; b < from.boundaries.size(); ++b) {
    to.boundaries[b].value = at_time(from.boundaries[b].value, t);
    to.boundaries[b].alpha = at_time(from.boundaries[b].alpha, t);
  }
  for (std::size_t c = 0; c < from.contacts.size(); ++c)
    to.contacts[c].conductance = at_time(from.contacts[c].conductance, t);
}

TimeDependence time_dependence(const Params& params) {
  TimeDependence result;
  for (const MaterialParams& m : params.materials) {
    result.coefficients |=
        m.reaction.depends_on_time() || std::any_of(m.diffusivity.begin(), m.diffusivity.end(),
                                                    [](const deck::Expression& e) { return e.depends_on_time(); });
    result.sources |= m.source.depends_on_time();
  }
  for (const BoundaryParams& b : params.boundaries) {
    result.alphas |= b.alpha.depends_on_time();
    (b.type == "dirichlet" ? result.prescribed : result.flows) |= b.value.depends_on_time();
  }
  for (const BoundaryParams& contact : params.contacts) result.alphas |= contact.conductance.depends_on_time();
  return result;
}

}  // namespace tessera::physics::scalar
