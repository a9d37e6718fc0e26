#include <cusparse.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "linalg/formats_cusparse.hpp"

namespace tessera::linalg {
namespace {

#define CUSPARSE_FUNCTIONS(what)                                                                        \
  what(GetErrorString) what(Create) what(Destroy) what(SetStream) what(CreateCsr) what(CreateSlicedEll) \
      what(CreateBsr) what(DestroySpMat) what(CreateDnVec) what(DestroyDnVec) what(SpMV_bufferSize)     \
          what(SpMV_preprocess) what(SpMV) what(CreateMatDescr) what(DestroyMatDescr) what(Dbsrmv)

/// The functions of cuSPARSE that we call, found in the library at run time.
struct Library {
  std::string problem;
#define DECLARE(name) decltype(&cusparse##name) name = nullptr;
  CUSPARSE_FUNCTIONS(DECLARE)
#undef DECLARE

  Library() {
    const std::string file = fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR);
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = fmt::format("{} cannot be loaded", file);
      return;
    }
#define LOAD(name)                                                          \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "cusparse" #name)); \
  if (!name) problem = fmt::format("{} has no cusparse" #name, file);
    CUSPARSE_FUNCTIONS(LOAD)
#undef LOAD
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(ExitCode::internal, fmt::format("cusparse{}: {}", call, library().GetErrorString(status)));
}

constexpr double one = 1, zero = 0;

Array<int, Device> narrow(const Array<Offset, Device>& offsets) {
  const std::vector<Offset> wide = to_vector(offsets);
  if (!wide.empty() && wide.back() > 0x7fffffff)
    throw Error(ExitCode::usage, fmt::format("cuSPARSE with {} entries: more than 32-bit offsets hold", wide.back()));
  return to_space<Device>(std::vector<int>(wide.begin(), wide.end()));
}

}  // namespace

struct CusparseProduct::State {
  std::string name;
  cusparseHandle_t handle = nullptr;
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t in = nullptr, out = nullptr;
  cusparseSpMVAlg_t algorithm;
  cusparseMatDescr_t description = nullptr;  ///< of bsrmv
  Array<int, Device> offsets;
  Array<unsigned char, Device> buffer;
  BlockCrsView<const double> blocks;  ///< of bsrmv, with its vectors
  const double* blocks_in = nullptr;
  double* blocks_out = nullptr;

  State(Cuda& exec, std::string label, cusparseSpMVAlg_t alg, const Array<Offset, Device>& starts)
      : name(std::move(label)), algorithm(alg) {
    if (const std::string problem = why_not(); !problem.empty()) throw Error(ExitCode::usage, "cuSPARSE: " + problem);
    offsets = narrow(starts);
    check(library().Create(&handle), "Create");
    check(library().SetStream(handle, exec.stream()), "SetStream");
  }
  ~State() {
    if (in) (void)library().DestroyDnVec(in);
    if (out) (void)library().DestroyDnVec(out);
    if (matrix) (void)library().DestroySpMat(matrix);
    if (description) (void)library().DestroyMatDescr(description);
    if (handle) (void)library().Destroy(handle);
  }
  /// The vectors, the work space and the analysis of the matrix.
  void prepare(View<const double> x, View<double> y) {
    check(library().CreateDnVec(&in, x.size(), const_cast<double*>(x.data()), CUDA_R_64F), "CreateDnVec");
    check(library().CreateDnVec(&out, y.size(), y.data(), CUDA_R_64F), "CreateDnVec");
    std::size_t bytes = 0;
    check(library().SpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_64F,
                                    algorithm, &bytes),
          "SpMV_bufferSize");
    buffer = Array<unsigned char, Device>(static_cast<Offset>(bytes) + 16);
    check(library().SpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_64F,
                                    algorithm, buffer.data()),
          "SpMV_preprocess");
  }
};

std::string CusparseProduct::why_not() { return library().problem; }

CusparseProduct::CusparseProduct(Cuda& exec, const Crs<Device>& A, int algorithm, View<const double> x, View<double> y)
    : state_(std::make_unique<State>(exec, fmt::format("cuSPARSE CSR alg{}", algorithm),
                                     algorithm == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2, A.row_ptr)) {
  check(library().CreateCsr(&state_->matrix, A.rows, A.cols, A.nnz(), state_->offsets.data(),
                            const_cast<Index*>(A.col_ind.data()), const_cast<double*>(A.values.data()),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "CreateCsr");
  state_->prepare(x, y);
}

CusparseProduct::CusparseProduct(Cuda& exec, const SlicedEll<Device>& A, View<const double> x, View<double> y)
    : state_(std::make_unique<State>(exec, "cuSPARSE SELL", CUSPARSE_SPMV_SELL_ALG1, A.slice_ptr)) {
  check(library().CreateSlicedEll(&state_->matrix, A.rows, A.cols, A.nnz, A.entries(), slice_height,
                                  state_->offsets.data(), const_cast<Index*>(A.col_ind.data()),
                                  const_cast<double*>(A.values.data()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "CreateSlicedEll");
  state_->prepare(x, y);
}

CusparseProduct::CusparseProduct(Cuda& exec, const BlockCrs<Device>& A, int algorithm, View<const double> x,
                                 View<double> y)
    : state_(std::make_unique<State>(exec, algorithm == 1 ? "cuSPARSE BSR" : "cuSPARSE bsrmv", CUSPARSE_SPMV_BSR_ALG1,
                                     A.row_ptr)) {
  if (algorithm == 1) {
    check(library().CreateBsr(&state_->matrix, A.rows / A.block, A.cols / A.block, A.blocks(), A.block, A.block,
                              state_->offsets.data(), const_cast<Index*>(A.col_ind.data()),
                              const_cast<double*>(A.values.data()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW),
          "CreateBsr");
    state_->prepare(x, y);
  } else {
    check(library().CreateMatDescr(&state_->description), "CreateMatDescr");  // general, from zero
    state_->blocks = A.view();
    state_->blocks_in = x.data();
    state_->blocks_out = y.data();
  }
}

CusparseProduct::~CusparseProduct() = default;
CusparseProduct::CusparseProduct(CusparseProduct&&) noexcept = default;

void CusparseProduct::apply() {
  if (state_->description) {
    const BlockCrsView<const double>& A = state_->blocks;
    check(library().Dbsrmv(state_->handle, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, A.block_rows(),
                           A.cols / A.block, static_cast<int>(A.col_ind.size()), &one, state_->description,
                           A.values.data(), state_->offsets.data(), A.col_ind.data(), A.block, state_->blocks_in, &zero,
                           state_->blocks_out),
          "Dbsrmv");
    return;
  }
  check(library().SpMV(state_->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, state_->matrix, state_->in, &zero,
                       state_->out, CUDA_R_64F, state_->algorithm, state_->buffer.data()),
        "SpMV");
}

const std::string& CusparseProduct::name() const { return state_->name; }

}  // namespace tessera::linalg
