// What waves do: they keep their energy, travel at their speeds, leave through absorbing sides, and come from sources.
#include "decks.hpp"

namespace {

using namespace wave_test;

const std::string energies =
    "[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = \"Ep\"\nkind = "
    "\"potential_energy\"\n";

/// Newmark's scheme keeps v.Mv/2 + u.Ku/2 - dt^2/8 a.Ma: what is seen of the energy differs by (omega dt)^2 / 8, and
/// does not drift.
TEST(Wave, KeepsItsEnergyToTheBoundOfTheScheme) {
  for (const bool elastic : {false, true}) {
    const Standing wave = elastic ? standing_shear(2) : standing_pressure(2);
    run("energy", deck_of(wave, irregular(2, 0), 4, time_to(30, "cfl = 0.6")) + energies +
                      "[output]\nevery = 47\nformats = []\n");
    const auto rows = table(folder() / "energy" / "quantities.csv");
    ASSERT_GT(rows.size(), 50U);
    const double start = rows[0][1] + rows[0][2];
    double most = 0;
    for (const auto& row : rows) most = std::max(most, std::abs((row[1] + row[2]) / start - 1));
    EXPECT_LT(most, 2e-3);
    EXPECT_GT(most, 1e-9);  // it is the scheme's bound that is seen
    const double end = rows.back()[1] + rows.back()[2];
    EXPECT_NEAR(end, start, 2e-3 * start);
  }
}

/// A pulse that travels through a bar between rigid walls far away, whose sides move only along it.
TEST(Wave, TravelsAtItsSpeeds) {
  const std::string bar = "[mesh]\nbox = { min = [0,0], max = [8,0.5], cells = [40,2], shape = \"quad\" }\n";
  const std::string pulse = "exp(-4*(x-3-{0}*t)^2)", rate = "8*{0}*(x-3)*exp(-4*(x-3)^2)";
  const std::string material = "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n";
  const std::string time = time_to(1, "cfl = 0.1");
  const auto at = [](const std::string& text, const char* speed) { return fmt::format(fmt::runtime(text), speed); };
  // P: u along x; the sides at the top and at the bottom hold u_y, and there is none of it inside.
  const std::string along = bar + physics("elastic", 6) + material + "[[initial]]\nu = [\"" + at(pulse, "0") +
                            "\", \"0\"]\nv = [\"" + at(rate, "2") + "\", \"0\"]\n[exact]\nu = [\"" + at(pulse, "2") +
                            "\", \"0\"]\n";
  const std::string hold =
      "[[boundary]]\non = [\"top\", \"bottom\"]\ntype = \"prescribed\"\nvalue = [\"" + at(pulse, "2") + "\", \"0\"]\n";
  EXPECT_LT(l2_error(along + hold + time, "u"), 2e-4);
  // S: u across; a wave with u_y(x) has traction along x on the top, which a prescribed motion takes.
  const std::string across =
      bar + physics("elastic", 6) + material + "[[initial]]\nu = [\"0\", \"" + at(pulse, "0") + "\"]\nv = [\"0\", \"" +
      at(rate, "1") + "\"]\n[exact]\nu = [\"0\", \"" + at(pulse, "1") +
      "\"]\n[[boundary]]\non = [\"top\", \"bottom\"]\ntype = \"prescribed\"\nvalue = [\"0\", \"" + at(pulse, "1") +
      "\"]\n";
  EXPECT_LT(l2_error(across + time, "u"), 2e-4);
  // Pressure and SH: sides are natural.
  const std::string scalar = bar + physics("{1}", 6) +
                             "[[material]]\ndensity = \"2\"\n{2} = \"2\"\n[[initial]]\n{3} = \"" + at(pulse, "0") +
                             "\"\n{4} = \"" + at(rate, "2") + "\"\n[exact]\n{3} = \"" + at(pulse, "2") + "\"\n";
  for (const bool sh : {false, true}) {
    std::string deck = scalar;
    const auto replace = [&](const std::string& what, const std::string& by) {
      for (std::size_t i = deck.find(what); i != std::string::npos; i = deck.find(what))
        deck.replace(i, what.size(), by);
    };
    replace("{1}", sh ? "sh" : "acoustic"), replace("{2}", sh ? "vs" : "vp"), replace("{3}", sh ? "u" : "p"),
        replace("{4}", sh ? "v" : "p_rate");
    EXPECT_LT(l2_error(deck + time, sh ? "u" : "p"), 2e-4) << deck;
  }
}

/// A plane wave along the normal leaves nothing behind. Of the solid lambda is 0, so that a P wave needs no hold at its
/// sides; the SH wave is that of S waves.
TEST(Wave, LeavesThroughAbsorbingSides) {
  const std::string bar = "[mesh]\nbox = { min = [0,0], max = [4,0.5], cells = [20,2], shape = \"quad\" }\n";
  const std::string pulse = "\"exp(-8*(x-2)^2)\"";
  struct Case {
    const char *medium, *material;
    std::string start;
  };
  for (const char* scheme : {"newmark", "low_storage_rk45"})
    for (const Case& of : {Case{"acoustic", "vp = \"1\"", "p = " + pulse}, Case{"sh", "vs = \"1\"", "u = " + pulse},
                           Case{"elastic", "lambda = \"0\"\nmu = \"1\"", "u = [" + pulse + ", \"0\"]"}}) {
      run("absorbing", bar + physics(of.medium, 5) + "[[material]]\ndensity = \"2\"\n" + of.material +
                           "\n[[initial]]\n" + of.start +
                           "\n[[boundary]]\non = [\"left\", \"right\"]\ntype = \"absorbing\"\n" +
                           time_to(8, "cfl = 0.5", scheme) + energies + "[output]\nformats = []\nevery = 50\n");
      const auto rows = table(folder() / "absorbing" / "quantities.csv");
      const double start = rows.front()[1] + rows.front()[2], end = rows.back()[1] + rows.back()[2];
      EXPECT_LT(end, 1e-8 * start) << of.medium << ' ' << scheme;
    }
}

/// All sides absorb: what a source has sent is gone but for what comes back from oblique waves, and nothing grows.
TEST(Wave, FadesWhereAllSidesAbsorbAndNeverGrows) {
  for (const int dim : {2, 3}) {
    const std::string sides = dim == 2 ? "\"left\", \"right\", \"top\", \"bottom\""
                                       : "\"left\", \"right\", \"top\", \"bottom\", \"front\", \"back\"";
    const std::string deck =
        box(dim, dim == 2 ? 6 : 3) + physics("elastic", 4) +
        "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n[[boundary]]\non = [" + sides +
        "]\ntype = \"absorbing\"\n[[source]]\nat = " + (dim == 2 ? "[0.5, 0.47]" : "[0.5, 0.47, 0.4]") +
        "\nforce = " + (dim == 2 ? "[0, 1]" : "[0, 1, 0]") +
        "\ntime_function = \"ricker\"\nfrequency = 2\ndelay = 0.6\n" + time_to(12, "cfl = 0.9") + energies +
        "[output]\nformats = []\nevery = 40\n";
    run("fades", deck);
    const auto rows = table(folder() / "fades" / "quantities.csv");
    double most = 0;
    for (const auto& row : rows) most = std::max(most, row[1]);
    EXPECT_GT(most, 0);
    EXPECT_LT(rows.back()[1], 1e-6 * most) << dim;
  }
}

/// The momentum of a free body is the integral of the force, wherever in an element that acts; a moment gives none.
TEST(Wave, SourcesGiveTheirMomentum) {
  const std::string ask =
      "[[quantity]]\nname = \"vx\"\nkind = \"integral\"\nof = \"v_x\"\n[[quantity]]\nname = \"vy\"\nkind = "
      "\"integral\"\nof = \"v_y\"\n[output]\nformats = []\n";
  const std::string deck = irregular(2, 0) + physics("elastic", 4) +
                           "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n" + ask + time_to(1, "cfl = 0.05");
  const nlohmann::json force =
      run("force", deck + "[[source]]\nat = [0.31, 0.62]\nforce = [3, -1]\ntime_function = \"sin(pi*t)\"\n");
  const double impulse = 2 / M_PI;
  EXPECT_NEAR(double(force["quantities"]["vx"]), 3 * impulse / 2, 1e-4);
  EXPECT_NEAR(double(force["quantities"]["vy"]), -impulse / 2, 1e-4);
  EXPECT_LT(double(force["sources"][0]["misplaced"]), 1e-12);
  const nlohmann::json moment =
      run("moment", deck + "[[source]]\nat = [0.31, 0.62]\nmoment = [1, 2, 3]\ntime_function = \"sin(pi*t)\"\n");
  EXPECT_NEAR(double(moment["quantities"]["vx"]), 0, 1e-10);
  EXPECT_NEAR(double(moment["quantities"]["vy"]), 0, 1e-10);
}

/// Prescribed motion drives the inside as the exact solution has it.
TEST(Wave, FollowsWhatIsPrescribed) {
  const std::string sides =
      "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"]\ntype = \"prescribed\"\nvalue = ";
  const auto wave = [](const std::string& t) { return fmt::format("sin(2*x + y - sqrt(5)*({}))", t); };
  const std::string deck = box(2, 3) + physics("acoustic", 7) +
                           "[[material]]\ndensity = \"1\"\nvp = \"1\"\n[[initial]]\np = \"" + wave("0") +
                           "\"\np_rate = \"-sqrt(5)*cos(2*x + y)\"\n[exact]\np = \"" + wave("t") + "\"\n" + sides +
                           "[\"" + wave("t") + "\"]\n";
  EXPECT_LT(l2_error(deck + time_to(0.5, "cfl = 0.05"), "p"), 2e-6);
  EXPECT_LT(l2_error(deck + time_to(0.5, "cfl = 0.1", "low_storage_rk45"), "p"), 1e-8);
}

