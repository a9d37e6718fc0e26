#include "bench/support/cvode_peer.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::bench {
namespace {

void check(int flag, const char* call) {
  if (flag < 0) throw Error(ExitCode::internal, fmt::format("{} returned {}", call, flag), "look at the reaction");
}

/// One integrator, for one node after the other.
class Integrator {
 public:
  Integrator(const NodeRates& rates, double relative, double absolute) : rates_(rates) {
#if SUNDIALS_VERSION_MAJOR >= 7
    check(SUNContext_Create(SUN_COMM_NULL, &context_), "SUNContext_Create");
#else
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
#endif
    u_ = N_VNew_Serial(rates.species, context_);
    memory_ = CVodeCreate(CV_ADAMS, context_);
    check(CVodeInit(memory_, evaluate, 0, u_), "CVodeInit");
    check(CVodeSStolerances(memory_, relative, absolute), "CVodeSStolerances");
    check(CVodeSetUserData(memory_, &rates_), "CVodeSetUserData");
    fixed_point_ = SUNNonlinSol_FixedPoint(u_, 0, context_);
    check(CVodeSetNonlinearSolver(memory_, fixed_point_), "CVodeSetNonlinearSolver");
  }
  ~Integrator() {
    CVodeFree(&memory_);
    SUNNonlinSolFree(fixed_point_);
    N_VDestroy(u_);
    SUNContext_Free(&context_);
  }
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  double* state() { return N_VGetArrayPointer(u_); }
  void advance(double dt) {
    double t = 0;
    check(CVodeReInit(memory_, 0, u_), "CVodeReInit");
    check(CVodeSetStopTime(memory_, dt), "CVodeSetStopTime");
    check(CVode(memory_, dt, u_, &t, CV_NORMAL), "CVode");
  }

 private:
  static int evaluate(double t, N_Vector u, N_Vector du, void* of) {
    const auto& rates = *static_cast<const NodeRates*>(of);
    rates.rates(rates.of, t, N_VGetArrayPointer(u), N_VGetArrayPointer(du));
    return 0;
  }

  NodeRates rates_;
  SUNContext context_ = nullptr;
  N_Vector u_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
};

}  // namespace

Peer cvode_peer(const NodeRates& rates, Offset nodes, Offset stride, const std::vector<double>& start,
                const std::vector<double>& ours, double dt, double relative, double absolute) {
  Threads exec;
  std::vector<double> theirs(start.size());
  const auto at = [stride](int species, Offset node) { return static_cast<std::size_t>(species * stride + node); };
  const auto work = [&] {
    parallel_ranges(exec.count(), nodes, [&](Offset first, Offset last, int) {
      Integrator integrator(rates, relative, absolute);
      for (Offset i = first; i < last; ++i) {
        for (int c = 0; c < rates.species; ++c) integrator.state()[c] = start[at(c, i)];
        integrator.advance(dt);
        for (int c = 0; c < rates.species; ++c) theirs[at(c, i)] = integrator.state()[c];
      }
    });
  };
  const Timing timing = measure(exec, work, 3);
  double difference = 0, largest = 0;
  for (int c = 0; c < rates.species; ++c)
    for (Offset i = 0; i < nodes; ++i) {
      difference = std::max(difference, std::abs(ours[at(c, i)] - theirs[at(c, i)]));
      largest = std::max(largest, std::abs(ours[at(c, i)]));
    }
  return {fmt::format("CVODE, {} cores", exec.count()), timing.median_ms, difference / largest};
}

}  // namespace tessera::bench
