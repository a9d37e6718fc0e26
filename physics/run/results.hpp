#pragma once
// What is evaluated of a solution on a mesh, field by field and component by component.
#include <filesystem>
#include <functional>

#include "physics/model.hpp"
#include "physics/run/field_values.hpp"
#include "physics/run/report.hpp"
#include "physics/run/shown.hpp"

// All functions but the check are collective where ranks share the solution.

namespace tessera::physics {

/// "quantities" of the summary. `when`: of one of several states, for warnings.
void report_quantities(const std::vector<QuantityParams>& quantities, const Traits& traits,
                       const NodalSolution& solution, Results& results, output::Summary& summary,
                       const std::string& when = {});
/// Throws Error(usage) where a quantity is of no component of the fields that may be measured: `of = "u"` of a vector.
void check_quantity_fields(const std::vector<QuantityParams>& quantities, const Traits& traits, int dim);

/// A solution as files have it.
struct FileState {
  Shown shown;
  std::vector<NotFinite> not_finite;             ///< what the main thread is still to warn of
  std::vector<std::vector<double>> memory = {};  ///< that fields of states before have left
};
/// Makes it, called once and on any thread: until then it holds values of fields, and looks at mesh and space of the
/// solution. `u`: the solution [rows], where it asks for it, which it takes. Of a series that goes on (FileNames) the
/// state has the grid of those before.
using MakeSolution = std::function<void(FileState& state, std::vector<double> u)>;
using TakeSolution = std::function<void(MakeSolution make, bool asks_for_u)>;
/// The fields of the deck as files: of several ranks one file where the root has the whole mesh, which `take` writes on
/// the root, or pieces, which are called `names`. Returns how many pieces; 0: none.
int write_solution(const CommonParams& params, const std::vector<FieldInfo>& fields, const NodalSolution& solution,
                   Results& results, bool converged, const std::filesystem::path& directory, const FileNames& names,
                   const TakeSolution& take);
/// The tables of lines.
void write_lines(const std::vector<LineParams>& lines, const std::vector<FieldInfo>& fields,
                 const NodalSolution& solution, Results& results, const std::filesystem::path& directory);

}  // namespace tessera::physics
