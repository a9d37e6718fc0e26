#pragma once
// The numbers of a field of a solution at its nodes.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/fields/quantities.hpp"
#include "physics/model.hpp"

namespace tessera::physics {

/// Says once of a run that a number is not finite: files and tables have it as it is, the summary as null; or that one
/// is infinite in files of floats.
struct NotFinite {
  std::string what;        ///< "the field 'flux' is not finite"
  std::string where = {};  ///< " at 9 nodes, the first at (0, 0, 0)"; of a series that of its first such state
};
/// A warning, unless there was one of the same `what`. On the main thread.
void warn_once(const NotFinite& found);

/// Of the values of a field at all nodes, [nodes, stride], on any thread. `when` ends the sentence.
std::optional<NotFinite> find_not_finite(const std::string& field, std::span<const double> values, int stride,
                                         const std::vector<double>& node_points, int threads, const std::string& when);

/// The same of numbers beyond the range of floats, which files of them have as infinite ones.
std::optional<NotFinite> find_beyond_floats(const std::string& field, std::span<const double> values, int stride,
                                            const std::vector<double>& node_points, int threads,
                                            const std::string& when);
/// A warning of these. Collective.
void warn_of_beyond_floats(const std::string& field, std::span<const double> values, int stride, const NodalSolution& s,
                           const std::string& when);

/// [nodes, 3] of [nodes, dim]: vectors in files have three components.
std::vector<double> with_three_components(std::span<const double> values, int dim);

/// All numbers of a field, [nodes, stride]: the first is the solution itself. It warns where one is not finite.
/// Collective.
struct FieldValues {
  std::vector<double> own;
  std::span<const double> values;
  int stride;

  FieldValues(const FieldInfo& field, bool solved, const NodalSolution& s, Results& results,
              const std::string& when = {});
  FieldValues(const FieldValues&) = delete;

  assembly::FieldView view() const { return {values, assembly::FieldLayout::by_nodes(stride)}; }
  /// Its numbers, for who keeps them.
  std::vector<double> taken() {
    return own.empty() ? std::vector<double>(values.begin(), values.end()) : std::move(own);
  }
};

}  // namespace tessera::physics
