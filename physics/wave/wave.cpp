#include "physics/wave/wave.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/collective.hpp"
#include "base/log.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/rest.hpp"
#include "physics/run/initial.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/stationary.hpp"
#include "physics/time_scheme.hpp"
#include "physics/wave/coupled_motion.hpp"
#include "physics/wave/coupled_results.hpp"
#include "physics/wave/device_limits.hpp"
#include "physics/wave/grow.hpp"
#include "physics/wave/layers.hpp"
#include "physics/wave/motion.hpp"
#include "physics/wave/rayleigh.hpp"
#include "physics/wave/receivers.hpp"
#include "physics/wave/resolution.hpp"
#include "physics/wave/results.hpp"
#include "physics/wave/shapes.hpp"
#include "physics/wave/step_bytes.hpp"
#include "solvers/time/stability.hpp"

namespace tessera::physics {

namespace {

using namespace wave;

class Wave final : public Model {
 public:
  void begin(const deck::Deck& deck) override { params_.medium = medium_of(deck); }

  Traits traits() const override {
    Traits traits;
    const Medium medium = params_.medium;
    FieldInfo field{.name = "u",
                    .unit = "m",
                    .vector = medium == Medium::elastic || medium == Medium::coupled,
                    .measured = true,
                    .rate = "v",
                    .probed = receiver_names(medium)};
    if (medium == Medium::acoustic)
      field = {.name = "p", .unit = "Pa", .measured = true, .rate = "p_rate", .probed = receiver_names(medium)};
    FieldInfo rate = field.rate_field();
    rate.measured = true;
    rate.written = medium != Medium::acoustic;
    traits.fields = {field, rate};
    if (medium == Medium::coupled) traits.fields.push_back({.name = "p", .unit = "Pa", .measured = true});
    add_derived(traits, field);
    traits.sections = {physics_description(), material_description(),   boundary_description(),
                       source_description(),  plane_wave_description(), attenuation_description()};
    traits.transient = true;
    traits.scheme = "newmark";
    traits.precisions = {"double", "float"};
    traits.schemes = {"newmark", "low_storage_rk45", "rk4"};
    if (medium == Medium::coupled) traits.schemes = {"newmark"};
    traits.quantities = {"kinetic_energy", "potential_energy"};
    traits.matrix_free = true;
    traits.solver.grid = false;
    traits.natural = params_.medium == Medium::acoustic ? "a rigid wall" : "no traction";
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { wave::read(deck, params_); }
  void check(const deck::Deck&) override {
    if (!params_.time)
      throw Error(ExitCode::usage, "the deck has no [time]: waves travel",
                  "add [time] with end, and cfl = 0.5 or a step", params_.physics.where);
    for (const QuantityParams& quantity : params_.quantities) check_energy(quantity);
    if (params_.run.precision == "float" && params_.time->scheme != "newmark")
      throw Error(ExitCode::usage,
                  fmt::format("run.precision = \"float\": states of scheme = \"{}\" are double", params_.time->scheme),
                  "leave precision out, or choose scheme = \"newmark\"", params_.time->where);
    const auto asks = [&](const std::string& of) { return asks_for(PeakMaps::name(of)); };
    const FieldInfo field = traits().fields.front();
    peaks_.u.asked = asks(field.name);
    peaks_.rate.asked = asks(field.rate_field().name);
    if (peaks_.any() && params_.time->scheme != "newmark")
      throw Error(ExitCode::usage, fmt::format("maps of peaks with scheme = \"{}\"", params_.time->scheme),
                  "peaks are kept by scheme = \"newmark\"", params_.time->where);
    if (params_.attenuates() && params_.time->scheme != "newmark")
      throw Error(ExitCode::usage, fmt::format("quality factors with scheme = \"{}\"", params_.time->scheme),
                  "what attenuates steps by scheme = \"newmark\"", params_.time->where);
    if (params_.has_layers() && params_.time->scheme != "newmark")
      throw Error(ExitCode::usage, fmt::format("perfectly matched layers with scheme = \"{}\"", params_.time->scheme),
                  "media with layers step by scheme = \"newmark\"", params_.time->where);
  }
  std::vector<deck::Expression> expressions() override { return expressions_of(params_); }
  void add_groups(mesh::Mesh& mesh) override {
    require_quads_or_hexes(params_, mesh);
    add_rest({.materials = places(params_.materials),
              .boundaries = places(params_.boundaries),
              .quantities = params_.quantities},
             mesh);
    grow_layers(params_, mesh);
  }

  DirichletData set_up(const Discretisation& space) override {
    if (params_.medium == Medium::coupled) {
      coupled_ = std::make_unique<const CoupledProblem>(make_coupled_problem(params_, space));
      check_receivers(*coupled_);
    } else {
      problem_ = std::make_unique<const Problem>(make_problem(params_, space));
      check_receivers(*problem_);
    }
    if (resolve_backend(params_.run.backend) == "cuda")
      for (const Problem* medium : media()) check_shared_memory(*medium, shared_of_block());
    if (!space.ranks) {
      check_plane_waves(of_field(), params_.time->start);
      if (!is_outline(params_, space.mesh)) {  // whose cells are not those of the run: its parts warn
        warn_of_bad_cells(media());
        look_at_waves();
      }
    }
    const Prescribed& prescribed = of_field().prescribed;
    return {prescribed.rows, values_at(of_field(), prescribed, params_.time->start), {}};
  }

  std::vector<double> start(const Discretisation&) override { return plane_waves_at(of_field(), params_.time->start); }

  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary&) override {
    namespace spectral = assembly::spectral;
    if (is_part_of_outlined(space)) {
      look_at_waves();
    }
    spectral::Most fastest;
    double beta = 0;
    for (const Problem* medium : media()) {
      beta = std::max(beta, range_of(medium->media.beta).greatest);
      const spectral::Most fast = is_leapfrog()
                                      ? frequency_of_leaps(*medium)
                                      : spectral::highest_frequency(medium->mesh(), medium->cells, medium->media.fast);
      if (fast.value > fastest.value) fastest = fast;
    }
    if (coupled_) check_start(space);
    if (coupled_)
      log_info(fmt::format("fluids and solids share {} sides with {} nodes", coupled_->interface.sides,
                           coupled_->interface.dofs.size()));
    double longest = longest_step(fastest.value, beta) * (params_.has_layers() ? part_of_step_in_layers : 1);
    std::string by =
        fmt::format("by the element at ({:.4g}, {:.4g}, {:.4g})", fastest.at[0], fastest.at[1], fastest.at[2]);
    if (coupled_) {
      const double together = stable_part * solvers::damped_leap(2 / frequency_of_both(space), beta);
      if (together < longest) by = "by fluids and solids together, which are faster than each, " + by;
      longest = std::min(longest, together);
    }
    log_info(fmt::format("{} is stable to steps of {:.3g}, {}", params_.time->scheme, longest, by));
    if (params_.time->step && *params_.time->step > stable_part * longest) look_at_steps(space);
    if (params_.time->cfl) check_chosen_step(*params_.time, *params_.time->cfl * longest);
    for (const NodesOnWave& wave : nodes_on_waves_)
      if (!wave.few) log_info(wave.text);
    StepBytes steps;
    const std::vector<spectral::Layers> layers = layers_of_media(space);
    for (std::size_t i = 0; i < media().size(); ++i) {
      const StepBytes own = step_bytes(*media()[i], layers.empty() ? nullptr : &layers[i]);
      steps.kept += own.kept;
      steps.set_up = std::max(steps.set_up, own.set_up);
    }
    return {.steps = steps};
  }

