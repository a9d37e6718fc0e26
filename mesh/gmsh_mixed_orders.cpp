#include "mesh/gmsh_mixed_orders.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include "base/error.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

void refuse_mixed_orders(const std::string& file, int dim, int entity, const std::vector<int>& types,
                         const std::vector<std::vector<std::size_t>>& elements) {
  for (std::size_t t = 0; t < types.size(); ++t) {
    // What Gmsh sets aside for elements of a type counts the whole shape, whatever the order.
    std::vector<std::size_t> all, nodes;
    gmsh::model::mesh::preallocateElementsByType(types[t], true, false, all, nodes, entity);
    if (all.size() <= elements[t].size()) continue;
    const GmshType* type = gmsh_type(types[t]);
    constexpr const char* entities[] = {"point", "curve", "surface", "volume"};
    double low[3], high[3];
    gmsh::model::getBoundingBox(dim, entity, low[0], low[1], low[2], high[0], high[1], high[2]);
    throw Error(
        ExitCode::mesh,
        fmt::format("{}: {} {} in ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}) mixes elements of different geometric "
                    "orders: {} of type {}, {} of others",
                    file, entities[dim], entity, low[0], low[1], low[2], high[0], high[1], high[2], elements[t].size(),
                    type ? type->name : fmt::format("Gmsh type {}", types[t]).c_str(), all.size() - elements[t].size()),
        "write all elements with one order: linear and quadratic cells do not fit together where they touch");
  }
}

}  // namespace tessera::mesh
