#include <fmt/format.h>

#include "physics/sections.hpp"

namespace tessera::physics {

deck::Section<TimeParams> time_section() {
  return deck::Section<TimeParams>("time", "A run through time; left out: the steady state")
      .key("start", &TimeParams::start, {.help = "time of the initial state", .unit = "time"})
      .key("end", &TimeParams::end,
           {.help = "time at which the run ends, met exactly", .unit = "time", .required = true, .example = "1.0"})
      .key("step", &TimeParams::step,
           {.help = "length of a step; the last one ends at `end`",
            .unit = "time",
            .min = 0,
            .open_min = true,
            .example = "0.01"})
      .key("scheme", &TimeParams::scheme,
           {.help = "bdf2: second order, damps what is fast; crank_nicolson: second order, keeps what is fast; "
                    "backward_euler: first order; theta: between these two; sdirk2: second order in two stages, damps "
                    "what is fast",
            .choices = {"bdf2", "crank_nicolson", "backward_euler", "theta", "sdirk2"}})
      .key("theta", &TimeParams::theta,
           {.help = "of scheme = \"theta\": 0.5 is crank_nicolson, 1 backward_euler", .min = 0.5, .max = 1})
      .position(&TimeParams::where);
}

std::optional<TimeParams> read_time(const deck::Deck& deck) {
  if (!deck.has("time")) return std::nullopt;
  const TimeParams params = time_section().read(deck, true);
  if (params.end <= params.start)
    throw Error(ExitCode::usage, fmt::format("time.end is {}, and the run starts at {}", params.end, params.start),
                "the end is after the start", deck.where("time.end"));
  if (!params.step)
    throw Error(ExitCode::usage, fmt::format("[time] has no step, which {} needs", params.scheme),
                fmt::format("write step = {:g}, for 100 steps", (params.end - params.start) / 100), params.where);
  if (params.scheme != "theta" && deck.has("time.theta"))
    throw Error(ExitCode::usage, fmt::format("time.theta belongs to scheme = \"theta\", this one is {}", params.scheme),
                "leave theta out, or choose scheme = \"theta\"", deck.where("time.theta"));
  return params;
}

void check_series(const CommonParams& params) {
  if (params.output.every > 0 && params.output.every_time)
    throw Error(ExitCode::internal, "output.every is both a number of steps and a time");
  if (params.time || (params.output.every == 0 && !params.output.every_time)) return;
  throw Error(ExitCode::usage, "output.every asks for a series of files, and the deck has no [time]",
              "leave every out, or add [time] with end and step", params.output.where);
}

}  // namespace tessera::physics
