// Strategies, formats, solvers, preconditioners and precisions give the same displacement; what every stiffness matrix
// has: rigid motions in its kernel, and forces that balance.
#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "app/elasticity.hpp"
#include "linalg/market_vector.hpp"
#include "linalg/matrix_market.hpp"

namespace {

using namespace app_test;
using namespace tessera;

/// Two materials by place, of which one is orthotropic and warm; weight, a traction, a pressure and a spring.
std::string everything(const std::string& shape, int order, const std::string& more) {
  const int dim = shape == "interval" ? 1 : shape == "triangle" || shape == "quad" ? 2 : 3;
  const bool solid = dim == 3;
  return box_mesh(shape, solid ? std::vector<double>{2, 1, 1} : std::vector<double>{2, 1},
                  solid ? std::vector<int>{4, 2, 2} : std::vector<int>{6, 3}) +
         group("half", "x > 1", solid ? "volumes" : "surfaces") + elasticity(order) +
         isotropic("100*(1 + y)", "0.3", solid ? "body_force = [0, 0, -1]\n" : "body_force = [0, -1]\n") +
         "[[material]]\non = \"half\"\nyoung = [140, 10, 25]\npoisson = [0.3, 0.2, 0.25]\nshear = [5, 3.5, 4.5]\n"
         "expansion = [1e-3, 2e-3, 3e-3]\ntemperature = \"10*x\"\n" +
         boundary("left", "displacement", solid ? "value = [\"0.01*y\", 0, 0]" : "value = [\"0.01*y\", 0]") +
         boundary("right", "traction", solid ? "value = [\"y\", 0, 1]" : "value = [\"y\", 1]") +
         boundary("top", "pressure", "value = \"x\"") +
         boundary("bottom", "spring", "normal_stiffness = 3\nstiffness = 1") +
         at("u_y", solid ? std::vector<double>{2, 1, 1} : std::vector<double>{2, 1}) +
         at("stress_xx", solid ? std::vector<double>{1.5, 0.5, 0.5} : std::vector<double>{1.5, 0.5}) + more;
}

void expect_same(const std::string& what, const nlohmann::json& found, const nlohmann::json& reference,
                 double tolerance) {
  ASSERT_TRUE(found.contains("quantities")) << what;
  for (const auto& [name, value] : reference["quantities"].items())
    EXPECT_NEAR(found["quantities"][name].get<double>(), value.get<double>(), tolerance * std::abs(value.get<double>()))
        << what << " " << name;
}

const std::string direct = "[solver]\ntype = \"direct\"\n";
const std::string cg = "[solver]\ntype = \"cg\"\ntolerance = 1e-12\n";

TEST(ElasticChoices, EveryStrategyGivesTheSame) {
  for (const auto& [shape, order] : std::vector<std::pair<std::string, int>>{
           {"triangle", 1}, {"triangle", 3}, {"quad", 2}, {"tet", 1}, {"tet", 2}, {"hex", 2}, {"prism", 1}}) {
    const auto reference = run_elastic("same", everything(shape, order, direct));
    for (const char* strategy : {"nonzeros", "colour", "colour_blocks", "atomic", "two_pass", "shared"})
      expect_same(shape + " " + strategy,
                  run_elastic("same", everything(shape, order, direct),
                              fmt::format("--set 'assembly.strategy=\"{}\"'", strategy)),
                  reference, 1e-9);
  }
}

TEST(ElasticChoices, EveryFormatGivesTheSame) {
  const auto reference = run_elastic("same", everything("tet", 2, direct));
  for (const char* format : {"auto", "crs", "ell", "sliced_ell", "packed_ell", "cmrs", "block_crs", "block_sliced_ell"})
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev"})
      expect_same(std::string(format) + " " + preconditioner,
                  run_elastic("same", everything("tet", 2, cg),
                              fmt::format("--set 'matrix.format=\"{}\"' --set 'solver.preconditioner=\"{}\"'", format,
                                          preconditioner)),
                  reference, 1e-7);
}

TEST(ElasticChoices, EverySolverAndPreconditionerGivesTheSame) {
  for (const char* shape : {"quad", "tet"}) {
    const auto reference = run_elastic("same", everything(shape, 2, direct));
    for (const char* solver : {"cg", "minres", "bicgstab", "gmres"})
      for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "ssor", "multicolour_ssor", "chebyshev"}) {
        if (preconditioner == std::string("chebyshev") && solver != std::string("cg")) continue;
        expect_same(
            std::string(shape) + " " + solver + " " + preconditioner,
            run_elastic("same", everything(shape, 2, cg),
                        fmt::format("--set 'solver.type=\"{}\"' --set 'solver.preconditioner=\"{}\"' {}", solver,
                                    preconditioner, solver == std::string("gmres") ? "--set solver.restart=200" : "")),
            reference, 1e-7);
      }
    expect_same("lu", run_elastic("same", everything(shape, 2, "[solver]\ntype = \"lu\"\n")), reference, 1e-9);
  }
}

