#include "solvers/time/tableau.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/counted.hpp"
#include "base/error.hpp"

namespace tessera::solvers {
namespace {

using Vector = std::vector<double>;

/// What decimal digits of a deck may be off: 1/3 written with twelve digits is a third.
constexpr double rounding = 1e-10;

double sum(const Vector& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

Vector times(const Vector& x, const Vector& y) {
  Vector result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i] * y[i];
  return result;
}

Vector times(const std::vector<Vector>& a, const Vector& x) {
  Vector result;
  for (const Vector& row : a) result.push_back(std::inner_product(row.begin(), row.end(), x.begin(), 0.0));
  return result;
}

struct Violation {
  int order;  ///< that the scheme then has not
  std::string condition;
  double found, expected;
};

/// The first condition of orders 1 to 4 that does not hold: Hairer, Norsett & Wanner, table II.2.1.
std::optional<Violation> violation(const Tableau& tableau, const Vector& b) {
  const Vector& c = tableau.c;
  const Vector ac = times(tableau.a, c), cc = times(c, c);
  const Violation conditions[] = {
      {1, "sum b_i", sum(b), 1},
      {2, "sum b_i c_i", sum(times(b, c)), 1.0 / 2},
      {3, "sum b_i c_i^2", sum(times(b, cc)), 1.0 / 3},
      {3, "sum b_i a_ij c_j", sum(times(b, ac)), 1.0 / 6},
      {4, "sum b_i c_i^3", sum(times(b, times(c, cc))), 1.0 / 4},
      {4, "sum b_i c_i a_ij c_j", sum(times(b, times(c, ac))), 1.0 / 8},
      {4, "sum b_i a_ij c_j^2", sum(times(b, times(tableau.a, cc))), 1.0 / 12},
      {4, "sum b_i a_ij a_jk c_k", sum(times(b, times(tableau.a, ac))), 1.0 / 24},
  };
  for (const Violation& condition : conditions)
    if (!(std::abs(condition.found - condition.expected) <= rounding)) return condition;
  return {};
}

class Check {
 public:
  Check(Tableau& tableau, const deck::Where& where) : tableau_(tableau), where_(where) {}

  void run() {
    sizes();
    rows();
    stage_times();
    tableau_.order = order(tableau_.b, tableau_.order, "b");
    if (!tableau_.has_estimate()) return;
    tableau_.embedded_order = order(tableau_.b_embedded, tableau_.embedded_order, "b_embedded");
    double difference = 0;
    for (int i = 0; i < tableau_.stages(); ++i)
      difference = std::max(difference, std::abs(tableau_.b[i] - tableau_.b_embedded[i]));
    if (difference <= rounding)
      refuse("its embedded weights are its weights, so that they estimate no error",
             "leave b_embedded out, or give the weights of a scheme of another order");
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw Error(ExitCode::usage, fmt::format("the Runge-Kutta tableau '{}' cannot be used: {}", tableau_.name, what),
                help, where_);
  }

  void sizes() const {
    const std::size_t stages = tableau_.b.size();
    if (stages == 0) refuse("it has no weights b", "give b, a number for each stage");
    if (stages > max_stages)
      refuse(fmt::format("it has {}", counted(stages, "stage")), fmt::format("at most {} are supported", max_stages));
    const auto expect = [&](const char* name, std::size_t size) {
      if (size != stages)
        refuse(fmt::format("{} has {} and b has {}", name, counted(size, "entry", "entries"), stages),
               "b says how many stages there are; a has a row, c and b_embedded have a number for each");
    };
    expect("a", tableau_.a.size());
    if (!tableau_.c.empty()) expect("c", tableau_.c.size());
    if (tableau_.has_estimate()) expect("b_embedded", tableau_.b_embedded.size());
  }

  /// Makes a square, and refuses what stands on or above its diagonal.
  void rows() {
    const std::size_t stages = tableau_.b.size();
    for (std::size_t i = 0; i < stages; ++i) {
      Vector& row = tableau_.a[i];
      if (row.size() != stages && row.size() != i)
        refuse(fmt::format("row {} of a has {}", i + 1, counted(row.size(), "entry", "entries")),
               fmt::format("give the {} entries below the diagonal, or all {}", i, stages));
      row.resize(stages, 0.0);
      for (std::size_t j = i; j < stages; ++j)
        if (row[j] != 0)
          refuse(fmt::format("it is implicit: a has {:.6g} in row {}, column {}", row[j], i + 1, j + 1),
                 "all entries on and above the diagonal of a must be 0; implicit schemes have names of their own, see "
                 "`tessera list schemes`");
      for (double value : row)
        if (!std::isfinite(value))
          refuse(fmt::format("row {} of a has a number that is not finite", i + 1), "give finite numbers");
    }
  }