  template <class Exec>
  void assemble(Exec&, const Discretisation&, System<Exec>&, output::Summary&) {
    throw Error(ExitCode::usage, "waves have no stationary system", "use `tessera run`", params_.physics.where);
  }

  template <class Exec>
  std::unique_ptr<Motion<Exec>> motion(Exec& exec, const Discretisation& space, output::Summary& summary) {
    std::unique_ptr<Motion<Exec>> motion = coupled_ ? make_coupled_motion(exec, *coupled_, fluid_, peaks_, summary)
                                                    : make_motion(exec, *problem_, peaks_, summary);
    say_losses(space, summary);
    if (is_part_of_outlined(space) && nodes_on_waves_.empty()) {  // a run, and no check of its largest part
      const assembly::spectral::Most slowest = slowest_of(*space.ranks, slowest_passage(media()));
      const std::vector<TimesOfWave> times =
          times_of(*space.ranks, times_of_plane_waves(of_field(), params_.time->start));
      if (space.ranks->is_root()) warn_of_few(nodes_on_waves(params_, slowest, times));
    }
    return motion;
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    if (coupled_) return std::make_unique<CoupledResults>(*coupled_, fluid_, peaks_, solution);
    return std::make_unique<WaveResults>(*problem_, peaks_, solution);
  }

  std::optional<Receiver> receiver(const Discretisation&, const mesh::PointLocator& locator,
                                   const ProbeParams& probe) override {
    return coupled_ ? make_receiver(*coupled_, locator, probe) : make_receiver(*problem_, locator, probe);
  }

