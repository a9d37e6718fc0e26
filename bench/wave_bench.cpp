// Steps of waves by spectral elements: the forces of all cells, over the mass, and two passes that move v and u.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>

#include "assembly/spectral/coarse.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/point_kernel.hpp"
#include "forms/attenuation.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/box.hpp"
#include "physics/wave/attenuation.hpp"

using namespace tessera;

namespace {

/// A cube of hexes; `distorted`: its nodes are moved smoothly, so that no cell is a brick.
mesh::Mesh cube(int cells, bool distorted) {
  mesh::BoxParams params;
  params.shape = "hex";
  params.cells = {cells, cells, cells};
  params.min = {0, 0, 0};
  params.max = {1, 1, 1};
  mesh::Mesh mesh = mesh::make_box(params, 1);
  if (!distorted) return mesh;
  for (Index node = 0; node < mesh.nodes(); ++node) {
    double* const x = &mesh.points[3 * static_cast<std::size_t>(node)];
    const double move = 0.03 * std::sin(6 * x[0]) * std::sin(5 * x[1]) * std::sin(7 * x[2]);
    for (int axis = 0; axis < 3; ++axis) x[axis] += move * (axis + 1) / 3;
  }
  return mesh;
}

struct Case {
  int degree;
  int cells;  ///< of an axis
  bool distorted, stored;
};

/// What all laws and precisions of a mesh have in common.
struct Problem {
  mesh::Mesh mesh;
  assembly::DofMap dofs;
  assembly::spectral::Cells cells;
  std::vector<double> inverse_mass;