/// Also of solids beside fluids, however often states are written.
TEST(Wave, SidesThatMoveHaveTheirVelocitiesAndAccelerations) {
  for (const std::string medium : {"elastic", "coupled"}) {
    const std::string deck =
        box(2, 4) +
        (medium == "elastic" ? "[[material]]\n"
                             : "[[group]]\nname = \"low\"\nof = \"surfaces\"\nwhere = \"y < 0.5\"\n[[group]]\nname = "
                               "\"high\"\nof = \"surfaces\"\nwhere = \"y > 0.5\"\n[[material]]\non = "
                               "\"high\"\ndensity = 1\nvp = 1.5\n[[material]]\non = \"low\"\n") +
        "density = 2\nvp = 2\nvs = 1\n" + physics(medium, 3) +
        "[[boundary]]\non = [\"bottom\"]\ntype = \"prescribed\"\nvalue = [\"0.1*sin(3*t)^2\", \"0.1*t^2\"]\n"
        "[[probe]]\nname = \"a\"\nat = [0.3, 0]\nof = \"a_x\"\n[[probe]]\nname = \"ay\"\nat = [0.3, 0]\nof = "
        "\"a_y\"\n[[probe]]\nname = \"v\"\nat = [0.3, 0]\nof = \"v_x\"\n[[probe]]\nname = \"inside\"\nat = [0.4, "
        "0.1]\nof = \"a_x\"\n" +
        time_to(1, "cfl = 0.1");
    run("moved_often", deck, "--set output.every=7");
    run("moved_once", deck, "--set output.every=100000");
    const auto often = table(folder() / "moved_often" / "probes.csv"),
               once = table(folder() / "moved_once" / "probes.csv");
    ASSERT_EQ(often.size(), once.size());
    ASSERT_GT(once.size(), 100U);
    for (std::size_t i = 0; i < once.size(); ++i) {
      const double t = once[i][0];
      for (std::size_t k = 1; k <= 4; ++k) ASSERT_NEAR(often[i][k], once[i][k], 1e-9) << medium << ' ' << i << ' ' << k;
      ASSERT_NEAR(once[i][1], 1.8 * std::cos(6 * t), 1e-3) << medium << ' ' << i;
      ASSERT_NEAR(once[i][2], 0.2, 1e-9) << medium << ' ' << i;
      ASSERT_NEAR(once[i][3], 0.3 * std::sin(6 * t), 1e-3) << medium << ' ' << i;
    }
  }
}

