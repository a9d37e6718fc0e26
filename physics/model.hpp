#pragma once
// What a module says of its equations, so that the drivers of physics/run/ can do the rest.
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/cells/block_shape.hpp"
#include "assembly/space/rank_space.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/operator.hpp"
#include "linalg/split_ghosts.hpp"
#include "mesh/geometry.hpp"
#include "output/summary.hpp"
#include "output/vtk_writer.hpp"
#include "physics/grid_method.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// What the decks of a model may say and what it computes; known before a deck is read, but for what `read` decides.
struct Traits {
  std::vector<FieldInfo> fields = {};  ///< the first is solved for, the others are derived from it
  deck::Schema sections = {};          ///< its own: [physics], [[material]], [[boundary]]
  std::vector<std::string> precisions = {"double"};
  bool axis = false;                         ///< on a mesh with an axis its forms and data carry the weight 2 pi r
  bool matrix_free = false;                  ///< it has an operator without a matrix
  bool derives_source = false;               ///< it can make the source of which [exact] is the solution
  bool nonlinear = false;                    ///< its coefficients may depend on the solution: [newton]
  bool transient = false;                    ///< it may change in time: [time]
  bool sources = false;                      ///< the driver adds [[source]] to its right-hand side
  bool own_start = false;                    ///< [[initial]] is its own: Model::start; there is no [exact]
  bool systems = true;                       ///< it may solve systems: [assembly], [matrix], [solver]
  bool quantities_of_rates = true;           ///< its own quantities are not known where du/dt is not
  std::string scheme = TimeParams().scheme;  ///< that of a [time] which names none
  std::vector<std::string> schemes = {};     ///< that a [time] may name; empty: those of u' = f(t, u)
  solvers::Offers solver = {};               ///< what its operators can be
  std::string solver_help = {};              ///< of solver.type; empty: that of the solvers
  std::vector<std::string> quantities = {};  ///< kinds of [[quantity]] of its own: Results::quantity
  bool oscillates = false;                   ///< its modes have frequencies, the roots of their eigenvalues
  std::string natural = {};                  ///< what holds on facets without a condition: "k du/dn = 0"
};

/// Bytes of what makes the steps of a model that makes them without matrices.
struct StepBytes {
  double kept = 0;    ///< on the backend, vectors included
  double set_up = 0;  ///< on the host, beside that, while it is made
};

/// What coefficients at quadrature points take, and of what cells are assembled.
struct AtPoints {
  double bytes = 0;
  bool tangent = false;                           ///< whether those between gradients are among them
  bool varies = false;                            ///< whether any of the matrix are
  std::optional<assembly::FormTraits> form = {};  ///< nullopt: cells are not assembled
  std::optional<StepBytes> steps = {};            ///< nullopt: steps are made by systems of the driver
};

/// Where periodic boundaries make one of several dofs: the space as it is without them, for what looks at places.
struct Unfolded : assembly::Space {
  std::vector<double> dof_points;
  std::vector<Index> became;  ///< [dofs] the dof of the problem that it is
};

/// Prescribed values.
struct DirichletData {
  std::vector<Index> dofs;     ///< rows, sorted, unique
  std::vector<double> values;  ///< [dofs]
  /// Its level_of, where that is not of these values alone: those of other ranks count, too.
  std::optional<double> level = {};
};

/// The constant that is taken off the data before anything is assembled, and put on the solution in the end: the
/// middle of the Dirichlet values, 0 where there are none. b_i = -a_ij g_j has a rounding of a_ij g_j, which on graded
/// meshes may be felt far away: with 12 layers of factor 0.15 a_ij is 1e10, and g = x^2 + 293 left an error of 4e-6.
double level_of(const DirichletData& dirichlet);
/// The same values less the level.
DirichletData below(DirichletData dirichlet, double level);

struct Discretisation;

/// What a rank counts as its own of the part that it sees, so that everything counts once, and where it stands in the
/// whole: each dof, cell and facet is one rank's own.
struct Share {
  Communicator* ranks = nullptr;
  std::vector<char> cells, facets;         ///< whether they are its own
  Offset nodes = 0;                        ///< of the mesh, its own
  std::vector<assembly::DofPlace> places;  ///< [own dofs of the solution]
  std::vector<Offset> cell_numbers;        ///< [cells]
  bool has_whole = true;                   ///< whether the root has the whole: else it was made in parts
  const Discretisation* whole = nullptr;   ///< on the root, where it has it
  std::array<double, 3> low{}, high{};     ///< of the places of the dofs of all ranks
};

