#include <fmt/format.h>

#include <algorithm>

#include "physics/sections.hpp"
#include "physics/step_count.hpp"
#include "physics/time_of_flows.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics {

namespace {

std::vector<std::string> all_schemes() {
  std::vector<std::string> names;
  for (const solvers::Scheme& scheme : solvers::schemes()) names.push_back(scheme.name);
  return names;
}

deck::Section<TableauParams> tableau_section() {
  return deck::Section<TableauParams>("tableau", "An explicit Runge-Kutta scheme")
      .key("a", &TableauParams::a, {.help = "entries below the diagonal, row by row: a21, a31, a32, ..."})
      .key("b", &TableauParams::b, {.help = "weights", .required = true})
      .key("b_embedded", &TableauParams::b_embedded, {.help = "weights of a second scheme, which estimates the error"})
      .key("c", &TableauParams::c, {.help = "times of the stages; left out: the row sums of a"})
      .position(&TableauParams::where);
}

/// A key of [time] that belongs to other schemes.
void refuse_key(const deck::Deck& deck, const TimeParams& params, const char* key, const char* scheme) {
  const std::string name = fmt::format("time.{}", key);
  if (params.scheme == scheme || !deck.has(name)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} belongs to scheme = \"{}\", this one is {}", name, scheme, params.scheme),
              fmt::format("leave {} out, or choose scheme = \"{}\"", key, scheme), deck.where(name));
}

/// A part of the longest stable step, which not every scheme has.
void check_cfl(const deck::Deck& deck, const TimeParams& params, const solvers::Scheme& scheme, bool implicit_flow) {
  if (!params.cfl) return;
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, deck.where("time.cfl"));
  };
  if (params.step) refuse("[time] has a step and a cfl, which is another way to say it", "leave one of them out");
  if (params.tolerance)
    refuse("[time] has a tolerance, which chooses the steps, and a cfl, which does so too", "leave one of them out");
  if (implicit_flow && scheme.kind != solvers::SchemeKind::implicit && *params.cfl > 1)
    refuse(fmt::format("time.cfl is {:g}, and steps of {} keep the state in its bounds up to 1", *params.cfl,
                       params.scheme),
           "choose cfl = 0.5, or an implicit scheme such as \"backward_euler\"");
  if (scheme.kind == solvers::SchemeKind::implicit && !implicit_flow)
    refuse(fmt::format("time.cfl is a part of the longest stable step, and {} is stable with any", params.scheme),
           fmt::format("write step = {:g}, for 100 steps", (params.end - params.start) / 100));
  if (scheme.kind == solvers::SchemeKind::stabilised && params.stages == 0)
    refuse(
        fmt::format("time.cfl is a part of the longest stable step, and {} takes as many stages as its step asks for",
                    params.scheme),
        "give a step, or a number of stages");
}

/// Where steps come from.
void check_steps(const deck::Deck& deck, const TimeParams& params, bool implicit_flow) {
  const solvers::Scheme& scheme = solvers::find_scheme(params.scheme, params.where);
  if (params.tolerance && !scheme.estimates_error) {
    std::string names;
    for (const solvers::Scheme& other : solvers::schemes())
      if (other.estimates_error) names += (names.empty() ? "" : ", ") + other.name;
    throw Error(ExitCode::usage,
                fmt::format("time.tolerance asks for steps by their error, which {} does not estimate", params.scheme),
                fmt::format("give a step, or choose one of: {}", names), deck.where("time.tolerance"));
  }
  if (params.absolute_tolerance && !params.tolerance)
    throw Error(ExitCode::usage, "time.absolute_tolerance goes with time.tolerance, which is not there",
                "add tolerance, or leave absolute_tolerance out", deck.where("time.absolute_tolerance"));
  check_cfl(deck, params, scheme, implicit_flow);
  const bool is_ssp = params.scheme.starts_with("ssp_");
  if (!params.step && !params.tolerance && !params.cfl && deck.has("steady"))
    throw Error(ExitCode::usage, "[time] has no cfl, which the steps of [steady] need",
                scheme.kind != solvers::SchemeKind::implicit ? "write cfl = 0.9"
                                                             : "write cfl = 5, of the first step, from which they grow",
                params.where);
  if (!params.step && !params.tolerance && !params.cfl)
    throw Error(ExitCode::usage, fmt::format("[time] has no step, which {} needs", params.scheme),
                is_ssp ? "write cfl = 0.5, with which each step is as long as the state lets it be"
                       : fmt::format("write step = {:g}, for 100 steps{}", (params.end - params.start) / 100,
                                     scheme.estimates_error ? ", or tolerance = 1e-4" : ""),
                params.where);
}

}  // namespace

std::vector<std::string> first_order_schemes() {
  std::vector<std::string> names;
  for (const solvers::Scheme& scheme : solvers::schemes())
    if (scheme.kind != solvers::SchemeKind::second_order) names.push_back(scheme.name);
  return names;
}