TEST(ElasticChoices, MultigridGivesTheSameInEveryFormatOfEntriesAndPrecision) {
  for (const char* shape : {"quad", "tet"}) {
    const auto reference = run_elastic("same", everything(shape, 2, direct));
    const std::string amg = "--set 'solver.preconditioner=\"amg\"' --set solver.coarsest_rows=20 ";
    for (const char* format : {"auto", "crs", "block_crs", "block_sliced_ell"}) {
      expect_same(
          std::string(shape) + " amg " + format,
          run_elastic("same", everything(shape, 2, cg), amg + fmt::format("--set 'matrix.format=\"{}\"'", format)),
          reference, 1e-7);
    }
    expect_same(std::string(shape) + " amg mixed",
                run_elastic("same", everything(shape, 2, cg), amg + "--set 'run.precision=\"mixed\"'"), reference,
                1e-7);
  }
}

/// Coarse levels have an unknown for each rigid motion, and the number of iterations shows that they are the right
/// ones.
TEST(ElasticChoices, MultigridKnowsTheRigidMotionsOfEveryBody) {
  struct Case {
    const char* shape;
    std::vector<double> max;
    std::vector<int> cells;
    std::string mesh, physics;
    int motions, most;
  };
  const Case cases[] = {
      {"tet", {12, 1, 1}, {36, 4, 4}, "", "", 6, 25},
      {"hex", {12, 1, 1}, {48, 4, 4}, "", "", 6, 18},
      {"quad", {12, 1}, {120, 10}, "", "", 3, 18},
      {"triangle", {12, 1}, {120, 10}, "", "plane = \"stress\"\n", 3, 18},
      {"quad", {1, 6}, {20, 120}, "axis = \"y\"\n", "", 3, 18},
  };
  for (const Case& c : cases) {
    const std::string body = box_mesh(c.shape, c.max, c.cells, {}, c.mesh) + elasticity(1, c.physics) +
                             isotropic("1", "0.3") +
                             boundary(c.mesh.empty() ? "left" : "bottom", "displacement",
                                      c.max.size() > 2 ? "value = [0, 0, 0]" : "value = [0, 0]") +
                             boundary(c.mesh.empty() ? "right" : "top", "traction",
                                      c.max.size() > 2 ? "value = [0, 0, 1]" : "value = [0, 1]");
    const auto summary = run_elastic("motions", body + "[solver]\npreconditioner = \"amg\"\n");
    const auto& levels = summary["solver"]["multigrid"]["rows"];
    ASSERT_GE(levels.size(), 2u) << c.shape;
    for (std::size_t l = 1; l < levels.size(); ++l) EXPECT_EQ(levels[l].get<int>() % c.motions, 0) << c.shape;
    EXPECT_LE(summary["solver"]["iterations"].get<int>(), c.most) << c.shape << c.mesh;
  }
}

TEST(ElasticChoices, AutoTakesMultigridWhereItsSetUpPays) {
  const auto body = [](const char* shape, const std::vector<int>& cells, int order) {
    const bool solid = cells.size() > 2;
    return box_mesh(shape, std::vector<double>(cells.size(), 1.0), cells) + elasticity(order) + isotropic("1", "0.3") +
           boundary("left", "displacement", solid ? "value = [0, 0, 0]" : "value = [0, 0]") +
           boundary("right", "traction", solid ? "value = [0, 0, 1]" : "value = [0, 1]") +
           quantity("u", "max", solid ? "u_z" : "u_y");
  };
  for (const auto& [deck, name] : {std::pair{body("quad", {100, 100}, 1), "amg"}, {body("hex", {9, 9, 9}, 2), "pmg"}}) {
    const auto taken = run_elastic("pays", deck),
               one_by_one = run_elastic("pays", deck, "--set 'solver.preconditioner=\"block_jacobi\"'");
    EXPECT_EQ(taken["solver"]["preconditioner"], name);
    EXPECT_EQ(taken["solver"]["why"].get<std::string>().find("about"), 0U);
    EXPECT_NE(taken["solver"]["why"].get<std::string>().find("iterations of block_jacobi"), std::string::npos);
    EXPECT_LT(4 * taken["solver"]["iterations"].get<int>(), one_by_one["solver"]["iterations"].get<int>());
    expect_same(name, taken, one_by_one, 1e-6);
  }
  EXPECT_EQ(run_elastic("pays", body("quad", {20, 20}, 1))["solver"]["preconditioner"], "block_jacobi");
  EXPECT_EQ(run_elastic("pays", box_mesh("interval", {2}, {30}) + elasticity(1) + "[[material]]\nyoung = 8\n" +
                                    boundary("left", "displacement", "value = [0]"))["solver"]["preconditioner"],
            "jacobi");
}

