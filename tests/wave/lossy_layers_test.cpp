// Perfectly matched layers of media that attenuate, or have directions.
#include "base/backend.hpp"
#include "physics/wave/anisotropy.hpp"
#include "reflections.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;
using reflected::Case, reflected::angles;

/// Quality factors in the band of a source of 0.25 Hz.
std::string with_loss(const std::string& material) {
  return "[[material]]\n" + material + "[attenuation]\nband = [0.05, 0.7]\nreference = 0.25\n";
}
const std::string solid = "density = 1\nvp = 2\nvs = 1\n";
/// Of a solid whose axis is not one of the mesh.
const std::string shale = "density = 1\nvpv = 1.9\nvph = 2.1\nvsv = 1\neta = 0.98\naxis = [0.4, 1]\n";

/// In dB, where the worst is expected: media beside a larger one that attenuates as they do.
TEST(WaveLossyLayers, LetWavesOutAtAllAngles) {
  for (const Case& of : {Case{.medium = "acoustic", .material = with_loss("density = 1\nvp = 1\nq_kappa = 20\n")},
                         Case{.medium = "sh", .material = with_loss("density = 1\nvs = 1\nq_mu = 20\n")},
                         Case{.medium = "elastic", .material = with_loss(solid + "q_kappa = 60\nq_mu = 20\n")},
                         Case{.medium = "elastic",
                         .component = 1,
                         .precision = "float",
                         .material = with_loss(solid + "q_kappa = 60\nq_mu = 20\n")}}) {
    const std::vector<double> back = reflected::reflections(of, -of.layers, reflected::left_side("pml"));
    for (std::size_t k = 0; k < angles.size(); ++k) {
      EXPECT_LT(back[k], angles[k] < 60 ? -65 : -55) << of.material << of.component << ' ' << angles[k];
      RecordProperty(fmt::format("{}{}_{}", of.medium, of.component, angles[k]), fmt::format("{:.1f}", back[k]));
    }
  }
}

TEST(WaveLossyLayers, LetWavesOfRayleighDampingOut) {
  for (const char* damping : {"rayleigh_alpha = 0.1\n", "rayleigh_alpha = 0.05\nrayleigh_beta = 0.02\n"}) {
    const Case of{.medium = "elastic", .material = "[[material]]\n" + solid + damping};
    const std::vector<double> back = reflected::reflections(of, -of.layers, reflected::left_side("pml"));
    for (std::size_t k = 0; k < angles.size(); ++k) {
      EXPECT_LT(back[k], angles[k] < 60 ? -62 : -53) << damping << angles[k];
      RecordProperty(fmt::format("{}_{}", damping, angles[k]), fmt::format("{:.1f}", back[k]));
    }
  }
}

/// Quasi-shear waves of a solid with directions are slower, so that fewer nodes stand on them.
TEST(WaveLossyLayers, LetWavesOfAnisotropicSolidsOut) {
  for (const std::string& material : {"[[material]]\n" + shale, with_loss(shale + "q = 25\n")})
    for (const int component : {0, 1}) {
      const Case of{.medium = "elastic", .component = component, .material = material};
      const std::vector<double> back = reflected::reflections(of, -of.layers, reflected::left_side("pml"));
      for (std::size_t k = 0; k < angles.size(); ++k) {
        EXPECT_LT(back[k], angles[k] < 60 ? -62 : -50) << material << component << ' ' << angles[k];
        RecordProperty(fmt::format("{}{}_{}", material.size(), component, angles[k]), fmt::format("{:.1f}", back[k]));
      }
    }
}

