#pragma once
#include <memory>
#include <string>
#include <vector>

#include "linalg/vector_ops.hpp"

namespace tessera::solvers {

struct SolverParams;

/// z = M^-1 r, with M symmetric positive definite, and the two passes of CG that contain it. A preconditioner that is
/// local to an entry fuses them; the others implement `apply` alone.
template <class Exec>
class Preconditioner {
 public:
  using Space = typename Exec::Space;
  virtual ~Preconditioner() = default;

  virtual void apply(Exec& exec, View<const double> r, View<double> z) = 0;
  /// r -= alpha q ; rr = (r, r) ; z = M^-1 r ; rz = (r, z).
  virtual void update_r_dot(Exec& exec, linalg::Quotient alpha, View<const double> q, View<double> r, double* rr,
                            double* rz) {
    linalg::update_r_dot(exec, alpha, q, {}, r, rr, rz);
    apply(exec, r, stored_z(r.size()));
    linalg::dot(exec, r, z_, rz);
  }
  /// x += alpha p ; p = z + beta p, with the z of the last update_r_dot.
  virtual void update_x_p(Exec& exec, linalg::Quotient alpha, linalg::Quotient beta, View<const double> r,
                          View<double> x, View<double> p) {
    (void)r;
    linalg::update_x_p(exec, alpha, beta, z_, {}, x, p);
  }

 private:
  View<double> stored_z(Offset size) {
    if (z_.size() != size) z_ = Array<double, Space>(size);
    return z_;
  }
  Array<double, Space> z_;
};

// Makers of preconditioners of A. Where A does not admit one (a diagonal entry that is not positive), they return nullptr
// and set `failure` to a sentence that names the row.

/// M = 1.
template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_identity(Exec&, const linalg::Crs<typename Exec::Space>& A,
                                                    const SolverParams&, std::string& failure);
/// M = diag(A).
template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_jacobi(Exec&, const linalg::Crs<typename Exec::Space>& A, const SolverParams&,
                                                  std::string& failure);
/// M = (D/w + L) ((2-w)/w D)^-1 (D/w + L^T), A = L + D + L^T, 0 < w < 2: one forward and one backward Gauss-Seidel sweep in
/// the order of the rows. Numerical Computations with GPUs, eq. 4.5.4. Serial, so the same for any number of threads.
std::unique_ptr<Preconditioner<Threads>> make_ssor(Threads&, const linalg::Crs<Host>& A, const SolverParams&,
                                                   std::string& failure);

/// "the diagonal entry of row 7 is 0 ..." for the first entry that is not positive and finite; empty when all are.
std::string describe_bad_diagonal(const std::vector<double>& diagonal);

}  // namespace tessera::solvers
