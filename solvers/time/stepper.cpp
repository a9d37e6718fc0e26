#include "solvers/time/stepper_impl.hpp"

namespace tessera::solvers {
template class Stepper<Threads>;
template std::unique_ptr<Stepper<Threads>> make_stepper(Threads&, Offset, const StepperParams&);
}  // namespace tessera::solvers
