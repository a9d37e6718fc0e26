// [output] on: files that show a part of the mesh, or sides of it.
#include <array>
#include <fstream>
#include <iterator>
#include <set>

#include "app/ranks.hpp"
#include "output/vtk_reader.hpp"

namespace {

using namespace app_test;
using namespace tessera;

std::string box(const std::string& shape, int dim, int cells) {
  return fmt::format("[mesh]\nbox = {{ min = [{0}], max = [{1}], cells = [{2}], shape = \"{3}\" }}\n",
                     dim == 2 ? "0,0" : "0,0,0", dim == 2 ? "1,1" : "1,1,1",
                     fmt::join(std::vector<int>(static_cast<std::size_t>(dim), cells), ","), shape);
}

/// u = x + 2 y + 4 z, of which a layer is a group.
std::string linear(const std::string& shape, int dim, int order, const std::string& output) {
  const std::string u = dim == 2 ? "x + 2*y" : "x + 2*y + 4*z";
  return box(shape, dim, 3) + fmt::format("[physics]\ntype = \"poisson\"\norder = {}\n", order) +
         "[[group]]\nname = \"layer\"\nof = \"" + (dim == 2 ? "surfaces" : "volumes") + "\"\nwhere = \"x < 0.34\"\n" +
         "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"" + (dim == 3 ? ", \"front\", \"back\"" : "") +
         "]\ntype = \"dirichlet\"\nvalue = \"" + u + "\"\n[solver]\ntolerance = 1e-13\n[output]\n" + output;
}

using Point = std::array<double, 3>;
Point point_of(const output::VtuFile& file, Offset cell, int node) {
  const auto at = static_cast<std::size_t>(3 * file.connectivity[static_cast<std::size_t>(file.offsets[cell] + node)]);
  return {file.points[at], file.points[at + 1], file.points[at + 2]};
}
double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
Point middle(const Point& a, const Point& b) { return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}; }
/// Of a triangle or a plane quad, by its vertices.
double area(const std::vector<Point>& vertices) {
  double sum = 0;
  for (std::size_t k = 1; k + 1 < vertices.size(); ++k) {
    Point a, b;
    for (std::size_t d = 0; d < 3; ++d) {
      a[d] = vertices[k][d] - vertices[0][d];
      b[d] = vertices[k + 1][d] - vertices[0][d];
    }
    sum += 0.5 * std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  }
  return sum;
}
const output::Field& field(const output::VtuFile& file, const std::string& name) {
  for (const output::Field& of : file.point_fields)
    if (of.name == name) return of;
  throw std::runtime_error("no field " + name);
}
output::VtuFile shown(const std::string& name, const std::string& deck) {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) +
                                          " --quiet --backend threads --output " + out.string());
  EXPECT_EQ(result.code, 0) << deck << result.text;
  return output::read_vtu(out / "solution.vtu");
}

TEST(OutputPart, ShowsASideWithTheNodesOfItsOrder) {
  for (const std::string shape : {"hex", "tet", "prism"})
    for (const int order : {1, 2, 3}) {
      // The sides of a prism are of two shapes: both are asked for.
      const output::VtuFile file = shown("side", linear(shape, 3, order, "on = [\"right\", \"top\"]\n"));
      const std::string name = fmt::format("{} of order {}", shape, order);
      const auto cells = static_cast<Offset>(file.types.size());
      double total = 0;
      for (Offset cell = 0; cell < cells; ++cell) {
        const Offset nodes = file.offsets[cell + 1] - file.offsets[cell];
        const int vertices = nodes == (order + 1) * (order + 1) ? 4 : 3;
        ASSERT_EQ(nodes, vertices == 4 ? (order + 1) * (order + 1) : (order + 1) * (order + 2) / 2) << name;
        std::vector<Point> corners;
        for (int k = 0; k < vertices; ++k) corners.push_back(point_of(file, cell, k));
        total += area(corners);
        for (int k = 0; k < vertices && order == 2; ++k)
          EXPECT_LT(distance(point_of(file, cell, vertices + k), middle(corners[k], corners[(k + 1) % vertices])),
                    1e-12)
              << name;
        for (int k = 0; k < nodes; ++k) {
          const Point x = point_of(file, cell, k);
          EXPECT_TRUE(std::abs(x[0] - 1) < 1e-12 || std::abs(x[1] - 1) < 1e-12 || std::abs(x[2] - 1) < 1e-12) << name;
        }
      }
      EXPECT_NEAR(total, 2, 1e-12) << name;
      const std::vector<double>& u = field(file, "u").values;
      ASSERT_EQ(3 * u.size(), file.points.size());
      for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_NEAR(u[i], file.points[3 * i] + 2 * file.points[3 * i + 1] + 4 * file.points[3 * i + 2], 1e-10) << name;
      // An edge between both sides is there once.
      std::set<Point> places;
      for (std::size_t i = 0; i < u.size(); ++i)
        places.insert({std::round(1e9 * file.points[3 * i]), std::round(1e9 * file.points[3 * i + 1]),
                       std::round(1e9 * file.points[3 * i + 2])});
      EXPECT_EQ(places.size(), u.size()) << name;
      for (const output::Field& of : file.cell_fields)
        EXPECT_EQ(of.values.size(), static_cast<std::size_t>(cells * of.components)) << of.name;
    }
}

