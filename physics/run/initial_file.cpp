#include "physics/run/initial_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "assembly/space/dof_map.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "base/muted.hpp"
#include "base/profile.hpp"
#include "base/team.hpp"
#include "mesh/make_mesh.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/checkpoint_header.hpp"
#include "output/state_file.hpp"
#include "physics/run/changed_mesh.hpp"
#include "physics/run/space.hpp"

namespace tessera::physics {

namespace fs = std::filesystem;

namespace {

/// Components of the field that a file gives, and what each is called there: a field of its own, or that of them all.
struct Wanted {
  std::vector<std::size_t> components;
  std::vector<std::string> names;  ///< [components], or one of all
};

Wanted wanted(const InitialParams& initial, const FieldInfo& field, int components) {
  Wanted result;
  for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c)
    if (initial.is_of_file(c)) result.components.push_back(c);
  result.names = initial.file->fields;
  if (!result.names.empty()) return result;
  if (!field.own_names) result.names = {field.name};
  for (const std::size_t c : result.components)
    if (field.own_names) result.names.push_back(field.component(static_cast<int>(c)));
  return result;
}

std::vector<double> equispaced(mesh::Shape shape, int order) {
  return assembly::equispaced_points(assembly::lagrange(shape, order));
}

[[noreturn]] void refuse(const std::string& what, const std::string& help) { throw Error(ExitCode::usage, what, help); }

/// The field of that name at the points of a file.
const output::Field& point_field(const output::VtuFile& grid, const std::string& name) {
  std::vector<std::string> names;
  for (const output::Field& field : grid.point_fields) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  for (const output::Field& field : grid.cell_fields)
    if (field.name == name)
      refuse(fmt::format("'{}' has one value a cell there, and a start is interpolated between points", name),
             "in ParaView, Cell Data to Point Data makes values at points of it");
  refuse(fmt::format("it has no field '{}' at its points", name),
         names.empty() ? "name a file with a field, or write the start as an expression"
                       : suggest(name, names) + "; field = \"...\" says what the file calls it");
}

/// Cells in one plane, or on one line: those of a surface or a curve in space have no coordinates of their own.
void check_flat(const assembly::NodalGrid& grid) {
  for (std::size_t d = static_cast<std::size_t>(grid.dim); d < 3; ++d)
    for (std::size_t p = d; p < grid.points.size(); p += 3)
      if (grid.points[p] != grid.points[d])
        refuse(fmt::format("its cells of {} dimensions lie in space, not along the axes", grid.dim),
               "a start is interpolated within a plane mesh, or one of cells with a volume");
}

/// Values and places of the nodes that cells have are numbers.
void check_finite(const assembly::NodalGrid& grid, const Wanted& wanted) {
  const auto width = static_cast<std::size_t>(grid.components);
  for (const assembly::NodalGrid::Cells& cells : grid.blocks)
    for (const Index node : cells.nodes) {
      const double* const x = &grid.points[3 * static_cast<std::size_t>(node)];
      const std::string place = fmt::format("node {}, at ({:g}, {:g}, {:g})", node, x[0], x[1], x[2]);
      if (!std::all_of(x, x + 3, [](double value) { return std::isfinite(value); }))
        refuse(fmt::format("its {}: that is no place", place),
               "the coordinates of all nodes of cells are finite numbers");
      for (std::size_t c = 0; c < width; ++c)
        if (const double value = grid.values[static_cast<std::size_t>(node) * width + c]; !std::isfinite(value))
          refuse(
              fmt::format("'{}' is {:g} at its {}", wanted.names[wanted.names.size() == width ? c : 0], value, place),
              "a start has a finite value at every node; a run that has failed leaves states without");
    }
}

/// The grid of a file of states, without its values.
assembly::NodalGrid grid_of(const output::VtuFile& file) {
  assembly::NodalGrid grid{.dim = 0, .order = 1, .points = file.points, .blocks = {}, .components = 0, .values = {}};
  for (output::StateCells& cells : output::cells_of(file, equispaced)) {
    grid.dim = mesh::dimension(cells.shape);
    grid.order = cells.order;
    grid.blocks.push_back({cells.shape, std::move(cells.nodes)});
  }
  check_flat(grid);
  return grid;
}

void check_dimension(int found, int dim) {
  if (found != dim)
    refuse(fmt::format("it is a file of {} dimensions, and the mesh of this run has {}", found, dim),
           fmt::format("name a file with a grid of {} dimensions, or write the start as an expression", dim));
}

assembly::NodalGrid read_states(const InitialFile& file, const Wanted& wanted, const FieldInfo& field, int dim) {
  const output::StateFile state = output::read_state(file.path, file.time);
  if (state.time) log_info(fmt::format("[[initial]]: {} at t = {:g}", file.path, *state.time));
  assembly::NodalGrid grid = grid_of(state.grid);
  check_dimension(grid.dim, dim);
  const std::size_t nodes = grid.points.size() / 3, width = wanted.components.size();
  grid.components = static_cast<int>(width);
  grid.values.resize(nodes * width);
  for (std::size_t n = 0; n < wanted.names.size(); ++n) {
    const output::Field& from = point_field(state.grid, wanted.names[n]);
    const std::size_t of_file = static_cast<std::size_t>(from.components), taken = width / wanted.names.size();
    if (of_file != taken && !(field.vector && of_file == 3))
      refuse(fmt::format("its field '{}' has {} components, {} has {}", from.name, of_file,
                         field.own_names ? field.component(static_cast<int>(wanted.components[n])) : field.name, taken),
             "field = \"...\" names another field of the file");
    for (std::size_t node = 0; node < nodes; ++node)
      std::copy_n(&from.values[node * of_file], taken, &grid.values[node * width + n * taken]);
  }
  check_finite(grid, wanted);
  assembly::take_element_nodes(grid);
  return grid;
}

/// What decks say of their space, whatever their module.
int order_of(const deck::Deck& deck) {
  return deck::Section<PhysicsParams>("physics", "").key("order", &PhysicsParams::order, {}).read_declared(deck).order;
}

constexpr const char* no_mesh_help =
    "let that run write .vtu or .vtkhdf files, which have their meshes, and name one of these";

/// The mesh of the run that wrote a checkpoint, from the deck in it.
mesh::Mesh mesh_of(const output::Checkpoint& checkpoint, int threads, int& order) {
  const auto text = [&](const char* name) { return output::header_value<std::string>(checkpoint, name); };
  try {
    const auto deck =
        deck::Deck::parse(text("deck"), text("deck_file"),
                          output::header_value<std::vector<std::string>>(checkpoint, "overrides"), text("folder"));
    if (has_contacts(deck)) refuse("that run has contacts, along which its model takes the mesh apart", no_mesh_help);
    if (has_growing_layers(deck)) refuse("that run has layers that have grown out of its mesh", no_mesh_help);
    const Muted again;
    order = order_of(deck);
    return mesh::make_mesh(deck, mesh::mesh_section().read(deck, true), threads, {}, mesh::Revolution::known);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("it holds no mesh, and that of the deck in it cannot be made: {}", error.what()),
                no_mesh_help);
  }
}