  explicit Problem(const Case& of)
      : mesh(cube(of.cells, of.distorted)),
        dofs(assembly::make_dof_map(mesh, of.degree, 0, assembly::LineNodes::lobatto)),
        cells(assembly::spectral::make_cells(mesh, dofs)),
        inverse_mass(assembly::spectral::diagonal_mass(
            mesh, dofs, cells, {1, false, std::vector<double>(static_cast<std::size_t>(mesh.cells()), 1.0)})) {
    for (double& m : inverse_mass) m = 1 / m;
  }
};
/// The problem of a case, made again where the one before was of another mesh.
const Problem& problem_of(const Case& of) {
  static std::optional<Problem> kept;
  static Case made{};
  if (!kept || made.degree != of.degree || made.cells != of.cells || made.distorted != of.distorted) kept.emplace(of);
  made = of;
  return *kept;
}

/// Flops a second of multiply-adds in registers, on all threads: what no kernel exceeds. 0 on CUDA, where the bytes
/// bind.
template <class T>
double peak_flops(Threads& exec) {
  constexpr int lanes = 64 / sizeof(T), chains = 12, repeats = 200000;
  std::vector<T> kept(static_cast<std::size_t>(exec.count()));
  const bench::Timing timing = bench::measure(exec, [&] {
    parallel_ranges(exec.count(), exec.count(), [&](Offset first, Offset last, int) {
      for (Offset thread = first; thread < last; ++thread) {
        T sums[chains][lanes] = {};
        const T by = static_cast<T>(0.999) + kept[static_cast<std::size_t>(thread)], add = static_cast<T>(1e-3);
        for (int i = 0; i < repeats; ++i)
#pragma GCC unroll 12
          for (int k = 0; k < chains; ++k)
#pragma omp simd
            for (int lane = 0; lane < lanes; ++lane) sums[k][lane] = sums[k][lane] * by + add;
        T sum = 0;
        for (const auto& chain : sums)
          for (const T value : chain) sum += value;
        kept[static_cast<std::size_t>(thread)] = sum * static_cast<T>(1e-30);
      }
    });
  });
  return 2.0 * lanes * chains * repeats * exec.count() / (1e-3 * timing.median_ms);
}
template <class T>
double peak_flops(Cuda&) {
  return 0;
}
/// The most of some measurements, which are made once: beside other work one alone may be half of it.
template <class T, class Exec>
double known_peak(Exec& exec) {
  static const double peak = [&] {
    double most = 0;
    for (int k = 0; k < 5; ++k) most = std::max(most, peak_flops<T>(exec));
    return most;
  }();
  return peak;
}

/// Numbers of a law: 1, and of what attenuates those of Q_kappa = 300 and Q_mu = 60 over a decade.
template <class Law>
std::vector<double> numbers_of_law(const physics::wave::ConstantQuality& qualities) {
  std::vector<double> numbers(static_cast<std::size_t>(Law::coefficients(3)), 1.0);
  if constexpr (forms::PartsOf<Law>::attenuates) {
    static_assert(Law::parts == 2);
    numbers.resize(2);
    for (const double quality : {300, 60})
      for (const double Y : qualities.fit(quality)) numbers.push_back(Y);
  }
  return numbers;
}

/// The law of points that remember or not, and what a cell remembers where these are coarse.
template <class Force>
struct LawOf {
  using Law = Force;
  static double numbers_of_cell(int) { return 0; }
};
template <class Of>
struct LawOf<forms::CoarseMemory<Of>> {
  using Law = Of;
  static double numbers_of_cell(int degree) {
    return assembly::spectral::mechanisms * Of::strains(3) *
           assembly::spectral::power(assembly::spectral::coarse_points(degree + 1), 3);
  }
};

template <class Force, class T, class Exec>
void measure_step(Exec& exec, const bench::Options& options, bench::Report& report, const char* law, const Case& of) {
  using Law = typename LawOf<Force>::Law;
  using Space = typename Exec::Space;
  const std::string name = fmt::format("{}, degree {}, {}, {}{}", law, of.degree, sizeof(T) == 8 ? "double" : "float",
                                       of.distorted ? "distorted" : "regular", of.stored ? ", geometry stored" : "");
  if (!options.takes(name)) return;
  const auto& [mesh, dofs, cells, inverse_mass] = problem_of(of);
  assembly::spectral::Coefficients material{Law::coefficients(3), false, {}};
  static const physics::wave::ConstantQuality qualities({.band = {0.5, 5}, .reference = {}, .where = {}});
  const std::vector<double> numbers = numbers_of_law<Law>(qualities);
  for (Index cell = 0; cell < mesh.cells(); ++cell)
    material.values.insert(material.values.end(), numbers.begin(), numbers.end());
  typename assembly::ForceOfLaw<Exec, Force, T>::Type K(exec, mesh, dofs, cells, material, {.stored = of.stored});
  const Offset rows = Offset{dofs.dofs} * Law::components(3);
  const std::vector<double> noise = bench::repeated_values(rows);
  auto u = to_space<Space>(std::vector<T>(noise.begin(), noise.end()));
  const auto scale = to_space<Space>(std::vector<T>(inverse_mass.begin(), inverse_mass.end()));
  Array<T, Space> v(rows), f(rows);
  v.set_zero();
  const T dt = static_cast<T>(1e-3 / (of.cells * of.degree * of.degree));
  const double elements = mesh.cells();
  const auto add = [&](const std::string& what, double bytes, auto work) {
    bench::Row row;
    row.name = what + ", " + name;
    row.size = fmt::format("{} hexes, {} rows", mesh.cells(), rows);
    row.bytes = bytes;
    row.items = static_cast<double>(rows);
    row.item = "rows";
    row.timing = bench::measure(exec, work);
    row.note = fmt::format("{:.4g} M elements/s, {:.3g} flops of an element", 1e-3 * elements / row.timing.median_ms,
                           K.flops_per_apply() / elements);
    const double peak = known_peak<T>(exec);
    const double rate = K.flops_per_apply() / (1e-3 * row.timing.median_ms);
    if (peak > 0) row.note += fmt::format(", {:.3g} Gflop/s, {:.2f} of peak", 1e-9 * rate, rate / peak);
    report.add(row);
  };
  if constexpr (forms::PartsOf<Law>::attenuates) {
    K.set_times(qualities.times());
    K.forget(exec, View<const T>(u.view()), static_cast<double>(dt));
    // What nodes or points of cells remember is read and written once, too.
    const double numbers = forms::has_coarse_memory<Force> ? elements * LawOf<Force>::numbers_of_cell(of.degree)
                                                           : assembly::spectral::mechanisms * static_cast<double>(rows);
    const double memory = 2.0 * sizeof(T) * numbers;
    return add("step", K.bytes_per_apply() + memory + 2.0 * sizeof(T) * static_cast<double>(rows), [&] {
      K.begin_step(static_cast<double>(dt), static_cast<double>(dt), true);
      K.leap(exec, dt, dt, View<const T>(scale.view()), v.view(), u.view(), {});
    });
  }
  const auto force = [&] { K.apply(exec, View<const T>(u.view()), View<const T>(scale.view()), f.view()); };
  add("force", K.bytes_per_apply(), force);
  if constexpr (std::is_same_v<Law, forms::IsotropicStress>)
    if (of.stored)
      for (bench::Row row : bench::point_kernel_rows<T>(exec, {mesh, cells, scale.view(), u.view(), f.view()})) {
        row.name = "force, " + name + ", " + row.name;
        row.size = fmt::format("{} hexes, {} rows", mesh.cells(), rows);
        row.items = static_cast<double>(rows);
        row.item = "rows";
        report.add(row);
      }
  add("step", K.bytes_per_apply() + 2.0 * sizeof(T) * static_cast<double>(rows),
      [&] { K.leap(exec, dt, dt, View<const T>(scale.view()), v.view(), u.view(), {}); });
}

/// Its rows, or a line where there is not the memory for them.
template <class Force, class T, class Exec>
void step(Exec& exec, const bench::Options& options, bench::Report& report, const char* law, const Case& of) {
  try {
    measure_step<Force, T>(exec, options, report, law, of);
  } catch (const Error& error) {
    if (error.code() != ExitCode::memory) throw;
    fmt::print("{} of degree {}: {}\n", law, of.degree, error.what());
  }
}

template <class Exec>
void run(Exec& exec, const bench::Options& options) {
  bench::Report report("wave", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec));
  // Nodes of an axis, about, and cells at most: on a GPU half a million hexes.
  const int nodes = options.quick ? 16 : std::is_same_v<typename Exec::Space, Host> ? 80 : 640;
  for (const int degree : {2, 3, 4, 5, 6, 7, 8}) {
    const int cells = std::min(80, nodes / degree);
    for (const Case& of :
         {Case{degree, cells, false, false}, Case{degree, cells, true, false}, Case{degree, cells, true, true}}) {
      step<forms::GradientFlux, double>(exec, options, report, "acoustic", of);
      step<forms::GradientFlux, float>(exec, options, report, "acoustic", of);
      step<forms::IsotropicStress, double>(exec, options, report, "elastic", of);
      step<forms::IsotropicStress, float>(exec, options, report, "elastic", of);
      using Coarse = forms::CoarseMemory<forms::AttenuatedStress>;
      step<forms::AttenuatedStress, double>(exec, options, report, "elastic with attenuation", of);
      step<forms::AttenuatedStress, float>(exec, options, report, "elastic with attenuation", of);
      step<Coarse, double>(exec, options, report, "elastic with attenuation, coarse", of);
      step<Coarse, float>(exec, options, report, "elastic with attenuation, coarse", of);
    }
  }
  report.write(fmt::format("{}/wave_{}.json", options.out, Exec::name));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bench::on_backends(options, [&](auto& exec) { run(exec, options); });
}