/// What Becache, Fauqueux and Joly show of layers across an axis: waves of some solids carry their energy there against
/// their phase.
TEST(BackwardWaves, AreFoundWhereTheyAre) {
  using namespace tessera::physics::wave;
  const auto of = [](double c11, double c12, double c22, double c33) {
    return Stiffness{2, {c11, c12, 0, c22, 0, c33}};
  };
  EXPECT_LT(most_backward(isotropic_stiffness(2, 2, 1), 0).most, 1e-12);
  EXPECT_LT(most_backward(isotropic_stiffness(3, 2, 1), 2).most, 1e-12);
  // Against differences of the phase speed, whose slope is the group velocity.
  for (const auto& [C, axis] : {std::pair{of(4, 7.5, 20, 2), 0},
                                {of(4, 7.5, 20, 2), 1},
                                {of(4, 3.8, 20, 2), 0},
                                {of(10, 2.5, 20, 6), 0},
                                {of(10, 2.5, 20, 6), 1}}) {
    double most = -1;
    for (int i = 0; i < 7200; ++i) {
      const double angle = M_PI * i / 7200, h = 1e-5;
      const auto speeds = [&, &C = C](double x, double y) {
        const double size = std::hypot(x, y);
        const Eigen::MatrixXd G = christoffel(C, {x / size, y / size, 0}) * (size * size);
        const double mean = (G(0, 0) + G(1, 1)) / 2, half = std::hypot((G(0, 0) - G(1, 1)) / 2, G(0, 1));
        return std::array<double, 2>{std::sqrt(mean - half), std::sqrt(mean + half)};
      };
      const double n[2] = {std::cos(angle), std::sin(angle)}, e[2] = {axis == 0 ? h : 0, axis == 1 ? h : 0};
      for (const std::size_t wave : {0U, 1U}) {
        const double group =
            (speeds(n[0] + e[0], n[1] + e[1])[wave] - speeds(n[0] - e[0], n[1] - e[1])[wave]) / (2 * h);
        most = std::max(most, -n[axis] * group / speeds(n[0], n[1])[wave]);
      }
    }
    EXPECT_NEAR(most_backward(C, axis).most, most, 1e-4) << C.values[1] << axis;
  }
  EXPECT_GT(most_backward(of(4, 7.5, 20, 2), 0).most, 0.01);
  // In space the same solid, turned into the plane of x and z.
  const Stiffness flat = of(4, 7.5, 20, 2);
  Stiffness space = isotropic_stiffness(3, 8, 2);
  const auto set = [&](int i, int j, double value) {
    space.values[static_cast<std::size_t>(i * 6 - i * (i - 1) / 2 + j - i)] = value;
  };
  set(0, 0, flat.values[0]), set(0, 2, flat.values[1]), set(2, 2, flat.values[3]), set(4, 4, flat.values[5]);
  EXPECT_GE(most_backward(space, 0).most, most_backward(flat, 0).most - 1e-3);
}

std::string squares(int cells) {
  return fmt::format("[mesh]\nbox = {{ min = [0,0], max = [{0},{0}], cells = [{0},{0}], shape = \"quad\" }}\n", cells);
}
/// A solid of which waves go backward across both axes.
const std::string backward = "[[material]]\ndensity = 1\nstiffness = [4, 7.5, 0, 20, 0, 2]\n";
const std::string all_sides = "\"left\", \"right\", \"bottom\", \"top\"";

std::string below(const std::string& material, const std::string& sides) {
  return squares(8) + physics("elastic", 4) + material + sides +
         "[[source]]\nat = [3.9, 4.6]\nforce = [0.5, 1]\ntime_function = \"ricker\"\nfrequency = 0.4\ndelay = 3\n";
}

