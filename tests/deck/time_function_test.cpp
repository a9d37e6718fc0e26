#include "deck/time_function.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <thread>

namespace tessera::deck {
namespace {

namespace fs = std::filesystem;
using std::numbers::pi;

/// A section of a module, whose struct has keys of its own before and after those of the time function.
struct Source : TimeFunctionParams {
  std::vector<double> at;
  Where where;
};

Section<Source> source_section() {
  Section<Source> section("source", "Point sources", SectionKind::array);
  section.key("at", &Source::at, {.help = "where"});
  add_time_function_keys(section);
  return section.position(&Source::where);
}

class TimeFunctions : public ::testing::Test {
 protected:
  TimeFunctions() : folder_(fs::path(::testing::TempDir()) / ("tessera_time_function_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~TimeFunctions() override { fs::remove_all(folder_); }

  /// The function of a deck whose [[source]] has these keys.
  TimeFunction make(const std::string& keys) const {
    std::ofstream(folder_ / "deck.toml") << "[[source]]\nat = [0, 0]\n" + keys + "\n";
    const Deck deck = Deck::read(folder_ / "deck.toml");
    check(deck, {source_section().description()});
    const Source source = source_section().read_all(deck).at(0);
    return TimeFunction(source, deck, source.where);
  }
  TimeFunction of_file(const std::string& content, const std::string& keys = "") const {
    std::ofstream(folder_ / "stf.csv") << content;
    return make("file = \"stf.csv\"\n" + keys);
  }
  std::string file() const { return (folder_ / "stf.csv").string(); }

  /// The call is refused with Error(usage) or with `code`, that message, help that holds `help`, and line and column.
  template <class Call>
  void expect_error(const Call& call, const std::string& message, const std::string& help, int line, int column,
                    ExitCode code = ExitCode::usage) const {
    SCOPED_TRACE(message);
    try {
      call();
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_EQ(error.what(), message);
      EXPECT_NE(error.help().find(help), std::string::npos) << error.help();
      ASSERT_TRUE(error.where());
      EXPECT_EQ(error.where()->line, line);
      EXPECT_EQ(error.where()->column, column);
    }
  }
  void expect_refused(const std::string& keys, const std::string& message, const std::string& help, int line = 1,
                      int column = 1) const {
    expect_error([&] { make(keys); }, message, help, line, column);
  }
  void expect_refused_file(const std::string& content, const std::string& message, int line) const {
    const auto read = [&] { of_file(content); };
    expect_error(read, message, "two columns", line, 1);
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.where()->file, file());
    }
  }

