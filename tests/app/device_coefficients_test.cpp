// Coefficients that the device evaluates by itself: the same solutions and the same refusals as on threads. And what an
// assembly knows of the balance.
#include <cmath>

#include "app/balance.hpp"
#include "app/gpu.hpp"

namespace {

using namespace app_test;

/// Two materials on the square or cube [0, 1]^dim, which meet at x = 1/2, with u in 290 .. 300 on the left.
std::string two_materials(const std::string& shape, int order, const std::string& assembly, const std::string& left,
                          const std::string& right) {
  const int dim = shape == "tet" || shape == "hex" || shape == "prism" ? 3 : 2;
  const std::string box =
      dim == 3 ? "min = [0,0,0], max = [1,1,1], cells = [6,5,4]" : "min = [0,0], max = [1,1], cells = [8,7]";
  return "[mesh]\nbox = { " + box + ", shape = \"" + shape + "\" }\n" +
         "[[group]]\nname = \"cold\"\nwhere = \"x < 0.5\"\nof = \"" + (dim == 3 ? "volumes" : "surfaces") + "\"\n" +
         "[physics]\ntype = \"poisson\"\norder = " + std::to_string(order) + "\n" + "[[material]]\non = \"cold\"\n" +
         left + "[[material]]\non = \"rest\"\n" + right +
         "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = \"290 + 10*y\"\n" +
         "[[boundary]]\non = \"right\"\ntype = \"robin\"\nalpha = \"1 + y\"\nvalue = \"200*x\"\n" + assembly +
         "[solver]\ntype = \"cg\"\ntolerance = 1e-12\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\n" +
         "[[quantity]]\nname = \"norm\"\nkind = \"l2\"\n" + flux("out", "\"left\"");
}

/// The quantities of a run on CUDA are those on threads.
void expect_same(const std::string& name, const std::string& deck) {
  const json threads = run(name + "_threads", deck), cuda = run(name + "_cuda", deck, "", "cuda");
  ASSERT_FALSE(threads["quantities"].empty()) << name;
  for (const auto& [quantity, value] : threads["quantities"].items())
    EXPECT_NEAR(cuda["quantities"][quantity].get<double>(), value.get<double>(), 1e-9 * std::abs(value.get<double>()))
        << name << " " << quantity;
  expect_balance(threads, 1e-10, name);
  expect_balance(cuda, 1e-10, name);
  EXPECT_NEAR(cuda["balance"]["source"].get<double>(), threads["balance"]["source"].get<double>(), 1e-9) << name;
}

TEST(DeviceCoefficients, PoissonHasTheSolutionOfThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const std::string shape : {"triangle", "quad", "tet", "hex", "prism"})
    for (const int order : {1, 2})
      for (const std::string assembly : {"", "[assembly]\nstrategy = \"matrix_free\"\n"}) {
        const std::string name = shape + std::to_string(order) + (assembly.empty() ? "" : "_free");
        expect_same(name,
                    two_materials(shape, order, assembly, "diffusivity = \"2 + sin(pi*x)*y\"\nsource = \"x + y\"\n",
                                  "diffusivity = 3\nreaction = \"1 + x^2\"\nsource = \"10*exp(-x*y)\"\n"));
      }
  expect_same("tensor", two_materials("triangle", 2, "", "diffusivity = [\"2+x\", \"0.5*y\", 1]\n",
                                      "diffusivity = \"1+x\"\nsource = \"100*x\"\n"));
}

TEST(DeviceCoefficients, ConvectionAndElasticityHaveTheSolutionOfThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const std::string discretisation : {"galerkin", "supg", "upwind"})
    expect_same(
        "convection_" + discretisation,
        "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [12,10], shape = \"triangle\" }\n"
        "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"" +
            discretisation +
            "\"\n[[material]]\ndiffusivity = \"0.1*(1+x)\"\nvelocity = [\"1+y\", \"-x\"]\n"
            "reaction = \"0.5+x\"\nsource = \"sin(3*x)+y\"\n"
            "[[boundary]]\non = [\"left\", \"bottom\"]\ntype = \"dirichlet\"\nvalue = \"5+x\"\n"
            "[solver]\ntype = \"gmres\"\ntolerance = 1e-13\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\n");
  for (const std::string assembly : {"", "[assembly]\nstrategy = \"matrix_free\"\n"}) {
    const std::string deck =
        "[mesh]\nbox = { min = [0,0,0], max = [2,1,1], cells = [8,4,4], shape = \"hex\" }\n"
        "[physics]\ntype = \"elasticity\"\norder = 2\n"
        "[[material]]\nyoung = \"1000*(1+x)\"\npoisson = 0.3\nbody_force = [\"sin(x)\", 0, \"-1-y\"]\n"
        "[[boundary]]\non = \"left\"\ntype = \"displacement\"\nvalue = [0, 0, 0]\n" +
        assembly +
        "[solver]\ntype = \"cg\"\ntolerance = 1e-12\n[[quantity]]\nname = \"lowest\"\nkind = \"min\"\nof = \"u_z\"\n";
    const std::string name = assembly.empty() ? "elasticity" : "elasticity_free";
    const json threads = run(name + "_threads", deck), cuda = run(name + "_cuda", deck, "", "cuda");
    const double lowest = threads["quantities"]["lowest"];
    EXPECT_LT(lowest, 0);
    EXPECT_NEAR(cuda["quantities"]["lowest"].get<double>(), lowest, 1e-8 * std::abs(lowest)) << name;
    expect_balance(cuda, 1e-9, name);
  }
}

