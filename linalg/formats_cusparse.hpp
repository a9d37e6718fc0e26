#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::linalg {

/// y = A x by NVIDIA's cuSPARSE, which users and benches hold our products against. The library is loaded when first
/// asked for, so that the program runs without it. Matrices with more than 2^31 - 1 entries are refused: 32-bit offsets
/// are what its users pass and its faster case. Borrows the arrays it is given.
class CusparseProduct {
 public:
  /// A sentence when the library cannot be used, empty when it can.
  static std::string why_not();

  /// `algorithm` 1 or 2 of CSR.
  CusparseProduct(Cuda& exec, const Crs<Device>& A, int algorithm, View<const double> x, View<double> y);
  /// Its sliced ELL; the slices must not be sorted.
  CusparseProduct(Cuda& exec, const SlicedEll<Device>& A, View<const double> x, View<double> y);
  /// Its BSR, of blocks of 2 and more. `algorithm` 1: that of its sparse matrices, 2: the older bsrmv.
  CusparseProduct(Cuda& exec, const BlockCrs<Device>& A, int algorithm, View<const double> x, View<double> y);
  ~CusparseProduct();
  CusparseProduct(CusparseProduct&&) noexcept;

  void apply();
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::linalg
