#pragma once
// What is derived of a solution with coefficients: stresses of strains, flows of gradients. A run evaluates and checks
// its coefficients at the quadrature points of cells alone: elsewhere an expression may be infinite, or no coefficient
// at all. So all other points take them from there.
#include <functional>
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/field_view.hpp"
#include "assembly/space/geometry_map.hpp"
#include "deck/expression.hpp"

namespace tessera::assembly {

/// A coefficient on the host.
struct PointField {
  int components = 1;
  /// Writes values [count, components] at `count` of the quadrature points of a cell. Called from several threads at
  /// once.
  std::function<void(Index cell, int count, const deck::Points& points, double* values)> evaluate;
  /// Whether it is the same everywhere in a cell; empty: in none.
  std::function<bool(Index cell)> is_constant = {};
  std::vector<int> positive = {};  ///< components that are positive where they are right
  bool of_solution = false;        ///< it needs the field, of one component, and its gradient at the points
};

/// A nodal field and a coefficient at a point of a cell.
struct PointState {
  Index cell;
  const double* xyz;          ///< [3]
  const double* value;        ///< [components of the field]
  const double* gradient;     ///< [components of the field, dim]
  const double* coefficient;  ///< [components of the coefficient]
};

/// Writes what is derived there. Called from several threads at once.
using Derive = std::function<void(const PointState&, double* out)>;

/// Derived values at tabulated points of the cells of a block, of order k where the field is of order k + 1. The
/// coefficient at a point is the polynomial of order k that is nearest to its values at the quadrature points.
/// In a cell where that does not describe it, because a positive component would fall below half of its least value,
/// what is derived is derived at the quadrature points, and its nearest polynomial of order k - 1 is taken.
class DerivedValues {
 public:
  /// Reference points [n, dim]; k = order. `nodes`: those of the field.
  DerivedValues(const mesh::CellBlock& cells, int order, std::span<const double> points,
                LineNodes nodes = LineNodes::standard);

  int points() const { return static_cast<int>(carry_.size() / mean_.size()); }
  /// Room for one thread.
  struct Workspace {
    std::vector<double> xyz, u, gradient, of_rule, at_points, state, derived;
  };
  /// out [n, outputs] of the cell with this number in the mesh and these dofs.
  void operator()(const mesh::Mesh& mesh, Index cell, const Index* dofs, const FieldView& u,
                  const PointField& coefficient, int outputs, const Derive& derive, Workspace& work, double* out) const;

 private:
  /// Geometry and field at reference points.
  struct Places {
    GeometryMap geometry;
    FieldMap field;
    void derive(const mesh::Mesh& mesh, const mesh::CellBlock& cells, Index cell, const Index* dofs, const FieldView& u,
                const double* coefficients, int components, int outputs, const Derive& derive, Workspace& work,
                double* out, int count) const;
    /// The field and its gradient at the first `count` of them, into the workspace.
    void solution(const mesh::Mesh& mesh, const Index* nodes, const Index* dofs, const FieldView& u, int count,
                  Workspace& work) const;
  };
  bool describes(const PointField& coefficient, const Workspace& work) const;

  const mesh::CellBlock& cells_;
  Places at_;                  ///< the points
  Places rule_;                ///< the quadrature points
  std::vector<double> mean_;   ///< [quadrature points]
  std::vector<double> carry_;  ///< [n, quadrature points]: the nearest polynomial of order k at the points
  std::vector<double> lower_;  ///< of order k - 1
};

}  // namespace tessera::assembly
