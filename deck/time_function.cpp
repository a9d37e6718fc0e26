#include "deck/time_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "base/input_file.hpp"
#include "deck/time_table.hpp"

namespace tessera::deck {

namespace {

/// Delay of a pulse that the deck gives none, in periods: at t = 0 the Ricker wavelet is then 2e-5 of its peak.
/// SPECFEM3D starts as long before the peak (src/specfem3D/setup_sources_receivers.f90).
constexpr double periods_before_peak = 1.2;

/// How far beyond its last time a table still holds, relative to its length.
constexpr double rounding = 1e-9;

/// factor e^(-x^2), 0 where the exponential is, however large the factor.
double beside_bell(double factor, double x) {
  const double bell = std::exp(-x * x);
  return bell > 0 ? factor * bell : 0;
}
double ricker(double x, double) { return beside_bell(1 - 2 * x * x, x); }
double gaussian(double x, double) { return std::exp(-x * x); }
double gaussian_derivative(double x, double rate) { return beside_bell(-2 * rate * x, x); }
double gaussian_second_derivative(double x, double rate) { return beside_bell(rate * rate * (4 * x * x - 2), x); }
double step(double x, double) { return x < 0 ? 0 : 1; }
double ramp(double x, double) { return std::clamp(x, 0.0, 1.0); }

std::vector<std::string> names_of(bool TimeFunctionEntry::*with) {
  std::vector<std::string> names;
  for (const TimeFunctionEntry& entry : time_function_table())
    if (!with || entry.*with) names.push_back(entry.name);
  return names;
}

/// Whether it looks like a name, of which expressions of t have one alone, pi.
bool is_name(const std::string& text) {
  const auto of_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return text.size() > 1 && text != "pi" && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), of_name);
}

/// Throws where a key is given that the function does not read.
void refuse_key(bool given, const std::string& key, const std::string& readers, const std::string& chosen,
                const Where& where) {
  if (!given) return;
  throw Error(ExitCode::usage, fmt::format("{} is read by {}; {}", key, readers, chosen),
              fmt::format("leave {} out, or choose what reads it", key), where);
}

}  // namespace

const std::vector<TimeFunctionEntry>& time_function_table() {
  static const std::vector<TimeFunctionEntry> table = {
      {"ricker", "Ricker wavelet of a peak frequency", true, false, true, ricker},
      {"gaussian", "bell curve", true, true, true, gaussian},
      {"gaussian_derivative", "first derivative of the bell curve", true, true, true, gaussian_derivative},
      {"gaussian_second_derivative", "its second derivative", true, true, true, gaussian_second_derivative},
      {"step", "0, and 1 from `delay` on", false, false, false, step},
      {"ramp", "0, and from `delay` on straight up to 1 within `width`", false, true, false, ramp},
  };
  return table;
}

KeyInfo detail::time_function_key(const std::string& name) {
  if (name == "time_function")
    return {.help = fmt::format("{}, or an expression of t; left out: `file`, or constant in time",
                                fmt::join(names_of(nullptr), " | "))};
  if (name == "frequency")
    return {.help = fmt::format("of {}", fmt::join(names_of(&TimeFunctionEntry::has_frequency), ", ")),
            .unit = "1/s",
            .min = 0,
            .open_min = true};
  if (name == "width")
    return {.help = "how long a ramp rises; of a Gaussian, in the place of its frequency, 1 / (pi frequency)",
            .unit = "s",
            .min = 0,
            .open_min = true};
  if (name == "delay")
    return {.help =
                "the function begins so much later; of a pulse: when its peak is, left out: 1.2 / frequency; of "
                "others, left out: 0",
            .unit = "s"};
  if (name == "amplitude") return {.help = "the function is multiplied by it"};
  if (name == "file") return {.help = "table of times and values (CSV, two columns), straight between its rows"};
  return {.help =
              "value before the first time and after the last one of `file`; refuse: an error there, which holds "
              "where it is left out",
          .choices = {"refuse", "zero", "hold"}};
}

