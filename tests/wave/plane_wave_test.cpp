// Plane waves that are under way when a run begins.
#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

const std::string solid = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n";
const std::string all_sides = "\"left\", \"right\", \"top\", \"bottom\"";

/// A body of which the sides move as a plane wave of this phase speed and direction does, and nothing else begins it.
std::string follows(int dim, const std::string& medium, const std::string& material, const std::string& wave,
                    const std::vector<double>& n, double speed, const std::vector<double>& d) {
  std::string phase = "(t";
  for (int a = 0; a < dim; ++a) phase += fmt::format(" - ({:.17g})*({} - 0.1)", n[a] / speed, "xyz"[a]);
  phase += " + 0.3)";
  std::string values;
  for (const double component : d)
    values += fmt::format("{}\"{:.17g}*3*exp(-20*({})^2)\"", values.empty() ? "" : ", ", component, phase);
  const char* const field = medium == "acoustic" ? "p" : "u";
  return box(dim, dim == 2 ? 4 : 2) + physics(medium, 8) + material + "[[boundary]]\non = [" + all_sides +
         (dim == 3 ? ", \"front\", \"back\"" : "") + "]\ntype = \"prescribed\"\nvalue = [" + values + "]\n[exact]\n" +
         field + " = " + (d.size() == 1 ? values : "[" + values + "]") + "\n[[plane_wave]]\n" + wave +
         "time_function = \"exp(-20*t^2)\"\namplitude = 3\ndelay = -0.3\nat = [0.1, 0.1" + (dim == 3 ? ", 0.1" : "") +
         "]\n" + time_to(0.4, "cfl = 0.04");
}

TEST(PlaneWave, TravelsAsTheExactOneInAnyDirection) {
  const double c = std::cos(0.5), s = std::sin(0.5);
  const std::string plane = fmt::format("direction = [{}, {}]\n", 2 * c, 2 * s);
  EXPECT_LT(l2_error(follows(2, "elastic", solid, "wave = \"p\"\n" + plane, {c, s}, 2, {c, s}), "u"), 1e-4);
  EXPECT_LT(l2_error(follows(2, "elastic", solid, "wave = \"s\"\n" + plane, {c, s}, 1, {-s, c}), "u"), 1e-4);
  EXPECT_LT(l2_error(follows(2, "sh", "[[material]]\ndensity = 2\nvs = 1\n", plane, {c, s}, 1, {1}), "u"), 1e-4);
  EXPECT_LT(l2_error(follows(2, "acoustic", "[[material]]\ndensity = 2\nvp = 2\n", plane, {c, s}, 2, {1}), "p"), 1e-4);
}

TEST(PlaneWave, OfShearInSpaceMovesAcrossItsDirection) {
  const std::vector<double> n{2.0 / 3, -1.0 / 3, 2.0 / 3};
  // (0, 0, 1) less its part along n, of length 1.
  const double size = std::sqrt(5.0) / 3;
  const std::vector<double> d{-4.0 / 9 / size, 2.0 / 9 / size, 5.0 / 9 / size};
  EXPECT_LT(l2_error(follows(3, "elastic", solid, "wave = \"s\"\ndirection = [2, -1, 2]\npolarisation = [0, 0, 4]\n", n,
                             1, d),
                     "u"),
            2e-3);
}

/// The half of a bar where x < 2, the other one four times as stiff.
std::string two_halves(const std::string& wave) {
  return "[mesh]\nbox = { min = [0,0], max = [4,0.5], cells = [16,2], shape = \"quad\" }\n" + physics("sh", 6) +
         group("soft", "surfaces", "x < 2") + group("hard", "surfaces", "x > 2") +
         "[[material]]\non = \"soft\"\ndensity = 1\nvs = 1\n[[material]]\non = \"hard\"\ndensity = 1\nvs = 2\n" +
         "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"absorbing\"\n[output]\nformats = []\n" +
         probe("back", "1.5, 0.2", "u") + probe("on", "2.5, 0.2", "u") + wave;
}

/// Of u the interface sends back (1 - 2) / (1 + 2), and lets 2 / (1 + 2) through.
TEST(PlaneWave, BeginsInThePartThatTheDeckNames) {
  run("halves", two_halves("[[plane_wave]]\non = [\"soft\"]\ndirection = [1, 0]\nat = [1, 0]\ntime_function = "
                           "\"gaussian\"\nwidth = 0.15\ndelay = 0\n") +
                    time_to(2.5, "cfl = 0.2"));
  double back = 0, on = 0;
  for (const auto& row : table(folder() / "halves" / "probes.csv")) {
    if (row[0] > 1) back = std::min(back, row[1]);
    on = std::max(on, row[2]);
  }
  EXPECT_NEAR(back, -1.0 / 3, 1e-3);
  EXPECT_NEAR(on, 2.0 / 3, 1e-3);
}

