#pragma once
// GMRES(m), written once. It only calls declared functions: gmres.cpp and gmres_cuda.cpp instantiate it.
#include "linalg/vector_ops_basis.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_method.hpp"

namespace tessera::solvers {

template <class Exec, class T>
class Gmres final : public Krylov<Exec, T> {
  using Base = Krylov<Exec, T>;
  using Space = typename Exec::Space;

 public:
  Gmres(Exec& exec, const linalg::Operator<Exec, T>& A, Preconditioner<Exec, T>& M, const SolverParams& params)
      : Base(exec, A, M, params, std::min(Base::block_of(params), restart(params)) * column_size(restart(params)),
             std::min(Base::block_of(params), restart(params))),
        m_(restart(params)),
        basis_(static_cast<Offset>(m_ + 1) * A.rows()),
        w_(A.rows()),
        z_(Base::is_identity(M) ? 0 : A.rows()),
        y_(m_),
        V_{basis_.view(), A.rows()} {}

 private:
  using Base::A_, Base::exec_, Base::M_, Base::r_, Base::scalars_, Base::x_;
  using typename Base::Look;

  static int restart(const SolverParams& params) { return params.method.as<GmresParams>().restart; }

  // Scalars of one iteration: V^T w, the same again of what was left, (w, w).
  static int column_size(int restart) { return 2 * (restart + 1) + 1; }
  double* h(int i) { return scalars_.data() + i * column_size(m_); }
  double* again(int i) { return h(i) + m_ + 1; }
  double* ww(int i) { return h(i) + 2 * (m_ + 1); }

  void start(bool) override {
    // v_0 = r / ||r||
    linalg::dot(exec_, r_.view(), r_, ww(0));
    linalg::normalise(exec_, ww(0), r_, V_[0]);
    this->fetch();
    R_.clear();
    rotations_.clear();
    g_ = {std::sqrt(this->host(2 * (m_ + 1)))};
    columns_ = 0;
    exhausted_ = false;
  }

  void iterate(int count) override {
    for (int i = 0; i < count; ++i, ++columns_) {
      const Offset vectors = columns_ + 1;
      // w = A M^-1 v_j
      View<const T> z = V_[columns_];
      if (!z_.empty()) {
        M_->apply(exec_, z, z_);
        z = z_;
      }
      A_->apply(exec_, z, w_);
      // h = V^T w ; w -= V h, twice
      linalg::basis_dot(exec_, V_, vectors, w_, h(i));
      linalg::basis_add(exec_, -1, V_, vectors, h(i), w_.view());
      linalg::basis_dot(exec_, V_, vectors, w_, again(i));
      linalg::basis_add(exec_, -1, V_, vectors, again(i), w_.view());
      // v_{j+1} = w / ||w||
      linalg::dot(exec_, w_.view(), w_, ww(i));
      linalg::normalise(exec_, ww(i), w_, V_[columns_ + 1]);
    }
  }
  bool repeats() const override { return false; }  // every iteration has one more vector
  int room(int done) const override { return m_ - done; }

  /// Turns the new column of the Hessenberg matrix into one of R; the residual is what is left of ||r|| e_1.
  Look look(int i, int iteration) override {
    const int j = static_cast<int>(rotations_.size());
    std::vector<double> column(static_cast<std::size_t>(j) + 1);
    double size = 0;
    for (int k = 0; k <= j; ++k) {
      column[k] = this->host(i * column_size(m_) + k) + this->host(i * column_size(m_) + m_ + 1 + k);
      size = std::max(size, std::abs(column[k]));
    }
    double next = std::sqrt(this->host(i * column_size(m_) + 2 * (m_ + 1)));
    if (!std::isfinite(size) || !std::isfinite(next)) return {0, {}, Base::not_finite(iteration)};
    if (exhausted_) return {0, singular(iteration), {}};
    for (int k = 0; k < j; ++k) {
      const auto [c, s] = rotations_[k];
      const double a = column[k], b = column[k + 1];
      column[k] = c * a + s * b;
      column[k + 1] = c * b - s * a;
    }
    constexpr double noise = std::numeric_limits<T>::epsilon();
    const double pivot = std::hypot(column[j], next);
    if (pivot <= noise * size || pivot == 0) return {0, singular(iteration), {}};
    exhausted_ = next <= noise * size;
    const double c = column[j] / pivot, s = next / pivot;
    rotations_.push_back({c, s});
    column[j] = pivot;
    R_.push_back(column);
    g_.push_back(-s * g_.back());
    g_[j] *= c;
    return {std::abs(g_[j + 1]), {}, {}};
  }

  /// x += M^-1 V y, R y = g.
  void finish(int done) override {
    if (done == 0) return;
    std::vector<double> y(static_cast<std::size_t>(m_), 0.0);
    for (int k = done - 1; k >= 0; --k) {
      double sum = g_[k];
      for (int l = k + 1; l < done; ++l) sum -= R_[l][k] * y[l];
      y[k] = sum / R_[k][k];
    }
    copy_bytes(Host{}, y.data(), Space{}, y_.data(), y_.bytes());
    linalg::fill(exec_, w_.view(), 0);
    linalg::basis_add(exec_, 1, V_, done, y_.data(), w_.view());
    if (!z_.empty()) M_->apply(exec_, w_, z_);
    linalg::axpy(exec_, 1, z_.empty() ? w_ : z_, x_);
  }

  std::string no_progress(double before, double after) const override {
    if (after < 0.999 * before) return {};
    return fmt::format(
        "gmres stagnates: {} iterations between two restarts took the residual from {:.6g} to {:.6g} only; raise "
        "restart, or choose another preconditioner",
        m_, before, after);
  }
  std::string advice() const override {
    const bool sweeps = this->params_.preconditioner == "ssor" || this->params_.preconditioner == "multicolour_ssor";
    return fmt::format("raise restart, {} now, or max_iterations{}", m_,
                       sweeps ? "" : ", or choose preconditioner = \"ssor\" (on CUDA \"multicolour_ssor\")");
  }
  static std::string singular(int iteration) {
    return fmt::format(
        "the Krylov space is exhausted in iteration {} before the residual is small: the matrix is singular; look "
        "for a missing Dirichlet condition or an unknown without an equation",
        iteration);
  }

  int m_;
  Array<T, Space> basis_, w_, z_;
  Array<double, Space> y_;
  linalg::Basis<T> V_;
  std::vector<std::vector<double>> R_;                ///< by columns
  std::vector<std::pair<double, double>> rotations_;  ///< cosines and sines
  std::vector<double> g_;
  int columns_ = 0;  ///< queued
  bool exhausted_ = false;
};

template <class Exec>
std::unique_ptr<Method<Exec>> make_gmres(const SolverParams& params) {
  return std::make_unique<KrylovMethod<Gmres, Exec>>(params, gmres_entry().needs);
}

}  // namespace tessera::solvers
