#pragma once
// The deck of a module of one unknown u with diffusion, reaction and source, stationary.
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "physics/common.hpp"
#include "physics/lines.hpp"
#include "solvers/params.hpp"

namespace tessera::physics::scalar {

struct PhysicsParams {
  std::string type;
  int order = 1;
  std::string discretisation = "galerkin";
  deck::Where where;
};

struct MaterialParams {
  std::vector<std::string> on;
  std::vector<deck::Expression> diffusivity{
      deck::Expression(1.0)};  ///< 1, or dim(dim+1)/2: xx xy yy | xx xy xz yy yz zz
  deck::Expression reaction;
  deck::Expression source;
  deck::Where where;
};

struct BoundaryParams {
  std::vector<std::string> on;
  std::string type;
  deck::Expression value;
  deck::Expression alpha;
  deck::Where where;
};

/// Where an iterative solver starts.
struct InitialParams {
  std::vector<std::string> on;
  deck::Expression u;
  deck::Where where;
};

/// A whole deck of the module.
struct Params {
  std::string title;
  mesh::MeshParams mesh;
  RunParams run;
  PhysicsParams physics;
  std::vector<MaterialParams> materials;
  std::vector<BoundaryParams> boundaries;
  AssemblyParams assembly;
  MatrixParams matrix;
  solvers::SolverParams solver;
  std::vector<InitialParams> initial;
  bool has_exact = false;
  ExactParams exact;
  OutputParams output;
  std::vector<QuantityParams> quantities;
  std::vector<LineParams> lines;
};

deck::Section<BoundaryParams> boundary_section();
deck::Section<InitialParams> initial_section();
/// Throws Error(usage) where a start is given to a solver that takes none, or `on` is empty.
void check_initial(const Params& params);
/// Throws Error(usage) where a boundary names no group, or has an alpha and is not robin.
void check_boundaries(const std::vector<BoundaryParams>& boundaries);
/// Throws Error(usage) where solver and matrix.format do not go together, and for an assembly.partition_size that no partition has.
void check_choices(const Params& params, const deck::Deck& deck);

/// Every expression of a deck, for checks that hold for all of them.
std::vector<deck::Expression> expressions_of(const Params& params);

}  // namespace tessera::physics::scalar
