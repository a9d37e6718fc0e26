// Materials whose numbers stand in a file, on a grid.
#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

/// A file of the deck's folder.
std::string grid_file(const std::string& name, const std::string& text) {
  std::ofstream(folder() / name) << text;
  return "file = \"" + (folder() / name).string() + "\"\n";
}

/// density = 2 + x, vp = 2 + 0.5 y, vs = 1 + 0.1 x y on points that are apart as they like.
std::string sloping() {
  std::string text = "x,y,vp,density,vs\n";
  for (const double y : {0.0, 0.2, 1.0})
    for (const double x : {0.0, 0.7, 0.9, 1.0})
      text += fmt::format("{},{},{},{},{}\n", x, y, 2 + 0.5 * y, 2 + x, 1 + 0.1 * x * y);
  return text;
}

std::string deck_with(const std::string& material, const std::string& medium = "elastic", int dim = 2) {
  const bool vector = medium == "elastic";
  return (dim == 2 ? irregular(2, 0) : box(3, 2)) + physics(medium, 4) + "[[material]]\n" + material +
         "[[source]]\nat = " + (dim == 2 ? "[0.4, 0.6]" : "[0.4, 0.6, 0.3]") +
         (vector ? (dim == 2 ? "\nforce = [1, 2]" : "\nforce = [1, 2, 3]") : "") +
         "\ntime_function = \"ricker\"\nfrequency = 3\n" +
         probe("a", dim == 2 ? "0.8, 0.8" : "0.8, 0.8, 0.7", vector ? "u_x" : "p") +
         probe("b", dim == 2 ? "0.2, 0.7" : "0.2, 0.7, 0.2", vector ? "v_y" : "p_rate") + "[output]\nformats = []\n" +
         time_to(0.6, "step = 0.002");
}

/// A linear function of its axes is the same on a grid and as an expression.
void expect_same(const std::string& name, const std::string& one, const std::string& other) {
  run(name + "_one", one);
  run(name + "_other", other);
  const auto a = table(folder() / (name + "_one") / "probes.csv"),
             b = table(folder() / (name + "_other") / "probes.csv");
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 100U);
  for (std::size_t k = 1; k < a[0].size(); ++k) {
    double size = 0;
    for (const auto& row : a) size = std::max(size, std::abs(row[k]));
    EXPECT_GT(size, 1e-6) << k;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i][k], b[i][k], 1e-10 * size) << name << ' ' << i;
  }
}

TEST(WaveGrid, MaterialsAreThoseOfTheirExpressions) {
  const std::string attenuation = "[attenuation]\nband = [0.5, 5]\n";
  expect_same("slope", deck_with(grid_file("slope.csv", sloping())),
              deck_with("density = \"2 + x\"\nvp = \"2 + 0.5*y\"\nvs = \"1 + 0.1*x*y\"\n"));
  // Numbers of the deck beside those of the file.
  expect_same("some", deck_with(grid_file("some.csv", "y,vp\n0,2\n1,2.5\n") + "density = \"2 + x\"\nvs = 1\n"),
              deck_with("density = \"2 + x\"\nvp = \"2 + 0.5*y\"\nvs = 1\n"));
  expect_same("quality",
              deck_with(grid_file("quality.csv", "x,q_mu,vs\n0,30,1\n1,80,1\n") +
                        "density = 2\nvp = 2\nq_kappa = 100\n" + attenuation),
              deck_with("density = 2\nvp = 2\nvs = 1\nq_mu = \"30 + 50*x\"\nq_kappa = 100\n" + attenuation));
  expect_same("fluid", deck_with(grid_file("fluid.csv", "y,bulk,density\n0,2,1\n1,4,1.5\n"), "acoustic"),
              deck_with("density = \"1 + 0.5*y\"\nbulk = \"2 + 2*y\"\n", "acoustic"));
}

