#pragma once
// [[source]]: what they add to the right-hand side, b_i += g(t) phi_i(x0), or g(t) int f phi_i.
#include <span>
#include <vector>

#include "linalg/crs.hpp"
#include "linalg/ghost_product.hpp"
#include "linalg/spmv.hpp"
#include "physics/model.hpp"
#include "physics/run/backend.hpp"

namespace tessera::physics {

/// The sources of a run on the host, cell by cell. A point belongs to one cell, that of the lowest number of the whole
/// that holds it, whichever ranks see it; what a source adds to a row is added by the rank that owns the row. About an
/// axis the integrals have the weight 2 pi r, and a point is a ring with the whole amplitude.
class Sources {
 public:
  /// None.
  Sources() = default;
  /// Borrows the parameters and the space. Throws Error(usage) where a value is not finite. Phase: sources. Collective.
  Sources(const CommonParams& params, const FieldInfo& field, const Discretisation& space);

  explicit operator bool() const { return params_ && !params_->sources.empty(); }
  /// Whether a strength depends on time.
  bool vary() const;
  /// g [sources] at a time.
  std::vector<double> strengths(double t) const;
  /// Weights of g in the rows of the space that this rank owns, but for those of `without` (ascending): rows [rows of
  /// weights], ascending.
  struct Weights {
    std::vector<Index> rows;
    linalg::Crs<Host> weights;  ///< [rows, sources]
  };
  Weights weights(std::span<const Index> without) const;
  /// In the space of the solution, of all cells that this rank sees.
  const CellLoads& loads() const { return loads_; }

 private:
  /// Weights of all rows that this rank owns, on the host: row r has those from first[r] to first[r + 1].
  struct Rows {
    std::vector<Index> rows, columns;
    std::vector<Offset> first;
    std::vector<double> values;
  };
  void add_part(std::size_t source, Index cell);
  void add_point(std::size_t source, Index cell);
  void add_groups(std::size_t source);
  void sum_rows();

  const CommonParams* params_ = nullptr;
  const Discretisation* space_ = nullptr;
  std::vector<int> component_;  ///< [sources]
  CellLoads loads_;
  Rows rows_;
};

/// The sources on a backend: 12 B a row and source that meet, and nothing a row that has none.
template <class Exec>
class SourceLoads {
 public:
  using Space = typename Exec::Space;

  SourceLoads(Exec& exec, const Sources& sources, std::span<const Index> without) : exec_(exec), sources_(sources) {
    const Sources::Weights own = sources.weights(without);
    if (own.rows.empty()) return;
    rows_ = to_space<Space>(own.rows);
    weights_.rows = own.weights.rows;
    weights_.cols = own.weights.cols;
    weights_.row_ptr = to_space<Space>(std::span<const Offset>(own.weights.row_ptr.data(), weights_.rows + 1));
    weights_.col_ind = to_space<Space>(std::span<const Index>(own.weights.col_ind.data(), own.weights.nnz()));
    weights_.values = to_space<Space>(std::span<const double>(own.weights.values.data(), own.weights.nnz()));
    product_ = Array<double, Space>(weights_.rows);
    strengths_ = Array<double, Space>(weights_.cols);
  }

  /// b += factor g(t) of the weights; b has at least the rows that this rank owns.
  void add(double t, double factor, View<double> b) {
    if (rows_.empty()) return;
    std::vector<double> g = sources_.strengths(t);
    for (double& value : g) value *= factor;
    copy_bytes(Host{}, g.data(), Space{}, strengths_.data(), strengths_.bytes());
    linalg::spmv(exec_, std::as_const(weights_).view(), View<const double>(strengths_.view()), product_.view());
    linalg::add_to_rows(exec_, View<const Index>(rows_.view()), View<const double>(product_.view()), b);
  }

 private:
  Exec& exec_;
  const Sources& sources_;
  Array<Index, Space> rows_;
  linalg::Crs<Space> weights_;
  Array<double, Space> product_, strengths_;
};

}  // namespace tessera::physics
