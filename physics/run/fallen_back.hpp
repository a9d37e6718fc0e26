#pragma once
// Where a preconditioner that was chosen automatically makes way for another one.
#include <algorithm>
#include <limits>
#include <string>

#include "output/summary.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

/// Whether a residual still falls: from `patience` iterations on its least value must halve in every `stretch` of them,
/// so that what takes some thousand iterations is left to do so.
class FallingResidual {
 public:
  static constexpr int stretch = 100, patience = 200;

  void look(int iteration, double residual) {
    if (residual < least_) least_ = residual;  // not NaN
    if (iteration < next_) return;
    has_ceased_ |= iteration >= patience && !(2 * least_ < before_);
    before_ = least_;
    next_ = iteration + stretch;
  }
  bool has_ceased() const { return has_ceased_; }

 private:
  double least_ = std::numeric_limits<double>::infinity(), before_ = least_;
  int next_ = stretch;
  bool has_ceased_ = false;
};

/// Warns that `other` takes the place of `name`, and adds to solver.why of the summary that it does, and why.
void say_fallen_back(const std::string& name, const std::string& other, const std::string& why_not, bool lacked_memory,
                     output::Summary& summary);
/// solver.first_attempt of the summary.
void summarise_first_attempt(const std::string& name, const solvers::Report& report, output::Summary& summary);

}  // namespace tessera::physics
