#pragma once
// The sections of a deck that do not depend on its equations, and what can be checked of them without a solution.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assembly/space/element.hpp"
#include "deck/section.hpp"
#include "deck/time_function.hpp"
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"
#include "physics/fields.hpp"
#include "physics/groups.hpp"
#include "solvers/params.hpp"

namespace tessera::physics {

struct CommonParams;

struct DeckParams {
  std::string title;
};
deck::Section<DeckParams> deck_section();

struct RunParams {
  std::string backend = "auto";
  int threads = 0;
  std::string precision = "double";
};
/// `precisions`: those that the module offers.
deck::Section<RunParams> run_section(const std::vector<std::string>& precisions = {"double"});
/// What a deck may say whatever its module: for those who only look where it runs.
inline const std::vector<std::string> all_precisions = {"double", "float", "mixed"};

struct AssemblyParams {
  std::string strategy = "auto";
  int partition_size = 0;
};
deck::Section<AssemblyParams> assembly_section();
/// The same for a module that has every strategy but `matrix_free`.
deck::SectionDescription assembly_description_with_matrix();

struct MatrixParams {
  std::string format = "auto";
  deck::Where where;
};
/// `components`: unknowns a node; with several there are formats of block rows.
deck::Section<MatrixParams> matrix_section(int components = 1);

struct ExactParams {
  std::vector<deck::Expression> u;         ///< one a component
  std::vector<deck::Expression> gradient;  ///< [components, dim], or none
  bool source = false;                     ///< the model derives the source that makes it the solution
  deck::Where where;
};
/// [exact] of the field: its values under its name, an expression of a number and a list of them of a vector. `source`:
/// whether it has that key.
deck::SectionDescription exact_description(const FieldInfo& field = {"u"}, bool source = false);
/// Empty where the deck has no [exact].
std::optional<ExactParams> read_exact(const deck::Deck& deck, const FieldInfo& field = {"u"}, bool source = false);
/// Throws Error(usage) where there is not one expression a component, or a gradient has not one a component and axis.
void check_exact(const std::optional<ExactParams>& exact, int dim, const FieldInfo& field = {"u"});

/// A state of another run in a file: .vtu, .pvtu, .pvd, .vtkhdf, a checkpoint, or a folder with checkpoints.
struct InitialFile {
  std::string path;                 ///< absolute
  std::vector<std::string> fields;  ///< as the file calls them; empty: by their own names
  std::optional<double> time;       ///< of a series; left out: its last state
  bool nearest_outside = false;     ///< outside of the other mesh the value of its nearest place holds
  deck::Where where;
};

/// Where an iterative solver starts, and a run through time.
struct InitialParams {
  std::vector<std::string> on;
  std::vector<deck::Expression> u;  ///< one a component; empty where a file gives all of them, or nothing is said
  std::vector<char> given;          ///< of fields by themselves: of which there is an expression, [components]
  std::optional<InitialFile> file;  ///< it has the other components
  deck::Where where;

  bool is_of_file(std::size_t component) const { return file && (u.empty() || !given[component]); }
};
/// [[initial]] of the field: values under its name, as in [exact], or a file; of what accelerates both for its rate of
/// change, under that of its own.
deck::SectionDescription initial_description(const FieldInfo& field);
/// Throws Error(usage) for an entry with neither a value nor a file or with both, and for keys of files without one.
std::vector<InitialParams> read_initial(const deck::Deck& deck, const FieldInfo& field);
/// The same of the rate of change of what accelerates; entries that say nothing of it have neither.
std::vector<InitialParams> read_initial_rates(const deck::Deck& deck, const FieldInfo& field);
/// Throws Error(usage) where a start is given to a solver that takes none.
void check_initial(const CommonParams& params);
/// Throws Error(file_system) for files that are not there.
void check_initial_files(const CommonParams& params);
/// Throws Error(usage) where a start is a file: for methods of grids, which have no points of a mesh.
void refuse_initial_files(const CommonParams& params);

/// Newton's method for problems whose coefficients depend on the solution: physics/run/newton.hpp.
struct NewtonParams {
  std::string tangent = "newton";
  double tolerance = 1e-8;
  int max_iterations = 25;
  std::string line_search = "backtracking";
  int load_steps = 1;
  std::string linear_tolerance = "adaptive";
  deck::Where where;

