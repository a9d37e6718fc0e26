// The driver with a model of a vector: what it does by component, and what it refuses.
#include "physics/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/team.hpp"
#include "forms/diffusion.hpp"
#include "output/csv.hpp"
#include "output/vtk_reader.hpp"
#include "physics/run/stationary.hpp"

namespace tessera::physics {
namespace {

struct Physics {
  std::string type;
  std::vector<deck::Expression> f;
  deck::Where where;
};

deck::Section<Physics> physics_section() {
  return deck::Section<Physics>("physics", "(u, v) = (f, v) with u = f on the group left")
      .key("type", &Physics::type, {.help = "the module"})
      .key("f", &Physics::f, {.help = "one expression a component", .required = true})
      .position(&Physics::where);
}

/// "halves": u / 2 as two numbers of their own.
class Halves final : public Results {
 public:
  explicit Halves(const NodalSolution& s) : s_(s) {}
  std::vector<double> field(const std::string&) override {
    std::vector<double> result = s_.u;
    for (double& value : result) value /= 2;
    return result;
  }
  double quantity(const QuantityParams&) const override { return static_cast<double>(s_.fixed.size()); }

 private:
  NodalSolution s_;
};

/// Each value times the unit matrix: [values, n, n].
Array<double> diagonal_blocks(const Array<double>& values, Index n) {
  Array<double> result(values.size() * n * n);
  result.set_zero();
  for (Offset k = 0; k < values.size(); ++k)
    for (Index c = 0; c < n; ++c) result[(k * n + c) * n + c] = values[k];
  return result;
}

/// The L2 projection of a vector: the mass matrix for each component, by numbers or as block rows.
class Projection : public Model {
 public:
  static inline int threads_of_set_up = 0;

  explicit Projection(bool block_rows = false) : block_rows_(block_rows) {}

  Traits traits() const override {
    return {.fields = {{.name = "u", .vector = true, .measured = true},
                       {.name = "halves", .components = {"a", "b"}, .measured = true}},
            .sections = {physics_section().description()},
            .quantities = {"flux"}};
  }
  CommonParams& params() override { return params_; }
  void read(const deck::Deck& deck) override {
    physics_ = physics_section().read(deck, true);
    params_.physics.where = physics_.where;
  }
  std::vector<deck::Expression> expressions() override { return physics_.f; }

  DirichletData set_up(const Discretisation& space) override {
    threads_of_set_up = default_threads();
    DirichletData fixed;
    for (Index dof : assembly::facet_dofs(space.mesh, space.dofs, find_group(space.mesh, "left", -1, {})))
      for (int c = 0; c < space.components; ++c) {
        fixed.dofs.push_back(space.row(dof, c));
        fixed.values.push_back(deck::Evaluator(physics_.f[static_cast<std::size_t>(c)])(
            space.dof_points.data() + 3 * static_cast<std::size_t>(dof)));
      }
    return fixed;
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation& space, System<Exec>& system, output::Summary&) {
    using Space = typename Exec::Space;
    const Index n = space.components;
    Threads host(1);
    assembly::Assembler<Threads, forms::Diffusion> assembler(host, space.mesh, space.dofs);
    linalg::Crs<Host> M = assembler.make_matrix();
    linalg::Crs<Host> A{space.rows(), space.rows(), Array<Offset>(space.rows() + 1), Array<Index>(M.nnz() * n), {}};
    A.values = Array<double>(A.col_ind.size());
    Array<double> b(space.rows()), of_component(space.dofs.dofs);
    for (Index c = 0; c < n; ++c) {
      assembler.assemble(data(space, static_cast<std::size_t>(c)), M, of_component.view());
      for (Index row = 0; row < M.rows; ++row) {
        b[row * n + c] = of_component[row];
        Offset at = M.row_ptr[row] * n + c * (M.row_ptr[row + 1] - M.row_ptr[row]);
        A.row_ptr[row * n + c] = at;
        for (Offset k = M.row_ptr[row]; k < M.row_ptr[row + 1]; ++k, ++at) {
          A.col_ind[at] = M.col_ind[k] * n + c;
          A.values[at] = M.values[k];
        }
      }
    }
    A.row_ptr[A.rows] = A.col_ind.size();
    if (block_rows_) {
      system.blocks = {A.rows,
                       A.cols,
                       n,
                       moved_to<Space>(std::move(M.row_ptr)),
                       moved_to<Space>(std::move(M.col_ind)),
                       moved_to<Space>(diagonal_blocks(M.values, n))};
      system.b = moved_to<Space>(std::move(b));
      assembly::eliminate_dirichlet(exec, system.blocks, system.b.view(), space.dirichlet.dofs, space.dirichlet.values);
      return;
    }
    system.matrix = {A.rows, A.cols, moved_to<Space>(std::move(A.row_ptr)), moved_to<Space>(std::move(A.col_ind)),
                     moved_to<Space>(std::move(A.values))};
    system.b = moved_to<Space>(std::move(b));
    assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), space.dirichlet.dofs, space.dirichlet.values);
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    return std::make_unique<Halves>(solution);
  }

