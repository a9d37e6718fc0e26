#include <fmt/format.h>

#include <algorithm>

#include "physics/grid/box_method.hpp"
#include "physics/grid/nodal_rows.hpp"
#include "physics/poisson/grid.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/solve_linear_system.hpp"
#include "physics/scalar/diffusion_system.hpp"
#include "solvers/grid/grid_operator.hpp"
#include "solvers/grid/solve_grid.hpp"

namespace tessera::physics::poisson {

namespace {

/// -lap u + shift u = b on the interior nodes, by a stencil without a matrix.
class StencilMethod final : public BoxMethod {
 public:
  StencilMethod(const deck::Deck& deck, const Params& params) : BoxMethod(deck, params) {}

  void set_up() override;
  const char* phase() const override { return "right_hand_side"; }
  bool evaluate(const Context&) override;
  std::string describe() const override { return fmt::format("{} unknowns, {}", unknowns(), stencil()); }
  void summarise(output::Summary& summary) const override;
  solvers::Report solve(Context& context) override;

  void check_values(const Context& context) override;
  void print_grid() const override;
  std::string solver() const override;
  Forecast forecast() const override;
  void print_output() const override;
  LinearSystem system(bool full) const override;

 private:
  std::vector<double> at_nodes() const override { return to_vector(u_); }
  WeakForm weak_form() const override;
  bool varies() const;
  std::string stencil() const;
  std::string unknowns() const { return sizes(grid_.problem.n, grid_.problem.dim); }

  Grid grid_;
  Array<double> u_;   ///< [nodes], Dirichlet values on the sides
  Array<double> b_;   ///< [unknowns]
  double level_ = 0;  ///< of the sides, taken off u in b
};

/// Everything that the deck says about names and points, against the outline of the box.
void StencilMethod::set_up() {
  grid_ = make_grid(deck_, params_);
  try {
    solvers::grid::check_grid_problem(grid_.problem);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), error.help(), grid_.box.where);
  }
  solvers::grid::require_library(params_.solver, grid_.problem, resolve_backend(params_.run.backend));
  check_names(grid_);
}

bool StencilMethod::evaluate(const Context&) {
  u_ = boundary_values(params_, grid_, threads());
  level_ = level_of(grid_, u_);
  b_ = right_hand_side(grid_, u_, level_, threads());
  return true;
}

/// Constants were checked where they were read.
bool StencilMethod::varies() const {
  return !grid_.source.is_constant() ||
         std::any_of(params_.boundaries.begin(), params_.boundaries.end(),
                     [](const BoundaryParams& boundary) { return !boundary.value.is_constant(); });
}

std::string StencilMethod::stencil() const {
  const int dim = grid_.problem.dim;
  if (grid_.problem.stencil == solvers::grid::Stencil::star) return fmt::format("{}-point stencil", 2 * dim + 1);
  return fmt::format("{}-point stencil of linear elements", dim == 1 ? 3 : dim == 2 ? 9 : 27);
}

void StencilMethod::summarise(output::Summary& summary) const {
  summary.set("mesh.nodes", grid_.node_count());
  summary.set("space.order", 1);
  summary.set("space.dofs", grid_.node_count());
  summary.set("space.unknowns", grid_.problem.unknowns());
  summary.set("space.stencil", stencil());
}

solvers::Report StencilMethod::solve(Context& context) {
  return on_backend(params_.run, context.summary, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    using Space = typename Exec::Space;
    const Array<double, Space> there = moved_to<Space>(std::move(b_));
    const solvers::grid::GridOperator<Exec> A(grid_.problem);
    Array<double, Space> x;
    const solvers::Report solved = solve_linear_system<Exec>(exec, A, there.view(), params_.solver, context, x,
                                                             start_of(params_, grid_, interior(grid_), level_));
    insert_solution(grid_, x, level_, u_);
    return solved;
  });
}

WeakForm StencilMethod::weak_form() const {
  WeakForm form = scalar::diffusion_form();
  if (!grid_.galerkin) form.nodal = [this](const Solution& solution) { return difference_rows(grid_, solution, {}); };
  return form;
}

void StencilMethod::check_values(const Context& context) {
  if (varies()) evaluate(context);
  check_exact_values(context);
}

void StencilMethod::print_grid() const {
  const auto& problem = grid_.problem;
  fmt::print("grid       {} nodes, {} unknowns ({}), spacing {}\n", grid_.node_count(), problem.unknowns(), unknowns(),
             fmt::join(problem.h.begin(), problem.h.begin() + problem.dim, " "));
  fmt::print("matrix     none: {}{}\n", stencil(), problem.shift > 0 ? fmt::format(", shift {}", problem.shift) : "");
}

std::string StencilMethod::solver() const {
  if (params_.solver.type != "bcr") return params_.solver.type;
  return fmt::format("bcr, radix {}", params_.solver.method.as<solvers::grid::BcrParams>().radix);
}

GridMethod::Forecast StencilMethod::forecast() const {
  const Offset unknowns = grid_.problem.unknowns();
  const double nodes = static_cast<double>(grid_.node_count()), vector = 8.0 * static_cast<double>(unknowns);
  solvers::ProblemSize size{.rows = static_cast<double>(unknowns), .dim = grid_.problem.dim};
  const double system = 2 * vector + solvers::shift_bytes(unknowns);
  const double on_host = system + solvers::solver_bytes(params_.solver, size);
  size.on_cuda = true;
  return {.host = 8 * nodes + on_host + mesh_bytes(grid_),
          .device = system + solvers::solver_bytes(params_.solver, size)};
}

void StencilMethod::print_output() const {
  if (needs_mesh())
    fmt::print("mesh       made for files, [exact] and [[quantity]]; without them the grid is enough\n");
}

LinearSystem StencilMethod::system(bool) const {
  throw Error(ExitCode::usage, "a method of grids works without a matrix: there is none to export",
              "--set solver.type=cg and --set physics.discretisation=galerkin give the matrix of the finite elements",
              params_.solver.where ? params_.solver.where : params_.physics.where);
}

}  // namespace

std::unique_ptr<GridMethod> make_grid_method(const deck::Deck& deck, const Params& params) {
  return std::make_unique<StencilMethod>(deck, params);
}

}  // namespace tessera::physics::poisson