/// The space of a run with its mesh: what a driver makes before it asks a model for a system.
struct Discretisation : assembly::Space {
  mesh::Mesh mesh;
  std::vector<double> dof_points;    ///< [dofs, 3]
  std::optional<Unfolded> unfolded;  ///< where sides are periodic
  DirichletData dirichlet;           ///< what Model::set_up has returned
  int threads = 1;
  /// Where ranks share the run: this is the part that one of them sees, with ghosts. What is true of the whole alone
  /// (that no part of the body is loose) is checked there, on the root.
  Communicator* ranks = nullptr;
  Share share;                     ///< of that part
  mesh::CoupledCells coupled;      ///< of that part: Model::coupled_cells
  std::string why_without_matrix;  ///< Plan::why of the whole; empty: a matrix is assembled

  /// What this rank counts as its own; null where it has all.
  const Share* shared() const { return ranks ? &share : nullptr; }
  /// Rows that this rank owns: the first ones.
  Index owned_rows() const { return index_map.owned() * components; }
  /// Of what is said of the solution: that without periodic sides.
  const assembly::Space& solution_space() const { return unfolded ? static_cast<const Space&>(*unfolded) : *this; }
  const std::vector<double>& solution_points() const { return unfolded ? unfolded->dof_points : dof_points; }
};

/// A (u - level) = b with the boundary conditions in it. `A` may own its entries, borrow those of `matrix` or
/// `blocks`, or have none; where an assembly leaves it empty, the driver stores `matrix` or `blocks` in the format of
/// the deck. Not movable.
template <class Exec>
struct System {
  using Space = typename Exec::Space;
  linalg::Crs<Space> matrix;                                  ///< of a number a node
  linalg::BlockCrs<Space> blocks;                             ///< of several
  linalg::SplitMatrix<linalg::Crs<Space>> split;              ///< what `matrix` became over ranks,
  linalg::SplitMatrix<linalg::BlockCrs<Space>> split_blocks;  ///< or `blocks`
  std::unique_ptr<linalg::Operator<Exec>> A;
  std::shared_ptr<const linalg::NearKernel<Space>> near_kernel;  ///< for A, where the solver wants one
  bool with_loads = true;                                        ///< b is asked for: else the operator alone is
  Array<double, Space> b;                                        ///< [rows]
  Offset nnz = 0;                                                ///< 0: those of `matrix` or `blocks`
  double level = 0;  ///< a constant of the problem, taken off every row of u

  System() = default;
  System(const System&) = delete;
};

/// What each [[source]] adds to rows of the right-hand side in each cell, at strength 1. Bytes: 16 a cell and 12 a row
/// of it.
struct CellLoads {
  struct Part {
    Index cell = -1, source = 0;
    Offset first = 0;  ///< in rows and values, up to where the next part begins
  };
  std::vector<Part> parts;
  std::vector<Index> rows;  ///< of the space of the solution
  std::vector<double> values;

  Offset end(std::size_t part) const {
    return part + 1 < parts.size() ? parts[part + 1].first : static_cast<Offset>(rows.size());
  }
  /// visit(cell, row, value) at the strengths g [sources].
  template <class Visit>
  void each(std::span<const double> g, Visit visit) const {
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (auto i = static_cast<std::size_t>(parts[p].first); i < static_cast<std::size_t>(end(p)); ++i)
        visit(parts[p].cell, rows[i], g[static_cast<std::size_t>(parts[p].source)] * values[i]);
  }
};

/// A solution on the host. Where sides are periodic, each has dofs of its own: those of the space as it is without.
/// Where ranks share it, the part that one of them sees, with the values of ghosts. Borrows.
struct NodalSolution {
  const mesh::Mesh& mesh;
  const assembly::Space& space;
  const std::vector<double>& dof_points;
  const std::vector<Index>& fixed;  ///< rows with Dirichlet values, ascending
  const std::vector<double>& u;     ///< [dofs, components]
  int threads;
  const Share* share = nullptr;               ///< null: all of it counts here
  const std::vector<double>* rate = nullptr;  ///< du/dt, [dofs, components], of a run through time
  const CellLoads* loads = nullptr;           ///< of [[source]], as far as this rank sees it; null: none
  std::vector<double> strengths = {};         ///< of each source, at the time at hand