 private:
  forms::DiffusionData data(const Discretisation& space, std::size_t c) const {
    const assembly::QuadraturePoints points(space.mesh, space.dofs);
    const Index cells = space.mesh.cells();
    forms::DiffusionData data;
    data.k.values = {0.0};
    data.c.values = {1.0};
    data.f.per_point = true;
    data.f.values.resize(static_cast<std::size_t>(points.before(1)));
    std::vector<double> xyz(3 * data.f.values.size());
    points.of_cells(0, 0, cells, xyz.data());
    deck::Evaluator(physics_.f[c]).evaluate(xyz.data(), data.f.values.size(), 0, data.f.values.data());
    return data;
  }

  const bool block_rows_;
  CommonParams params_;
  Physics physics_;
};

class BlockProjection final : public Projection {
 public:
  BlockProjection() : Projection(true) {}
};

const std::string vectors = R"(title = "vectors"
[mesh]
box = { min = [0, 0], max = [1, 2], cells = [4, 4], shape = "quad" }
[physics]
f = ["1 + 2*x", "y - 3"]
)";

struct Ran {
  ExitCode code;
  nlohmann::ordered_json summary;
  std::filesystem::path folder;
};

template <class M = Projection>
Ran run(const std::string& more, int threads = 2) {
  const auto folder = std::filesystem::temp_directory_path() / ("tessera_model_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const bool has_solver = more.find("[solver]") != std::string::npos;
  const deck::Deck deck = deck::Deck::parse(vectors + more + (has_solver ? "" : "[solver]\ntolerance = 1e-14\n"));
  output::Summary summary;
  Context context{.deck = deck,
                  .backend = "threads",
                  .threads = threads,
                  .output_directory = folder,
                  .summary = summary,
                  .quiet = true,
                  .stop = {},
                  .progress = {}};
  const ExitCode code = run_stationary<M>()->run(context);
  return {code, summary.json(), folder};
}

/// What the driver refuses; empty where it runs.
std::string refused(const std::string& more) {
  try {
    run(more);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(VectorModel, EveryPhaseHasAsManyThreadsAsAreAskedFor) {
  const int before = default_threads();
  for (const int threads : {1, 3}) {
    run("", threads);
    EXPECT_EQ(Projection::threads_of_set_up, threads);
    EXPECT_EQ(default_threads(), before);
  }
}

TEST(VectorModel, HasErrorsOfEachComponentAndOfAll) {
  const Ran wrong = run("[exact]\nu = [\"1 + 2*x\", \"y - 3 + 0.5\"]\n");
  EXPECT_EQ(wrong.code, ExitCode::ok);
  const auto& errors = wrong.summary["errors"];
  EXPECT_LE(errors["u_x"]["l2"], 1e-12);
  EXPECT_NEAR(errors["u_y"]["l2"], 0.5 * std::sqrt(2), 1e-12);  // 0.5 over an area of 2
  EXPECT_NEAR(errors["u"]["l2"], 0.5 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(errors["u"]["max"], 0.5, 1e-12);
  EXPECT_LE(errors["u"]["h1"], 1e-12);  // of the gradient that is derived
  EXPECT_EQ(wrong.summary["space"]["components"], 2);
  EXPECT_EQ(wrong.summary["space"]["dofs"], 50);
}

TEST(VectorModel, WithoutAFiniteGradientThereIsNoErrorInH1) {
  const Ran ran = run("[exact]\nu = [\"1 + 2*x + sqrt(abs(x - 100) - (100 - x))\", \"y - 3\"]\n");
  EXPECT_EQ(ran.code, ExitCode::ok);
  const auto& errors = ran.summary["errors"];
  EXPECT_LE(errors["u"]["l2"], 1e-12);
  EXPECT_FALSE(errors["u_x"].contains("h1"));
  EXPECT_LE(errors["u_y"]["h1"], 1e-12);
  EXPECT_FALSE(errors["u"].contains("h1"));
}

TEST(VectorModel, GradientsGoComponentByComponent) {
  const auto errors =
      run("[exact]\nu = [\"1 + 2*x\", \"y - 3\"]\ngradient = [\"2\", \"0\", \"1\", \"1\"]\n").summary["errors"];
  EXPECT_LE(errors["u_x"]["h1"], 1e-12);
  EXPECT_NEAR(errors["u_y"]["h1"], std::sqrt(2), 1e-12);  // 1 too much along x
  EXPECT_NEAR(errors["u"]["h1"], std::sqrt(2), 1e-12);
}

TEST(VectorModel, QuantitiesAreOfComponentsOfAnyField) {
  const auto quantity = [](const std::string& name, const std::string& rest) {
    return "[[quantity]]\nname = \"" + name + "\"\n" + rest + "\n";
  };
  const auto values =
      run(quantity("a", "kind = \"max\"\nof = \"u_x\"") + quantity("b", "kind = \"min\"\nof = \"u_y\"") +
          quantity("c", "kind = \"integral\"\nof = \"halves_b\"") +
          quantity("d", "kind = \"value\"\nof = \"u_x\"\nat = [0.25, 1]") +
          quantity("own", "kind = \"flux\"\non = \"left\""))
          .summary["quantities"];
  EXPECT_NEAR(values["a"], 3, 1e-12);
  EXPECT_NEAR(values["b"], -3, 1e-12);
  EXPECT_NEAR(values["c"], -2, 1e-12);  // the mean of y - 3 is -2; half of it over an area of 2
  EXPECT_NEAR(values["d"], 1.5, 1e-12);
  EXPECT_EQ(values["own"], 10);  // rows that are fixed: five nodes of two components
}

TEST(VectorModel, FilesHaveVectorsOfThreeAndLinesAColumnAComponent) {
  const Ran ran =
      run("[[line]]\nname = \"across\"\nfrom = [0, 1]\nto = [1, 1]\npoints = 3\nof = [\"halves\", \"u\"]\n");
  const output::VtuFile file = output::read_vtu(ran.folder / "solution.vtu");
  ASSERT_EQ(file.point_fields.size(), 2u);
  EXPECT_EQ(file.point_fields[0].components, 3);
  EXPECT_EQ(file.point_fields[1].components, 2);
  for (std::size_t node = 0; node < file.points.size() / 3; ++node) {
    EXPECT_NEAR(file.point_fields[0].values[3 * node], 1 + 2 * file.points[3 * node], 1e-12);
    EXPECT_NEAR(file.point_fields[0].values[3 * node + 1], file.points[3 * node + 1] - 3, 1e-12);
    EXPECT_EQ(file.point_fields[0].values[3 * node + 2], 0);
  }
  const auto columns = output::read_csv(ran.folder / "across.csv");
  ASSERT_EQ(columns.size(), 8u);
  EXPECT_EQ(columns[4].name, "u_x");
  EXPECT_EQ(columns[5].name, "u_y");
  EXPECT_EQ(columns[6].name, "halves_a");
  EXPECT_NEAR(columns[4].values[1], 2, 1e-12);
  EXPECT_NEAR(columns[7].values[2], -1, 1e-12);
}

TEST(VectorModel, StartsFromValuesOfEachComponent) {
  const Ran ran = run("[[initial]]\nu = [\"1 + 2*x\", \"y - 3\"]\n");
  EXPECT_EQ(ran.summary["solver"]["iterations"], 0);
}

TEST(VectorModel, IsSolvedAsBlockRowsInEveryFormat) {
  const std::string exact = "[exact]\nu = [\"1 + 2*x\", \"y - 3\"]\n";
  for (const char* format : {"auto", "block_crs", "crs", "sliced_ell"}) {
    const Ran ran = run<BlockProjection>(exact + "[matrix]\nformat = \"" + format + "\"\n");
    EXPECT_EQ(ran.code, ExitCode::ok) << format;
    EXPECT_LE(ran.summary["errors"]["u"]["l2"], 1e-12) << format;
    EXPECT_EQ(ran.summary["space"]["nnz"], 169 * 4) << format;  // pairs of 25 nodes that share a cell, times 4
  }
  const Ran direct = run<BlockProjection>(exact + "[solver]\ntype = \"direct\"\n");
  EXPECT_LE(direct.summary["errors"]["u"]["l2"], 1e-12);
}

TEST(VectorModel, RefusesNumbersOfComponentsAndFieldsThatAreNone) {
  EXPECT_EQ(refused("[exact]\nu = \"x\"\n"), "exact.u has 1 component, the field has 2");
  EXPECT_EQ(refused("[exact]\nu = [\"x\", \"y\"]\ngradient = [\"1\", \"0\"]\n"),
            "exact.gradient has 2 expressions, 2 components on a mesh of 2 dimensions have 4");
  EXPECT_EQ(refused("[[initial]]\nu = \"1\"\n"), "the start of u has 1 component, the field has 2");
  EXPECT_EQ(refused("[[quantity]]\nname = \"q\"\nkind = \"max\"\n"), "quantity 'q' is of 'u', which is no number");
  EXPECT_EQ(refused("[[quantity]]\nname = \"q\"\nkind = \"max\"\nof = \"u_z\"\n"),
            "quantity 'q' is of 'u_z', which is no number");
  EXPECT_EQ(refused("[output]\nfields = [\"flux\"]\n"), "unknown output field 'flux'");
  EXPECT_EQ(refused("[assembly]\nstrategy = \"matrix_free\"\n"),
            "assembly.strategy = \"matrix_free\" is not there for physics.type = \"\"");
}

TEST(VectorModel, IsExportedWithAndWithoutItsFixedRows) {
  const deck::Deck deck = deck::Deck::parse(vectors);
  for (const bool full : {false, true}) {
    output::Summary summary;
    Context context{.deck = deck,
                    .backend = "threads",
                    .threads = 1,
                    .output_directory = {},
                    .summary = summary,
                    .stop = {},
                    .progress = {}};
    const LinearSystem system = run_stationary<Projection>()->assemble(context, full);
    const LinearSystem blocks = run_stationary<BlockProjection>()->assemble(context, full);
    ASSERT_EQ(system.A.rows, 50);
    // The mass matrices sum to the area for each of two components.
    double sum = 0;
    for (const double value : system.A.values) sum += value;
    double of_blocks = 0;
    for (const double value : blocks.A.values) of_blocks += value;
    EXPECT_NEAR(of_blocks, sum, 1e-12);
    if (full) {
      EXPECT_NEAR(sum, 4, 1e-12);
    } else {
      EXPECT_LT(sum, 3.9);
    }
  }
}

}  // namespace
}  // namespace tessera::physics
