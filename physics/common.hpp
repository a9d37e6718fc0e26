#pragma once
// Sections that every stationary module shares, and what it does with them.
#include <array>
#include <string>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"
#include "deck/section.hpp"
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"
#include "output/vtk_writer.hpp"
#include "physics/module.hpp"

namespace tessera::physics {

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

struct MatrixParams {
  std::string format = "auto";
  deck::Where where;
};
/// `components`: unknowns a node; with several there are formats of block rows.
deck::Section<MatrixParams> matrix_section(int components = 1);

struct ExactParams {
  deck::Expression u;
  std::vector<deck::Expression> gradient;
  deck::Where where;
};
deck::Section<ExactParams> exact_section();

struct OutputParams {
  std::string directory = "out";
  std::vector<std::string> fields;
  std::vector<std::string> formats{"vtu"};
  bool write = true;
  deck::Where where;
};
deck::Section<OutputParams> output_section();

/// Warns of expressions of t, which a stationary problem takes at t = 0.
void warn_of_time(const std::vector<deck::Expression>& expressions);
/// Throws Error(usage) at the first variable that a mesh of `dim` dimensions does not have; dim 0: not known yet, nothing is said.
void check_axes(const std::vector<deck::Expression>& expressions, int dim);

struct QuantityParams {
  std::string name;
  std::string kind;
  std::string of = "u";
  std::vector<std::string> on;
  std::string from;
  std::vector<double> at;
  deck::Where where;
};
deck::Section<QuantityParams> quantity_section();

struct NamedHelp {
  std::string name, help;
};
/// The tables behind `tessera list strategies|formats|quantities`.
const std::vector<NamedHelp>& strategy_table();
const std::vector<NamedHelp>& format_table();
const std::vector<NamedHelp>& quantity_table();

/// What a list of groups says of each: a box of one cell that stands for a grid has the names of the user's mesh, but not its sizes.
enum class GroupList { sizes, names };

/// What is integrated or flows through facets: kinds whose groups have one dimension, for measures of several are not added.
bool is_flux(const QuantityParams& quantity);
bool is_integral(const QuantityParams& quantity);

/// The groups of one `on` as one: a facet or cell that several of them hold, or a name that stands twice, is in it once.
/// `dim` as in find_group. Throws Error(usage) at `where` for groups of different dimensions.
mesh::Group united_groups(const mesh::Mesh& mesh, const std::vector<std::string>& names, int dim,
                          const deck::Where& where, GroupList list = GroupList::sizes);

/// The group of that name: of dimension `dim`, or of any with dim < 0 (the highest wins).
/// Throws Error(mesh) that lists the groups there are.
const mesh::Group& find_group(const mesh::Mesh& mesh, const std::string& name, int dim, const deck::Where& where,
                              GroupList list = GroupList::sizes);

/// "fins (volume, 1200 cells), base (surface, 40 facets)": for messages and reports. By names: "fins (volume), base (surface)".
std::string describe_groups(const mesh::Mesh& mesh, GroupList list = GroupList::sizes);

/// Checks the quantities of a deck against mesh and fields before anything is solved.
void check_quantities(const std::vector<QuantityParams>& quantities, const mesh::Mesh& mesh,
                      GroupList list = GroupList::sizes);

/// Throws Error(usage) for a field that is neither u nor flux, or that stands twice.
void check_fields(const OutputParams& output);

/// Writes a solution in the formats of the deck: solution.vtu with solution.pvd, and solution.csv.
void write_solution_files(const OutputParams& params, const output::VtkData& data,
                          const std::filesystem::path& directory);

/// Fills "mesh" and "space" of the summary.
void summarise_mesh(const mesh::Mesh& mesh, const assembly::DofMap& dofs, Offset nnz, output::Summary& summary);

/// "backend" of the summary.
void summarise_backend(const Threads& exec, output::Summary& summary);
void summarise_backend(const Cuda& exec, output::Summary& summary);

/// Calls run(exec) on the backend of the deck and says which in the summary.
template <class Run>
decltype(auto) on_backend(const RunParams& params, output::Summary& summary, Run&& run) {
  return with_backend(params.backend, params.threads, [&](auto& exec) -> decltype(auto) {
    summarise_backend(exec, summary);
    summary.set("backend.precision", params.precision);
    return run(exec);
  });
}

}  // namespace tessera::physics
