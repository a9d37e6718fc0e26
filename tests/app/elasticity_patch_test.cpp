// Fields of constant strain come out to rounding, on distorted meshes of every shape, of every law and kind of body.
#include <eigen3/Eigen/Dense>

#include "app/elasticity.hpp"
#include "mesh/gmsh_writer.hpp"
#include "mesh/params.hpp"
#include "support/mixed.hpp"
#include "support/poisson.hpp"

namespace {

using namespace app_test;
namespace mesh = tessera::mesh;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// A material as the deck has it, and its matrix of xx yy zz yz xz xy.
struct Material {
  const char* name;
  std::string deck;
  Matrix6 D;
};

Material isotropic_one() {
  const double E = 210, nu = 0.3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  Matrix6 D = Matrix6::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) D(i, j) = lambda;
    D(i, i) += 2 * mu;
    D(i + 3, i + 3) = mu;
  }
  return {"isotropic", isotropic("210", "0.3"), D};
}

Material orthotropic(const char* name, const std::array<double, 3>& E, const std::array<double, 3>& nu,
                     const std::array<double, 3>& G) {
  const auto [xy, yz, xz] = nu;
  Matrix6 S = Matrix6::Zero();
  for (int i = 0; i < 3; ++i) S(i, i) = 1 / E[i];
  S(0, 1) = S(1, 0) = -xy / E[0];
  S(1, 2) = S(2, 1) = -yz / E[1];
  S(0, 2) = S(2, 0) = -xz / E[0];
  S(3, 3) = 1 / G[1], S(4, 4) = 1 / G[2], S(5, 5) = 1 / G[0];
  return {name,
          "[[material]]\nyoung = " + numbers({E[0], E[1], E[2]}) + "\npoisson = " + numbers({xy, yz, xz}) +
              "\nshear = " + numbers({G[0], G[1], G[2]}) + "\n",
          S.inverse()};
}

Material orthotropic_one() { return orthotropic("orthotropic", {140, 10, 25}, {0.3, 0.2, 0.25}, {5, 3.5, 4.5}); }

/// The same along r and around the axis y: elsewhere sigma_r - sigma_phi of a constant strain would need a force.
Material round_one() { return orthotropic("round", {10, 140, 10}, {0.02, 0.28, 0.3}, {4, 4, 3.5}); }

Material whole_one() {
  Matrix6 D = Matrix6::Zero();
  std::vector<double> upper;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) {
      D(i, j) = D(j, i) = i == j ? 10 + 3 * i : std::sin(1 + 3.0 * i + j);
      upper.push_back(D(i, j));
    }
  return {"whole", "[[material]]\nstiffness = " + numbers(upper) + "\n", D};
}

enum class Kind { bar, strain, stress, revolution, solid };

/// The whole state of a constant strain: what a kind of body leaves free of stress is condensed out of D.
void complete(Kind kind, const Matrix6& D, Vector6& eps, Vector6& sigma) {
  std::vector<int> free;
  if (kind == Kind::stress) free = {2, 3, 4};
  if (kind == Kind::bar) free = {1, 2, 3, 4, 5};
  if (!free.empty()) {
    const auto n = static_cast<Eigen::Index>(free.size());
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      b[i] = -D.row(free[i]).dot(eps);
      for (Eigen::Index j = 0; j < n; ++j) A(i, j) = D(free[i], free[j]);
    }
    const Eigen::VectorXd x = A.ldlt().solve(b);
    for (Eigen::Index i = 0; i < n; ++i) eps[free[i]] = x[i];
  }
  sigma = D * eps;
}

struct Body {
  Kind kind;
  int dim;
  std::string mesh, physics;
};

const double slope[3][3] = {{2e-3, -1e-3, 0.5e-3}, {0.7e-3, 1.5e-3, -0.4e-3}, {-0.3e-3, 0.9e-3, -1.2e-3}};