  bool picard() const { return tangent == "picard"; }
};
deck::Section<NewtonParams> newton_section();

/// A Runge-Kutta scheme of the deck's own: a by rows, below the diagonal only.
struct TableauParams {
  std::vector<double> a, b, b_embedded, c;
  deck::Where where;
};

/// How a transient problem goes through time.
struct TimeParams {
  double start = 0, end = 0;
  std::optional<double> step;
  std::optional<double> cfl;  ///< of explicit schemes, instead of a step: its part of the longest one
  std::optional<double> tolerance, absolute_tolerance;  ///< of an error of a step, relative to u and beside it
  std::string scheme = "bdf2";
  double theta = 0.5;
  int stages = 0;
  std::optional<TableauParams> tableau;
  deck::Where where;
};
/// `schemes`: the names that it may have; empty: every one.
deck::Section<TimeParams> time_section(const std::vector<std::string>& schemes = {});
/// Those of u' = f(t, u).
std::vector<std::string> first_order_schemes();
/// Empty where the deck has no [time]. `scheme`: that of a deck which names none. Throws Error(usage) for an end that
/// is not after the start, without a step or a tolerance, for a scheme that cannot do what is asked, and for keys of
/// other schemes.
std::optional<TimeParams> read_time(const deck::Deck& deck, const std::vector<std::string>& schemes = {},
                                    const std::string& scheme = {});
/// Throws Error(usage) where files of a series are asked for without [time].
void check_series(const CommonParams& params);

/// When a run through time writes checkpoints, and how many stay.
struct EveryMinutes {
  double minutes = 0;
};
struct CheckpointParams {
  int every = 0;
  std::optional<EveryMinutes> every_minutes;
  int keep = 2;
  deck::Where where;

  bool any() const { return every > 0 || every_minutes; }
};
deck::Section<CheckpointParams> checkpoint_section();

/// An interval of time instead of a number of steps.
struct EveryTime {
  double time = 0;
};

struct OutputParams {
  std::string directory = "out";
  std::vector<std::string> fields;
  std::vector<std::string> on;  ///< groups that files show; none: the whole mesh
  std::vector<std::string> formats{"vtu"};
  bool write = true;
  int every = 0;  ///< steps between files of a transient run; 0: the first and the last state
  std::optional<EveryTime> every_time;
  int compression = 1;
  std::string precision = "double";
  deck::Where where;

  bool has_format(const std::string& format) const;
  /// Whether a format is one file of the whole, also where ranks share the mesh.
  bool writes_whole() const;
};
/// `transient`: whether it has the keys of series. `of_mesh`: whether what is solved on is a mesh with groups.
deck::Section<OutputParams> output_section(bool transient = false, bool of_mesh = true);
/// Throws Error(usage) for a field that is none of these, or that stands twice.
void check_fields(const OutputParams& output, const std::vector<FieldInfo>& fields);
/// Throws Error(usage) for formats that this program was built without, or that do not go together.
void check_formats(const OutputParams& output, const deck::Deck& deck);

struct QuantityParams {
  std::string name;
  std::string kind;
  std::string of = "u";
  std::vector<std::string> on;
  std::string from;
  std::vector<double> at;
  deck::Where where;
};
/// `fields`: of which the measured ones are offered with their components. `own`: kinds that the module has beside
/// those of every field.
deck::Section<QuantityParams> quantity_section(const std::vector<FieldInfo>& fields,
                                               const std::vector<std::string>& own);

/// What is integrated or flows through facets: kinds whose groups have one dimension, for measures of several are not
/// added.
bool is_flux(const QuantityParams& quantity);
bool is_integral(const QuantityParams& quantity);

/// Checks the quantities of a deck against mesh and fields before anything is solved.
void check_quantities(const std::vector<QuantityParams>& quantities, const mesh::Mesh& mesh,
                      GroupList list = GroupList::sizes);

struct NamedHelp {
  std::string name, help;
};
/// The tables behind `tessera list strategies|formats|quantities`.
const std::vector<NamedHelp>& strategy_table();
const std::vector<NamedHelp>& format_table();
struct QuantityKind {
  std::string name, help;
  bool own = false;  ///< only modules that say so have it
};
const std::vector<QuantityKind>& quantity_table();

struct LineParams {
  std::string name;  ///< empty: line_1, line_2, ...
  std::vector<double> from, to;
  int points = 101;
  std::vector<std::string> of;  ///< fields; read_lines fills in the solution where there are none
  deck::Where where;