TimeFunction::TimeFunction(const TimeFunctionParams& params, const Deck& deck, const Where& where)
    : amplitude_(params.amplitude), delay_(params.delay.value_or(0)), where_(where) {
  const std::string& text = params.time_function.text;
  if (!text.empty() && !params.file.text.empty())
    throw Error(ExitCode::usage, fmt::format("time_function is '{}', and there is a file '{}'", text, params.file.text),
                "a function of time is one or the other: leave one out", where);
  for (const TimeFunctionEntry& entry : time_function_table())
    if (entry.name == text) entry_ = &entry;
  if (!entry_ && is_name(text))
    throw Error(ExitCode::usage, fmt::format("there is no time function '{}'", text),
                suggest(text, names_of(nullptr)) + "; or write an expression of t",
                params.time_function.where ? params.time_function.where : where);
  const std::string chosen = !params.file.text.empty() ? "the function is a file"
                             : text.empty()            ? "there is no time_function"
                                                       : fmt::format("time_function is '{}'", text);
  refuse_key(params.frequency && !(entry_ && entry_->has_frequency), "frequency",
             fmt::format("{}", fmt::join(names_of(&TimeFunctionEntry::has_frequency), ", ")), chosen, where);
  refuse_key(params.width && !(entry_ && entry_->has_width), "width",
             fmt::format("{}", fmt::join(names_of(&TimeFunctionEntry::has_width), ", ")), chosen, where);
  refuse_key(params.outside && params.file.text.empty(), "outside", "functions that are a file", chosen, where);
  if (entry_)
    set_entry(params, *entry_);
  else if (!text.empty())
    set_expression(params.time_function);
  else if (!params.file.text.empty())
    set_file(params, deck);
  else
    refuse_key(params.delay.has_value(), "delay", "functions of time", chosen, where);
}

void TimeFunction::set_entry(const TimeFunctionParams& params, const TimeFunctionEntry& entry) {
  if (params.frequency && params.width)
    throw Error(ExitCode::usage, fmt::format("the {} has a frequency and a width", entry.name),
                "width = 1 / (pi frequency): leave one out", where_);
  if (params.frequency) rate_ = std::numbers::pi * *params.frequency;
  if (params.width) rate_ = 1 / *params.width;
  if ((entry.has_frequency || entry.has_width) && !params.frequency && !params.width) {
    const char* const keys = !entry.has_width ? "frequency" : entry.has_frequency ? "frequency or width" : "width";
    throw Error(ExitCode::usage, fmt::format("the time function '{}' needs a {}", entry.name, keys),
                fmt::format("add {} = ...", entry.has_frequency ? "frequency" : "width"), where_);
  }
  if (entry.is_pulse) delay_ = params.delay.value_or(periods_before_peak * std::numbers::pi / rate_);
}

void TimeFunction::set_expression(const PlacedString& text) {
  expression_ = text.expression();
  for (const Variable variable : {Variable::x, Variable::y, Variable::z})
    if (expression_->depends_on(variable))
      throw Error(ExitCode::usage, fmt::format("the time function '{}' depends on the place", printable(text.text)),
                  "it is a function of t alone", text.where ? text.where : where_);
}

void TimeFunction::set_file(const TimeFunctionParams& params, const Deck& deck) {
  if (params.file.where) where_ = params.file.where;
  table_ = std::make_shared<const TimeTable>(read_time_table(deck.resolve(params.file.text), where_));
  outside_ = params.outside.value_or("refuse");
}

double TimeFunction::operator()(double t) const {
  const double s = t - delay_;
  if (entry_) return amplitude_ * entry_->value(rate_ * s, rate_);
  if (table_) return amplitude_ * table_value(s);
  if (!expression_) return amplitude_;
  const double nowhere[3] = {0, 0, 0};
  const double value = Evaluator(*expression_)(nowhere, s);
  if (!std::isfinite(value))
    throw Error(ExitCode::usage,
                fmt::format("the time function '{}' is {} at t = {}{}", printable(expression_->text()), value, s,
                            delay_ == 0 ? "" : ", the time without its delay"),
                "it must be finite at all times of the run", expression_->where() ? expression_->where() : where_);
  return amplitude_ * value;
}

double TimeFunction::table_value(double s) const {
  const double margin = rounding * (table_->last() - table_->first());
  if (s >= table_->first() - margin && s <= table_->last() + margin) return table_->at(s);
  if (outside_ == "zero") return 0;
  if (outside_ == "hold") return table_->at(s);
  throw Error(
      ExitCode::usage,
      fmt::format("t = {} lies outside of the times of '{}', {} to {}{}", s + delay_, printable(table_->file.string()),
                  table_->first() + delay_, table_->last() + delay_, delay_ == 0 ? "" : " with its delay"),
      "add rows to the file, or say outside = \"zero\" or \"hold\"", where_);
}

void TimeFunction::require_range(double from, double to) const {
  if (table_) table_value(from - delay_), table_value(to - delay_);
}

}  // namespace tessera::deck