TEST(PlaneWave, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string text = two_halves(
                               "[[plane_wave]]\non = [\"soft\"]\ndirection = [1, 0.2]\nat = [1, 0]\n"
                               "time_function = \"gaussian\"\nwidth = 0.12\ndelay = 0\n") +
                           time_to(1, "step = 0.005"),
                    deck = write_deck("halves_ranks.toml", text);
  run("halves_on_one", text);
  const auto one = table(folder() / "halves_on_one" / "probes.csv");
  for (const int ranks : {2, 4}) {
    const fs::path out = folder() / fmt::format("halves_on_{}", ranks);
    const Result result = on_ranks(ranks, "run " + deck + " --quiet --backend threads --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
    const auto many = table(out / "probes.csv");
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t k = 1; k < one[i].size(); ++k) ASSERT_NEAR(many[i][k], one[i][k], 1e-11) << i;
  }
}

/// Beside a fluid it begins in the solid.
TEST(PlaneWave, BeginsInSolidsBesideFluids) {
  const std::string deck = "[mesh]\nbox = { min = [0,0], max = [4,0.5], cells = [16,2], shape = \"quad\" }\n" +
                           physics("coupled", 5) + group("rock", "surfaces", "x < 3") +
                           group("sea", "surfaces", "x > 3") +
                           "[[material]]\non = \"rock\"\ndensity = 2\nlambda = 0\nmu = 1\n[[material]]\non = "
                           "\"sea\"\ndensity = 1\nvp = 1\n" +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"absorbing\"\n[output]\nformats = []\n" +
                           probe("on", "2, 0.2", "u_x") + time_to(1.5, "cfl = 0.2") +
                           "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0]\nat = [1, 0]\ntime_function = "
                           "\"gaussian\"\nwidth = 0.25\ndelay = 0\n";
  run("beside", deck);
  double most = 0;
  for (const auto& row : table(folder() / "beside" / "probes.csv")) most = std::max(most, row[1]);
  EXPECT_NEAR(most, 1, 1e-3);
}

/// One that begins before a layer runs into it, and little comes back.
TEST(PlaneWave, RunsIntoLayersBeforeWhichItBegins) {
  const std::string deck = "[mesh]\nbox = { min = [0,0], max = [2,0.25], cells = [16,2], shape = \"quad\" }\n" +
                           physics("acoustic", 5) + "[[material]]\ndensity = 1\nvp = 1\n" +
                           "[[boundary]]\non = [\"right\"]\ntype = \"pml\"\n" +
                           "[[plane_wave]]\ndirection = [1, 0]\nat = [0.8, 0]\ntime_function = \"ricker\"\nfrequency = "
                           "3\ndelay = 0\n[output]\nformats = []\n" +
                           probe("p", "0.5, 0.1", "p") + time_to(3, "cfl = 0.5");
  run("into_layer", deck);
  double late = 0;
  for (const auto& row : table(folder() / "into_layer" / "probes.csv"))
    if (row[0] > 1.5) late = std::max(late, std::abs(row[1]));
  EXPECT_LT(late, 2e-3);  // of 1
}