  void stage_times() {
    if (tableau_.c.empty())
      for (const Vector& row : tableau_.a) tableau_.c.push_back(sum(row));
    for (int i = 0; i < tableau_.stages(); ++i)
      if (!(std::abs(tableau_.c[i] - sum(tableau_.a[i])) <= rounding))
        refuse(fmt::format("row {} of a sums to {:.12g}, and c has {:.12g} there", i + 1, sum(tableau_.a[i]),
                           tableau_.c[i]),
               "c must be the row sums of a; leave c out to have them computed");
  }

  /// The order of these weights: what is claimed, or else what the conditions show.
  int order(const Vector& b, int claimed, const char* name) const {
    const auto failed = violation(tableau_, b);
    const int shown = failed ? failed->order - 1 : 4;
    const auto why = [&] {
      return fmt::format("{} of {} is {:.12g} and must be {:.12g} for order {}", failed->condition, name, failed->found,
                         failed->expected, failed->order);
    };
    if (shown == 0) refuse(why() + ", so that it does not converge", "look for a mistyped coefficient");
    if (claimed > shown && failed)
      refuse(fmt::format("it is said to have order {} and has order {}: {}", claimed, shown, why()),
             fmt::format("look for a mistyped coefficient, or say order {}", shown));
    return claimed > 0 ? claimed : shown;
  }

  Tableau& tableau_;
  const deck::Where& where_;
};

std::vector<Tableau> make_tableaus() {
  const auto third = 1.0 / 3;
  std::vector<Tableau> tableaus = {
      {.name = "euler", .order = 1, .a = {{}}, .b = {1}},
      // Shu & Osher 1988: u1 = u + dt f(u), u = (u + u1 + dt f(u1)) / 2; and the same with three stages.
      {.name = "ssp_rk2", .order = 2, .a = {{}, {1}}, .b = {0.5, 0.5}},
      {.name = "ssp_rk3", .order = 3, .a = {{}, {1}, {0.25, 0.25}}, .b = {1.0 / 6, 1.0 / 6, 2.0 / 3}},
      // Ern & Guermond 2022, Invariant-domain preserving high-order time stepping I, ERK(2,2;1) and ERK(3,3;1).
      {.name = "erk22", .order = 2, .a = {{}, {0.5}}, .b = {0, 1}},
      {.name = "erk33", .order = 3, .a = {{}, {third}, {0, 2 * third}}, .b = {0.25, 0, 0.75}},
      {.name = "rk4", .order = 4, .a = {{}, {0.5}, {0, 0.5}, {0, 0, 1}}, .b = {1.0 / 6, third, third, 1.0 / 6}},
      // Cash & Karp 1990; Numerical Computations with GPUs, table 8.1.
      {.name = "cash_karp",
       .order = 5,
       .embedded_order = 4,
       .a = {{},
             {1.0 / 5},
             {3.0 / 40, 9.0 / 40},
             {3.0 / 10, -9.0 / 10, 6.0 / 5},
             {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
             {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}},
       .b = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771},
       .b_embedded = {2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 1.0 / 4}},
      // Dormand & Prince 1980; Hairer, Norsett & Wanner, table II.5.2.
      {.name = "dormand_prince",
       .order = 5,
       .embedded_order = 4,
       .a = {{},
             {1.0 / 5},
             {3.0 / 40, 9.0 / 40},
             {44.0 / 45, -56.0 / 15, 32.0 / 9},
             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
             {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
       .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
       .b_embedded = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40}},
  };
  for (Tableau& tableau : tableaus) tableau = checked(std::move(tableau));
  return tableaus;
}

}  // namespace

bool Tableau::last_is_first() const { return stages() > 1 && b.back() == 0 && a.back() == b; }

const Tableau& tableau_of(const std::string& scheme) {
  static const std::vector<Tableau> tableaus = make_tableaus();
  for (const Tableau& tableau : tableaus)
    if (tableau.name == scheme) return tableau;
  throw Error(ExitCode::internal, "the scheme '" + scheme + "' has no tableau");
}

int order_of(const Tableau& tableau, const std::vector<double>& b) {
  const auto failed = violation(tableau, b);
  return failed ? failed->order - 1 : 4;
}

Tableau checked(Tableau tableau, const deck::Where& where) {
  Check(tableau, where).run();
  return tableau;
}

}  // namespace tessera::solvers
