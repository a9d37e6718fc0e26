// solver.type = "eigen" on several ranks: the modes of one.
#include <numbers>

#include "app/elasticity.hpp"
#include "app/ranks.hpp"

namespace {

using namespace app_test;

std::string modes(int count, const std::string& more = "") {
  return fmt::format("[solver]\ntype = \"eigen\"\nmodes = {}\n{}", count, more);
}

std::string laplacian(const std::string& mesh, int order, const std::string& sides) {
  return mesh + fmt::format("[physics]\ntype = \"poisson\"\norder = {}\n[[boundary]]\non = [{}]\n", order, sides) +
         "type = \"dirichlet\"\nvalue = 0\n" + quantity("largest", "max", "u");
}
const std::string around = "\"left\", \"right\", \"bottom\", \"top\"";

/// Eigenvalues on so many ranks, each to 1e-8; modes are scaled as on one rank.
std::vector<double> eigenvalues(int ranks, const std::string& name, const std::string& deck,
                                const std::string& options = "") {
  const nlohmann::json summary = run_on(ranks, name, deck, options);
  EXPECT_EQ(summary["status"], "ok");
  for (const double residual : summary["modes"]["residuals"]) EXPECT_LE(residual, 1e-8);
  return summary["modes"]["eigenvalues"];
}

void expect_same_on_ranks(const std::vector<int>& many, const std::string& name, const std::string& deck,
                          const std::string& options = "", double tolerance = 1e-10) {
  const std::vector<double> expected = eigenvalues(1, name, deck, options);
  for (const int ranks : many) {
    SCOPED_TRACE(fmt::format("{} on {}", name, ranks));
    const std::vector<double> found = eigenvalues(ranks, name, deck, options);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k], tolerance * std::abs(expected[k]));
  }
}

TEST(RanksModes, OfACubeAreThoseOfItsDiscreteProblem) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      laplacian(box_mesh("hex", {1, 1, 1}, {8, 8, 8}), 1, around + ", \"front\", \"back\"") + modes(10);
  // Q1 elements are products: their eigenvalues are sums of those of linear elements on an interval.
  const auto along = [](int i) {
    const double h = 1.0 / 8, c = std::cos(i * std::numbers::pi * h);
    return 6 / (h * h) * (1 - c) / (2 + c);
  };
  for (const int ranks : {1, 2, 4}) {
    const std::vector<double> found = eigenvalues(ranks, "modes_cube", deck);
    const double least = 3 * along(1), last = 2 * along(1) + along(3);
    EXPECT_NEAR(found[0], least, 1e-9 * least) << ranks;
    for (const std::size_t k : {7, 8, 9}) EXPECT_NEAR(found[k], last, 1e-9 * last) << ranks;
  }
}

TEST(RanksModes, OfAClampedPlateAreThoseOfOneRank) {
  SKIP_WITHOUT_MPI();
  const std::string plate =
      box_mesh("hex", {1, 1, 0.05}, {8, 8, 1}) + elasticity(2) + isotropic("1", "0.3", "density = 1\n");
  expect_same_on_ranks({2, 4}, "modes_plate",
                       plate + "[[boundary]]\non = [" + around +
                           "]\ntype = \"displacement\"\nvalue = [\"0\", \"0\", \"0\"]\n" + modes(4),
                       "", 1e-9);
}

TEST(RanksModes, EndTogetherWhereAPartHasNoPreconditioner) {
  SKIP_WITHOUT_MPI();
  const std::string deck = box_mesh("quad", {4, 1}, {16, 4}) + elasticity(1) +
                           "[[group]]\nname = \"weak\"\nof = \"surfaces\"\nwhere = \"x > 3\"\n"
                           "[[group]]\nname = \"body\"\nof = \"surfaces\"\nwhere = \"x <= 3\"\n"
                           "[[material]]\non = \"body\"\nyoung = 1\npoisson = 0.3\ndensity = 1\n"
                           "[[material]]\non = \"weak\"\nyoung = 1e-310\npoisson = 0.3\ndensity = 1\n"
                           "[[boundary]]\non = [\"left\"]\ntype = \"displacement\"\nvalue = [\"0\", \"0\"]\n" +
                           modes(2, "preconditioner = \"block_jacobi\"\n");
  const Result result = on_ranks(2, "run " + write_deck("modes_weak.toml", deck) + " --quiet --backend threads");
  EXPECT_EQ(result.code, 4) << result.text;
}

/// The first rank has an outline of the box alone, with fewer unknowns than there are modes.
TEST(RanksModes, OfABoxThatIsMadeInPartsAreThoseOfOneRank) {
  SKIP_WITHOUT_MPI();
  expect_same_on_ranks({2}, "modes_bricks", laplacian(box_mesh("quad", {1, 1}, {12, 12}), 1, around) + modes(12),
                       "--set 'mesh.partition=\"bricks\"'", 1e-9);
}

TEST(RanksModes, AreThoseOfOneRankWithoutAMatrixAndWithAShift) {
  SKIP_WITHOUT_MPI();
  const std::string square = laplacian(box_mesh("quad", {1, 1}, {6, 6}), 2, around);
  expect_same_on_ranks({2}, "modes_no_matrix", square + modes(3, "preconditioner = \"jacobi\"\n"),
                       "--set 'assembly.strategy=\"matrix_free\"'");
  expect_same_on_ranks({3}, "modes_shift", square + modes(3, "shift = 20\n"), "", 1e-9);
}

}  // namespace