TEST(PlaneWave, IsRefusedWhereItCannotBe) {
  const auto refused = [](const char* name, const std::string& deck, const std::vector<std::string>& parts) {
    for (const char* command : {"run", "check"}) {
      const std::string options =
          command[0] == 'r' ? " --quiet --backend threads --output " + (folder() / "no").string() : std::string();
      expect_says(app_test::tessera(command + (" " + write_deck(std::string(name) + ".toml", deck)) + options),
                  {name, {}, 2, parts});
    }
  };
  const std::string elastic = box(2, 2) + physics("elastic", 4) + solid + time_to(0.1, "cfl = 0.5"),
                    pulse = "time_function = \"ricker\"\nfrequency = 5\nat = [0.5, 0.5]\ndelay = 0\n",
                    wave = "[[plane_wave]]\ndirection = [1, 0]\n" + pulse;
  refused("pw_kind", elastic + wave, {"plane_wave 1: it does not say which wave it is", "pw_kind.toml:"});
  refused("pw_direction", elastic + "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0, 0]\n" + pulse,
          {"direction has 3 numbers, the mesh 2 dimensions"});
  refused("pw_zero", elastic + "[[plane_wave]]\nwave = \"p\"\ndirection = [0, 0]\n" + pulse,
          {"its direction has no length"});
  refused("pw_polarised", elastic + wave + "wave = \"s\"\npolarisation = [0, 1]\n",
          {"a polarisation, which is that of wave = \"s\" in 3-D"});
  refused("pw_constant", elastic + "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0]\n",
          {"it has no function of time"});
  refused("pw_step", elastic + "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0]\ntime_function = \"step\"\n",
          {"a step has no velocity"});
  refused("pw_far",
          elastic +
              "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0]\ntime_function = \"ricker\"\nfrequency "
              "= 5\ndelay = 1000\n",
          {"it is nowhere in its cells at t = 0"});
  const std::string space = box(3, 1) + physics("elastic", 4) + solid + time_to(0.1, "cfl = 0.5");
  refused("pw_no_polarisation",
          space + "[[plane_wave]]\nwave = \"s\"\ndirection = [1, 0, 0]\ntime_function = \"ricker\"\nfrequency = 5\n",
          {"an S wave without a polarisation"});
  refused("pw_along",
          space +
              "[[plane_wave]]\nwave = \"s\"\ndirection = [1, 0, 0]\npolarisation = [-3, 0, 0]\ntime_function = "
              "\"ricker\"\nfrequency = 5\n",
          {"its polarisation is along its direction"});
  const std::string acoustic = box(2, 2) + physics("acoustic", 4) + time_to(0.1, "cfl = 0.5");
  refused("pw_of_fluid", acoustic + "[[material]]\ndensity = 1\nvp = 1\n" + wave + "wave = \"p\"\n",
          {"wave = \"p\" in a medium of one kind of waves"});
  refused("pw_varies", acoustic + "[[material]]\ndensity = 1\nvp = \"1 + x\"\n" + wave,
          {"its medium is not the same everywhere", "name the groups of cells"});
  refused("pw_layers", two_halves(wave) + time_to(0.1, "cfl = 0.5"), {"its medium is not the same everywhere"});
  refused("pw_cut",
          two_halves("[[plane_wave]]\non = [\"soft\"]\ndirection = [1, 0]\nat = [1.8, 0]\ntime_function = "
                     "\"gaussian\"\nwidth = 0.2\ndelay = 0\n") +
              time_to(0.1, "cfl = 0.5"),
          {"of its largest value at (2, 0, 0), where its cells end", "farther from what is not its medium"});
  // Three layers of the eight cells are a layer: a wave that begins in it, and one that runs along it.
  const std::string layered = box(2, 8) + physics("acoustic", 4) + "[[material]]\ndensity = 1\nvp = 1\n" +
                              "[[boundary]]\non = [\"right\"]\ntype = \"pml\"\n" + time_to(0.1, "cfl = 0.5"),
                    short_pulse = "time_function = \"ricker\"\nfrequency = 5\ndelay = 0\n";
  refused("pw_in_pml", layered + "[[plane_wave]]\ndirection = [1, 0]\nat = [0.5, 0.5]\n" + short_pulse,
          {"plane_wave 1: at t = 0 it is ", "in the perfectly matched layer on 'right', which begins at x = 0.625",
           "farther from the layer", "absorbing", "pw_in_pml.toml:"});
  refused("pw_along_pml", layered + "[[plane_wave]]\ndirection = [0, 1]\nat = [0.5, 0.5]\n" + short_pulse,
          {"it is 1 of its largest value at (", "in the perfectly matched layer on 'right'"});
  refused("pw_anisotropic",
          box(2, 2) + physics("elastic", 4) + "[[material]]\ndensity = 2\nvpv = 2\nvph = 2.2\nvsv = 1\neta = 1\n" +
              time_to(0.1, "cfl = 0.5") + wave + "wave = \"p\"\n",
          {"a plane wave where a material is anisotropic"});
  refused("pw_attenuates",
          box(2, 2) + physics("elastic", 4) + solid + "q_mu = 50\n[attenuation]\nband = [1, 10]\n" +
              time_to(0.1, "cfl = 0.5") + wave + "wave = \"p\"\n",
          {"a plane wave where materials have quality factors"});
}

}  // namespace