output::Checkpoint read_checkpoint(const fs::path& path) {
  if (!fs::is_directory(path)) return output::read_checkpoint(path);
  if (output::checkpoints_in(path).empty())
    throw Error(ExitCode::file_system, "it is a folder without checkpoints",
                "name a file of it, such as solution.vtu or solution.pvd");
  output::NewestCheckpoint newest = output::newest_checkpoint(path);
  for (const std::string& unreadable : newest.unreadable) warn(unreadable);
  return std::move(newest.checkpoint);
}

assembly::NodalGrid read_state_of(const InitialFile& file, const Wanted& wanted, const FieldInfo& field, int dim,
                                  int threads) {
  if (file.time)
    refuse("a checkpoint holds one state", "leave `time` out: it chooses a state of a series, .pvd or .vtkhdf");
  const output::Checkpoint checkpoint = read_checkpoint(file.path);
  log_info(fmt::format("[[initial]]: the checkpoint of {} at t = {:g}", file.path,
                       output::header_value<double>(checkpoint, "t")));
  std::vector<std::string> names;
  if (checkpoint.header.contains("fields"))
    names = output::header_value<std::vector<std::string>>(checkpoint, "fields");
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < wanted.components.size(); ++i) {
    const int c = static_cast<int>(wanted.components[i]);
    const std::string name = wanted.names.size() == wanted.components.size() ? wanted.names[i] : field.component(c);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse(fmt::format("it has no field '{}'", name), suggest(name, names));
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  assembly::NodalGrid grid;
  const mesh::Mesh mesh = mesh_of(checkpoint, threads, grid.order);
  check_dimension(mesh.dim, dim);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, grid.order, threads, line_nodes({}, mesh));
  const auto u_of = std::find_if(checkpoint.arrays.begin(), checkpoint.arrays.end(),
                                 [](const output::CheckpointArray& array) { return array.name == "u"; });
  const std::size_t count = static_cast<std::size_t>(dofs.dofs) * names.size();
  if (u_of == checkpoint.arrays.end() || u_of->values.size() != count)
    refuse(fmt::format("it holds {} values, and the mesh of the deck in it has {} now: it is another one",
                       u_of == checkpoint.arrays.end() ? 0 : u_of->values.size(), count),
           no_mesh_help);
  // Grids of states have equispaced nodes where elements of their order may have them.
  const bool equispaced = grid.order <= assembly::max_simplex_order;
  const std::vector<double> u =
      equispaced ? assembly::equispaced_values(dofs, u_of->values, static_cast<int>(names.size())) : u_of->values;
  grid.dim = mesh.dim;
  grid.points = equispaced ? assembly::equispaced_dof_points(mesh, dofs) : assembly::dof_points(mesh, dofs);
  for (const assembly::DofBlock& block : dofs.blocks)
    grid.blocks.push_back({block.shape, {block.dofs.begin(), block.dofs.end()}});
  grid.components = static_cast<int>(columns.size());
  for (std::size_t dof = 0; dof < static_cast<std::size_t>(dofs.dofs); ++dof)
    for (const std::size_t column : columns) grid.values.push_back(u[dof * names.size() + column]);
  return grid;
}