  fs::path folder_;
};

TEST_F(TimeFunctions, OfNoKeysAreConstant) {
  EXPECT_EQ(TimeFunction()(3), 1);
  EXPECT_TRUE(TimeFunction().is_constant());
  EXPECT_EQ(make("")(0), 1);
  EXPECT_EQ(make("amplitude = -2.5")(7), -2.5);
  EXPECT_TRUE(make("amplitude = -2.5").is_constant());
  EXPECT_FALSE(make("time_function = \"step\"").is_constant());
}

TEST_F(TimeFunctions, RickerIsThatOfSpecfem) {
  const TimeFunction f = make("time_function = \"ricker\"\nfrequency = 25\ndelay = 0.05\namplitude = 3");
  const double a = pi * pi * 25 * 25;
  for (const double t : {0.0, 0.03, 0.049, 0.05, 0.06, 0.1}) {
    const double s = t - 0.05;
    EXPECT_DOUBLE_EQ(f(t), 3 * (1 - 2 * a * s * s) * std::exp(-a * s * s)) << t;
  }
  EXPECT_EQ(f(0.05), 3);
  // Its zeros are at 1 / (pi f sqrt(2)) from the peak, its lowest values, -2 exp(-3/2), at sqrt(3/2) / (pi f).
  EXPECT_NEAR(f(0.05 + 1 / (pi * 25 * std::sqrt(2.0))), 0, 1e-14);
  EXPECT_NEAR(f(0.05 - std::sqrt(1.5) / (pi * 25)), -6 * std::exp(-1.5), 1e-14);
}

TEST_F(TimeFunctions, PulsesWithoutADelayBeginNearZero) {
  const TimeFunction ricker = make("time_function = \"ricker\"\nfrequency = 25");
  EXPECT_DOUBLE_EQ(ricker(1.2 / 25), 1);
  EXPECT_LT(std::abs(ricker(0)), 2e-5);
  EXPECT_GT(std::abs(ricker(0)), 1e-5);
  const TimeFunction gaussian = make("time_function = \"gaussian\"\nwidth = 0.5");
  EXPECT_DOUBLE_EQ(gaussian(1.2 * pi * 0.5), 1);
  EXPECT_EQ(make("time_function = \"ricker\"\nfrequency = 25\ndelay = 0")(0), 1);
}

TEST_F(TimeFunctions, FarFromTheirPeakPulsesAreZeroAndNotANumber) {
  for (const char* name : {"ricker", "gaussian", "gaussian_derivative", "gaussian_second_derivative"})
    for (const char* delay : {"1e300", "-1e300", "1e160", "30"})
      EXPECT_EQ(make("time_function = \"" + std::string(name) + "\"\nfrequency = 2\ndelay = " + delay)(0), 0)
          << name << " " << delay;
}

TEST_F(TimeFunctions, GaussianAndItsDerivatives) {
  const auto of = [&](const std::string& name) {
    return make("time_function = \"" + name + "\"\nfrequency = 2\ndelay = 1\namplitude = 5");
  };
  const TimeFunction g = of("gaussian"), d = of("gaussian_derivative"), dd = of("gaussian_second_derivative");
  const TimeFunction ricker = of("ricker");
  const double a = 4 * pi * pi;
  for (const double t : {0.7, 0.95, 1.0, 1.1, 1.3}) {
    const double s = t - 1, e = 5 * std::exp(-a * s * s);
    EXPECT_DOUBLE_EQ(g(t), e);
    EXPECT_NEAR(d(t), -2 * a * s * e, 1e-13);
    EXPECT_NEAR(dd(t), (4 * a * a * s * s - 2 * a) * e, 1e-11);
    EXPECT_NEAR(dd(t), -2 * a * ricker(t), 1e-11);
    const double h = 1e-4;
    EXPECT_NEAR(d(t), (g(t + h) - g(t - h)) / (2 * h), 1e-4);
    EXPECT_NEAR(dd(t), (d(t + h) - d(t - h)) / (2 * h), 1e-3);
  }
  const TimeFunction of_width = make("time_function = \"gaussian\"\nwidth = 0.25\ndelay = 1");
  EXPECT_EQ(of_width(1.25), std::exp(-1.0));
  EXPECT_NEAR(of_width(1.4), std::exp(-1.6 * 1.6), 1e-15);
}

TEST_F(TimeFunctions, StepAndRamp) {
  const TimeFunction step = make("time_function = \"step\"\ndelay = 0.5\namplitude = 2");
  EXPECT_EQ(step(std::nextafter(0.5, 0)), 0);
  EXPECT_EQ(step(0.5), 2);
  EXPECT_EQ(step(9), 2);
  EXPECT_EQ(make("time_function = \"step\"")(0), 1);
  EXPECT_EQ(make("time_function = \"step\"")(-1e-300), 0);
  const TimeFunction ramp = make("time_function = \"ramp\"\ndelay = 1\nwidth = 4\namplitude = 8");
  EXPECT_EQ(ramp(0), 0);
  EXPECT_EQ(ramp(1), 0);
  EXPECT_EQ(ramp(2), 2);
  EXPECT_EQ(ramp(4.5), 7);
  EXPECT_EQ(ramp(5), 8);
  EXPECT_EQ(ramp(50), 8);
}

TEST_F(TimeFunctions, ExpressionsOfTime) {
  EXPECT_EQ(make("time_function = \"1 + 2*t\"")(3), 7);
  EXPECT_EQ(make("time_function = \"t\"\ndelay = 1\namplitude = 10")(3), 20);
  EXPECT_EQ(make("time_function = \"pi\"")(3), pi);
  const TimeFunction f = make("time_function = \"t < 1 ? 0 : sin(t)\"");
  EXPECT_EQ(f(2), std::sin(2.0));
  double of_others[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 1000; ++k) of_others[i] = f(2 + i);
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(of_others[i], std::sin(2.0 + i));
}

TEST_F(TimeFunctions, FilesAreStraightBetweenTheirRows) {
  const TimeFunction f = of_file("t [s], value\n0, 1\n0.5, 3\n2, -3\n", "amplitude = 2");
  EXPECT_EQ(f(0), 2);
  EXPECT_EQ(f(0.25), 4);
  EXPECT_EQ(f(0.5), 6);
  EXPECT_EQ(f(1.25), 0);
  EXPECT_EQ(f(2), -6);
  EXPECT_EQ(of_file("0 1\n1 2", "delay = 10")(10.5), 1.5);
  EXPECT_EQ(of_file("\xef\xbb\xbf"
                    "0;1\r\n\r\n# a comment\r\n 1e0\t;\t2 \r\n")(0.5),
            1.5)
      << "rows as others write them";
  EXPECT_EQ(of_file("# from a test rig\ntime value\n-1\t-2\n1\t2\n")(0.5), 1);
  const TimeFunction third = of_file("0.1,0.1\n0.2,0.7\n0.3,0.30000000000000004\n");
  EXPECT_EQ(third(0.2), 0.7) << "a row is met exactly";
  EXPECT_EQ(third(0.3), 0.30000000000000004);
}

TEST_F(TimeFunctions, OutsideOfAFileHoldsWhatTheDeckSays) {
  const std::string rows = "1, 5\n2, 7\n";
  const auto outside = [](double t, const std::string& range) {
    return "t = " + std::to_string(t).substr(0, 1) + " lies outside of the times of '" + range;
  };
  const TimeFunction refusing = of_file(rows);
  for (const double t : {0.0, 3.0}) {
    expect_error([&] { refusing(t); }, outside(t, file() + "', 1 to 2"), "outside = \"zero\" or \"hold\"", 3, 9);
    expect_error([&] { refusing.require_range(t, 1.5); }, outside(t, file() + "', 1 to 2"), "add rows", 3, 9);
    expect_error([&] { refusing.require_range(1.5, t); }, outside(t, file() + "', 1 to 2"), "add rows", 3, 9);
  }
  refusing.require_range(1, 2);
  expect_error([&] { of_file(rows, "delay = 4\noutside = \"refuse\"")(3); },
               outside(3, file() + "', 5 to 6 with its delay"), "add rows", 3, 9);
  const TimeFunction zero = of_file(rows, "outside = \"zero\""), hold = of_file(rows, "outside = \"hold\"");
  EXPECT_EQ(zero(0.5), 0);
  EXPECT_EQ(zero(1), 5);
  EXPECT_EQ(zero(2.5), 0);
  EXPECT_EQ(hold(0.5), 5);
  EXPECT_EQ(hold(2.5), 7);
  hold.require_range(-100, 100);
  // A time that is a sum of steps.
  for (const TimeFunction& f : {refusing, zero, hold}) {
    EXPECT_EQ(f(2 + 1e-10), 7);
    EXPECT_EQ(f(1 - 1e-10), 5);
  }
  expect_error([&] { refusing(2 + 2e-9); }, "t = 2.000000002 lies outside of the times of '" + file() + "', 1 to 2", "",
               3, 9);
}

TEST_F(TimeFunctions, RefuseRowsThatAreNone) {
  expect_refused_file("0, 1\n1, 2\n1, 3\n", "the time 1 is not later than 1 in the row before", 3);
  expect_refused_file("t, v\n\n1, 2\n0.5, 3\n", "the time 0.5 is not later than 1 in the row before", 4);
  expect_refused_file("0, 1\none, 2\n", "this row does not begin with a number", 2);
  expect_refused_file("t, v\nt, v\n0, 1\n1, 2\n", "this row does not begin with a number", 2);
  expect_refused_file("0\n1\n", "this row has no second number", 1);
  expect_refused_file("0, \n", "this row has no second number", 1);
  expect_refused_file("0, 1\n1, b\n", "this row has no second number", 2);
  expect_refused_file("0,5; 1\n", "this row has more than two numbers", 1);
  expect_refused_file("0, 1, 2\n", "this row has more than two numbers", 1);
  expect_refused_file("0, 1x\n", "this row has more than two numbers", 1);
  expect_refused_file("0, nan\n", "this row has a number that is not finite", 1);
  expect_refused_file("0, 1\ninf, 1\n", "this row has a number that is not finite", 2);
  expect_refused_file("0, 1e999\n", "this row has no second number", 1);
  expect_error([&] { of_file(""); }, "'" + file() + "' has 0 rows of a time and a value; expected at least two",
               "two columns", 3, 9);
  expect_error([&] { of_file("t, v\n1, 2\n"); },
               "'" + file() + "' has 1 row of a time and a value; expected at least two", "two columns", 3, 9);
  expect_error([&] { make("file = \"none.csv\""); },
               "there is no time function '" + (folder_ / "none.csv").string() + "'", "folder of the deck", 3, 9,
               ExitCode::file_system);
  expect_error([&] { make("file = \".\""); }, "'" + (folder_ / "").string() + "' is a folder, not a time function",
               "folder of the deck", 3, 9, ExitCode::file_system);
}

TEST_F(TimeFunctions, RefuseKeysThatDoNotFit) {
  expect_refused("time_function = \"rickr\"", "there is no time function 'rickr'", "did you mean 'ricker'?", 3, 18);
  expect_refused("time_function = \"Step\"", "there is no time function 'Step'", "'step'", 3, 18);
  expect_refused("time_function = \"wavelet\"", "there is no time function 'wavelet'", "an expression of t", 3, 18);
  expect_refused("time_function = \"2*x + t\"", "the time function '2*x + t' depends on the place", "of t alone", 3,
                 18);
  expect_refused("time_function = \"\"\"2*y\"\"\"", "the time function '2*y' depends on the place", "of t alone", 3,
                 17);
  expect_refused("time_function = \"2*q\"", "unknown variable 'q' in the expression '2*q' (character 3)", "", 3, 20);
  expect_refused("time_function = 3", "source[0].time_function is the integer 3; expected a string", "ricker", 3, 17);
  expect_refused("time_function = \"ricker\"", "the time function 'ricker' needs a frequency", "add frequency = ...");
  expect_refused("time_function = \"gaussian\"", "the time function 'gaussian' needs a frequency or width", "add");
  expect_refused("time_function = \"ramp\"", "the time function 'ramp' needs a width", "add width = ...");
  expect_refused("time_function = \"gaussian\"\nfrequency = 1\nwidth = 1", "the gaussian has a frequency and a width",
                 "leave one out");
  expect_refused("time_function = \"ricker\"\nfrequency = 0", "source[0].frequency is 0; it must be > 0", "", 4, 13);
  expect_refused("time_function = \"ramp\"\nwidth = -1", "source[0].width is -1; it must be > 0", "", 4, 9);
  expect_refused("time_function = \"step\"\nfile = \"a.csv\"", "time_function is 'step', and there is a file 'a.csv'",
                 "leave one out");
  const std::string with_frequency =
      "frequency is read by ricker, gaussian, gaussian_derivative, "
      "gaussian_second_derivative; ";
  const std::string with_width = "width is read by gaussian, gaussian_derivative, gaussian_second_derivative, ramp; ";
  expect_refused("time_function = \"step\"\nfrequency = 1", with_frequency + "time_function is 'step'",
                 "leave frequency out");
  expect_refused("time_function = \"sin(t)\"\nfrequency = 1", with_frequency + "time_function is 'sin(t)'", "leave");
  expect_refused("file = \"a.csv\"\nfrequency = 1", with_frequency + "the function is a file", "leave");
  expect_refused("frequency = 1", with_frequency + "there is no time_function", "leave");
  expect_refused("time_function = \"ricker\"\nwidth = 1", with_width + "time_function is 'ricker'", "leave width out");
  expect_refused("delay = 1", "delay is read by functions of time; there is no time_function", "leave delay out");
  expect_refused("time_function = \"step\"\noutside = \"zero\"",
                 "outside is read by functions that are a file; time_function is 'step'", "leave outside out");
  expect_refused("file = \"a.csv\"\noutside = \"clamp\"", "source[0].outside has no choice 'clamp'",
                 "refuse, zero, hold", 4, 11);
}

TEST_F(TimeFunctions, SayWhereAnExpressionIsNotFinite) {
  const TimeFunction f = make("time_function = \"1/(t - 2)\"\ndelay = 1");
  EXPECT_EQ(f(2), -1);
  expect_error([&] { f(3); }, "the time function '1/(t - 2)' is inf at t = 2, the time without its delay", "finite", 3,
               18);
  const TimeFunction g = make("time_function = \"log(t)\"");
  expect_error([&] { g(0); }, "the time function 'log(t)' is -inf at t = 0", "finite", 3, 18);
}

TEST_F(TimeFunctions, KeysAreOfTheSectionThatIncludesThem) {
  std::vector<std::string> names;
  const std::vector<KeyDescription> keys = source_section().description().keys;
  for (const KeyDescription& key : keys) names.push_back(key.name);
  EXPECT_EQ(names, (std::vector<std::string>{"at", "time_function", "frequency", "width", "delay", "amplitude", "file",
                                             "outside"}));
  const std::string schema = make_json_schema({source_section().description()}, "a deck");
  EXPECT_NE(schema.find("\"time_function\""), std::string::npos);
  const std::string help = keys[1].info.help;
  for (const TimeFunctionEntry& entry : time_function_table()) EXPECT_NE(help.find(entry.name), std::string::npos);
}

}  // namespace
}  // namespace tessera::deck