TEST(DeviceCoefficients, RefusesWhatThreadsRefuseInTheSameWords) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const std::string good = "diffusivity = 1\n";
  const auto first_line = [](const Result& result) { return result.text.substr(0, result.text.find('\n')); };
  for (const std::string assembly : {"", "[assembly]\nstrategy = \"matrix_free\"\n"})
    for (const auto& [left, right] :
         std::vector<std::pair<std::string, std::string>>{{good + "source = \"log(x - 0.25)\"\n", good},
                                                          {good, "diffusivity = \"0.75 - x\"\n"},
                                                          {good, "diffusivity = [\"1\", \"2*x\", \"1\"]\n"},
                                                          {good, good + "reaction = \"1/(x > 0.9 ? 0 : 1)\"\n"}}) {
      const std::string deck = write_deck("refused.toml", two_materials("quad", 2, assembly, left, right));
      const std::string rest = " --set output.write=false --output " + (folder() / "refused").string();
      const Result threads = app_test::tessera("run " + deck + " --quiet --backend threads" + rest),
                   cuda = app_test::tessera("run " + deck + " --quiet --backend cuda" + rest);
      EXPECT_EQ(threads.code, 2) << threads.text;
      EXPECT_EQ(cuda.code, 2) << cuda.text;
      EXPECT_EQ(first_line(cuda), first_line(threads)) << left << right;
      EXPECT_TRUE(cuda.says("help: ")) << cuda.text;
    }
}

/// Of more than 2^18 cells, in a strip whose sides hold the solution everywhere: few iterations solve it.
TEST(Balance, OfAMeshOfManyCellsIsThatOfTheLoadVector) {
  for (const std::string strategy : {"auto", "matrix_free"}) {
    const json summary =
        run("many_cells",
            "[mesh]\nbox = { min = [0,0], max = [1,1325], cells = [10,26500], shape = \"quad\" }\n"
            "[physics]\ntype = \"poisson\"\n[[material]]\nsource = \"(2*x - 2*y/1325 + 6)/1325\"\n[[boundary]]\n"
            "on = [\"top\", \"bottom\", \"left\", \"right\"]\ntype = \"dirichlet\"\nvalue = \"300 + x\"\n"
            "[assembly]\nstrategy = \"" +
                strategy + "\"\n[solver]\ntype = \"cg\"\npreconditioner = \"" +
                (strategy == "auto" ? "amg" : "chebyshev") + "\"\ntolerance = 1e-8\n");
    EXPECT_NEAR(summary["balance"]["source"].get<double>(), 6, 1e-10) << strategy;
    expect_balance(summary, 1e-6, strategy);
  }
}

TEST(Balance, HasTheSourceOfTheAssembly) {
  for (const std::string shape : {"triangle", "quad"})
    for (const int order : {1, 2, 3})
      for (const std::string strategy : {"auto", "colour", "matrix_free"})
        for (const std::string axis : {"", "axis = \"y\"\n"}) {
          if (!axis.empty() && strategy == "colour") continue;
          const json summary =
              run("source_" + shape,
                  "[mesh]\nbox = { min = [0,0], max = [1,2], cells = [5,6], shape = \"" + shape + "\" }\n" + axis +
                      "[physics]\ntype = \"poisson\"\norder = " + std::to_string(order) +
                      "\n[[material]]\nsource = \"2*x - y\"\n[[boundary]]\non = \"top\"\ntype = \"dirichlet\"\n"
                      "value = 300\n[[boundary]]\non = \"right\"\ntype = \"neumann\"\nvalue = \"y\"\n"
                      "[assembly]\nstrategy = \"" +
                      strategy + "\"\n[solver]\ntype = \"cg\"\ntolerance = 1e-12\n");
          // int 2x - y over [0,1] x [0,2], and the same with the weight 2 pi x
          const double exact = axis.empty() ? 0.0 : 2 * M_PI * (4.0 / 3 - 1);
          EXPECT_NEAR(summary["balance"]["source"].get<double>(), exact, 1e-11) << shape << order << strategy << axis;
          expect_balance(summary, 1e-10, shape + strategy);
        }
}

}  // namespace
