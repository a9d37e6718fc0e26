#include "solvers/time/stepper_impl.hpp"

namespace tessera::solvers {
template class Stepper<Cuda>;
template std::unique_ptr<Stepper<Cuda>> make_stepper(Cuda&, Offset, const StepperParams&);
}  // namespace tessera::solvers
