#pragma once
// Functions of time alone, of sources, boundary values and waves: the keys that a deck has for them, and their values.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deck/section.hpp"

namespace tessera::deck {

/// The keys of a time function. A section whose struct derives from this one includes them by
/// `add_time_function_keys`.
struct TimeFunctionParams {
  PlacedString time_function;  ///< a name of time_function_table() or an expression of t; empty: the file, or constant
  std::optional<double> frequency;
  std::optional<double> width;
  std::optional<double> delay;
  double amplitude = 1;
  PlacedString file;
  std::optional<std::string> outside;
};

/// A function by name. With a = (pi frequency)^2 = 1 / width^2 and s = t - delay:
///
///     ricker                       (1 - 2 a s^2) exp(-a s^2)
///     gaussian                     exp(-a s^2)
///     gaussian_derivative          -2 a s exp(-a s^2)
///     gaussian_second_derivative   (4 a^2 s^2 - 2 a) exp(-a s^2) = -2 a ricker
///     step                         0 for s < 0, else 1
///     ramp                         0 for s < 0, s / width, 1 for s > width
///
/// The Ricker wavelet is that of SPECFEM2D (src/specfem2D/comp_source_time_function.f90, ..._Ricker and
/// ..._d2Gaussian). Its Gaussian and the first derivative are integrals of the Ricker wavelet there, which are those
/// above with an amplitude of -1 / (2 a).
struct TimeFunctionEntry {
  std::string name, help;
  bool has_frequency;  ///< may be given by its frequency, in the place of its width
  bool has_width;
  bool is_pulse;                           ///< has its peak at s = 0
  double (*value)(double x, double rate);  ///< of x = rate s, with rate = 1 / width
};
const std::vector<TimeFunctionEntry>& time_function_table();

struct TimeTable;

/// amplitude g(t - delay), where g is one of the table above, an expression of t, a table of values in a file, or 1.
/// Copies share their data; threads may evaluate one at the same time.
class TimeFunction {
 public:
  /// 1 at all times.
  TimeFunction() = default;
  /// `where`: the place of the keys in `deck`, for errors. Throws Error(usage) for a name that is none, an expression
  /// of anything but t, a key that is missing or that the function does not read; what read_time_table throws.
  TimeFunction(const TimeFunctionParams& params, const Deck& deck, const Where& where = {});

  /// Throws Error(usage) where an expression is not finite, and for a time outside of the file's where the deck does
  /// not say what holds there. Beyond the ends by a 1e-9th of their distance, as times that are sums of steps may be,
  /// the value at the end holds.
  double operator()(double t) const;
  /// Throws what evaluating at `from` or `to` would throw of a file, so that a run says it before it starts.
  void require_range(double from, double to) const;
  /// Whether it is the same at all times.
  bool is_constant() const { return !entry_ && !expression_ && !table_; }

 private:
  void set_entry(const TimeFunctionParams& params, const TimeFunctionEntry& entry);
  void set_expression(const PlacedString& text);
  void set_file(const TimeFunctionParams& params, const Deck& deck);
  double table_value(double s) const;

  double amplitude_ = 1, delay_ = 0, rate_ = 1;
  const TimeFunctionEntry* entry_ = nullptr;
  std::optional<Expression> expression_;
  std::shared_ptr<const TimeTable> table_;
  std::string outside_;
  Where where_;
};

namespace detail {
KeyInfo time_function_key(const std::string& name);
}  // namespace detail

/// Declares the keys in a section whose P derives from TimeFunctionParams.
template <class P>
void add_time_function_keys(Section<P>& section) {
  const auto add = [&]<class T>(const std::string& name, T TimeFunctionParams::*member) {
    section.key(name, static_cast<T P::*>(member), detail::time_function_key(name));
  };
  add("time_function", &TimeFunctionParams::time_function);
  add("frequency", &TimeFunctionParams::frequency);
  add("width", &TimeFunctionParams::width);
  add("delay", &TimeFunctionParams::delay);
  add("amplitude", &TimeFunctionParams::amplitude);
  add("file", &TimeFunctionParams::file);
  add("outside", &TimeFunctionParams::outside);
}

}  // namespace tessera::deck
