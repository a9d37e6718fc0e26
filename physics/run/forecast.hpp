#pragma once
// What `tessera check` says: mesh, sizes, and whether host and GPU hold it.
#include "physics/model.hpp"
#include "physics/run/box_sizes.hpp"

namespace tessera::physics {

/// Memory that a run takes in one place: "host" or "GPU".
struct Room {
  const char* name;
  double need = 0, free = 0;
  bool computes = false;     ///< whether the run computes there
  const char* of = "";       ///< whose memory it is: " of this machine"
  const char* way_out = "";  ///< help where it is too little
};

/// Says whether what is needed fits into what is free. Throws Error(memory), as the run would, where it does not and
/// the run computes there. Of the host of a run on the GPU, which may do with less, it warns.
void say_fit(const Room& room);

/// What would fit into `free` where multigrid, which takes `need`, does not: another preconditioner, which takes
/// `other_need`, or a part of the mesh. `in_use`: what is part of both needs whatever the mesh.
std::string what_would_fit(double need, double free, double in_use, const std::string& other, double other_need);

/// Help where memory is too little.
struct WaysOut {
  std::string host, gpu;
};
WaysOut usual_ways_out();
/// Prints the memory of host and GPU that is needed beside what is in use. `backend`: that of the deck.
void print_memory(const std::string& backend, double host_bytes, double in_use, double device_bytes,
                  const WaysOut& way_out);

/// Ranks that are to share a run, and Model::joined_vertices.
struct PlannedRanks {
  int count = 1;
  std::span<const Index> joined = {};
  const BoxSizes* box = nullptr;  ///< where each makes its part of a box, and nobody the whole: what they have
  double before = 0;              ///< bytes in use before there was a mesh
};

/// `space` is that of the run, or of a box that ranks make in parts the part of the largest.
/// Prints mesh, groups, quality, sizes and an estimate of time and memory for host and GPU, and warns where it will
/// not fit. `why_no_matrix`: of a solution without one; empty: a matrix is assembled. `nonlinear`: by Newton's
/// method, whose matrix is filled beside its solver. `natural`: what holds on facets
/// without a condition. `ranks`: what each would have, where the run is to be shared.
void print_check(const CommonParams& params, const Discretisation& space, const AtPoints& coefficients,
                 const std::string& why_no_matrix, bool nonlinear, const Traits& traits, const PlannedRanks& ranks,
                 output::Summary& summary);

}  // namespace tessera::physics
