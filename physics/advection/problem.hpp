#pragma once
// The deck's velocities and boundaries on the mesh, on the host.
#include "physics/advection/params.hpp"
#include "physics/model.hpp"

namespace tessera::physics::advection {

/// Nodes of an inflow.
struct InflowList {
  std::vector<Index> nodes;     ///< ascending
  std::vector<double> normals;  ///< [nodes, dim], outward, not of length 1
  deck::Expression value;
  deck::Where where;
  bool varies = false;  ///< in time: the value, or the velocity there
};

struct Problem {
  const Params& params;
  const Discretisation& space;
  std::vector<InflowList> inflows;

  bool velocity_varies() const;
};

/// Finds the boundaries on the mesh. Throws Error(usage) for unknown groups, for sides without a condition, which it
/// names, and for numbers of components; of a part of a rank it looks at own nodes alone.
Problem make_problem(const Params& params, const Discretisation& space);

/// [dim, nodes seen] v at time t; empty where there is none. Throws Error(usage) where it is not finite.
std::vector<double> velocity_at(const Problem& problem, double t);

/// Throws Error(usage) that names the function and the place where the slope of flux.function at u [nodes seen] is not
/// finite.
void check_slopes(const Problem& problem, const std::vector<double>& u);

/// Throws Error(usage) where a flux.function jumps, or is endlessly steep, between the least and the greatest of u
/// [nodes seen] and what inflows prescribe at time t.
void check_jumps(const Problem& problem, const std::vector<double>& u, double t);

/// Throws Error(usage) where velocities of the start or of the end differ at two places that periodic sides join;
/// `joined` as Model::joined_vertices.
void check_joined_velocities(const Params& params, const mesh::Mesh& mesh, const std::vector<Index>& joined);

/// What an inflow prescribes at time t, [nodes]; NaN where the flow of the value there leaves: (v + f'(value)) n >= 0.
std::vector<double> values_at(const Problem& problem, const InflowList& list, double t);

}  // namespace tessera::physics::advection
