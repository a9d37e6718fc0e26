#include "physics/scalar/evolution_impl.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "physics/scalar/axis.hpp"

namespace tessera::physics::scalar {

bool Storage::depends_on_solution() const {
  return std::any_of(coefficients.begin(), coefficients.end(),
                     [](const deck::Expression& e) { return e.depends_on_solution(); });
}

void refuse_storage(const Storage& storage, const MaterialParams& material, double value, const double* xyz) {
  throw Error(ExitCode::usage,
              fmt::format("{} is {}{}; it is to be positive", storage.keys, value,
                          xyz ? fmt::format(" at ({:g}, {:g}, {:g})", xyz[0], xyz[1], xyz[2]) : ""),
              "a body stores more the higher u is: choose positive values", material.where);
}

void refuse_lumped(const Storage& storage, const mesh::Mesh& mesh, double nodes, const deck::Where& where) {
  const std::string what = fmt::format("the lumped mass is not positive at {} nodes: ", nodes);
  if (mesh.measure.radius >= 0)
    throw Error(ExitCode::usage, what + "on the axis, where the weight 2 pi r is 0, there is none but for order 1",
                "choose physics.mass = \"consistent\" or order = 1", where);
  throw Error(ExitCode::usage,
              what + (*storage.keys ? fmt::format("{} jumps inside cells", storage.keys) : "cells are too distorted"),
              "choose physics.mass = \"consistent\" or order = 1, or let cells end where coefficients jump", where);
}

forms::DiffusionData storage_data(const Storage& storage, const std::vector<MaterialParams>& materials,
                                  const std::vector<Index>& material, const mesh::Mesh& mesh,
                                  const assembly::DofMap& dofs, int threads, std::span<const double> u) {
  const assembly::QuadraturePoints points(mesh, dofs);
  const assembly::FieldAtPoints field(mesh, dofs);
  std::vector<std::vector<deck::Expression>> of_materials;
  for (const deck::Expression& e : storage.coefficients) of_materials.push_back({e});
  forms::DiffusionData data;
  if (storage.coefficients.size() > 1) data.region = material;
  data.c = coefficient(of_materials, material, mesh, points, threads, {&field, u});
  const std::vector<double>& values = data.c.values;
  const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !(value > 0); });
  if (bad != values.end()) {
    const auto place = static_cast<Offset>(bad - values.begin());
    if (!data.c.per_point) refuse_storage(storage, materials[static_cast<std::size_t>(place)], *bad, nullptr);
    std::size_t block = 0;
    while (place >= points.before(block + 1)) ++block;
    const int per_cell = points.per_cell(block);
    const auto cell = static_cast<Index>((place - points.before(block)) / per_cell);
    std::vector<double> xyz(3 * static_cast<std::size_t>(per_cell));
    points.of_cells(block, cell, 1, xyz.data());
    refuse_storage(storage, materials[material[mesh.blocks[block].first_cell + cell]], *bad,
                   &xyz[3 * static_cast<std::size_t>((place - points.before(block)) % per_cell)]);
  }
  weigh(data.c, material, mesh, points, threads);
  return data;
}

template std::unique_ptr<Evolution<Threads>> make_evolution(Threads&, const Problem&, const Params&, const Storage&,
                                                            const Storage&, output::Summary&);

}  // namespace tessera::physics::scalar