  /// Of the dofs the first ones, which no other rank counts.
  Index own_dofs() const { return space.index_map.owned(); }
  /// Of a group, null for all cells, those that no other rank counts.
  mesh::Group own(const mesh::Group* group) const;
  /// visit(cell, row, value) of what [[source]] adds to the right-hand side.
  template <class Visit>
  void each_load(Visit visit) const {
    if (loads) loads->each(strengths, visit);
  }
  /// values [dofs.size(), width]: 0 becomes what another rank counts.
  void keep_own(std::span<const Index> dofs, std::span<double> values) const;
};

/// What a model says of a solution beside its values, which are the driver's matter. It lives as long as the solution
/// does. Where ranks share the solution, each says it of what is its own, and the driver adds it up.
class Results {
 public:
  virtual ~Results() = default;
  /// Numbers of the whole as sums over ranks, and as the largest that one has.
  struct Totals {
    std::vector<double> sums = {}, largest = {};
  };
  virtual Totals totals() const { return {}; }
  /// What the summary has of the totals: "balance".
  virtual void report(const Totals&, output::Summary&) const {}
  /// A quantity of a kind of Traits::quantities: a sum.
  virtual double quantity(const QuantityParams& quantity) const;
  /// A derived field of Traits::fields at the nodes, [dofs, stride]; of ghosts it is not read.
  virtual std::vector<double> field(const std::string& name);
  /// Numbers of the cells for files; the driver adds the groups.
  virtual std::vector<output::Field> cell_fields() const { return {}; }
  /// Tables of its own into that folder, at the end of a run. Collective where ranks share the solution.
  virtual void write_tables(const std::filesystem::path& directory) { (void)directory; }
};

/// R(u) = b - a(u) and its derivative at states u [rows], on a backend. Rows of Discretisation::dirichlet are those of
/// the dofs that are fixed: R is 0 there.
template <class Exec>
class Nonlinear {
 public:
  virtual ~Nonlinear() = default;
  /// The data of the model have become those of time t; `move_to` comes before anything else is asked.
  virtual void take_data(double) {}
  /// From now on at this state, with this factor of the loads. Throws Error(usage) where coefficients cannot be
  /// evaluated there. Phase: coefficients.
  virtual void move_to(std::span<const double> u, double load) = 0;
  /// r = R(u), [rows]. Phase: assemble.
  virtual void residual(View<double> r) = 0;
  /// Fills A = -R'(u), with all rows, and b = R(u): A du = b is Newton's correction once the rows of fixed dofs are
  /// eliminated. Phases: coefficients, assemble, boundary.
  virtual void tangent(System<Exec>& system) = 0;
  /// What follows its tangents in elements of lower orders, where somebody has asked for them; nullptr: nobody.
  virtual std::shared_ptr<const linalg::LowerOrders<Exec>> lower_orders() const { return nullptr; }
};

/// What a probe looks at: the sum of weights times entries of the field, of its rate of change, or of the rate of that.
struct Receiver {
  enum class Of { field, rate, acceleration } of = Of::field;
  std::string unit;
  /// Columns are rows of the space; a motion may have others behind these (Leapfrog::add_sums).
  std::vector<std::pair<Index, double>> weights;
};

/// What of the data of a model depends on time.
struct Varying {
  bool mass = false, stiffness = false, loads = false, prescribed = false;
  bool mass_of_solution = false;  ///< the mass depends on u, too
};

