// Wrong decks of nonlinear problems, and those whose iteration fails: exit code, what is wrong, where, what to do.
#include "app/child.hpp"
#include "app/nonlinear.hpp"

namespace {

using namespace app_test;

const std::string square = box_of("triangle", 2, 4) + poisson_of(1), walls = dirichlet_on(all_sides(2), "x"),
                  of_u = "[[material]]\ndiffusivity = \"1 + u^2\"\n";

std::string solver(const std::string& type) { return "[solver]\ntype = \"" + type + "\"\n"; }

class NonlinearRefused : public ::testing::TestWithParam<Case> {};

TEST_P(NonlinearRefused, SaysWhatWhereAndWhatToDoInRunAndCheck) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string("nonlinear_") + wrong.name + ".toml", wrong.deck);
  const std::string out = " --output " + (folder() / "nonlinear_refused").string();
  const Result run = app_test::tessera("run " + deck + " --backend threads" + out);
  expect_says(run, wrong);
  EXPECT_TRUE(run.says("--> ")) << run.text;
  expect_says(app_test::tessera("check " + deck), wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Decks, NonlinearRefused,
    ::testing::Values(
        Case{"dirichlet",
             square + dirichlet_on(all_sides(2), "1 + u"),
             2,
             {"the value of a dirichlet boundary depends on u, which it is to fix", "neumann or robin"}},
        Case{"gradient_on_a_boundary",
             square + walls + "[[boundary]]\non = \"left\"\ntype = \"neumann\"\nvalue = \"ux\"\n",
             2,
             {"unknown variable 'ux'", "the solution is not known here; variables are x, y, z, t, u"}},
        Case{"exact",
             square + of_u + walls + "[exact]\nu = \"2*u\"\n",
             2,
             {"unknown variable 'u'", "the solution is not known here"}},
        Case{"start", square + of_u + walls + "[[initial]]\nu = \"u\"\n", 2, {"unknown variable 'u'"}},
        Case{"velocity",
             box_of("triangle", 2, 4) +
                 "[physics]\ntype = \"convection_diffusion\"\n[[material]]\nvelocity = [\"u\", 0]\n" + walls,
             2,
             {"unknown variable 'u'", "the solution is not known here"}},
        Case{"no_such_axis",
             box_of("interval", 1, 4) + poisson_of(1) + "[[material]]\ndiffusivity = \"1 + uy^2\"\n" +
                 dirichlet_on(all_sides(1), "x"),
             2,
             {"uses uy, but the mesh has 1 dimension", "a problem in 1-D knows x"}},
        Case{"matrix_free",
             square + of_u + walls + "[assembly]\nstrategy = \"matrix_free\"\n",
             2,
             {"\"matrix_free\" has no tangents", "strategy = \"auto\""}},
        Case{"order",
             box_of("quad", 2, 4) + poisson_of(5) + of_u + walls,
             2,
             {"of order 5 it is not assembled, at most 4 is", "choose a lower order"}},
        Case{"differences",
             box_of("quad", 2, 4) + poisson_of(1) + "discretisation = \"finite_difference\"\n" + of_u + walls,
             2,
             {"\"finite_difference\" has no tangents", "discretisation = \"galerkin\""}},
        Case{"cg",
             square + of_u + walls + solver("cg"),
             2,
             {"cg", "coefficients that depend on u make a tangent that is not"}},
        Case{"bcr", box_of("quad", 2, 4) + poisson_of(1) + of_u + walls + solver("bcr"), 2, {"bcr"}},
        Case{"linear",
             square + walls + "[newton]\nmax_iterations = 3\n",
             2,
             {"no coefficient depends on u: the problem is linear", "leave [newton] out"}},
        Case{"no_steps", square + of_u + walls + "[newton]\nload_steps = 0\n", 2, {"newton.load_steps", "1"}},
        Case{"wrong_key", square + of_u + walls + "[newton]\ntolerence = 1\n", 2, {"tolerence", "tolerance"}},
        Case{"not_positive",
             square + "[[material]]\ndiffusivity = \"u\"\n" + dirichlet_on(all_sides(2), "0"),
             2,
             {"diffusivity [0] at", "is not positive"}},
        Case{"not_finite",
             square + "[[material]]\nsource = \"1/u\"\n" + dirichlet_on(all_sides(2), "0"),
             2,
             {"the expression '1/u' is inf at", "u = 0"}},
        Case{"no_level",
             square + "[[material]]\ndiffusivity = \"1 + u^2\"\nsource = 1\n",
             2,
             {"the problem is singular, u is fixed only up to a constant"}},
        Case{"negative_alpha",
             square + dirichlet_on("\"left\"", "1") +
                 "[[boundary]]\non = \"right\"\ntype = \"robin\"\nalpha = \"-u\"\nvalue = 1\n",
             2,
             {"robin alpha is negative (-1)"}}),
    case_name);

