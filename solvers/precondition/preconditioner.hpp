#pragma once
#include <memory>
#include <string>
#include <vector>

#include "linalg/operator.hpp"

namespace tessera::solvers {

struct SolverParams;

/// z = M^-1 r in type T, and the passes of CG that contain it. A preconditioner that is local to an entry fuses them; the
/// others implement `apply` alone.
template <class Exec, class T = double>
class Preconditioner {
 public:
  using Space = typename Exec::Space;
  virtual ~Preconditioner() = default;

  virtual void apply(Exec& exec, View<const T> r, View<T> z) = 0;
  /// M = 1: z need not be stored at all.
  virtual bool is_identity() const { return false; }
  /// r -= alpha q ; rr = (r, r) ; z = M^-1 r ; rz = (r, z).
  virtual void update_r_dot(Exec& exec, linalg::Quotient alpha, View<const T> q, View<T> r, double* rr, double* rz) {
    linalg::update_r_dot(exec, alpha, q, {}, r, rr, rz);
    apply(exec, r, stored_z(r.size()));
    linalg::dot(exec, r, z_, rz);
  }
  /// x += alpha p ; p = z + beta p, with the z of the last update_r_dot.
  virtual void update_x_p(Exec& exec, linalg::Quotient alpha, linalg::Quotient beta, View<const T> r, View<T> x,
                          View<T> p) {
    (void)r;
    linalg::update_x_p(exec, alpha, beta, z_, {}, x, p);
  }
  /// The pass of the single-reduction CG: p = u + beta p ; s = w + beta s ; x += alpha p ; r -= alpha s ; u = M^-1 r ;
  /// rr = (r, r) ; ru = (r, u).
  virtual void advance_single(Exec& exec, const linalg::SingleReductionStep& step, View<const T> w, View<T> x,
                              View<T> r, View<T> p, View<T> s, View<T> u, double* rr, double* ru) {
    linalg::advance_single(exec, step, u, {}, w, x, r, p, s, u, rr, ru);
    apply(exec, r, u);
    linalg::dot(exec, r, u, ru);
  }

 private:
  View<T> stored_z(Offset size) {
    if (z_.size() != size) z_ = Array<T, Space>(size);
    return z_;
  }
  Array<T, Space> z_;
};

// Makers of preconditioners of A, in the type of `A_in_type`, which is A itself or its copy in float. Where A does not admit
// one (a diagonal entry that `sign` excludes), they return nullptr and set `failure` to a sentence that names the row.

/// M = 1.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_identity(Exec&, const linalg::Operator<Exec>& A,
                                                       const linalg::Operator<Exec, T>& A_in_type, const SolverParams&,
                                                       linalg::Sign sign, std::string& failure);
/// M = diag(A), or |diag(A)|.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_jacobi(Exec&, const linalg::Operator<Exec>& A,
                                                     const linalg::Operator<Exec, T>& A_in_type, const SolverParams&,
                                                     linalg::Sign sign, std::string& failure);
/// M = (D/w + L) ((2-w)/w D)^-1 (D/w + U), A = L + D + U, 0 < w < 2: one forward and one backward Gauss-Seidel sweep in
/// the order of the rows. Numerical Computations with GPUs, eq. 4.5.4. Serial, so the same for any number of threads.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_ssor(Exec&, const linalg::Operator<Exec>& A,
                                                   const linalg::Operator<Exec, T>& A_in_type, const SolverParams&,
                                                   linalg::Sign sign, std::string& failure);
/// The same with the rows in the order of their colours: rows of one colour do not meet, so each sweep is one pass a colour.
/// Bytes a row of its own: see multicolour.hpp.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_multicolour_ssor(Exec&, const linalg::Operator<Exec>& A,
                                                               const linalg::Operator<Exec, T>& A_in_type,
                                                               const SolverParams&, linalg::Sign sign,
                                                               std::string& failure);
/// M^-1 = p(D^-1 A) D^-1, p the Chebyshev polynomial of `degree` on [b / (4 degree^2), b], b an upper bound of the spectrum
/// of D^-1 A. Needs products only. Saad, Iterative Methods for Sparse Linear Systems, sections 12.3.1 and 12.3.2.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_chebyshev(Exec&, const linalg::Operator<Exec>& A,
                                                        const linalg::Operator<Exec, T>& A_in_type, const SolverParams&,
                                                        linalg::Sign sign, std::string& failure);

/// "the diagonal entry of row 7 is 0 ..." for the first entry that `sign` excludes; empty when there is none.
std::string describe_bad_diagonal(const std::vector<double>& diagonal, linalg::Sign sign);

/// 1 / diag(A) of A in double, rounded to T. An empty array and `failure` where the diagonal does not admit it.
template <class Exec, class T>
Array<T, typename Exec::Space> inverse_diagonal(Exec& exec, const linalg::Operator<Exec>& A, linalg::Sign sign,
                                                std::string& failure);

}  // namespace tessera::solvers