TEST(ElasticChoices, EveryPrecisionGivesTheSame) {
  const auto reference = run_elastic("same", everything("hex", 2, direct));
  for (const char* format : {"block_sliced_ell", "block_crs", "crs", "sliced_ell"}) {
    const std::string options = fmt::format("--set 'matrix.format=\"{}\"' ", format);
    expect_same("mixed", run_elastic("same", everything("hex", 2, cg), options + "--set 'run.precision=\"mixed\"'"),
                reference, 1e-7);
    expect_same("float",
                run_elastic("same", everything("hex", 2, cg),
                            options + "--set 'run.precision=\"float\"' --set solver.tolerance=2e-5"),
                reference, 1e-2);
  }
}

TEST(ElasticChoices, TheThreadsDoNotMatter) {
  const std::string deck = write_deck("threads.toml", everything("tet", 2, cg));
  nlohmann::json results[2];
  for (const int threads : {1, 4}) {
    const fs::path out = folder() / "out_threads";
    ASSERT_EQ(app_test::tessera("run " + deck + " --backend threads --set output.write=false --threads " +
                                std::to_string(threads) + " --output " + out.string())
                  .code,
              0);
    results[threads / 4] = summary_in(out)["quantities"];
  }
  EXPECT_EQ(results[0], results[1]);
}

/// Sums of forces along the axes.
TEST(ElasticBalance, ForcesBalanceAndReactionsAreThoseOfTheGroups) {
  for (const char* shape : {"triangle", "quad", "tet", "hex", "prism"})
    for (const int order : {1, 2, 3}) {
      const bool solid = shape == std::string("tet") || shape == std::string("hex") || shape == std::string("prism");
      if (solid && order == 3) continue;
      const std::string axes = solid ? "xyz" : "xy";
      std::string more = "[solver]\ntype = \"cg\"\npreconditioner = \"ssor\"\ntolerance = 1e-13\n";
      for (const char axis : axes)
        for (const char* on : {"left", "right", "top", "bottom"}) more += reaction(std::string(1, axis), on);
      const auto summary = run_elastic("balance", everything(shape, order, more));
      ASSERT_TRUE(summary.contains("balance"));
      const auto& balance = summary["balance"];
      EXPECT_LT(balance["relative_remainder"], 1e-10) << shape << order;
      for (std::size_t c = 0; c < axes.size(); ++c) {
        EXPECT_NEAR(balance["source"][c], c + 1 == axes.size() ? -1 : 0, 1e-12) << shape << order;  // half of 2
        // A node that two groups share is held by the left one: its force is among theirs as well.
        double all = balance["source"][c];
        for (const char* on : {"left", "right", "top", "bottom"}) all += balance["groups"][on][c].get<double>();
        EXPECT_NEAR(all, 0, 1e-9) << shape << order;
        const std::string R = std::string("R_") + axes[c];
        EXPECT_NEAR(summary["quantities"][R + "_right"], balance["groups"]["right"][c].get<double>(), 1e-9);
      }
    }
}

/// x, y, z of the dofs, in their order.
std::vector<std::array<double, 3>> places(const std::string& deck) {
  const fs::path out = folder() / "out_places";
  EXPECT_EQ(
      app_test::tessera("run " + deck + " --backend threads --set 'output.formats=[\"csv\"]' --output " + out.string())
          .code,
      0);
  std::vector<std::array<double, 3>> result;
  std::ifstream file(out / "solution.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    for (char& c : line)
      if (c == ',') c = ' ';
    std::istringstream words(line);
    result.emplace_back();
    words >> result.back()[0] >> result.back()[1] >> result.back()[2];
  }
  return result;
}