/// A stationary problem A u = b, or M u' = b - A u. The driver calls these in their order; each may throw Error, and
/// what it refuses is refused by run, check and export alike. Beside them a model has
///   template <class Exec> void assemble(Exec&, const Discretisation&, System<Exec>&, output::Summary&);
/// which fills the system on either backend (phases: assemble.setup, coefficients, assemble, boundary); where
/// Traits::solver has lower orders, also in spaces of these (make_lower_space), which nobody sets up. Where
/// is_nonlinear() may be
///   template <class Exec> std::unique_ptr<Nonlinear<Exec>> nonlinear(Exec&, const Discretisation&, output::Summary&);
/// and where Traits::transient says that there may be a [time]
///   template <class Exec> std::unique_ptr<Evolution<Exec>> evolution(Exec&, const Discretisation&, output::Summary&);
/// or, of what accelerates, M u'' = f with a diagonal M,
///   template <class Exec> std::unique_ptr<Motion<Exec>> motion(Exec&, const Discretisation&, output::Summary&);
/// or, of what makes its steps itself,
///   template <class Exec> std::unique_ptr<Flow<Exec>> flow(Exec&, const Discretisation&, output::Summary&);
/// where Traits::solver says that it has a mass, which makes modes of it,
///   template <class Exec> linalg::Crs<Space> mass(Exec&, const Discretisation&);
/// of one number a node, with all rows; and where beside that each node does something by itself
///   template <class Exec> NodeSystems<Exec> node_systems(Exec&, const Discretisation&);
class Model {
 public:
  virtual ~Model() = default;
  virtual Traits traits() const = 0;

  // The deck.
  /// Looks at what of the deck decides which fields and keys there are; before `traits` is asked for them.
  virtual void begin(const deck::Deck&) {}
  /// Its parameters, which begin with those of every deck: the driver fills in these, but for `physics`.
  virtual CommonParams& params() = 0;
  /// Reads its own sections, and params().physics.
  virtual void read(const deck::Deck& deck) = 0;
  /// What can be refused once the whole deck is read.
  virtual void check(const deck::Deck&) {}
  /// Every expression of its sections, for checks that hold for all of them.
  virtual std::vector<deck::Expression> expressions() { return {}; }
  /// Whether its coefficients depend on the solution; known once the deck is read.
  virtual bool is_nonlinear() { return false; }
  /// The method of grids that the deck asks for instead of a mesh; nullptr: none.
  virtual std::unique_ptr<GridMethod> grid_method(const deck::Deck&) { return nullptr; }
  /// What is refused only where there will be a mesh and a system.
  virtual void begin_on_mesh() {}

  // Mesh and space.
  /// Adds groups that the deck means by other names, as "rest".
  virtual void add_groups(mesh::Mesh&) {}
  /// [nodes] the vertex that each is one with, of periodic sides; empty: there are none.
  virtual std::vector<Index> joined_vertices(const deck::Deck&, const mesh::Mesh&) { return {}; }
  /// Finds materials and boundaries on the mesh and checks them; returns what is prescribed. Coefficients are not
  /// evaluated. The discretisation stays where it is until the run ends.
  virtual DirichletData set_up(const Discretisation&) { return {}; }
  /// Cells of the mesh that was set up last whose unknowns have entries between each other though they share none.
  virtual mesh::CoupledCells coupled_cells() { return {}; }
  /// Evaluates coefficients as `assemble` does, or at the state u [rows] of a nonlinear problem, for their checks;
  /// returns what they take.
  virtual AtPoints evaluate(const Discretisation&, std::span<const double> u, output::Summary&) {
    (void)u;
    return {};
  }

  // Time.
  /// Where Traits::own_start says so: the first state, [rows]. Elsewhere what is added to it and, of what accelerates,
  /// behind it what is added to its rate, 2 [rows]; empty: nothing. Over ranks each makes that of what it sees.
  virtual std::vector<double> start(const Discretisation&) { return {}; }
  /// That state with the ghosts of all ranks.
  virtual void starts_from(const Discretisation&, const std::vector<double>& u) { (void)u; }
  /// What depends on it; known once the deck is read.
  virtual Varying varying() { return {}; }
  /// From now on data are those of time t. After set_up it returns what is prescribed then, of the same dofs.
  virtual DirichletData move_to(double t) {
    (void)t;
    return {};
  }

  /// Of what is prescribed, du/dt at the time that the model was moved to.
  virtual DirichletData prescribed_rates() { return {}; }

  // The solution.
  /// What a probe looks at that is not the field of the space, at its point; the weights are left out where this rank
  /// does not see it. nullopt: the field or its rate, as the probe says.
  virtual std::optional<Receiver> receiver(const Discretisation&, const mesh::PointLocator&, const ProbeParams&) {
    return std::nullopt;
  }
  /// What can be asked of it. Phase: balance.
  virtual std::unique_ptr<Results> results(const NodalSolution&) { return std::make_unique<Results>(); }
};

}  // namespace tessera::physics
