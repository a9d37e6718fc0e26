// What `check` says that a run takes, beside what the run then takes.
#include <fmt/format.h>

#include <regex>

#include "program.hpp"

namespace {

using namespace app_test;

struct Size {
  const char* name;
  const char* box;  ///< the shape and the cells of the mesh
  const char* more;
};
void PrintTo(const Size& size, std::ostream* stream) { *stream << size.name; }

/// Bytes of the line "host  about 1.2 GiB of ...".
double forecast_of(const std::string& text) {
  static const std::regex line(R"(host +about ([0-9.]+) (B|KiB|MiB|GiB))");
  std::smatch found;
  if (!std::regex_search(text, found, line)) return 0;
  const std::string unit = found[2];
  return std::stod(found[1]) * (unit == "GiB" ? 1 << 30 : unit == "MiB" ? 1 << 20 : unit == "KiB" ? 1 << 10 : 1);
}

class MemoryForecast : public ::testing::TestWithParam<Size> {};

TEST_P(MemoryForecast, IsWithinAFactorOf1_3OfThePeak) {
  const Size& size = GetParam();
  const std::string more = size.more;
  const bool solid = std::string(size.box).find("[0,0,0]") != std::string::npos;
  std::string held = more.find("elasticity") == std::string::npos
                         ? "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = \"y\"\n"
                         : fmt::format("[[boundary]]\non = \"left\"\ntype = \"displacement\"\nvalue = [{}]\n",
                                       solid ? "0, \"y\", 0" : "0, \"y\"");
  if (more.find("[time]") != std::string::npos) held.clear();
  const std::string deck =
      write_deck(std::string(size.name) + ".toml", "[mesh]\nbox = " + std::string(size.box) + held + more);
  const fs::path out = folder() / size.name;
  const std::string options = " --backend threads";
  const Result check = app_test::tessera("check " + deck + options);
  ASSERT_EQ(check.code, 0) << check.text;
  const Result run = app_test::tessera("run " + deck + options + " --quiet --output " + out.string());
  ASSERT_TRUE(run.code == 0 || run.code == 4) << run.text;  // iterations may be cut short
  const double peak = summary_in(out)["memory"]["host_peak_bytes"].get<double>();
  const double ratio = forecast_of(check.text) / peak;
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_GT(ratio, 1 / 1.3) << "peak " << peak << "\n" << check.text;
  EXPECT_LT(ratio, 1.3) << "peak " << peak << "\n" << check.text;
}

constexpr const char* cube = "{ min = [0,0,0], max = [1,1,1], cells = [48,48,48], shape = \"tet\" }\n";
constexpr const char* small_cube = "{ min = [0,0,0], max = [1,1,1], cells = [20,20,20], shape = \"tet\" }\n";
constexpr const char* hexes = "{ min = [0,0,0], max = [1,1,1], cells = [24,24,24], shape = \"hex\" }\n";
constexpr const char* elastic_cube = "{ min = [0,0,0], max = [1,1,1], cells = [30,30,30], shape = \"tet\" }\n";
constexpr const char* square = "{ min = [0,0], max = [1,1], cells = [300,300], shape = \"triangle\" }\n";
constexpr const char* square_with_axis =
    "{ min = [0,0], max = [1,1], cells = [300,300], shape = \"triangle\" }\naxis = \"y\"\n";
constexpr const char* quads_with_axis =
    "{ min = [0,0], max = [1,1], cells = [200,200], shape = \"quad\" }\naxis = \"y\"\n";
constexpr const char* elastic_quads = "{ min = [0,0], max = [1,1], cells = [200,200], shape = \"quad\" }\n";
constexpr const char* wave_quads = "{ min = [0,0], max = [1,1], cells = [150,150], shape = \"quad\" }\n";
constexpr const char* wave_hexes = "{ min = [0,0,0], max = [1,1,1], cells = [14,14,14], shape = \"hex\" }\n";
constexpr const char* gas_hexes = "{ min = [0,0,0], max = [1,1,1], cells = [32,32,32], shape = \"hex\" }\n";
constexpr const char* grid = "{ min = [0,0], max = [1,1], cells = [1000,1000], shape = \"quad\" }\n";

#define ELASTIC                                                                                                    \
  "[physics]\ntype = \"elasticity\"\n[[material]]\nyoung = \"1\"\npoisson = \"0.3\"\nbody_force = [\"0\", \"0\", " \
  "\"-1\"]\n[solver]\ntype = \"cg\"\nmax_iterations = 4\n"

#define GAS(limiter, velocity)                                                                            \
  "[physics]\ntype = \"euler\"\nlimiter = \"" limiter                                                     \
  "\"\n[[boundary]]\non = \"rest\"\ntype = \"slip_wall\"\n[[initial]]\ndensity = 1\nvelocity = " velocity \
  "\npressure = \"1 + 9*(x < 0.3)\"\n[time]\nend = 1e-4\ncfl = 0.5\n"
/// One implicit step of the same.
#define IMPLICIT_GAS(limiter, velocity, solver)                                                                  \
  "[physics]\ntype = \"euler\"\nlimiter = \"" limiter                                                            \
  "\"\n[[boundary]]\non = \"rest\"\ntype = \"slip_wall\"\n[[initial]]\ndensity = 1\nvelocity = " velocity        \
  "\npressure = \"1 + 0.1*(x < 0.3)\"\n[time]\nend = 1e-3\nstep = 1e-3\nscheme = \"backward_euler\"\n[newton]\n" \
  "tolerance = 1e-2\n[solver]\n" solver
#define SOLID_WAVES                                                                                                   \
  "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 4\n[[source]]\nat = [0.5, 0.5, 0.5]\nforce = [0, 0, "    \
  "1]\ntime_function = \"ricker\"\nfrequency = 3\n[time]\nend = 1e-3\ncfl = 0.5\n[[material]]\ndensity = 1\nvp = 2\n" \
  "vs = 1\n"

INSTANTIATE_TEST_SUITE_P(
    Decks, MemoryForecast,
    ::testing::Values(
        Size{"amg", cube, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\npreconditioner = \"amg\"\n"},
        Size{"elasticity_amg", elastic_cube, ELASTIC "preconditioner = \"amg\"\n"},
        Size{"gas", gas_hexes, GAS("convex", "[0, 0, 0]")}, Size{"gas_triangles", square, GAS("convex", "[0, 0]")},
        Size{"gas_of_low_order", square, GAS("none", "[0, 0]")},
        Size{"implicit_gas", square, IMPLICIT_GAS("monolithic", "[0, 0]", "restart = 20\n")},
        Size{"implicit_gas_of_low_order", elastic_cube,
             IMPLICIT_GAS("none", "[0, 0, 0]", "type = \"bicgstab\"\npreconditioner = \"block_jacobi\"\n")},
        Size{"advection", square,
             "[physics]\ntype = \"advection\"\n[flux]\nvelocity = [1, 0]\n[[initial]]\nu = \"x < 0.3\"\n"
             "[[boundary]]\non = \"rest\"\ntype = \"inflow\"\nvalue = 0\n[time]\nend = 1e-3\ncfl = 0.5\n"},
        Size{"acoustic_waves", wave_quads,
             "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 4\n[[material]]\ndensity = 1\nvp = 1\n"
             "[[initial]]\np = \"exp(-100*(x - 0.5)^2)\"\n[time]\nend = 1e-3\ncfl = 0.5\n"},
        Size{"elastic_waves", wave_hexes, SOLID_WAVES},
        Size{"attenuated_waves", wave_hexes, SOLID_WAVES "q_mu = 50\nq_kappa = 100\n[attenuation]\nband = [0.5, 5]\n"},
        Size{"attenuated_coarse_waves", wave_hexes,
             SOLID_WAVES "q_mu = 50\nq_kappa = 100\n[attenuation]\nband = [0.5, 5]\nmemory = \"coarse\"\n"},
        Size{"newton_amg", square,
             "[physics]\ntype = \"poisson\"\n[[material]]\nsource = \"exp(u)\"\n[solver]\ntype = \"cg\"\n"
             "preconditioner = \"amg\"\n"},
        Size{"newton_lu", square,
             "[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = \"1 + u^2\"\n[solver]\ntype = \"lu\"\n"},
        Size{"tets", cube, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\n"},
        Size{"tets_of_order_2", small_cube, "[physics]\ntype = \"poisson\"\norder = 2\n[solver]\ntype = \"cg\"\n"},
        Size{"multigrid_over_orders_without_matrix",
             "{ min = [0,0,0], max = [1,1,1], cells = [10,10,10], shape = \"tet\" }\n",
             "[physics]\ntype = \"poisson\"\norder = 4\n[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntype = "
             "\"cg\"\npreconditioner = \"pmg\"\nmax_iterations = 4\n"},
        Size{"multigrid_over_orders_through_time",
             "{ min = [0,0,0], max = [1,1,1], cells = [14,14,14], shape = \"tet\" }\n",
             "[physics]\ntype = \"heat\"\norder = 2\n[[material]]\n[time]\nend = 0.2\nstep = 0.1\n[solver]\ntype = "
             "\"cg\"\npreconditioner = \"pmg\"\n"},
        Size{"chebyshev", square,
             "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\npreconditioner = \"chebyshev\"\n"},
        Size{"mixed", square, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\n[run]\nprecision = \"mixed\"\n"},
        Size{"crs", cube, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\n[matrix]\nformat = \"crs\"\n"},
        Size{"gmres", square,
             "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"gmres\"\nrestart = 30\nmax_iterations = 32\n"},
        Size{"direct_2d", square, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"direct\"\n"},
        Size{"direct_3d", small_cube, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"direct\"\n"},
        Size{"lu_2d", square, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"lu\"\n"},
        Size{"lu_3d", small_cube, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"lu\"\n"},
        Size{"matrix_free", hexes,
             "[physics]\ntype = \"poisson\"\norder = 4\n[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntype = "
             "\"cg\"\nmax_iterations = 4\n"},
        Size{
            "elasticity_matrix_free", elastic_quads,
            "[physics]\ntype = \"elasticity\"\norder = 4\n[[material]]\nyoung = \"1\"\npoisson = \"0.3\"\nbody_force = "
            "[\"0\", \"-1\"]\n[solver]\ntype = \"cg\"\npreconditioner = \"block_jacobi\"\nmax_iterations = 4\n"},
        Size{"elasticity_varying", elastic_quads,
             "[physics]\ntype = \"elasticity\"\norder = 2\n[[material]]\nyoung = \"1 + x\"\npoisson = "
             "\"0.3\"\nbody_force "
             "= [\"0\", \"-x\"]\n[solver]\ntype = \"cg\"\nmax_iterations = 4\n"},
        Size{"elasticity_auto", elastic_cube, ELASTIC},
        Size{"elasticity_crs", elastic_cube, ELASTIC "[matrix]\nformat = \"crs\"\n"},
        Size{"elasticity_sliced_ell", elastic_cube, ELASTIC "[matrix]\nformat = \"sliced_ell\"\n"},
        Size{"elasticity_block_sliced_ell", elastic_cube, ELASTIC "[matrix]\nformat = \"block_sliced_ell\"\n"},
        Size{"elasticity_ssor", elastic_cube, ELASTIC "preconditioner = \"ssor\"\n"},
        Size{"elasticity_mixed", elastic_cube,
             ELASTIC "preconditioner = \"block_jacobi\"\n[run]\nprecision = \"mixed\"\n"},
        Size{"axis", square_with_axis,
             "[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = [2, 1, 2]\nreaction = 1\nsource = "
             "1\n[solver]\ntype = \"cg\"\n"},
        Size{"axis_convection", square_with_axis,
             "[physics]\ntype = \"convection_diffusion\"\n[[material]]\nvelocity = [0, 1]\nsource = 1\n[solver]\n"
             "type = \"bicgstab\"\nmax_iterations = 20\n"},
        Size{"axis_matrix_free", quads_with_axis,
             "[physics]\ntype = \"poisson\"\norder = 4\n[solver]\ntype = \"cg\"\nmax_iterations = 4\n"},
        Size{"fft", grid, "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"fft\"\n"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
