// What convection-diffusion refuses, where and with what advice.
#include "app/convection_diffusion.hpp"

namespace {

using namespace convection_decks;

TEST(ConvectionDiffusion, RefusesWhatIsNoGrid) {
  const auto refused = [](const std::string& name, Deck deck, const std::string& what, const std::string& help,
                          int code = 2) {
    deck.discretisation = "finite_difference";
    expect_refused(name, deck, what, help, code);
  };
  const std::string three = "on = [\"left\", \"right\", \"bottom\"]\ntype = \"dirichlet\"\nvalue = 0\n";
  const std::string four = "on = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\nvalue = 0\n";
  const std::string again = "[[boundary]]\ntype = \"dirichlet\"\nvalue = 1\non = ";
  refused("robin", {.boundary = three + "[[boundary]]\non = \"top\"\ntype = \"robin\"\nalpha = 1\nvalue = 1"},
          "needs Dirichlet or Neumann values, this boundary is robin", "discretisation = \"supg\"");
  refused("two_conditions", {.boundary = four + "[[boundary]]\non = \"top\"\ntype = \"neumann\"\nvalue = 1"},
          "the neumann boundary on 'top' has no effect: boundary 1", "take the group out of one");
  refused("no_dirichlet", {.boundary = "on = \"top\"\ntype = \"neumann\"\nvalue = 1"}, "the problem is singular",
          "type = \"dirichlet\"");
  refused("no_group", {.boundary = four + again + "\"lid\""}, "no curve group 'lid' in the mesh",
          "there are: left (curve), right (curve), bottom (curve), top (curve), domain (surface)\n", 3);
  refused("contradiction", {.boundary = four + again + "\"top\""},
          "two dirichlet boundaries contradict each other on 'top'", "take 'top' out of one of them");
  refused("three",
          {.mesh = "box = { min = [0, 0, 0], max = [1, 1, 1], cells = [4, 4, 4], shape = \"tet\" }",
           .material = "velocity = [1, 2, 3]"},
          "is for 2-D, the mesh has 3 dimensions", "box of triangles or quads");
  refused("file", {.mesh = "file = \"" + (source() / "inputs/meshes/disk_order2.msh").string() + "\""},
          "needs a box mesh, this one is a file", "[mesh] box");
  refused("thin", {.mesh = "box = { min = [0, 0], max = [1, 1], cells = [1, 16], shape = \"quad\" }"}, "one cell only",
          "at least 2 cells");
  refused("order", {.physics = "order = 2"}, "is of second order, physics.order is 2", "leave physics.order out");
  refused("k", {.material = "diffusivity = \"1+x\"\nvelocity = [1, 2]"},
          "needs a constant diffusivity, this one is 1+x", "use a number");
  refused("tensor", {.material = "diffusivity = [1, 0, 1]\nvelocity = [1, 2]"}, "this one is a tensor",
          "use one number");
  refused("negative", {.material = "diffusivity = -1\nvelocity = [1, 2]"}, "diffusivity [-1] is not positive",
          "elliptic");
  refused("reaction", {.material = "diffusivity = 1\nvelocity = [1, 2]\nreaction = 1"}, "takes no reaction",
          "solver.type = \"gmres\"");
  refused("materials", {.material = "diffusivity = 1\n[[material]]\non = \"domain\""},
          "takes one [[material]], the deck has 2", "expressions of x and y");
  refused("grid_strategy", {.rest = "[assembly]\nstrategy = \"colour\""}, "assembly.strategy = \"colour\"",
          "leave assembly.strategy out");
  refused("grid_format", {.rest = "[matrix]\nformat = \"ell\""}, "stores no matrix, matrix.format is \"ell\"",
          "leave matrix.format out");
  refused("mixed", {.rest = "[run]\nprecision = \"mixed\""}, "relaxation has no precision 'mixed'", "double");
  refused("omega", {.rest = "[solver]\ntype = \"sor\"\nomega = 2.5"}, "solver.omega is 2.5", "it must be");
}

TEST(ConvectionDiffusion, RefusesSolversForSymmetricMatrices) {
  for (const std::string type : {"cg", "minres", "direct", "bcr", "fft"})
    expect_refused("solver", {.rest = "[solver]\ntype = \"" + type + "\""},
                   "solver.type = \"" + type + "\" takes the matrix for symmetric", "\"bicgstab\" or \"gmres\"");
  expect_refused("preconditioner", {.rest = "[solver]\npreconditioner = \"chebyshev\""},
                 "the preconditioner \"chebyshev\" takes the matrix for symmetric", "preconditioner = \"jacobi\"");
  expect_refused("relaxation", {.rest = "[solver]\ntype = \"lsor\""},
                 "relaxes the grid of finite differences, discretisation is \"supg\"",
                 "discretisation = \"finite_difference\"");
  expect_refused("key_of_relaxation", {.rest = "[solver]\nomega = 1.5"},
                 "solver.omega is of relaxations, solver.type is \"bicgstab\"", "leave omega out");
  expect_refused("key_of_krylov",
                 {.discretisation = "finite_difference", .rest = "[solver]\npreconditioner = \"jacobi\""},
                 "solver.preconditioner is of solvers with a matrix, solver.type is \"lsor\"", "leave preconditioner");
  expect_refused("typo", {.rest = "[solver]\ntype = \"gmers\""}, "unknown solver.type 'gmers'", "gmres");
  expect_refused("strategy", {.rest = "[assembly]\nstrategy = \"matrix_free\""},
                 "assembly.strategy = \"matrix_free\" is not there", "that assembles a matrix");
  const Result result =
      convection_decks::run("lu_format", {.rest = "[solver]\ntype = \"lu\"\n[matrix]\nformat = \"sliced_ell\""});
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("needs the entries of the matrix in CRS")) << result.text;
}

TEST(ConvectionDiffusion, RefusesWrongCoefficients) {
  for (const char* discretisation : {"supg", "finite_difference"}) {
    const auto refused = [&](const std::string& name, const std::string& material, const std::string& what,
                             const std::string& help) {
      expect_refused(name, {.discretisation = discretisation, .material = material}, what, help);
    };
    refused("components", "velocity = [1]", "velocity has 1 component, the mesh has 2 dimensions",
            "one expression an axis");
    refused("components", "velocity = [1, 2, 3]", "velocity has 3 components", "one expression an axis");
    refused("nan", "velocity = [\"1/0*0\", 2]", "the expression '1/0*0' is", "a finite value is needed");
    refused("nan_somewhere", "velocity = [\"sqrt(x-0.5)\", 2]", "sqrt(x-0.5)", "help:");
    refused("nan_source", "velocity = [1, 2]\nsource = \"log(x-0.5)\"", "log(x-0.5)", "help:");
  }
  expect_refused("k_sign", {.material = "diffusivity = \"x-0.5\""}, "is not positive", "elliptic");
  expect_refused("discretisation", {.discretisation = "streamline"}, "streamline",
                 "supg, galerkin, upwind, finite_difference");
  expect_refused("order_5", {.discretisation = "galerkin", .physics = "order = 5"}, "order is 5", "1");
  expect_refused("unknown", {.material = "velocity = [1, 2]\nviscosity = 1"}, "viscosity", "diffusivity");
}

TEST(ConvectionDiffusion, RefusesAProblemThatIsSingular) {
  expect_refused("singular", {.boundary = "on = [\"left\"]\ntype = \"neumann\"\nvalue = 1"},
                 "singular, u is fixed only up to a constant", "add a dirichlet boundary");
  expect_refused("bare", {.boundary = ""}, "singular", "add a dirichlet boundary");
}

}  // namespace