assembly::NodalGrid read(const InitialParams& initial, const FieldInfo& field, const Discretisation& space) {
  const InitialFile& file = *initial.file;
  const int dim = space.mesh.dim;
  const Wanted what = wanted(initial, field, space.components);
  try {
    const fs::path path = file.path;
    if (output::is_state_file(path)) return read_states(file, what, field, dim);
    if (fs::is_directory(path) || path.extension() == ".tsr")
      return read_state_of(file, what, field, dim, space.threads);
    throw Error(ExitCode::file_system, "its name is not that of a state",
                "name a .vtu, .pvtu, .pvd or .vtkhdf file, a checkpoint (.tsr), or a folder with checkpoints");
  } catch (const Error& error) {
    const std::string text = error.what();
    const bool names_it = text.find(file.path) != std::string::npos;
    throw Error(error.code(), "[[initial]]: " + (names_it ? text : fmt::format("{}: {}", file.path, text)),
                error.help(), file.where);
  }
}

template <class T>
void broadcast(Communicator& ranks, T& value) {
  ranks.broadcast(0, &value, sizeof value);
}
template <class T>
void broadcast(Communicator& ranks, std::vector<T>& values) {
  std::uint64_t size = values.size();
  broadcast(ranks, size);
  values.resize(size);
  if (size > 0) ranks.broadcast(0, values.data(), size * sizeof(T));
}
void broadcast(Communicator& ranks, assembly::NodalGrid& grid) {
  broadcast(ranks, grid.dim);
  broadcast(ranks, grid.order);
  broadcast(ranks, grid.components);
  broadcast(ranks, grid.points);
  broadcast(ranks, grid.values);
  std::uint64_t blocks = grid.blocks.size();
  broadcast(ranks, blocks);
  grid.blocks.resize(blocks);
  for (assembly::NodalGrid::Cells& cells : grid.blocks) {
    broadcast(ranks, cells.shape);
    broadcast(ranks, cells.nodes);
  }
}

std::array<double, 3> point_of(const Discretisation& space, Index dof) {
  std::array<double, 3> x{};
  std::copy_n(&space.dof_points[3 * static_cast<std::size_t>(dof)], space.mesh.dim, x.begin());
  return x;
}

std::string text_of(const std::array<double, 3>& x, int dim) {
  return fmt::format("({:g})", fmt::join(x.begin(), x.begin() + dim, ", "));
}

/// A cell of each dof: that of the lowest number of the whole, which a rank that owns the dof sees.
std::vector<Index> cells_of_dofs(const Discretisation& space) {
  const auto number = [&](Index cell) {
    return space.ranks ? space.share.cell_numbers[static_cast<std::size_t>(cell)] : Offset{cell};
  };
  std::vector<Index> result(static_cast<std::size_t>(space.dofs.dofs), -1);
  for (const assembly::DofBlock& block : space.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes; ++n) {
        Index& cell = result[static_cast<std::size_t>(block.cell(c)[n])];
        if (cell < 0 || number(block.first_cell + c) < number(cell)) cell = block.first_cell + c;
      }
  return result;
}

/// A little nearer to the middle of a cell: on the side of a crack or a contact on which the cell is.
std::array<double, 3> towards(const mesh::Mesh& mesh, Index cell, std::array<double, 3> x) {
  constexpr double step = 1e-6;
  const std::array<double, 3> middle = mesh::centroid(mesh, cell);
  for (std::size_t d = 0; d < 3; ++d) x[d] += step * (middle[d] - x[d]);
  return x;
}