TEST(OutputPart, ShowsAGroupOfCells) {
  const output::VtuFile file = shown("layer", linear("quad", 2, 2, "on = [\"layer\"]\nformats = [\"vtu\", \"csv\"]\n"));
  EXPECT_EQ(file.types.size(), 3U);
  EXPECT_EQ(file.points.size() / 3, 3U * 7);
  for (std::size_t i = 0; i < file.points.size(); i += 3) EXPECT_LT(file.points[i], 0.34);
  std::ifstream stream(folder() / "layer" / "solution.csv");
  const std::string table((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 3 * 7);
}

/// A pulse of pressure, of which each frame has the side alone, at the points of equispaced cells.
TEST(OutputPart, ShowsASurfaceOfASeries) {
  const std::string deck = box("quad", 2, 4) +
                           "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 5\n[[material]]\ndensity = "
                           "1\nvp = 1\n[[initial]]\np = \"x^3*(1 + y)\"\n[time]\nend = 0.05\ncfl = 0.5\nscheme = "
                           "\"newmark\"\n[output]\non = [\"top\"]\nevery = 3\nfields = [\"p\"]\n";
  const fs::path out = folder() / "surface";
  const Result result = app_test::tessera("run " + write_deck("surface.toml", deck) +
                                          " --quiet --backend threads --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  int frames = 0;
  for (const auto& entry : fs::directory_iterator(out)) frames += entry.path().extension() == ".vtu";
  EXPECT_GE(frames, 3);
  const output::VtuFile first = output::read_vtu(out / "solution_000000.vtu");
  EXPECT_EQ(first.types.size(), 4U);
  ASSERT_EQ(first.points.size(), 3U * 21);
  std::set<double> x;
  for (std::size_t i = 0; i < 21; ++i) {
    x.insert(std::round(20 * first.points[3 * i]));
    EXPECT_NEAR(20 * first.points[3 * i], std::round(20 * first.points[3 * i]), 1e-9);
    EXPECT_NEAR(first.points[3 * i + 1], 1, 1e-12);
    EXPECT_NEAR(field(first, "p").values[i], 2 * std::pow(first.points[3 * i], 3), 1e-9);
  }
  EXPECT_EQ(x.size(), 21U);
}

TEST(OutputPart, IsThatOfOneOnRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = linear("tet", 3, 2, "on = [\"right\"]\n");
  ASSERT_FALSE(run_on(1, "side", deck).is_discarded());
  ASSERT_FALSE(run_on(2, "side", deck, "--set output.formats='[\"vtu\", \"pvtu\"]'").is_discarded());
  for (const char* const file : {"solution.vtu", "solution.pvtu"}) {
    const Result compared = app_test::tessera("compare " + (out_of("side", 1) / "solution.vtu").string() + " " +
                                              (out_of("side", 2) / file).string() + " --rtol 1e-10 --atol 1e-10");
    EXPECT_EQ(compared.code, 0) << file << "\n" << compared.text;
  }
}

TEST(OutputPart, RefusesWhatCannotBeShown) {
  const auto refused = [](const std::string& deck) {
    const Result result = app_test::tessera("check " + write_deck("refused.toml", deck));
    EXPECT_NE(result.code, 0) << deck;
    EXPECT_TRUE(result.says("refused.toml")) << result.text;
    return result.text;
  };
  EXPECT_NE(refused(linear("quad", 2, 1, "on = [\"lid\"]\n")).find("'lid'"), std::string::npos);
  EXPECT_NE(refused(linear("quad", 2, 1, "on = [\"layer\", \"top\"]\n")).find("different dimensions"),
            std::string::npos);
  const std::string line =
      "[mesh]\nbox = { min = [0], max = [1], cells = [4], shape = \"interval\" }\n[physics]\ntype = "
      "\"poisson\"\n[[boundary]]\non = [\"left\"]\ntype = \"dirichlet\"\nvalue = 0\n[output]\non = [\"right\"]\n";
  EXPECT_NE(refused(line).find("'right' (point) is neither"), std::string::npos);
}

}  // namespace