/// Prescribes a field of constant gradient on the group "rim", and expects it and its stress everywhere.
void expect_constant(const std::string& name, const Body& body, const Material& material, int order) {
  std::vector<std::string> u, gradient;
  double G[3][3] = {};
  for (int c = 0; c < body.dim; ++c) {
    std::string of_c = fmt::format("{}", body.kind == Kind::revolution && c == 0 ? 0.0 : 0.3e-3 * (c + 1));
    for (int a = 0; a < body.dim; ++a) {
      G[c][a] = body.kind == Kind::revolution && a != c ? 0 : slope[c][a];
      of_c += fmt::format(" + ({})*{}", G[c][a], "xyz"[a]);
      gradient.push_back(fmt::format("{}", G[c][a]));
    }
    u.push_back(of_c);
  }
  Vector6 eps, sigma;
  eps << G[0][0], G[1][1], body.kind == Kind::revolution ? G[0][0] : G[2][2], G[1][2] + G[2][1], G[0][2] + G[2][0],
      G[0][1] + G[1][0];
  complete(body.kind, material.D, eps, sigma);
  // Of a body of revolution the axes x, y, z of the material are r, z, phi; of plane strain the stresses yz, xz are not
  // asked.
  std::string deck = body.mesh + elasticity(order, body.physics) + material.deck +
                     boundary("rim", "displacement", "value = " + quoted(u)) + "[exact]\nu = " + quoted(u) +
                     "\ngradient = " + quoted(gradient) + "\n" + exactly;
  const std::vector<std::pair<std::string, int>> parts{{"xx", 0}, {"yy", 1}, {"zz", 2},
                                                       {"yz", 3}, {"xz", 4}, {"xy", 5}};
  const auto known = [&](int k) { return body.kind == Kind::solid || (k != 3 && k != 4); };
  for (const auto& [part, k] : parts)
    if (known(k)) deck += extremes("stress_" + part) + extremes("strain_" + part);
  for (int c = 0; c < body.dim; ++c) deck += reaction(std::string(1, "xyz"[c]), "rim");
  const auto summary = run_elastic("patch", deck);
  if (summary.is_discarded()) return;
  const double scale = sigma.cwiseAbs().maxCoeff();
  const auto& errors = summary["errors"][body.dim == 1 ? "u_x" : "u"];
  EXPECT_LT(errors["max"], 1e-14) << name;
  EXPECT_LT(errors["h1"], 1e-13) << name;
  for (const auto& [part, k] : parts) {
    if (!known(k)) continue;
    for (const char* end : {".min", ".max"}) {
      EXPECT_NEAR(summary["quantities"]["stress_" + part + end], sigma[k], 1e-10 * scale) << name << " " << part;
      EXPECT_NEAR(summary["quantities"]["strain_" + part + end], eps[k] / (k < 3 ? 1 : 2), 1e-13) << name << part;
    }
  }
  // The rim holds nothing but itself: no load acts. Of a body of revolution only what is along the axis adds up.
  for (int c = body.kind == Kind::revolution ? 1 : 0; c < body.dim; ++c)
    EXPECT_LT(std::abs(summary["quantities"][fmt::format("R_{}_rim", "xyz"[c])].get<double>()), 1e-11) << name;
  EXPECT_LT(summary["balance"]["relative_remainder"], 1e-10) << name;
}

const std::string rim = group("rim", "1 > 0");

/// An order-1 mesh, moved out of shape, in a file.
std::string distorted(const std::string& shape) {
  mesh::Mesh mesh = shape == "quad+triangle"   ? tessera::testing::quads_and_triangles(4)
                    : shape == "hex+prism+tet" ? tessera::testing::hexes_prisms_and_tets(4)
                                               : tessera::testing::box(shape, 3);
  tessera::testing::distort(mesh, 0.1);
  const fs::path file = folder() / ("distorted_" + shape + ".msh");
  mesh::write_msh(mesh, file);
  return file_mesh(file) + rim;
}

