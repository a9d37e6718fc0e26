#include "physics/wave/plane_wave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/collective.hpp"
#include "base/team.hpp"
#include "physics/entry.hpp"
#include "physics/places.hpp"
#include "physics/wave/problem.hpp"
#include "physics/wave/wave_times.hpp"

namespace tessera::physics::wave {

namespace {

using Vector3 = std::array<double, 3>;

deck::Section<PlaneWaveParams> section() {
  auto section =
      deck::Section<PlaneWaveParams>("plane_wave",
                                     "Plane waves that are under way when the run begins: u = d f(t - n.(x - at) / c), "
                                     "f the function of time, in a medium that is the same everywhere",
                                     deck::SectionKind::array)
          .key("wave", &PlaneWaveParams::wave,
               {.help = "of elastic media: p (u along the direction) | s (u across it)",
                .choices = {"p", "s"},
                .example = "\"p\""})
          .key("direction", &PlaneWaveParams::direction,
               {.help = "where it goes: one number an axis, of any length", .required = true, .example = "[1, 0, 0]"})
          .key("polarisation", &PlaneWaveParams::polarisation,
               {.help = "of wave = \"s\" in 3-D: where u points; what it has along the direction is left out. In 2-D u "
                        "points to the left of the direction"})
          .key("at", &PlaneWaveParams::at,
               {.help = "the point where it is f(t); left out: the origin", .unit = "length"})
          .key("on", &PlaneWaveParams::on,
               {.help = "groups of cells, of one medium, in which it is; left out: all cells, of coupled media all of "
                        "solids"})
          .position(&PlaneWaveParams::where);
  deck::add_time_function_keys(section);
  return section;
}

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 scaled(Vector3 a, double by) {
  for (double& x : a) x *= by;
  return a;
}

/// A wave on the mesh.
class PlaneWave {
  static constexpr double nothing = 1e-3;  ///< of its largest value

 public:
  PlaneWave(const Problem& problem, std::size_t number)
      : problem_(problem), w_(problem.params.plane_waves[number]), name_(entry("plane_wave", number, {})) {
    direction_ = vector("direction", w_.direction);
    if (!w_.at.empty()) at_ = vector("at", w_.at);
    const double length = std::sqrt(dot(direction_, direction_));
    if (!(length > 0)) refuse("its direction has no length", "direction = [1, 0, 0], or any other");
    direction_ = scaled(direction_, 1 / length);
    polarise();
    take_cells();
    take_medium();
  }

  void add(double t, std::vector<double>& both) const {
    const std::size_t rows = both.size() / 2;
    const auto components = static_cast<std::size_t>(problem_.components());
    parallel_ranges(problem_.space.threads, static_cast<Offset>(dofs_.size()), [&](Offset first, Offset last, int) {
      for (Offset i = first; i < last; ++i) {
        const Index dof = dofs_[static_cast<std::size_t>(i)];
        const double s = t - delay(dof), value = w_.function(s), slope = w_.slope(s);
        for (std::size_t c = 0; c < components; ++c) {
          const auto row = static_cast<std::size_t>(problem_.row(dof, static_cast<int>(c)));
          both[row] += polarisation_[c] * value;
          both[rows + row] += polarisation_[c] * slope;
        }
      }
    });
  }

