#pragma once
// The deck's states and boundaries on the mesh, on the host.
#include "physics/euler/constrain.hpp"
#include "physics/euler/params.hpp"
#include "physics/model.hpp"

namespace tessera::physics::euler {

/// Nodes of one kind of boundary, with what is prescribed there: of a state its density, and pressure with velocity or
/// energy with momentum.
struct BoundaryList {
  BoundaryKind kind = BoundaryKind::slip_wall;
  std::vector<Index> nodes;              ///< ascending
  std::vector<double> normals;           ///< as BoundaryNodes::normals
  std::vector<deck::Expression> values;  ///< rho, p, v of inflow and far_field; see prescribed_numbers
  bool primitive = true;                 ///< else rho, E, m stand there
  std::string groups;                    ///< "inlet', 'outlet", for messages
  deck::Where where;

  bool varies() const;
};

struct Problem {
  const Params& params;
  const Discretisation& space;
  Gas gas;
  std::vector<BoundaryList> boundaries;  ///< in the order in which they act
};

/// Finds the boundaries on the mesh. Throws Error(usage) for unknown groups, for sides without a condition, which it
/// names, and for numbers of components; of a part of a rank it looks at own nodes alone.
Problem make_problem(const Params& params, const Discretisation& space);

/// [rows] the first state. Throws Error(usage) where a node has none, and where one is not that of a gas, with the
/// place and its density and pressure.
std::vector<double> first_state(const Problem& problem);

/// That state as the boundaries let it be, with which the steps begin. Ghosts stay as they are.
std::vector<double> constrained(const Problem& problem, std::vector<double> u);

/// What a list prescribes at time t, [prescribed_numbers, nodes]. Throws as the above.
std::vector<double> values_at(const Problem& problem, const BoundaryList& list, double t);

}  // namespace tessera::physics::euler