/// Probes of slopes and accelerations of a standing wave, off the nodes.
TEST(Wave, LooksAtAccelerationsStrainsAndRotations) {
  const double x = 0.37, y = 0.61;
  std::string probes;
  for (const char* of : {"a_x", "strain_xx", "rotation_z", "strain_xy"})
    probes += fmt::format("[[probe]]\nname = \"{0}\"\nat = [{1}, {2}]\nof = \"{0}\"\n", of, x, y);
  run("receivers", deck_of(standing_shear(2), box(2, 3), 8, time_to(0.5, "cfl = 0.05")) + probes);
  const auto rows = table(folder() / "receivers" / "probes.csv");
  ASSERT_GT(rows.size(), 100U);
  const double shape[] = {-2 * M_PI * M_PI * std::cos(M_PI * x) * std::sin(M_PI * y),
                          -M_PI * std::sin(M_PI * x) * std::sin(M_PI * y),
                          -M_PI * std::cos(M_PI * x) * std::cos(M_PI * y), 0};
  for (const auto& row : rows)
    for (std::size_t k = 0; k < 4; ++k)
      ASSERT_NEAR(row[1 + k], shape[k] * std::cos(std::sqrt(2.0) * M_PI * row[0]), k == 0 ? 1e-3 : 1e-4) << k;
}

TEST(Wave, TakesMaterialsAsModuliToo) {
  const Standing wave = standing_shear(2);
  const auto error = [&](const std::string& material) {
    Standing other = wave;
    other.material = material;
    return l2_error(deck_of(other, box(2, 2), 4, time_to(0.5, "cfl = 0.3")), "u");
  };
  const double by_speeds = error(wave.material);
  EXPECT_NEAR(error("[[material]]\ndensity = \"2\"\nlambda = \"4\"\nmu = \"2\"\n"), by_speeds, 1e-12);
  EXPECT_NEAR(error("[[material]]\ndensity = \"2\"\nyoung = \"16/3\"\npoisson = \"1/3\"\n"), by_speeds, 1e-12);
  EXPECT_NEAR(error("[[material]]\ndensity = \"2 + 0*x\"\nvp = \"2\"\nvs = \"1\"\n"), by_speeds, 1e-12);
}

}  // namespace