/// Places of points that are in no cell.
struct Outside {
  std::vector<Index> dofs;
  std::vector<mesh::Nearest> nearest;
};

/// Says which are too far, or how far those are that are taken.
void check_outside(const InitialParams& initial, const Discretisation& space, const Outside& outside,
                   std::size_t count) {
  constexpr double most = 0.1;  // of a cell: between a circle and its chord of 45 degrees there are 5 per cent
  const mesh::Nearest* farthest = nullptr;
  std::size_t too_far = 0, at = 0;
  for (std::size_t i = 0; i < outside.dofs.size(); ++i) {
    if (!farthest || outside.nearest[i].distance > farthest->distance) farthest = &outside.nearest[i], at = i;
    too_far += outside.nearest[i].distance > most * outside.nearest[i].size ? 1 : 0;
  }
  if (!farthest) return;
  if (too_far == 0 || initial.file->nearest_outside) {
    log_info(fmt::format("[[initial]]: {} of {} points are outside of the mesh of {}, by {:.2g} at most",
                         outside.dofs.size(), count, initial.file->path, farthest->distance));
    return;
  }
  const int dim = space.mesh.dim;
  throw Error(
      ExitCode::usage,
      fmt::format("[[initial]]: {} is outside of the mesh of {}, {:g} from its nearest place, {}{}",
                  text_of(point_of(space, outside.dofs[at]), dim), initial.file->path, farthest->distance,
                  text_of(farthest->x, dim), too_far > 1 ? fmt::format("; so are {} other points", too_far - 1) : ""),
      "choose outside = \"nearest\", which takes the value of the nearest place, or name with `on` the groups that "
      "the file covers",
      initial.file->where);
}

}  // namespace

InitialGrids initial_grids(const std::vector<InitialParams>& entries, const Discretisation& space,
                           const FieldInfo& field) {
  InitialGrids grids(entries.size());
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (!entries[i].file) continue;
    Threads exec(space.threads);
    Scope scope(exec, "initial.read");
    assembly::NodalGrid grid;
    if (!space.ranks) {
      grid = read(entries[i], field, space);
    } else {
      on_root(*space.ranks, [&] { grid = read(entries[i], field, space); });
      broadcast(*space.ranks, grid);
    }
    grids[i] = std::make_unique<assembly::GridField>(std::move(grid));
  }
  return grids;
}

void take_from_file(const InitialParams& initial, assembly::GridField& from, const Discretisation& space,
                    const std::vector<Index>& dofs, std::vector<double>& u) {
  Threads exec(space.threads);
  Scope scope(exec, "initial.interpolate");
  std::vector<std::size_t> components;
  for (std::size_t c = 0; c < static_cast<std::size_t>(space.components); ++c)
    if (initial.is_of_file(c)) components.push_back(c);
  const auto take = [&](Index dof, const mesh::Location& at, const std::array<double, 3>& x) {
    std::vector<double> values(components.size());
    from.evaluate(at, x, values.data());
    for (std::size_t c = 0; c < components.size(); ++c) u[space.row(dof, static_cast<int>(components[c]))] = values[c];
  };
  const Index owned = space.index_map.owned();
  const std::vector<Index> cells = cells_of_dofs(space);
  std::vector<char> found(dofs.size(), 1);
  parallel_for(space.threads, static_cast<Offset>(dofs.size()), [&](Offset i) {
    const Index dof = dofs[static_cast<std::size_t>(i)];
    if (dof >= owned) return;
    const std::array<double, 3> x = point_of(space, dof);
    if (const auto at = from.find_towards(towards(space.mesh, cells[static_cast<std::size_t>(dof)], x), x))
      take(dof, *at, x);
    else
      found[static_cast<std::size_t>(i)] = 0;
  });
  Outside outside;
  for (std::size_t i = 0; i < dofs.size(); ++i)
    if (!found[i]) outside.dofs.push_back(dofs[i]);
  outside.nearest.resize(outside.dofs.size());
  if (outside.dofs.empty()) return;
  from.prepare_nearest();
  parallel_for(space.threads, static_cast<Offset>(outside.dofs.size()), [&](Offset i) {
    const auto at = static_cast<std::size_t>(i);
    outside.nearest[at] = from.nearest(point_of(space, outside.dofs[at]));
  });
  check_outside(initial, space, outside, dofs.size());
  for (std::size_t i = 0; i < outside.dofs.size(); ++i)
    take(outside.dofs[i], {outside.nearest[i].cell, outside.nearest[i].xi}, outside.nearest[i].x);
}

}  // namespace tessera::physics