TEST(WaveLossyLayers, AreWarnedOfBackwardWaves) {
  const auto warnings = [](const std::string& material, const std::string& sides) {
    const Result result =
        app_test::tessera("check " + write_deck("backward.toml", below(material, sides) + time_to(1, "cfl = 0.9")));
    EXPECT_EQ(result.code, 0) << result.text;
    std::string axes;
    const std::string words = "carry their energy against it along ";
    for (std::size_t at = 0; (at = result.text.find(words, at)) != std::string::npos;)
      axes += result.text[at += words.size()];
    return axes;
  };
  EXPECT_EQ(warnings("[[material]]\n" + shale, pml(all_sides)), "");  // so little that viscosity outweighs it
  const std::string along_x = warnings(backward, pml("\"left\""));
  EXPECT_EQ(along_x, "x");
  EXPECT_EQ(warnings(backward, pml("\"top\"")), "y");
  EXPECT_EQ(warnings(backward, pml("\"left\"", "multiaxial = 0.1\n")), "");
  EXPECT_EQ(warnings(backward, pml("\"left\"", "grow = true\n")), "x");
  // Of materials that the layer has not got nothing is said.
  EXPECT_EQ(warnings(group("a", "surfaces", "x < 4") + group("b", "surfaces", "x > 4") + "[[material]]\non = \"a\"\n" +
                         shale + "[[material]]\non = \"b\"\ndensity = 1\nstiffness = [4, 7.5, 0, 20, 0, 2]\n",
                     pml("\"left\"")),
            "");
}

/// Energy at the end of a run over the most of it.
double left_at_end(const std::string& deck, double end) {
  const auto rows = energies_of(deck, end, 50);
  return total(rows.back()) / most_energy(rows, 0, rows.size() / 10);
}

/// Waves that go backward grow in layers but for multiaxial ones.
TEST(WaveLossyLayers, GrowWhereWavesGoBackward) {
  EXPECT_GT(left_at_end(below(backward, pml(all_sides)), 40), 1e3);
  EXPECT_LT(left_at_end(below(backward, pml(all_sides, "multiaxial = 0.1\n")), 40), 1e-5);
}

/// Media below a free side, whose waves leave through layers.
std::vector<std::string> all_media() {
  const std::string sides = pml("\"left\", \"right\", \"bottom\"");
  return {below(with_loss(solid + "q_kappa = 60\nq_mu = 20\n"), sides), below(with_loss(shale + "q = 25\n"), sides),
          below("[[material]]\n" + shale, sides),
          below("[[material]]\n" + solid + "rayleigh_alpha = 0.02\nrayleigh_beta = 0.01\n", sides)};
}

TEST(WaveLossyLayers, DoNotGrow) {
  for (const std::string& deck : all_media()) {
    SCOPED_TRACE(deck);
    expect_energy_leaves(energies_of(deck, 120, 50), 1e-6);
  }
}

/// Corners of layers and what attenuates, in media of all kinds, in the plane and in space.
std::vector<std::string> all_mixed(const std::string& step) {
  const auto plane = [&](const std::string& medium, const std::string& materials, const std::string& more,
                         const std::string& source, const std::string& probes) {
    return squares(6) + physics(medium, 4) + materials + more + pml("\"left\", \"bottom\"", "layers = 2\n") +
           "[[source]]\nat = [3.4, 3.6]\n" + source + "time_function = \"ricker\"\nfrequency = 0.5\ndelay = 2\n" +
           probes + "[output]\nevery = 20\n" + time_to(4, step);
  };
  const std::string band = "[attenuation]\nband = [0.1, 1]\n", force = "force = [1, 2]\n",
                    of_solid = probe("u", "4.8, 2.8", "u_x") + probe("in", "1.2, 2.3", "v_y"),
                    of_fluid = probe("p", "2.8, 4.8", "p"),
                    halves = group("a", "surfaces", "y < 3") + group("b", "surfaces", "y > 3"),
                    water = "[[material]]\non = \"b\"\ndensity = 1\nvp = 1.5\n",
                    rock = "[[material]]\non = \"a\"\n" + solid;
  const std::string space =
      "[mesh]\nbox = { min = [0,0,0], max = [4,4,4], cells = [4,4,4], shape = \"hex\" }\n" + physics("elastic", 3) +
      "[[material]]\n" + solid + "q_kappa = 60\nq_mu = 20\n" + band +
      pml("\"left\", \"bottom\", \"back\"", "layers = 1\n") +
      "[[source]]\nat = [2.2, 2.4, 2.1]\nforce = [1, 2, 3]\ntime_function = \"ricker\"\nfrequency "
      "= 0.5\ndelay = 2\n" +
      probe("u", "2.8, 2.8, 2.9", "u_x") + probe("in", "0.7, 2.1, 0.3", "v_z") + "[output]\nevery = 20\n" +
      time_to(4, step);
  return {
      plane("acoustic", "[[material]]\ndensity = 1\nvp = 1\nq_kappa = \"20 + y\"\n", band, "",
            probe("p", "4.8, 2.8", "p") + probe("in", "1.2, 2.3", "p_rate")),
      plane("elastic", "[[material]]\n" + solid + "q_kappa = 60\nq_mu = \"20 + y\"\n", band, force, of_solid),
      plane("elastic", "[[material]]\n" + shale + "q = 25\n", band, force, of_solid),
      plane("elastic", "[[material]]\n" + shale, "", force, of_solid),
      plane("elastic", "[[material]]\n" + solid + "rayleigh_alpha = 0.1\nrayleigh_beta = 0.01\n", "", force, of_solid),
      plane("coupled", halves + rock + "q_mu = 20\n" + water + "q_kappa = 30\n", band, "", of_fluid + of_solid),
      plane("coupled", halves + rock + "rayleigh_alpha = 0.1\nrayleigh_beta = 0.01\n" + water, "", "",
            of_fluid + of_solid),
      space};
}