/// Curved cells: parts of a ring, swept around it in space.
std::string curved(const std::string& shape) {
  std::string geometry = "SetFactory(\"OpenCASCADE\");\nMesh.MeshSizeMin = 0.6;\nMesh.MeshSizeMax = 0.6;\n";
  if (shape == "tet")
    geometry += "Sphere(1) = {0, 0, 0, 1, 0, Pi/2, Pi/2};\n";
  else if (shape == "triangle")
    geometry += "Disk(1) = {0, 0, 0, 1};\n";
  else
    geometry +=
        "Point(1) = {1, 0, 0};\nPoint(2) = {2, 0, 0};\nLine(1) = {1, 2};\n"
        "Extrude {{0, 0, 1}, {0, 0, 0}, Pi/2} { Curve{1}; Layers{3}; Recombine; }\n";
  if (shape == "prism" || shape == "hex")
    geometry =
        "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {1, 0, 0, 1, 1};\n"
        "Transfinite Curve{1:4} = 3;\nTransfinite Surface{1};\n" +
        std::string(shape == "hex" ? "Recombine Surface{1};\n" : "") +
        "Extrude {{0, 1, 0}, {0, 0, 0}, Pi/2} { Surface{1}; Layers{3}; Recombine; }\n";
  const std::string file = write_deck("curved_" + shape + ".geo", geometry);
  return file_mesh(file, "order = 2\n") + rim;
}

int dim_of(const std::string& shape) {
  return shape == "quad+triangle" ? 2 : shape == "hex+prism+tet" ? 3 : mesh::dimension(mesh::shape_from_name(shape));
}

class ElasticPatch : public ::testing::TestWithParam<std::string> {};

TEST_P(ElasticPatch, ConstantStressComesOutOnDistortedCells) {
  const std::string& shape = GetParam();
  const int dim = dim_of(shape);
  const std::string mesh = distorted(shape);
  for (const Material& material : {isotropic_one(), orthotropic_one(), whole_one()})
    for (int order = 1; order <= 4; ++order) {
      // The whole matrix is the strictest; the others at one order each.
      if (material.name != std::string("whole") && order != 2) continue;
      if (dim == 3 && order == 4 && material.name != std::string("whole")) continue;
      const std::string name = fmt::format("{} {} P{}", shape, material.name, order);
      if (dim == 1) expect_constant(name, {Kind::bar, 1, mesh, ""}, material, order);
      if (dim == 3) expect_constant(name, {Kind::solid, 3, mesh, ""}, material, order);
      if (dim != 2) continue;
      expect_constant(name + " strain", {Kind::strain, 2, mesh, "plane = \"strain\"\n"}, material, order);
      expect_constant(name + " stress", {Kind::stress, 2, mesh, "plane = \"stress\"\n"}, material, order);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ElasticPatch,
                         ::testing::Values("interval", "triangle", "quad", "tet", "hex", "prism", "quad+triangle",
                                           "hex+prism+tet"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '+') c = '_';
                           return name;
                         });

TEST(ElasticPatchCurved, ConstantStressComesOutOnCurvedCellsFromOrder2) {
  for (const char* shape : {"triangle", "quad", "tet", "hex", "prism"})
    for (int order = 2; order <= 4; ++order) {
      const int dim = dim_of(shape);
      const std::string mesh = curved(shape), name = fmt::format("curved {} P{}", shape, order);
      if (dim == 3) {
        if (order < 4) expect_constant(name, {Kind::solid, 3, mesh, ""}, whole_one(), order);
        continue;
      }
      expect_constant(name, {Kind::strain, 2, mesh, ""}, whole_one(), order);
      expect_constant(name, {Kind::stress, 2, mesh, "plane = \"stress\"\n"}, orthotropic_one(), order);
    }
}

/// u_r = a r, u_z = b + c z: a stress that is constant, up to the axis.
TEST(ElasticPatchRevolution, ConstantStressComesOut) {
  for (const char* shape : {"triangle", "quad"})
    for (int order = 1; order <= 4; ++order)
      for (const double inside : {0.0, 0.5}) {
        const std::string mesh = box_mesh(shape, {inside + 1, 2}, {3, 4}, {inside, 0}, "axis = \"y\"\n") +
                                 group("rim", inside > 0 ? "1 > 0" : "x > 1e-9 || y < 1e-9 || y > 2 - 1e-9");
        for (const Material& material : {isotropic_one(), round_one()})
          expect_constant(fmt::format("axis {} {} P{} from {}", shape, material.name, order, inside),
                          {Kind::revolution, 2, mesh, ""}, material, order);
      }
}

}  // namespace