  TimesOfWave times(double t) const {
    TimesOfWave times = none;
    for (const Index dof : dofs_) {
      const double s = t - delay(dof);
      times = {std::min(times.first, s), std::max(times.last, s)};
    }
    return times;
  }
  static constexpr TimesOfWave none{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

  /// Collective where ranks share the space.
  void refuse_in(std::span<const char> nodes, const std::string& what, double t) const {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const auto greatest = [&](double mine) {
      return problem_.space.ranks ? maximum(*problem_.space.ranks, mine) : mine;
    };
    double most = 0, within = 0;
    Index where = 0;
    for (const Index dof : dofs_) {
      const double value = std::abs(w_.function(t - delay(dof)));
      most = std::max(most, value);
      if (!nodes[static_cast<std::size_t>(dof)] || value <= within) continue;
      within = value;
      where = dof;
    }
    const double here = within;
    most = greatest(most);
    within = greatest(within);
    if (within <= nothing * most) return;
    Vector3 x{};
    for (std::size_t d = 0; d < 3; ++d) x[d] = greatest(here == within ? point(where)[d] : none);
    refuse(fmt::format("at t = {:g} it is {:.2g} of its largest value at ({:g}, {:g}, {:g}), in {}", t, within / most,
                       x[0], x[1], x[2], what),
           "let it begin farther from the layer, `at` and `delay` say where it is; a side along which it runs takes "
           "type = \"absorbing\", or \"prescribed\" with the wave as its value");
  }

  /// At nodes that its cells share with others it must be as good as nothing.
  void refuse_cut(double t) const {
    std::vector<double> values(dofs_.size());
    double most = 0;
    for (std::size_t i = 0; i < dofs_.size(); ++i) {
      values[i] = std::abs(w_.function(t - delay(dofs_[i])));
      most = std::max(most, values[i]);
    }
    if (most == 0)
      refuse(fmt::format("it is nowhere in its cells at t = {:g}", t),
             "`at` is the point where it is f(t), and `delay` moves its peak: choose both so that it is under way");
    for (std::size_t i = 0; i < dofs_.size(); ++i) {
      if (!border_[static_cast<std::size_t>(dofs_[i])] || values[i] <= nothing * most) continue;
      const double* const x = point(dofs_[i]);
      refuse(fmt::format("at t = {:g} it is {:.2g} of its largest value at ({:g}, {:g}, {:g}), where its cells end", t,
                         values[i] / most, x[0], x[1], x[2]),
             "let it begin farther from what is not its medium: `at` and `delay` say where it is");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw Error(ExitCode::usage, fmt::format("{}: {}", name_, what), help, w_.where);
  }
  const double* point(Index dof) const { return &problem_.space.dof_points[3 * static_cast<std::size_t>(dof)]; }
  double delay(Index dof) const {
    const double* const x = point(dof);
    return dot(direction_, {x[0] - at_[0], x[1] - at_[1], x[2] - at_[2]}) / speed_;
  }
  Vector3 vector(const char* what, const std::vector<double>& numbers) const {
    const int dim = problem_.cells.dim;
    if (static_cast<int>(numbers.size()) != dim)
      refuse(fmt::format("{} has {} number{}, the mesh {} dimensions", what, numbers.size(),
                         numbers.size() == 1 ? "" : "s", dim),
             "give one number an axis");
    Vector3 result{};
    std::copy(numbers.begin(), numbers.end(), result.begin());
    return result;
  }

  void polarise() {
    polarisation_ = {1, 0, 0};
    if (problem_.medium != Medium::elastic) return;
    polarisation_ = direction_;
    const bool asks = w_.wave == "s" && problem_.cells.dim == 3;
    if (!asks && !w_.polarisation.empty())
      refuse("a polarisation, which is that of wave = \"s\" in 3-D",
             "P waves move along their direction, and S waves of the plane across it");
    if (w_.wave != "s") return;
    if (!asks) {
      polarisation_ = {-direction_[1], direction_[0], 0};
      return;
    }
    if (w_.polarisation.empty())
      refuse("an S wave without a polarisation", "polarisation = [0, 0, 1], or any other vector across the direction");
    polarisation_ = vector("polarisation", w_.polarisation);
    const double size = std::sqrt(dot(polarisation_, polarisation_)), along = dot(polarisation_, direction_);
    for (std::size_t d = 0; d < 3; ++d) polarisation_[d] -= along * direction_[d];
    const double across = std::sqrt(dot(polarisation_, polarisation_));
    if (!(across > 1e-6 * size)) refuse("its polarisation is along its direction", "S waves move across it");
    polarisation_ = scaled(polarisation_, 1 / across);
  }

  /// Its cells in the numbers of the medium, their nodes, and which of these others have, too.
  void take_cells() {
    const mesh::Mesh& mesh = problem_.space.mesh;
    std::vector<char> taken(static_cast<std::size_t>(problem_.cells.cells), w_.on.empty() ? 1 : 0);
    for (const std::string& group : w_.on)
      for (const Index cell : find_group(mesh, group, mesh.dim, w_.where).entities) {
        const Index own = problem_.own(cell);
        if (own < 0)
          refuse(fmt::format("the group '{}' has cells of a fluid", group),
                 "beside solids a plane wave begins in solids: name groups of these");
        taken[static_cast<std::size_t>(own)] = 1;
      }
    std::vector<char> inside(static_cast<std::size_t>(problem_.space.dofs.dofs), 0);
    border_ = inside;
    for (Index c = 0; c < problem_.cells.cells; ++c) {
      if (taken[static_cast<std::size_t>(c)]) cells_.push_back(c);
      std::vector<char>& to = taken[static_cast<std::size_t>(c)] ? inside : border_;
      for (int q = 0; q < problem_.cells.places; ++q) to[static_cast<std::size_t>(problem_.cells.cell(c)[q])] = 1;
    }
    for (const Index dof : problem_.interface) border_[static_cast<std::size_t>(dof)] = 1;
    for (std::size_t dof = 0; dof < inside.size(); ++dof)
      if (inside[dof]) dofs_.push_back(static_cast<Index>(dof));
  }

  void take_medium() {
    const Media& media = problem_.media;
    if (media.anisotropic)
      refuse("a plane wave where a material is anisotropic", "give [[initial]] u and v, of Christoffel's equation");
    if (media.attenuated.components + media.compliance.components > 0)
      refuse("a plane wave where materials have quality factors", "leave these out, or use a [[source]]");
    if (cells_.empty()) return;
    const auto speed = [&](Index cell, int place) {
      return (w_.wave == "s" ? media.slow : media.fast).at(problem_.cells, cell, place);
    };
    speed_ = speed(cells_.front(), 0);
    const double mass = media.mass.at(problem_.cells, cells_.front(), 0);
    constexpr double rounding = 1e-9;
    for (const Index cell : cells_)
      for (int q = 0; q < problem_.cells.places; ++q) {
        const double c = speed(cell, q), m = media.mass.at(problem_.cells, cell, q);
        if (std::abs(c - speed_) <= rounding * speed_ && std::abs(m - mass) <= rounding * mass) continue;
        const double *const x = point(problem_.cells.cell(cell)[q]), *const y = point(dofs_.front());
        refuse(fmt::format("its medium is not the same everywhere: its speed is {:g} at ({:g}, {:g}, {:g}), and {:g} "
                           "near ({:g}, {:g}, {:g}), or its density is another",
                           c, x[0], x[1], x[2], speed_, y[0], y[1], y[2]),
               "name the groups of cells in which it begins with on = [...]");
      }
  }

  const Problem& problem_;
  const PlaneWaveParams& w_;
  const std::string name_;
  Vector3 direction_{}, polarisation_{}, at_{};
  double speed_ = 1;
  std::vector<Index> cells_, dofs_;
  std::vector<char> border_;  ///< [dofs] of cells that are not its own
};

/// Of pulses and ramps a small part of their width, so that an error of order 4 is of 1e-9; else one of the run's.
double between(const PlaneWaveParams& wave, const std::optional<TimeParams>& time) {
  constexpr double part_of_width = 1.0 / 300, part_of_run = 1e-5;
  if (wave.frequency) return part_of_width / (std::numbers::pi * *wave.frequency);
  if (wave.width) return part_of_width * *wave.width;
  return part_of_run * (time ? time->end - time->start : 1);
}

void check(const PlaneWaveParams& wave, std::size_t number, Medium medium) {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, fmt::format("{}: {}", entry("plane_wave", number, {}), what), help, wave.where);
  };
  const bool elastic = medium == Medium::elastic || medium == Medium::coupled;
  if (elastic && !wave.wave) refuse("it does not say which wave it is", "wave = \"p\" or \"s\"");
  if (!elastic && wave.wave)
    refuse(fmt::format("wave = \"{}\" in a medium of one kind of waves", *wave.wave), "leave wave out");
  if (!elastic && !wave.polarisation.empty())
    refuse("a polarisation in a medium of one number a node", "leave polarisation out");
  if (wave.function.is_constant())
    refuse("it has no function of time", "time_function = \"ricker\" with a frequency, or an expression of t");
  if (wave.time_function.text == "step") refuse("a step has no velocity", "take a ramp, or a pulse");
}

}  // namespace

double PlaneWaveParams::slope(double t) const {
  const double h = between;
  return (8 * (function(t + h) - function(t - h)) - (function(t + 2 * h) - function(t - 2 * h))) / (12 * h);
}

/// A template has a wave that can be.
deck::SectionDescription plane_wave_description() {
  deck::SectionDescription description = section().description();
  for (deck::KeyDescription& key : description.keys) {
    if (key.name == "time_function") key.info.example = std::string("\"ricker\"");
    if (key.name == "frequency") key.info.example = std::string("5");
  }
  return description;
}

void read_plane_waves(const deck::Deck& deck, Params& params) {
  params.plane_waves = section().read_all(deck);
  for (std::size_t i = 0; i < params.plane_waves.size(); ++i) {
    PlaneWaveParams& wave = params.plane_waves[i];
    wave.function = deck::TimeFunction(wave, deck, wave.where);
    check(wave, i, params.medium);
    wave.between = between(wave, params.time);
  }
}

void check_plane_waves(const Problem& problem, double t) {
  for (std::size_t i = 0; i < problem.params.plane_waves.size(); ++i) PlaneWave(problem, i).refuse_cut(t);
}

std::vector<double> plane_waves_at(const Problem& problem, double t) {
  const std::size_t count = problem.params.plane_waves.size();
  if (count == 0) return {};
  std::vector<double> both(2 * static_cast<std::size_t>(problem.space.rows()), 0.0);
  for (std::size_t i = 0; i < count; ++i) PlaneWave(problem, i).add(t, both);
  return both;
}

std::vector<TimesOfWave> times_of_plane_waves(const Problem& problem, double t) {
  std::vector<TimesOfWave> all;
  for (std::size_t i = 0; i < problem.params.plane_waves.size(); ++i) {
    try {
      all.push_back(PlaneWave(problem, i).times(t));
    } catch (const Error&) {
      all.push_back(PlaneWave::none);
    }
  }
  return all;
}

void refuse_plane_waves_in(const Problem& problem, std::span<const char> nodes, const std::string& what) {
  for (std::size_t i = 0; i < problem.params.plane_waves.size(); ++i)
    PlaneWave(problem, i).refuse_in(nodes, what, problem.params.time->start);
}

}  // namespace tessera::physics::wave
