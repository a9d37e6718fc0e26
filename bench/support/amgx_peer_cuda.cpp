#include "bench/support/amgx_peer.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/error.hpp"

namespace tessera::bench {
namespace {

using Handle = void*;

/// Matrices, vectors and arithmetic in double on the device, indices of 32 bits: AMGX_mode_dDDI.
constexpr int mode = 8193;

/// The functions of AMGX that are used, by their own names; each returns 0.
class Amgx {
 public:
  explicit Amgx(const std::string& folder) {
    (void)dlopen((folder + "/libamgxstubs.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    library_ = dlopen((folder + "/libamgxsh.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library_) throw Error(ExitCode::usage, fmt::format("AMGX: {}", dlerror()), "look at TESSERA_AMGX");
    call("AMGX_initialize");
    call(
        "AMGX_register_print_callback", +[](const char*, int) {});
  }

  template <class... Args>
  void call(const char* name, Args... args) const {
    const auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library_, name));
    if (!function) throw Error(ExitCode::usage, fmt::format("AMGX has no {}", name), "take AMGX 2.5");
    if (const int code = function(args...); code != 0)
      throw Error(ExitCode::internal, fmt::format("{}: error {}", name, code), "");
  }

 private:
  void* library_ = nullptr;
};

std::string options(const std::string& configuration) {
  const std::string outer =
      "config_version=2, solver(outer)=PCG, outer:max_iters=2000, outer:convergence=RELATIVE_INI, "
      "outer:tolerance=1e-8, outer:norm=L2, outer:monitor_residual=1, outer:preconditioner(amg)=AMG, amg:cycle=V, "
      "amg:max_iters=1, amg:max_levels=50, ";
  if (configuration == "aggregation")
    return outer +
           "amg:algorithm=AGGREGATION, amg:selector=SIZE_8, amg:presweeps=0, amg:postsweeps=3, "
           "amg:smoother(smooth)=BLOCK_JACOBI, smooth:relaxation_factor=0.8, "
           "amg:coarse_solver=DENSE_LU_SOLVER, amg:min_coarse_rows=32";
  const std::string classical =
      outer + "amg:algorithm=CLASSICAL, amg:interpolator=D2, amg:selector=PMIS, amg:presweeps=1, amg:postsweeps=1, ";
  if (configuration == "aggressive") return classical + "amg:aggressive_levels=2, amg:smoother(smooth)=BLOCK_JACOBI";
  return classical +
         "amg:smoother(smooth)=JACOBI_L1, amg:strength_threshold=0.25, amg:max_row_sum=0.9, "
         "amg:interp_max_elements=4";
}

double ms_of(Cuda& exec, const auto& work) {
  exec.synchronize();
  const auto start = std::chrono::steady_clock::now();
  work();
  exec.synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::optional<AmgxTimes> amgx_peer(Cuda& exec, const linalg::Crs<Device>& A, View<const double> b,
                                   const std::string& configuration) {
  const char* folder = std::getenv("TESSERA_AMGX");
  if (!folder || A.nnz() > std::numeric_limits<int>::max()) return {};
  static const Amgx amgx(folder);
  std::vector<int> row_ptr;
  for (const Offset offset : to_vector(A.row_ptr)) row_ptr.push_back(static_cast<int>(offset));

  Handle config{}, resources{}, matrix{}, right{}, x{}, solver{};
  amgx.call("AMGX_config_create", &config, options(configuration).c_str());
  amgx.call("AMGX_resources_create_simple", &resources, config);
  amgx.call("AMGX_matrix_create", &matrix, resources, mode);
  amgx.call("AMGX_vector_create", &right, resources, mode);
  amgx.call("AMGX_vector_create", &x, resources, mode);
  amgx.call("AMGX_solver_create", &solver, resources, mode, config);
  amgx.call("AMGX_matrix_upload_all", matrix, static_cast<int>(A.rows), static_cast<int>(A.nnz()), 1, 1,
            static_cast<const int*>(row_ptr.data()), static_cast<const int*>(A.col_ind.data()),
            static_cast<const void*>(A.values.data()), static_cast<const void*>(nullptr));
  amgx.call("AMGX_vector_upload", right, static_cast<int>(A.rows), 1, static_cast<const void*>(b.data()));
  amgx.call("AMGX_vector_set_zero", x, static_cast<int>(A.rows), 1);
  AmgxTimes times;
  for (int call = 0; call < 2; ++call) {
    times.set_up_ms = ms_of(exec, [&] { amgx.call("AMGX_solver_setup", solver, matrix); });
    times.solve_ms = ms_of(exec, [&] { amgx.call("AMGX_solver_solve_with_0_initial_guess", solver, right, x); });
  }
  amgx.call("AMGX_solver_get_iterations_number", solver, &times.iterations);
  amgx.call("AMGX_solver_destroy", solver);
  amgx.call("AMGX_vector_destroy", x);
  amgx.call("AMGX_vector_destroy", right);
  amgx.call("AMGX_matrix_destroy", matrix);
  amgx.call("AMGX_resources_destroy", resources);
  amgx.call("AMGX_config_destroy", config);
  return times;
}

}  // namespace tessera::bench
