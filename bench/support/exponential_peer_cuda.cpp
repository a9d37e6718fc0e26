#include <cublas_v2.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/support/exponential_peer.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::bench {

namespace {

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(ExitCode::internal, fmt::format("{}: {}", call, cublasGetStatusString(status)));
}
#define CHECK_BLAS(call) check((call), #call)

/// Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179-1193.
constexpr std::array<double, 14> pade = {64764752532480000.0,
                                         32382376266240000.0,
                                         7771770303897600.0,
                                         1187353796428800.0,
                                         129060195264000.0,
                                         10559470521600.0,
                                         670442572800.0,
                                         33522128640.0,
                                         1323241920.0,
                                         40840800.0,
                                         960960.0,
                                         16380.0,
                                         182.0,
                                         1.0};
constexpr double largest_norm = 5.371920351148152;

/// Matrices behind each other, as the library has them: number k from k n n on.
class Batch {
 public:
  Batch(Cuda& exec, int n, int count) : exec_(exec), n_(n), count_(count) {
    CHECK_BLAS(cublasCreate(&handle_));
    CHECK_BLAS(cublasSetStream(handle_, exec.stream()));
    for (Array<double, Device>* array : {&a2_, &a4_, &a6_, &w_, &u_, &v_, &scaled_}) *array = matrices();
    std::vector<double> one(static_cast<std::size_t>(a2_.size()), 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      for (int i = 0; i < n; ++i) one[k * static_cast<std::size_t>(n * n) + static_cast<std::size_t>(i * n + i)] = 1;
    identity_ = to_space<Device>(one);
    pivots_ = Array<int, Device>(Offset{n} * count);
    info_ = Array<int, Device>(count);
    left_ = pointers(w_);
    right_ = pointers(v_);
  }
  Batch(const Batch&) = delete;
  ~Batch() { (void)cublasDestroy(handle_); }

  Array<double, Device> matrices() const { return Array<double, Device>(Offset{n_} * n_ * count_); }

  /// result = exp(A), where every |A| <= `norm`.
  void exponential(const Array<double, Device>& A, double norm, Array<double, Device>& result) {
    const int squarings = norm > largest_norm ? static_cast<int>(std::ceil(std::log2(norm / largest_norm))) : 0;
    linalg::combine(exec_, scaled_.view(), {}, {{std::exp2(-squarings)}, A.view()});
    multiply(scaled_, scaled_, 0, a2_);
    multiply(a2_, a2_, 0, a4_);
    multiply(a2_, a4_, 0, a6_);
    sum(w_, {pade[9], pade[11], pade[13]});
    sum(v_, {pade[3], pade[5], pade[7]}, pade[1]);
    multiply(a6_, w_, 1, v_);
    multiply(scaled_, v_, 0, u_);
    sum(w_, {pade[8], pade[10], pade[12]});
    sum(v_, {pade[2], pade[4], pade[6]}, pade[0]);
    multiply(a6_, w_, 1, v_);
    // (V - U) X = V + U
    linalg::combine(exec_, w_.view(), {}, {{1.0}, std::as_const(v_).view()}, {{-1.0}, std::as_const(u_).view()});
    linalg::combine(exec_, v_.view(), {1.0}, {{1.0}, std::as_const(u_).view()});
    CHECK_BLAS(cublasDgetrfBatched(handle_, n_, left_.data(), n_, pivots_.data(), info_.data(), count_));
    int solved = 0;
    CHECK_BLAS(cublasDgetrsBatched(handle_, CUBLAS_OP_N, n_, n_, left_.data(), n_, pivots_.data(), right_.data(), n_,
                                   &solved, count_));
    for (int k = 0; k < squarings; ++k) {
      multiply(v_, v_, 0, u_);
      linalg::copy(exec_, std::as_const(u_).view(), v_.view());
    }
    linalg::copy(exec_, std::as_const(v_).view(), result.view());
  }

 private:
  Array<double*, Device> pointers(Array<double, Device>& matrices) const {
    std::vector<double*> of(static_cast<std::size_t>(count_));
    for (std::size_t k = 0; k < of.size(); ++k) of[k] = matrices.data() + k * static_cast<std::size_t>(n_ * n_);
    return to_space<Device>(of);
  }
  /// C = A B + factor C
  void multiply(const Array<double, Device>& A, const Array<double, Device>& B, double factor,
                Array<double, Device>& C) {
    const double one = 1;
    const long long apart = static_cast<long long>(n_) * n_;
    CHECK_BLAS(cublasDgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, A.data(), n_, apart,
                                         B.data(), n_, apart, &factor, C.data(), n_, apart, count_));
  }
  /// y = c_2 A^2 + c_4 A^4 + c_6 A^6 + c_0
  void sum(Array<double, Device>& y, const std::array<double, 3>& c, double c0 = 0) {
    linalg::combine(exec_, y.view(), {}, {{c[0]}, std::as_const(a2_).view()}, {{c[1]}, std::as_const(a4_).view()},
                    {{c[2]}, std::as_const(a6_).view()});
    if (c0 != 0) linalg::combine(exec_, y.view(), {1.0}, {{c0}, std::as_const(identity_).view()});
  }

  Cuda& exec_;
  const int n_, count_;
  cublasHandle_t handle_{};
  Array<double, Device> a2_, a4_, a6_, w_, u_, v_, scaled_, identity_;
  Array<int, Device> pivots_, info_;
  Array<double*, Device> left_, right_;
};

}  // namespace

Peer exponential_peer(Cuda& exec, int n, Offset count, const Array<double, Device>& a,
                      const Array<double, Device>& result) {
  const std::vector<double> apart = to_vector(a), ours = to_vector(result);
  const auto entries = static_cast<std::size_t>(n * n), all = static_cast<std::size_t>(count);
  std::vector<double> together(apart.size());
  double norm = 0;
  for (std::size_t k = 0; k < all; ++k)
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      double column = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const double value = apart[(i * static_cast<std::size_t>(n) + j) * all + k];
        together[k * entries + j * static_cast<std::size_t>(n) + i] = value;
        column += std::abs(value);
      }
      norm = std::max(norm, column);
    }
  Batch batch(exec, n, static_cast<int>(count));
  const auto A = to_space<Device>(together);
  Array<double, Device> X = batch.matrices();
  const Timing timing = measure(
      exec, [&] { batch.exponential(A, norm, X); }, 5);
  const std::vector<double> theirs = to_vector(X);
  double difference = 0, largest = 0;
  for (std::size_t k = 0; k < all; ++k)
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const double own = ours[(i * static_cast<std::size_t>(n) + j) * all + k];
        difference = std::max(difference, std::abs(own - theirs[k * entries + j * static_cast<std::size_t>(n) + i]));
        largest = std::max(largest, std::abs(own));
      }
  return {"cuBLAS batched gemm and LU", timing.median_ms, difference / largest};
}

}  // namespace tessera::bench
