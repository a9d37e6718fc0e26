#pragma once
// Coefficients of a form as expressions, evaluated where the form reads them.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "assembly/space/cell_points.hpp"
#include "assembly/space/dof_map.hpp"
#include "deck/expression.hpp"
#include "forms/field.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// One coefficient of a form: [regions][components], of as many components in every region. Empty: not given so.
using RegionExpressions = std::vector<std::vector<deck::Expression>>;

/// Asks that coefficients are positive, or positive definite tensors, at every point.
struct Definite {
  /// Called with the number of the coefficient, the region, its components and the point where it is not; throws.
  using Refuse = std::function<void(std::size_t coefficient, Index region, const double* values, const double* xyz)>;
  std::vector<std::size_t> coefficients;
  Refuse refuse;
};

/// Coefficients of a form in the order of its members(), and the time and state at which they are evaluated. Those that
/// are empty here are the data's. Behind them there may be others, for what `definite` asks alone. It is asked of those
/// that vary.
struct ExpressionData {
  std::vector<RegionExpressions> members;
  double t = 0;
  const double* u = nullptr;  ///< [dofs] on the backend, where expressions depend on the solution; borrowed
  Definite definite = {};
};

/// Whether it is not the same everywhere in a region, or changes in time.
bool varies(const RegionExpressions& coefficient);

/// The coefficient as a form's data have it, constant on regions. Of one that varies: its components, and no values but
/// one, so that it is there. Throws Error(internal) where regions have unequal numbers of components.
forms::Coefficient as_data(const RegionExpressions& coefficient);

/// The coefficients of a form's data with those that are expressions in their places, as as_data has them.
class ExpressedCoefficients {
 public:
  /// `coefficients` of the data are changed to point to what this holds.
  ExpressedCoefficients(const ExpressionData& expressions, std::span<forms::NamedCoefficient> coefficients);
  ExpressedCoefficients(const ExpressedCoefficients&) = delete;

  /// Members that are to be evaluated, those behind the form's first: what they refuse is the reason of the rest.
  const std::vector<std::size_t>& varying() const { return varying_; }
  std::vector<RegionExpressions> of_varying() const;
  /// What is asked of them, by their numbers in of_varying(); `refuse` is told the member's.
  Definite definite() const;

 private:
  const ExpressionData& expressions_;
  std::vector<forms::Coefficient> as_data_;
  std::vector<std::size_t> varying_;
};

/// Cells of one block in their order of processing on the backend.
struct PlacedCells {
  const double* coordinates = nullptr;  ///< [mesh nodes, 3]
  const Index* geometry = nullptr;      ///< see CellPointsView
  Offset geometry_stride = 0, geometry_step = 1;
  const Index* cell = nullptr;        ///< place -> number in the block; null: as they are
  std::span<const Index> order = {};  ///< the same on the host
  const Index* dofs = nullptr;        ///< see CellFieldView
  Offset dof_stride = 0, dof_step = 1;
  const double* u = nullptr;  ///< [dofs] on the backend; null: nothing depends on the solution
};

/// Evaluates coefficients at the quadrature points of cells where assembly reads them. On CUDA all components of all
/// coefficients of a region are one kernel (deck/expression/device_evaluator.hpp), points are made on the device for
/// some million at a time, and nothing of their size is on the host. Mesh and map must outlive it.
template <class Exec>
class CoefficientEvaluator {
 public:
  /// region: [cells of the mesh], or empty: all in region 0. Throws Error(internal) where a region has no expression.
  CoefficientEvaluator(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const std::vector<Index>& region,
                       std::vector<RegionExpressions> coefficients, Definite definite = {});
  ~CoefficientEvaluator();

  /// values[k], on the backend: [cells of the block by their numbers, points, components of coefficient k]; null: in
  /// memory of its own, for `definite`. Throws
  /// Error(usage) naming expression and point where a value is not finite: on threads the first place, on CUDA the
  /// first region's first expression with such a value, at the cell of the least number. Then looks at what `definite`
  /// asks, coefficient by coefficient, in the order of the cells' numbers.
  void evaluate(Exec& exec, std::size_t block, const PlacedCells& cells, double t, std::span<double* const> values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::assembly
