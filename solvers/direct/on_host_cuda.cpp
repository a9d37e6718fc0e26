#include "solvers/direct/on_host.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "solvers/entries.hpp"

namespace tessera::solvers {
namespace {

template <class T>
void to_host(View<const T> there, Array<T>& here) {
  if (here.size() != there.size()) here = Array<T>(there.size());
  copy_bytes(Device{}, there.data(), Host{}, here.data(), here.bytes());
}

class OnHost final : public Method<Cuda> {
 public:
  OnHost(std::unique_ptr<Method<Threads>> method, const SolverParams& params)
      : method_(std::move(method)), type_(params.type), as_operator_(matrix_) {}

  void set_operator(const linalg::Operator<Cuda>& A, Reuse reuse) override {
    A_ = &A;
    valid_ = std::min(valid_, reuse);
    stale_ = true;
  }

  Report solve(Cuda& exec, View<const double> b, View<double> x, const Monitor& monitor,
               View<const double> row_sums) override {
    exec.synchronize();
    if (std::exchange(stale_, false)) fetch(exec);
    to_host(b, right_);
    to_host(row_sums, sums_);
    if (solution_.size() != x.size()) solution_ = Array<double>(x.size());
    solution_.set_zero();
    Report report = method_->solve(host_, right_, solution_, monitor, sums_);
    copy_bytes(Host{}, solution_.data(), Device{}, x.data(), solution_.bytes());
    report.method = "a factor made on the host";
    return report;
  }

 private:
  /// Also where an old factor serves: the residual is that of the new values.
  void fetch(Cuda& exec) {
    Entries<Cuda> entries;  // until they are on the host
    const linalg::CrsView<const double> there = entries.of(exec, *A_, Reuse::nothing);
    if (valid_ == Reuse::nothing) {
      matrix_.rows = there.rows;
      matrix_.cols = there.cols;
      to_host(there.row_ptr, matrix_.row_ptr);
      to_host(there.col_ind, matrix_.col_ind);
    }
    to_host(there.values, matrix_.values);
    log_info(fmt::format("{}: the host factors, {} of matrix were copied from the GPU", type_,
                         human_bytes(12.0 * static_cast<double>(matrix_.nnz()) + 8.0 * matrix_.rows)));
    method_->set_operator(as_operator_, valid_);
    valid_ = Reuse::all;
  }

  std::unique_ptr<Method<Threads>> method_;
  std::string type_;
  Threads host_;
  const linalg::Operator<Cuda>* A_ = nullptr;
  Reuse valid_ = Reuse::nothing;  ///< of the pattern here, and of the factorisation
  bool stale_ = true;             ///< the values here are not those of A_
  linalg::Crs<Host> matrix_;
  linalg::CrsOperator<Threads> as_operator_;
  Array<double> right_, sums_, solution_;
};

}  // namespace

std::unique_ptr<Method<Cuda>> on_host(std::unique_ptr<Method<Threads>> method, const SolverParams& params) {
  return std::make_unique<OnHost>(std::move(method), params);
}

}  // namespace tessera::solvers
