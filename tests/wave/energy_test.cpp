// Energy of bodies over a hundred thousand steps.
#include <numeric>

#include "decks.hpp"

namespace {

using namespace wave_test;

/// The leapfrog keeps an energy of its own, from which that of a state differs by up to (omega dt)^2 / 4 of it: 1.2 per
/// cent of the fastest wave here. A cube of eight cells with free sides, in which all components move.
TEST(WaveEnergy, OfABodyIsKeptForAHundredThousandSteps) {
  for (const int degree : {2, 3}) {
    const std::string name = fmt::format("cube_for_long_{}", degree);
    const nlohmann::json summary =
        run(name, box(3, 2) + physics("elastic", degree) + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n" +
                      "[[initial]]\nu = [\"cos(pi*x)*sin(pi*y)\", \"-sin(pi*x)*cos(pi*y)\", \"0.2*cos(pi*z)*x\"]\n" +
                      "[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = \"Ep\"\nkind = "
                      "\"potential_energy\"\n[output]\nevery = 499\nformats = []\n" +
                      time_to(degree == 2 ? 3540 : 2010, "cfl = 0.6"));
    if (summary.is_discarded()) continue;
    EXPECT_GE(int(summary["time"]["steps"]), 100000);
    std::vector<double> energies;
    for (const auto& row : table(folder() / name / "quantities.csv")) energies.push_back(row[1] + row[2]);
    ASSERT_GT(energies.size(), 200U);
    for (const double energy : energies) EXPECT_NEAR(energy, energies[0], 1.2e-2 * energies[0]) << degree;
    const auto mean = [&](std::size_t first) {  // over a tenth of the run
      const auto from = energies.begin() + static_cast<std::ptrdiff_t>(first);
      return std::accumulate(from, from + 20, 0.0) / 20;
    };
    EXPECT_NEAR(mean(energies.size() - 20), mean(0), 1e-3 * mean(0)) << degree;
  }
}

}  // namespace