  /// Point i of the line, ends included.
  std::array<double, 3> point(int i) const;
  double length() const;
  bool has(const std::string& field) const;
};
deck::Section<LineParams> line_section(const std::vector<FieldInfo>& fields);
/// The lines of a deck, with their names. Throws Error(usage) for a name that is no file name or stands twice, and for
/// lines without length.
std::vector<LineParams> read_lines(const deck::Deck& deck, const std::vector<FieldInfo>& fields);
/// Throws Error(usage) that names the first point of a line that lies in no cell of the mesh.
void check_lines(const std::vector<LineParams>& lines, const mesh::Mesh& mesh);

/// A point whose values are a column of a table, through time.
struct ProbeParams {
  std::string name;
  std::vector<double> at;
  std::string of = "u";
  int every = 1;
  deck::Where where;

  std::array<double, 3> point() const;
};
/// `field`: that which is solved for, whose components may be looked at.
deck::Section<ProbeParams> probe_section(const FieldInfo& field);
/// Throws Error(usage) for names that are empty or stand twice.
std::vector<ProbeParams> read_probes(const deck::Deck& deck, const FieldInfo& field);
/// Throws Error(usage) that names the nearest node where a point lies in no cell of the mesh, and for components and
/// coordinates that it has not.
void check_probes(const std::vector<ProbeParams>& probes, const FieldInfo& field, const mesh::Mesh& mesh);

/// A source at a point or in groups of cells, whose strength is a function of time.
struct SourceParams : deck::TimeFunctionParams {
  std::vector<double> at;
  std::vector<std::string> on;
  std::optional<deck::Expression> value;  ///< of the place; of sources in groups
  std::string field;                      ///< of several
  deck::Where where;
  deck::TimeFunction strength;  ///< made of the keys

  bool is_point() const { return on.empty(); }
  std::array<double, 3> point() const;
};
/// `field`: that which is solved for; where fields are by themselves a source is one of them.
deck::Section<SourceParams> source_section(const FieldInfo& field);
/// Throws Error(usage) where there is not one place, and what TimeFunction throws; `time`: of the run, null of a
/// stationary one, where strengths are constant.
std::vector<SourceParams> read_sources(const deck::Deck& deck, const FieldInfo& field, const TimeParams* time);
/// Throws Error(usage) that names the nearest place where a point lies in no cell of the mesh, and for unknown groups,
/// axes and coordinates.
void check_sources(const std::vector<SourceParams>& sources, const mesh::Mesh& mesh);

/// What [physics] has whatever the equations.
struct PhysicsParams {
  std::string type;
  int order = 1;  ///< of the space
  assembly::LineNodes nodes = assembly::LineNodes::standard;
  std::string discretisation = "galerkin";
  deck::Where where;
};

/// What every deck says; a module's own parameters derive from it.
struct CommonParams {
  std::string title;
  mesh::MeshParams mesh;
  RunParams run;
  PhysicsParams physics;
  AssemblyParams assembly;  ///< this and the next two of modules with a matrix
  MatrixParams matrix;
  solvers::SolverParams solver;
  NewtonParams newton;  ///< of models whose problems may be nonlinear
  std::vector<InitialParams> initial;
  std::vector<InitialParams> initial_rates;  ///< of what accelerates
  std::optional<TimeParams> time;            ///< of a run through time
  std::vector<SourceParams> sources;         ///< of models that have them
  CheckpointParams checkpoint;
  std::optional<ExactParams> exact;
  OutputParams output;
  std::vector<QuantityParams> quantities;
  std::vector<LineParams> lines;
  std::vector<ProbeParams> probes;
};

/// Warns of expressions of t, which a stationary problem takes at t = 0.
void warn_of_time(const std::vector<deck::Expression>& expressions);
/// Throws Error(usage) at the first variable that a mesh of `dim` dimensions does not have; dim 0: not known yet,
/// nothing is said.
void check_axes(const std::vector<deck::Expression>& expressions, int dim);
/// Throws Error(usage) where solver and matrix.format do not go together, and for an assembly.partition_size that no
/// partition has.
void check_choices(const CommonParams& params, const deck::Deck& deck);

}  // namespace tessera::physics
