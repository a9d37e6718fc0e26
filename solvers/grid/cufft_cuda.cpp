#include <cufft.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/array.hpp"
#include "base/error.hpp"
#include "solvers/grid/cufft.hpp"

namespace tessera::solvers::grid {
namespace {

#define CUFFT_FUNCTIONS(what)                                                                             \
  what(Create) what(Destroy) what(SetAutoAllocation) what(MakePlanMany) what(SetWorkArea) what(SetStream) \
      what(ExecR2C) what(ExecD2Z)

/// The functions of cuFFT that we call, found in the library at run time.
struct Library {
  std::string problem;
#define DECLARE(name) decltype(&cufft##name) name = nullptr;
  CUFFT_FUNCTIONS(DECLARE)
#undef DECLARE

  Library() {
    const std::string file = fmt::format("libcufft.so.{}", CUFFT_VER_MAJOR);
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = fmt::format("{} cannot be loaded ({})", file, dlerror());
      return;
    }
#define LOAD(name)                                                       \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "cufft" #name)); \
  if (!name) problem = fmt::format("{} has no cufft" #name, file);
    CUFFT_FUNCTIONS(LOAD)
#undef LOAD
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

void check(cufftResult status, const char* call) {
  if (status == CUFFT_SUCCESS) return;
  const bool memory = status == CUFFT_ALLOC_FAILED;
  throw Error(memory ? ExitCode::memory : ExitCode::internal,
              fmt::format("cufft{} failed with status {}", call, static_cast<int>(status)),
              memory ? "use a smaller grid, or solver.type = \"bcr\"" : "");
}

void execute(cufftHandle plan, double* lines) {
  check(library().ExecD2Z(plan, lines, reinterpret_cast<cufftDoubleComplex*>(lines)), "ExecD2Z");
}
void execute(cufftHandle plan, float* lines) {
  check(library().ExecR2C(plan, lines, reinterpret_cast<cufftComplex*>(lines)), "ExecR2C");
}

/// A plan that is given back also where setting it up fails.
struct Plan {
  cufftHandle handle = 0;
  Plan() { check(library().Create(&handle), "Create"); }
  ~Plan() { (void)library().Destroy(handle); }
  Plan(const Plan&) = delete;
};

void require_library() {
  if (library().problem.empty()) return;
  throw Error(
      ExitCode::usage, "sine transforms on CUDA need cuFFT: " + library().problem,
      "put the CUDA toolkit's lib64 on LD_LIBRARY_PATH, choose solver.type = \"bcr\", or run with --backend threads");
}

}  // namespace

template <class T>
struct RealTransforms<T>::State {
  Plan plan;
  Array<unsigned char, Device> work;

  State(Cuda& exec, Index length, Index count) {
    check(library().SetAutoAllocation(plan.handle, 0), "SetAutoAllocation");
    check(library().SetStream(plan.handle, exec.stream()), "SetStream");
    int size = length, real_pitch = length + 2, complex_pitch = length / 2 + 1;
    std::size_t bytes = 0;
    check(library().MakePlanMany(plan.handle, 1, &size, &real_pitch, 1, real_pitch, &complex_pitch, 1, complex_pitch,
                                 sizeof(T) == 8 ? CUFFT_D2Z : CUFFT_R2C, count, &bytes),
          "MakePlanMany");
    work = Array<unsigned char, Device>(static_cast<Offset>(bytes));
    check(library().SetWorkArea(plan.handle, work.data()), "SetWorkArea");
  }
};

template <class T>
std::string RealTransforms<T>::why_not() {
  return library().problem;
}

template <class T>
RealTransforms<T>::RealTransforms(Cuda& exec, Index length, Index count) {
  require_library();
  state_ = std::make_unique<State>(exec, length, count);
}
template <class T>
RealTransforms<T>::~RealTransforms() = default;
template <class T>
RealTransforms<T>::RealTransforms(RealTransforms&&) noexcept = default;

template <class T>
void RealTransforms<T>::apply(Cuda&, View<T> lines) {
  execute(state_->plan.handle, lines.data());
}

template class RealTransforms<double>;
template class RealTransforms<float>;

}  // namespace tessera::solvers::grid