TEST(WaveLossyLayers, GoOnBitwiseAsIfTheyHadNeverStopped) {
  for (const std::string& deck : all_mixed("step = 0.02"))
    expect_goes_on_bitwise("lossy_layers", deck + "[checkpoint]\nevery = 7\n", 2, 4, "solution_000200.vtu");
}

TEST(WaveLossyLayers, AreTheSameBitsOnAnyNumberOfThreads) {
  for (const std::string& deck : all_mixed("step = 0.02")) expect_same_on_threads("lossy_threads", deck);
}

TEST(WaveLossyLayers, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  int ranks = 2;
  for (const std::string& deck : all_mixed("step = 0.02")) {
    SCOPED_TRACE(deck);
    expect_same_traces(traces_on_ranks("lossy_ranks", deck, ranks), traces_on_ranks("lossy_ranks", deck, 1));
    ranks = 6 - ranks;  // 2 and 4 in turn
  }
}

TEST(WaveLossyLayers, OnCudaAreThoseOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const std::string& deck : all_mixed("step = 0.02"))
    expect_cuda_as_threads("lossy_cuda", write_deck("lossy_cuda.toml", deck));
}

/// The same layer drawn and grown.
TEST(WaveLossyLayers, GrowOutwardAsDrawnOnes) {
  const auto deck = [](const std::string& material, bool grown) {
    return fmt::format("[mesh]\nbox = {{ min = [{}], max = [5,4], cells = [{}], shape = \"quad\" }}\n",
                       grown ? "0,0" : "-3,-2", grown ? "5,4" : "8,6") +
           physics("elastic", 4) + material + pml("\"left\"", grown ? "grow = true\n" : "") +
           pml("\"bottom\"", grown ? "grow = true\nlayers = 2\n" : "layers = 2\n") +
           "[[source]]\nat = [1.4, 1.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 0.6\ndelay = 1.7\n" +
           probe("u", "0.4, 3.8", "u_x") + probe("v", "3.1, 0.7", "v_y") + probe("in", "-1.2, -0.6", "v_x") +
           "[output]\nformats = []\n" + time_to(5, "step = 0.03");
  };
  for (const std::string& material : {"[[material]]\n" + shale, with_loss(solid + "q_kappa = 60\nq_mu = 20\n")}) {
    const auto traces = [&](bool grown) {
      run("lossy_grown", deck(material, grown));
      return table(folder() / "lossy_grown" / "probes.csv");
    };
    expect_same_traces(traces(true), traces(false), 1e-10);
  }
}

}  // namespace
