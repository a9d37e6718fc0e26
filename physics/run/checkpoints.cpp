#include "physics/run/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/communicator.hpp"
#include "base/log.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/checkpoint_header.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/space.hpp"

namespace tessera::physics {

namespace {

/// On the root: [dofs of the whole, components] of the solution's space.
std::vector<double> whole_of(const Discretisation& space, const std::vector<double>& values) {
  const std::vector<double> all = space.unfolded ? unfold(*space.unfolded, values) : values;
  return space.ranks ? in_common::gather_nodes(space.share, space.components, all) : all;
}

/// [rows] of all that this rank sees, from the whole on the root.
std::vector<double> part_of(const Discretisation& space, std::span<const double> whole) {
  const assembly::Space& solution = space.solution_space();
  std::vector<double> seen(whole.begin(), whole.end());
  if (space.ranks)
    seen = in_common::scatter_nodes(space.share, solution.index_map, solution.components, solution.rows(), whole);
  if (!space.unfolded) return seen;
  std::vector<double> folded(static_cast<std::size_t>(space.rows()));
  for (Index dof = 0; dof < space.unfolded->dofs.dofs; ++dof)
    for (int c = 0; c < space.components; ++c)
      folded[space.row(space.unfolded->became[dof], c)] = seen[space.unfolded->row(dof, c)];
  return folded;
}

std::string name_of_kept(std::size_t i) { return fmt::format("kept_{}", i); }

}  // namespace

Checkpoints::Checkpoints(const CommonParams& params, const FieldInfo& field, const Discretisation& space,
                         const Context& context)
    : params_(params), field_(field), space_(space), context_(context) {
  if (!params.checkpoint.any() || can_write()) return;
  const bool in_parts = space.ranks && !space.share.has_whole;
  throw Error(ExitCode::usage,
              in_parts ? "[checkpoint] of a box that is made in parts: nobody has the whole of a state"
                       : "[checkpoint] keeps the text of the deck, which came from standard input",
              in_parts ? "choose mesh.partition = \"curve\"" : "write the deck into a file", params.checkpoint.where);
}

bool Checkpoints::can_write() const {
  return !context_.origin.text.empty() && (!space_.ranks || space_.share.has_whole);
}

bool Checkpoints::is_due(Offset step) {
  const CheckpointParams& params = params_.checkpoint;
  if (params.every > 0 && step % params.every == 0) return true;
  if (!params.every_minutes) return false;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - last_;
  const bool due = since.count() >= 60 * params.every_minutes->minutes;
  return in_common::any(space_.shared(), due && (!space_.ranks || space_.ranks->is_root()));
}

void Checkpoints::write(const State& state) {
  if (!can_write()) return;
  output::Checkpoint checkpoint;
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    checkpoint.arrays.push_back({name, space_.components, whole_of(space_, values)});
  };
  add("u", state.u);
  for (std::size_t i = 0; i < state.kept.vectors.size(); ++i) add(name_of_kept(i), state.kept.vectors[i]);
  assembly::NumbersOfCells of_cells = in_common::gather_of_cells(space_.shared(), state.kept.of_cells);
  in_common::root(space_.shared(), [&] {
    checkpoint.header = output::checkpoint_header(context_.origin.version, context_.origin.text, state.t, state.step);
    checkpoint.header["deck_file"] = context_.deck.file();
    checkpoint.header["folder"] = context_.origin.folder.string();
    checkpoint.header["overrides"] = context_.origin.overrides;
    checkpoint.header["plugins"] = context_.origin.plugins;
    checkpoint.header["scheme"] = params_.time->scheme;
    std::vector<std::string> fields;
    for (int c = 0; c < space_.components; ++c) fields.push_back(field_.component(c));
    checkpoint.header["fields"] = fields;
    checkpoint.header["kept"] = state.kept.vectors.size();
    checkpoint.arrays.push_back({"numbers", 1, state.kept.numbers});
    if (!of_cells.empty()) {
      checkpoint.arrays.push_back({"kept_cells", 1, {of_cells.cells.begin(), of_cells.cells.end()}});
      checkpoint.arrays.push_back({"kept_of_cells", static_cast<int>(of_cells.width), std::move(of_cells.values)});
    }
    output::write_checkpoint(context_.output_directory / output::checkpoint_name(state.step), checkpoint);
    output::keep_newest(context_.output_directory, params_.checkpoint.keep);
  });
  last_ = std::chrono::steady_clock::now();
}

State state_of(const output::Checkpoint& checkpoint, const Discretisation& space) {
  State state;
  std::size_t kept = 0;
  assembly::NumbersOfCells of_cells;
  in_common::root(space.shared(), [&] {
    for (const output::CheckpointArray& array : checkpoint.arrays) {
      if (array.name == "kept_cells") of_cells.cells.assign(array.values.begin(), array.values.end());
      if (array.name != "kept_of_cells") continue;
      of_cells.width = static_cast<std::size_t>(array.components);
      of_cells.values = array.values;
    }
    if (of_cells.values.size() != of_cells.cells.size() * of_cells.width)
      throw Error(ExitCode::file_system, "the checkpoint has numbers of other cells than it names",
                  "go on from an older checkpoint, or run the deck from its start");
  });
  in_common::each(space.shared(), [&] {
    state.t = output::header_value<double>(checkpoint, "t");
    state.step = output::header_value<Offset>(checkpoint, "step");
    kept = output::header_value<std::size_t>(checkpoint, "kept");
    for (const output::CheckpointArray& array : checkpoint.arrays)
      if (array.name == "numbers") state.kept.numbers = array.values;
  });
  const Discretisation* const whole = space.ranks ? space.share.whole : &space;
  const auto part = [&](const std::string& name) {
    std::span<const double> values;
    in_common::root(space.shared(), [&] {
      const auto size = static_cast<std::size_t>(whole->solution_space().rows());
      values = checkpoint.array(name, space.components, size).values;
    });
    return part_of(space, values);
  };
  state.u = part("u");
  for (std::size_t i = 0; i < kept; ++i) state.kept.vectors.push_back(part(name_of_kept(i)));
  state.kept.of_cells = in_common::scatter_of_cells(space.shared(), of_cells);
  return state;
}

void check_reached(const State& state, const TimeParams& time, bool shorter) {
  const auto steps = static_cast<double>(state.step);
  bool reached = state.step >= 0 && state.t >= time.start;
  if (time.step && !time.tolerance) {
    const double there = time.start + steps * *time.step;
    // Shorter steps are added up one by one, each sum with the rounding of its size.
    const double rounding = std::numeric_limits<double>::epsilon() * std::max(std::abs(time.start), std::abs(there));
    const double slack = 1e-6 * *time.step + (shorter ? std::max(steps, 1.0) : 4) * rounding;
    reached = reached && state.t <= there + slack && (shorter || state.t >= there - slack);
  }
  if (!reached)
    output::refuse_content(fmt::format("it is of t = {:g}, to which {} steps do not lead", state.t, state.step));
}

}  // namespace tessera::physics