TEST(NonlinearRefused, ASymmetricMethodForATangentThatIsNotInTheDimensionsOfTheMesh) {
  // Symmetric in a plane, where the file might have been one.
  const std::string geometry =
      write_deck("cube.geo",
                 "SetFactory(\"OpenCASCADE\");\nMesh.MeshSizeMax = 0.6;\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
                 "Physical Volume(\"all\") = {1};\nPhysical Surface(\"hull\") = {1, 2, 3, 4, 5, 6};\n");
  const Case wrong{
      "", "", 2, {"in 3 dimensions the tangent of these coefficients is not symmetric, which cg", "gmres"}};
  const std::string deck = write_deck("in_space.toml", "[mesh]\nfile = \"cube.geo\"\n" + poisson_of(1) +
                                                           "[[material]]\ndiffusivity = \"1/sqrt(1 + ux^2 + uy^2)\"\n" +
                                                           dirichlet_on("\"hull\"", "x") + solver("cg"));
  expect_says(app_test::tessera("check " + deck), wrong);
  expect_says(app_test::tessera("run " + deck + " --output " + (folder() / "in_space").string()), wrong);
}

/// A run that ends with 4, its files marked, and says why.
nlohmann::json fails(const std::string& name, const std::string& deck, const std::vector<std::string>& parts) {
  const fs::path out = folder() / name;
  const Result result =
      app_test::tessera("run " + write_deck(name + ".toml", deck) + " --backend threads --output " + out.string());
  expect_says(result, Case{"", "", 4, parts});
  EXPECT_TRUE(result.says("results, not converged")) << result.text;
  const nlohmann::json summary = summary_in(out);
  EXPECT_EQ(summary["status"], "not_converged");
  EXPECT_FALSE(summary["newton"]["converged"]);
  EXPECT_TRUE(summary["newton"].contains("failure"));
  EXPECT_TRUE(fs::exists(out / "solution.vtu"));
  return summary;
}

TEST(NonlinearFails, WhereThereIsNoSolution) {
  // Bratu's problem beyond its turning point at 6.808.
  fails(
      "beyond",
      box_of("quad", 2, 8) + poisson_of(1) + "[[material]]\nsource = \"8*exp(u)\"\n" + dirichlet_on(all_sides(2), "0"),
      {"Newton's method did not converge", "newton.load_steps"});
}

TEST(NonlinearFails, WhereIterationsAreTooFew) {
  const nlohmann::json summary =
      fails("few", square + of_u + walls + "[newton]\nmax_iterations = 2\n",
            {"Newton's method did not converge: the correction is", "after 2 iterations", "newton.max_iterations"});
  EXPECT_EQ(summary["newton"]["iterations"], 2);
}

TEST(NonlinearFails, InTheLoadStepThatItNames) {
  fails("step",
        box_of("quad", 2, 8) + poisson_of(1) + "[[material]]\nsource = \"8*exp(u)\"\n" +
            dirichlet_on(all_sides(2), "0") + "[newton]\nload_steps = 5\n",
        {"in load step 5 of 5"});
}

TEST(NonlinearFails, WhereTheTangentIsSingular) {
  // -u'' - 40 sinh u has the tangent -w'' - 40 w at 0, which is indefinite: 40 > pi^2.
  fails("resonance",
        box_of("interval", 1, 8) + poisson_of(1) + "[[material]]\nsource = \"40*sinh(u) + x\"\n" +
            dirichlet_on(all_sides(1), "0"),
        {"Newton's method did not converge", "the tangent may be singular"});
}

TEST(NonlinearFails, WhereCoefficientsCannotBeEvaluatedOnTheWay) {
  // Nothing is finite beyond u = 1, and the load carries u there.
  fails("domain",
        box_of("interval", 1, 8) + poisson_of(1) + "[[material]]\ndiffusivity = \"exp(1/(1 - u))\"\n" +
            "source = \"if(u < 1, 1e6, sqrt(1 - u))\"\n" + dirichlet_on(all_sides(1), "0"),
        {"Newton's method did not converge"});
}

TEST(NonlinearFails, WhereTheTangentHasNoValueOnTheWay) {
  // One correction goes to the solution, where the gradient vanishes and hypot has no derivative.
  fails("flat",
        box_of("triangle", 2, 4) + poisson_of(1) + "[[material]]\ndiffusivity = \"1 + hypot(ux, uy)\"\n" +
            dirichlet_on(all_sides(2), "1") + "[[initial]]\nu = \"1 + x + 2*y\"\n",
        {"the tangent of iteration ", "picard"});
}

TEST(NonlinearFails, WherePicardsMatrixIsSingular) {
  // What flows in grows with u, and nothing else fixes u.
  fails("grows",
        box_of("triangle", 2, 4) + poisson_of(1) + "[[material]]\nsource = 1\n[[boundary]]\non = " + all_sides(2) +
            "\ntype = \"neumann\"\nvalue = \"u^4 - 2\"\n[[initial]]\nu = 1\n" + "[newton]\ntangent = \"picard\"\n",
        {"the system of iteration 1 was not solved", "choose newton.tangent = \"newton\""});
}

TEST(NonlinearFails, StopsWhenAsked) {
  const fs::path out = folder() / "stopped";
  const std::string deck = write_deck(
      "stopped.toml", box_of("tet", 3, 12) + poisson_of(1) + of_u + dirichlet_on(all_sides(3), "x") +
                          "[newton]\ntolerance = 1e-300\nmax_iterations = 1000000\nline_search = \"none\"\n");
  Child run({"run", deck, "--backend", "threads", "--output", out.string()});
  ASSERT_TRUE(run.wait_for("newton 3: "));
  run.send(SIGINT);
  const Result result = run.end();
  EXPECT_EQ(result.code, 130) << result.text;
  EXPECT_EQ(summary_in(out)["status"], "interrupted");
}

}  // namespace
