#include "base/error.hpp"
#include "linalg/formats_cusparse.hpp"

namespace tessera::linalg {

struct CusparseProduct::State {
  std::string name;
};

std::string CusparseProduct::why_not() { return "the program was built without CUDA"; }
CusparseProduct::CusparseProduct(Cuda&, const Crs<Device>&, int, View<const double>, View<double>) {
  throw Error(ExitCode::usage, "cuSPARSE: " + why_not());
}
CusparseProduct::CusparseProduct(Cuda&, const SlicedEll<Device>&, View<const double>, View<double>) {
  throw Error(ExitCode::usage, "cuSPARSE: " + why_not());
}
CusparseProduct::CusparseProduct(Cuda&, const BlockCrs<Device>&, int, View<const double>, View<double>) {
  throw Error(ExitCode::usage, "cuSPARSE: " + why_not());
}
CusparseProduct::~CusparseProduct() = default;
CusparseProduct::CusparseProduct(CusparseProduct&&) noexcept = default;
void CusparseProduct::apply() {}
const std::string& CusparseProduct::name() const { return state_->name; }

}  // namespace tessera::linalg