namespace {

deck::Section<TimeParams> any_time_section(const std::vector<std::string>& schemes, bool implicit_flow) {
  constexpr double most_implicit = 1e6;
  return deck::Section<TimeParams>("time", "A run through time; left out: the steady state")
      .key("start", &TimeParams::start, {.help = "time of the initial state", .unit = "time"})
      .key("end", &TimeParams::end,
           {.help = "time at which the run ends, met exactly", .unit = "time", .required = true, .example = "1.0"})
      .key("step", &TimeParams::step,
           {.help = "length of a step; the last one ends at `end`; with a tolerance the first step",
            .unit = "time",
            .min = 0,
            .open_min = true,
            .example = "0.01"})
      .key("cfl", &TimeParams::cfl,
           {.help = "of explicit schemes, instead of a step: its part of the longest step that is stable, as mesh and "
                    "coefficients let it be estimated at the start",
            .min = 0,
            .max = implicit_flow ? most_implicit : 1,
            .open_min = true})
      .key("tolerance", &TimeParams::tolerance,
           {.help = "of schemes that estimate the error of a step: how large it may be beside u; they then choose "
                    "their steps",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("absolute_tolerance", &TimeParams::absolute_tolerance,
           {.help = "how large the error may be where u is small; left out: the number of the tolerance",
            .unit = "of u",
            .min = 0,
            .open_min = true})
      .key("scheme", &TimeParams::scheme,
           {.help = "see `tessera list schemes`", .choices = schemes.empty() ? all_schemes() : schemes})
      .key("theta", &TimeParams::theta,
           {.help = "of scheme = \"theta\": 0.5 is crank_nicolson, 1 backward_euler", .min = 0.5, .max = 1})
      .key("stages", &TimeParams::stages,
           {.help = "of scheme = \"rkc\"; 0: as many as stability asks for", .min = 0, .max = 10000})
      .table("tableau", &TimeParams::tableau, tableau_section(),
             {.help = "of scheme = \"tableau\": a Runge-Kutta scheme of your own", .example = {}})
      .position(&TimeParams::where);
}

std::optional<TimeParams> read_any_time(const deck::Deck& deck, const std::vector<std::string>& schemes,
                                        const std::string& scheme, bool implicit_flow) {
  if (!deck.has("time")) return std::nullopt;
  TimeParams params = any_time_section(schemes, implicit_flow).read(deck, true);
  if (!scheme.empty() && !deck.has("time.scheme")) params.scheme = scheme;
  if (params.end <= params.start)
    throw Error(ExitCode::usage, fmt::format("time.end is {}, and the run starts at {}", params.end, params.start),
                "the end is after the start", deck.where("time.end"));
  refuse_key(deck, params, "theta", "theta");
  refuse_key(deck, params, "stages", "rkc");
  refuse_key(deck, params, "tableau", "tableau");
  if (params.scheme == "tableau" && !params.tableau)
    throw Error(ExitCode::usage, "scheme = \"tableau\" without a tableau",
                "add tableau = { a = [1], b = [0.5, 0.5] }, Heun's method, or name another scheme", params.where);
  check_steps(deck, params, implicit_flow);
  if (params.step)
    check_step_count(params, *params.step, fmt::format("time.step = {:g}", *params.step), deck.where("time.step"));
  const bool second_order = solvers::find_scheme(params.scheme, params.where).kind == solvers::SchemeKind::second_order;
  if (!is_implicit(params) &&
      !second_order) {  // whatever is wrong with a tableau, with its stages, or with their number
    Threads exec(1);
    (void)solvers::make_stepper(exec, 1, stepper_params(params));
  }
  return params;
}

}  // namespace

deck::Section<TimeParams> time_section(const std::vector<std::string>& schemes) {
  return any_time_section(schemes, false);
}
deck::Section<TimeParams> time_section_of_flow(const std::vector<std::string>& schemes) {
  return any_time_section(schemes, true);
}
std::optional<TimeParams> read_time(const deck::Deck& deck, const std::vector<std::string>& schemes,
                                    const std::string& scheme) {
  return read_any_time(deck, schemes, scheme, false);
}
std::optional<TimeParams> read_time_of_flow(const deck::Deck& deck, const std::vector<std::string>& schemes,
                                            const std::string& scheme) {
  return read_any_time(deck, schemes, scheme, true);
}
bool has_implicit(const std::vector<std::string>& schemes) {
  return std::any_of(schemes.begin(), schemes.end(), [](const std::string& name) {
    return solvers::find_scheme(name, {}).kind == solvers::SchemeKind::implicit;
  });
}

deck::Section<CheckpointParams> checkpoint_section() {
  return deck::Section<CheckpointParams>("checkpoint", "States from which `tessera restart` goes on")
      .count_or_table(
          "every", &CheckpointParams::every, &CheckpointParams::every_minutes,
          deck::Section<EveryMinutes>("every", "An interval of time")
              .key("minutes", &EveryMinutes::minutes,
                   {.help = "between two checkpoints", .unit = "min", .min = 0, .required = true}),
          {.help = "steps between two checkpoints, or { minutes = ... }; 0: only where the run is stopped", .min = 0})
      .key("keep", &CheckpointParams::keep, {.help = "the newest that stay", .min = 1, .max = 1000000})
      .position(&CheckpointParams::where);
}

void check_series(const CommonParams& params) {
  if (!params.time && params.checkpoint.where)
    throw Error(ExitCode::usage, "[checkpoint] is for runs through time, and the deck has no [time]",
                "leave [checkpoint] out, or add [time] with end and step", params.checkpoint.where);
  if (!params.time && !params.probes.empty())
    throw Error(ExitCode::usage, "[[probe]] is for runs through time, and the deck has no [time]",
                "use [[quantity]] with kind = \"value\", or add [time] with end and step", params.probes.front().where);
  if (params.time || (params.output.every == 0 && !params.output.every_time)) return;
  throw Error(ExitCode::usage, "output.every asks for a series of files, and the deck has no [time]",
              "leave every out, or add [time] with end and step", params.output.where);
}

}  // namespace tessera::physics
