#include "bench/support/meshes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "mesh/gmsh_reader.hpp"
#include "mesh/numbering.hpp"
#include "mesh/refine.hpp"

namespace tessera::bench {
namespace {

void number_by_cells(mesh::Mesh& mesh) {
  std::vector<Index> number(static_cast<std::size_t>(mesh.nodes()), -1);
  Index next = 0;
  for (const mesh::CellBlock& block : mesh.blocks)
    for (const Index node : block.nodes)
      if (number[node] < 0) number[node] = next++;
  mesh::renumber_nodes(mesh, number);
}

}  // namespace

void shuffle_nodes(mesh::Mesh& mesh) {
  std::vector<Index> number(static_cast<std::size_t>(mesh.nodes()));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(1));
  mesh::renumber_nodes(mesh, number);
}

mesh::Mesh ball(double size, int refinements, bool shuffled) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tessera_bench_ball.geo";
  std::ofstream(file) << "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\n";
  mesh::Mesh mesh = mesh::read_gmsh(file, {.size = size});
  std::filesystem::remove(file);
  for (int level = 0; level < refinements; ++level) mesh = mesh::refine(mesh);
  shuffled ? shuffle_nodes(mesh) : number_by_cells(mesh);
  return mesh;
}

}  // namespace tessera::bench