 private:
  /// Fields that are written or measured where the deck names them.
  static void add_derived(Traits& traits, const FieldInfo& field) {
    const std::vector<FieldInfo> solved{field, field.rate_field()};
    const auto add = [&](const std::string& name, const std::string& unit, const std::vector<std::string>& axes) {
      traits.fields.push_back({.name = name, .unit = unit, .components = axes, .measured = true, .written = false});
    };
    if (field.vector)
      for (const FieldInfo& of : solved) {
        const std::string unit = of.name == field.name ? "1" : "1/s";
        add("div_" + of.name, unit, {});
        add("curl_" + of.name, unit, {"x", "y", "z"});
      }
    for (const FieldInfo& of : solved) add(PeakMaps::name(of.name), of.unit, {});
  }
  /// Whether it is a part of a box of which the root had an outline alone.
  bool is_part_of_outlined(const Discretisation& space) const {
    if (!space.ranks || space.share.has_whole) return false;
    const mesh::BoxParams whole = mesh::refined(*params_.mesh.box, params_.mesh.refine);
    return outline(whole).cells != whole.cells;
  }
  /// In the place of what motions say, which know their own medium on their own rank: the largest numbers of all.
  void say_losses(const Discretisation& space, output::Summary& summary) const {
    if (!params_.attenuates()) return;
    double deviation = 0, most_relaxed = 0;
    bool coarse = false;
    for (const Problem* medium : media()) {
      deviation = std::max(deviation, medium->media.deviation);
      most_relaxed = std::max(most_relaxed, medium->media.most_relaxed);
      coarse |= medium->media.coarse;
    }
    const auto of_all_ranks = [&](double value) { return space.ranks ? maximum(*space.ranks, value) : value; };
    summary.set("attenuation.deviation", of_all_ranks(deviation));
    if (coarse) summary.set("attenuation.most_relaxed", of_all_ranks(most_relaxed));
  }
  static void check_energy(const QuantityParams& quantity) {
    if (quantity.kind != "kinetic_energy" && quantity.kind != "potential_energy") return;
    const bool of = quantity.of != QuantityParams().of;
    if (quantity.on.empty() && !of) return;
    throw Error(
        ExitCode::usage,
        of ? fmt::format("quantity '{}' is an energy, and of = \"{}\" has no effect", quantity.name, quantity.of)
           : fmt::format("quantity '{}' is an energy, which is that of the whole mesh, and it names '{}'",
                         quantity.name, fmt::join(quantity.on, "', '")),
        of ? "leave `of` out" : "leave `on` out", quantity.where);
  }
  /// By the cells that are at hand.
  void look_at_waves() {
    nodes_on_waves_ =
        nodes_on_waves(params_, slowest_passage(media()), times_of_plane_waves(of_field(), params_.time->start));
    warn_of_few(nodes_on_waves_);
  }

  /// Whether files, a quantity or a line show a field.
  bool asks_for(const std::string& field) const {
    const auto is_it = [&](const std::string& name) { return name == field; };
    const OutputParams& output = params_.output;
    return std::any_of(output.fields.begin(), output.fields.end(), is_it) ||
           std::any_of(params_.quantities.begin(), params_.quantities.end(),
                       [&](const QuantityParams& quantity) { return is_it(quantity.of); }) ||
           std::any_of(params_.lines.begin(), params_.lines.end(),
                       [&](const LineParams& line) { return line.has(field); });
  }

  /// As the leapfrog does it in runs.
  void check_start(const Discretisation& space) {
    const auto start = [&](const std::vector<InitialParams>& entries, const FieldInfo& field) {
      return initial_values(entries, params_.time, space, field, 0, initial_grids(entries, space, field));
    };
    const FieldInfo field = traits().fields.front();
    refuse_moved_fluid(*coupled_, start(params_.initial, field), start(params_.initial_rates, field.rate_field()),
                       space.dofs.dofs);
  }

  /// Refuses steps that are unstable, or warns of them, as runs do.
  void look_at_steps(const Discretisation& space) {
    Threads exec(space.threads);
    output::Summary numbers;
    const OverRanks<Threads> alone(exec, space, numbers);
    const std::unique_ptr<Motion<Threads>> moves = motion(exec, space, numbers);
    OwnMotion<Threads> own(exec, *moves, alone, space);
    double longest = 0;
    length_of_steps(exec, *params_.time, *moves, own, alone, nullptr, &longest);
  }

  /// Of fluids and solids that push each other, as runs find it.
  double frequency_of_both(const Discretisation& space) {
    Threads exec(space.threads);
    output::Summary numbers;
    const OverRanks<Threads> alone(exec, space, numbers);
    return make_coupled_motion(exec, *coupled_, fluid_, peaks_, numbers)->frequency_from_below(alone);
  }

  bool is_leapfrog() const { return params_.time->scheme == "newmark"; }
  double longest_step(double frequency, double beta) const {
    if (is_leapfrog()) return 2 / frequency;
    return solvers::damped_stability_limit(stepper_params(*params_.time), frequency, beta);
  }

  /// On one rank, in the order of media().
  std::vector<assembly::spectral::Layers> layers_of_media(const Discretisation& space) const {
    if (!params_.has_layers() || space.ranks) return {};
    if (!coupled_) return {make_layers(*problem_)};
    const auto both = make_layers(*coupled_);
    return {both.begin(), both.end()};
  }
  /// What has the field u or p: of coupled media the solid.
  const Problem& of_field() const { return coupled_ ? coupled_->solid : *problem_; }
  std::vector<const Problem*> media() const {
    if (coupled_) return {&coupled_->fluid, &coupled_->solid};
    return {problem_.get()};
  }

  Params params_;
  std::unique_ptr<const Problem> problem_;         ///< of one medium,
  std::unique_ptr<const CoupledProblem> coupled_;  ///< or of fluids beside solids
  std::vector<NodesOnWave> nodes_on_waves_;        ///< of the whole mesh, where it is at hand
  FluidState fluid_;                               ///< of these, where a state is looked at
  PeakMaps peaks_;
};

}  // namespace

std::unique_ptr<Module> make_wave() { return run_stationary<Wave>(); }

}  // namespace tessera::physics