TEST(WaveGrid, SolidsMayHaveDirectionsThere) {
  expect_same("layers",
              deck_with(grid_file("layers.csv", "x,axis_x,axis_y,vpv\n0,0,1,2\n1,0.5,1,2.2\n") +
                        "density = 2\nvph = 2.4\nvsv = 1\neta = 0.95\n"),
              deck_with("density = 2\nvpv = \"2 + 0.2*x\"\nvph = 2.4\nvsv = 1\neta = 0.95\naxis = [\"0.5*x\", 1]\n"));
  expect_same("full",
              deck_with(grid_file("full.csv", "y,c11,c12,c16,c22,c26,c66\n0,8,4,0.1,9,0.2,2\n1,9,4,0.1,9,0.2,3\n") +
                        "density = 2\n"),
              deck_with("density = 2\nstiffness = [\"8 + y\", 4, 0.1, 9, 0.2, \"2 + y\"]\n"));
}

/// A table of depths is a model of layers that are level.
TEST(WaveGrid, OfDepthsAloneIsTheSameAlongTheOtherAxes) {
  expect_same("depth",
              deck_with(grid_file("depth.csv", "z vp vs density\n0 2 1 2\n0.25 2.5 1 2\n1 4 1 2\n"), "elastic", 3),
              deck_with("density = 2\nvs = 1\nvp = \"z < 0.25 ? 2 + 2*z : 2 + 2*z\"\n", "elastic", 3));
}

TEST(WaveGrid, OutsideItsNearestPlaceCountsWhereTheDeckSaysSo) {
  expect_same(
      "nearest",
      deck_with(grid_file("nearest.csv", "x,vp\n0.3,2.3\n0.8,2.8\n") + "outside = \"nearest\"\ndensity = 2\nvs = 1\n"),
      deck_with("density = 2\nvp = \"2 + min(max(x, 0.3), 0.8)\"\nvs = 1\n"));
}

TEST(WaveGrid, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("grid_ranks.toml", deck_with(grid_file("ranks.csv", sloping())));
  run("grid_on_one", deck_with(grid_file("ranks.csv", sloping())));
  const auto one = table(folder() / "grid_on_one" / "probes.csv");
  for (const int ranks : {2, 4}) {
    const fs::path out = folder() / fmt::format("grid_on_{}", ranks);
    const Result result = on_ranks(ranks, "run " + deck + " --quiet --backend threads --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
    const auto many = table(out / "probes.csv");
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t k = 1; k < one[i].size(); ++k) ASSERT_NEAR(many[i][k], one[i][k], 1e-11) << i;
  }
}

TEST(WaveGrid, IsRefusedWhereItIsNoMaterial) {
  const auto refused = [](const char* name, const std::string& material, const std::vector<std::string>& parts) {
    expect_says(app_test::tessera("run " + write_deck(std::string(name) + ".toml", deck_with(material)) +
                                  " --quiet --backend threads --output " + (folder() / "refused").string()),
                {name, {}, 2, parts});
  };
  const std::string rest = "density = 2\nvs = 1\n";
  refused("grid_outside", grid_file("short.csv", "x,vp\n0,2\n0.8,2.8\n") + rest,
          {"lies outside of the grid", "short.csv', x from 0 to 0.8", "outside = \"nearest\"", "grid_outside.toml:"});
  refused("grid_unknown", grid_file("unknown.csv", "x,Vp\n0,2\n1,2.8\n") + rest,
          {"has a column 'Vp', which no material has", "did you mean 'vp'"});
  refused("grid_twice", grid_file("twice.csv", "x,vp,vs\n0,2,1\n1,2.8,1\n") + rest,
          {"the deck gives vs, and so does the grid"});
  refused("grid_half", grid_file("half.csv", "x,c11,c12\n0,2,1\n1,2,1\n") + "density = 2\n",
          {"has no column 'c16'", "stiffness takes the columns c11, c12, c16, c22, c26, c66"});
  refused("grid_z", grid_file("z.csv", "z,vp\n0,2\n1,2\n") + rest,
          {"the grid of a material has a column z, the mesh 2 dimensions"});
  refused("grid_negative", grid_file("negative.csv", "x,vp\n0,-2\n1,2\n") + rest, {"the speed of P waves is"});
  refused("outside_of_nothing", "outside = \"nearest\"\nvp = 2\n" + rest,
          {"a material with `outside`, and it has no file"});
}

}  // namespace
