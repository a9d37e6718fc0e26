#pragma once
#include <string>

namespace tessera::mesh {

/// How many nodes a mesh of Gmsh's current model with elements of `size` has at least, from lengths of its curves
/// (sampled), and areas and volumes where OpenCASCADE knows them (else a tenth of the bounding box of a volume, and
/// nothing of a surface).
double least_nodes(double size);

/// Throws Error(usage) where these are more than 32-bit numbers count, Error(memory) where Gmsh cannot hold them in
/// what is free: asked for such, Gmsh 4.8 runs for hours, or overflows and gives a handful of nodes. `refine`: times
/// that every cell is halved after.
void check_size(const std::string& file, double size, int refine);

}  // namespace tessera::mesh
