#pragma once
// A small schema in the manner of the program's, and a function that keeps the Error of a reading.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deck/section.hpp"

namespace tessera::deck::testing {

struct Top {
  std::string title;
};
struct Box {
  std::vector<double> min{0, 0, 0};
  std::vector<int> cells;
  std::string shape = "tet";
};
struct Mesh {
  std::string file;
  std::optional<Box> box;
  std::optional<double> size;
  int order = 1;
};
struct Solver {
  std::string type = "cg";
  double tolerance = 1e-8;
  int max_iterations = 1000;
  std::int64_t seed = 7;
  bool verbose = false;
  Where where;
};
struct Boundary {
  std::vector<std::string> on;
  std::string type;
  Expression value = 0.0;
  std::vector<Expression> vector;
  std::optional<Expression> alpha;
  Where where;
};

inline Section<Top> top_section() {
  return Section<Top>("", "").key("title", &Top::title, {.help = "Name of the run", .example = "\"A deck\""});
}
inline Section<Mesh> mesh_section() {
  auto box = Section<Box>("box", "")
                 .key("min", &Box::min, {.help = "Lower corner", .unit = "m"})
                 .key("cells", &Box::cells, {.help = "Cells along each axis", .min = 1, .required = true})
                 .key("shape", &Box::shape, {.choices = {"tet", "hex"}});
  return Section<Mesh>("mesh", "The mesh")
      .key("file", &Mesh::file, {.help = "Any file Gmsh opens"})
      .table("box", &Mesh::box, box, {.help = "A box | a grid", .example = "{ cells = [4, 4, 4] }"})
      .key("size", &Mesh::size, {.help = "Element size", .unit = "m", .min = 0, .open_min = true})
      .key("order", &Mesh::order, {.help = "Geometric order", .min = 1, .max = 2});
}
inline Section<Solver> solver_section() {
  return Section<Solver>("solver", "The linear solver")
      .key("type", &Solver::type, {.help = "Method", .choices = {"cg", "bicgstab", "gmres"}})
      .key("tolerance", &Solver::tolerance, {.help = "Relative residual", .min = 0, .max = 1, .open_min = true})
      .key("max_iterations", &Solver::max_iterations, {.min = 0})
      .key("seed", &Solver::seed, {})
      .key("verbose", &Solver::verbose, {})
      .position(&Solver::where);
}
inline Section<Boundary> boundary_section() {
  return Section<Boundary>("boundary", "What holds on a group", SectionKind::array)
      .key("on", &Boundary::on, {.help = "Group names", .example = "[\"left\"]"})
      .key("type", &Boundary::type, {.choices = {"dirichlet", "neumann"}, .required = true, .example = "\"dirichlet\""})
      .key("value", &Boundary::value, {.help = "Its value", .example = "\"x\""})
      .key("vector", &Boundary::vector, {})
      .key("alpha", &Boundary::alpha, {.min = 0})
      .position(&Boundary::where);
}
inline Schema schema() {
  return {mesh_section().description(), solver_section().description(), boundary_section().description(),
          top_section().description()};
}

/// Reads every section, then checks the whole: the Error, or a test failure when there is none.
inline std::optional<Error> error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    const Deck deck = Deck::parse(text, "deck.toml", overrides);
    check(deck, schema());
    top_section().read(deck);
    mesh_section().read(deck);
    solver_section().read(deck);
    boundary_section().read_all(deck);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error for:\n" << text;
  return {};
}

/// The error's message, help and place (line 0: an override).
inline void expect_error(const std::string& text, const std::string& message, const std::string& help, int line,
                         int column, int length, const std::vector<std::string>& overrides = {}) {
  SCOPED_TRACE(text);
  const std::optional<Error> error = error_of(text, overrides);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::usage);
  EXPECT_NE(std::string(error->what()).find(message), std::string::npos) << error->what();
  EXPECT_NE(error->help().find(help), std::string::npos) << error->help();
  ASSERT_TRUE(error->where());
  EXPECT_EQ(error->where()->line, line);
  EXPECT_EQ(error->where()->column, column);
  EXPECT_EQ(error->where()->length, length);
}

}  // namespace tessera::deck::testing
