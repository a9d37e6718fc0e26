#include <cufft.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/array.hpp"
#include "base/error.hpp"
#include "solvers/grid/cufft.hpp"

namespace tessera::solvers::grid {
namespace {

#define CUFFT_FUNCTIONS(what)                                                                             \
  what(Create) what(Destroy) what(SetAutoAllocation) what(MakePlanMany) what(SetWorkArea) what(SetStream) \
      what(ExecC2C) what(ExecZ2Z)

std::string default_file() {
  const char* const named = std::getenv("TESSERA_CUFFT");
  return named && *named ? named : fmt::format("libcufft.so.{}", CUFFT_VER_MAJOR);
}

/// The functions of cuFFT that we call, found in the library at run time.
struct Library {
  std::string problem;
#define DECLARE(name) decltype(&cufft##name) name = nullptr;
  CUFFT_FUNCTIONS(DECLARE)
#undef DECLARE

  explicit Library(const std::string& file) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = fmt::format("{} cannot be loaded ({})", file, dlerror());
      return;
    }
#define LOAD(name)                                                       \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "cufft" #name)); \
  if (!name && problem.empty()) problem = fmt::format("{} has no cufft" #name, file);
    CUFFT_FUNCTIONS(LOAD)
#undef LOAD
  }
};

const Library& library() {
  static const Library loaded(default_file());
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
  auto* const complex = reinterpret_cast<cufftDoubleComplex*>(lines);
  check(library().ExecZ2Z(plan, complex, complex, CUFFT_FORWARD), "ExecZ2Z");
}
void execute(cufftHandle plan, float* lines) {
  auto* const complex = reinterpret_cast<cufftComplex*>(lines);
  check(library().ExecC2C(plan, complex, complex, CUFFT_FORWARD), "ExecC2C");
}

/// A plan that is given back also where setting it up fails.
struct Plan {
  cufftHandle handle = 0;
  Plan() { check(library().Create(&handle), "Create"); }
  ~Plan() { (void)library().Destroy(handle); }
  Plan(const Plan&) = delete;
};

}  // namespace

void require_cufft(const std::string& file) {
  const std::string problem = file.empty() ? library().problem : Library(file).problem;
  if (problem.empty()) return;
  throw Error(ExitCode::usage, "sine transforms on CUDA need cuFFT: " + problem,
              "put the CUDA toolkit's lib64 on LD_LIBRARY_PATH or name the library in TESSERA_CUFFT, choose "
              "solver.type = \"bcr\", or run with --backend threads");
}

template <class T>
struct ComplexTransforms<T>::State {
  Plan plan;
  Array<unsigned char, Device> work;

  State(Cuda& exec, Index length, Index count) {
    check(library().SetAutoAllocation(plan.handle, 0), "SetAutoAllocation");
    check(library().SetStream(plan.handle, exec.stream()), "SetStream");
    int size = length;
    std::size_t bytes = 0;
    check(library().MakePlanMany(plan.handle, 1, &size, &size, 1, size, &size, 1, size,
                                 sizeof(T) == 8 ? CUFFT_Z2Z : CUFFT_C2C, count, &bytes),
          "MakePlanMany");
    work = Array<unsigned char, Device>(static_cast<Offset>(bytes));
    check(library().SetWorkArea(plan.handle, work.data()), "SetWorkArea");
  }
};

template <class T>
ComplexTransforms<T>::ComplexTransforms(Cuda& exec, Index length, Index count) {
  require_cufft();
  state_ = std::make_unique<State>(exec, length, count);
}
template <class T>
ComplexTransforms<T>::~ComplexTransforms() = default;
template <class T>
ComplexTransforms<T>::ComplexTransforms(ComplexTransforms&&) noexcept = default;

template <class T>
void ComplexTransforms<T>::apply(View<T> lines) {
  execute(state_->plan.handle, lines.data());
}

template class ComplexTransforms<double>;
template class ComplexTransforms<float>;

}  // namespace tessera::solvers::grid