/// Nodes of order 3 on the quads and hexes of the boxes below: those of Gauss and Lobatto, where files have equispaced
/// ones.
std::vector<std::array<double, 3>> nodes_of_order_3(std::vector<std::array<double, 3>> places) {
  constexpr double sizes[] = {2.0 / 3, 1.0 / 2, 1.0 / 2};  // of a cell
  for (std::array<double, 3>& x : places)
    for (int axis = 0; axis < 3; ++axis) {
      const int third = static_cast<int>(std::lround(3 * x[axis] / sizes[axis]));
      const double inside[] = {0, (1 - std::sqrt(0.2)) / 2, (1 + std::sqrt(0.2)) / 2};
      x[axis] = sizes[axis] * (third / 3 + inside[third % 3]);
    }
  return places;
}

TEST(ElasticKernel, RigidMotionsCostNothing) {
  struct Body {
    const char* name;
    std::string mesh, physics;
    int dim;
    std::vector<int> motions;  // translations 0 1 2, rotations 3 4 5
  };
  const std::vector<Body> bodies{
      {"strain", box_mesh("triangle", {2, 1}, {3, 2}), "", 2, {0, 1, 5}},
      {"stress", box_mesh("quad", {2, 1}, {3, 2}), "plane = \"stress\"\n", 2, {0, 1, 5}},
      {"round", box_mesh("quad", {2, 1}, {3, 2}, {}, "axis = \"y\"\n"), "", 2, {1}},
      {"lying", box_mesh("triangle", {2, 1}, {3, 2}, {}, "axis = \"x\"\n"), "", 2, {0}},
      {"tets", box_mesh("tet", {2, 1, 1}, {3, 2, 2}), "", 3, {0, 1, 2, 3, 4, 5}},
      {"hexes", box_mesh("hex", {2, 1, 1}, {3, 2, 2}), "", 3, {0, 1, 2, 3, 4, 5}},
      {"prisms", box_mesh("prism", {2, 1, 1}, {3, 2, 2}), "", 3, {0, 1, 2, 3, 4, 5}},
      {"ring", file_mesh(source() / "inputs/meshes/quarter_ring.geo", "order = 2\n"), "", 2, {0, 1, 5}},
  };
  for (const Body& body : bodies)
    for (const int order : {1, 2, 3}) {
      if (body.name == std::string("ring") && order == 1) continue;  // curved cells have rotations from their own order
      const std::string name = fmt::format("{} P{}", body.name, order);
      const std::string deck = write_deck(
          "kernel.toml", body.mesh + group("all", "1 > 0") + elasticity(order, body.physics) + isotropic("210", "0.3") +
                             boundary("all", "displacement", body.dim == 2 ? "value = [0, 0]" : "value = [0, 0, 0]") +
                             direct);
      const fs::path file = folder() / "kernel.mtx";
      const Result result = app_test::tessera("export " + deck + " --full -o " + file.string());
      ASSERT_EQ(result.code, 0) << result.text;
      const linalg::Crs<Host> K = linalg::read_matrix_market(file.string());
      const bool lobatto = order == 3 && std::set<std::string>{"stress", "hexes"}.contains(body.name);
      const std::vector<std::array<double, 3>> x = lobatto ? nodes_of_order_3(places(deck)) : places(deck);
      ASSERT_EQ(K.rows, static_cast<Index>(x.size()) * body.dim) << name;
      double largest = 0;
      for (const double value : to_vector(K.values)) largest = std::max(largest, std::abs(value));
      for (const int motion : body.motions) {
        std::vector<double> u;
        for (const auto& p : x)
          for (int c = 0; c < body.dim; ++c) {
            const int k = motion - 3;
            // Component c of e_k x p.
            u.push_back(motion < 3         ? (c == motion ? 1.0 : 0.0)
                        : c == (k + 1) % 3 ? -p[static_cast<std::size_t>((k + 2) % 3)]
                        : c == (k + 2) % 3 ? p[static_cast<std::size_t>((k + 1) % 3)]
                                           : 0.0);
          }
        double force = 0;
        for (Index row = 0; row < K.rows; ++row) {
          double sum = 0;
          for (Offset k = K.row_ptr[row]; k < K.row_ptr[row + 1]; ++k) sum += K.values[k] * u[K.col_ind[k]];
          force = std::max(force, std::abs(sum));
        }
        EXPECT_LT(force, 1e-12 * largest) << name << " motion " << motion;
      }
    }
}

}  // namespace
