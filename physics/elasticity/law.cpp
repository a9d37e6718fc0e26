#include "physics/elasticity/law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <eigen3/Eigen/Dense>

#include "base/error.hpp"

namespace tessera::physics::elasticity {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

[[noreturn]] void refuse(const MaterialParams& material, const double* xyz, const std::string& what,
                         const std::string& help) {
  throw Error(ExitCode::usage, what + (xyz ? fmt::format(" at ({}, {}, {})", xyz[0], xyz[1], xyz[2]) : std::string()),
              help, material.where);
}

/// The strains of a body among xx yy zz yz xz xy.
const std::vector<int>& strain_places(Body body) {
  static const std::vector<int> bar{0}, plane{0, 1, 5}, revolution{0, 1, 2, 5}, solid{0, 1, 2, 3, 4, 5};
  switch (body) {
    case Body::bar: return bar;
    case Body::revolution: return revolution;
    case Body::solid: return solid;
    default: return plane;
  }
}

/// And the rest of them.
const std::vector<int>& other_strain_places(Body body) {
  static const std::vector<int> bar{1, 2, 3, 4, 5}, plane{2, 3, 4}, revolution{3, 4}, solid{};
  switch (body) {
    case Body::bar: return bar;
    case Body::revolution: return revolution;
    case Body::solid: return solid;
    default: return plane;
  }
}

/// Plane stress and bars have no stress but in their own components.
bool is_free_of_others(Body body) { return body == Body::plane_stress || body == Body::bar; }

/// Stiffness and compliance. Only `S` is used of bodies that are free of other stresses: so nu = 0.5 has no D, and
/// needs none.
struct Moduli {
  Matrix6 D, S;
};

/// Hughes, (2.7.32), and its inverse.
Moduli isotropic(const MaterialParams& material, Body body, double E, double nu, const double* xyz) {
  if (!(E > 0))
    refuse(material, xyz, fmt::format("young = {} is not positive", E), "a modulus is in Pa: steel has 210e9");
  if (!(nu > -1) || !(nu < 0.5 || (is_free_of_others(body) && nu == 0.5)))
    refuse(
        material, xyz, fmt::format("poisson = {} is not between -1 and 0.5", nu),
        nu == 0.5
            ? "an incompressible material has no matrix between strains and stresses; 0.499 with order = 2 comes near, "
              "plane stress takes 0.5"
            : "most materials have 0 to 0.5: steel 0.3, rubber near 0.5, cork 0");
  const double mu = E / (2 * (1 + nu)), lambda = nu == 0.5 ? 0 : E * nu / ((1 + nu) * (1 - 2 * nu));
  Moduli m{Matrix6::Zero(), Matrix6::Zero()};
  m.D.topLeftCorner<3, 3>().setConstant(lambda);
  m.S.topLeftCorner<3, 3>().setConstant(-nu / E);
  for (int i = 0; i < 3; ++i) {
    m.D(i, i) += 2 * mu, m.D(i + 3, i + 3) = mu;
    m.S(i, i) = 1 / E, m.S(i + 3, i + 3) = 1 / mu;
  }
  return m;
}

/// E_x E_y E_z, nu_xy nu_yz nu_xz, G_xy G_yz G_xz.
Moduli orthotropic(const MaterialParams& material, std::span<const double> v, const double* xyz) {
  for (int i = 0; i < 9; ++i)
    if ((i < 3 || i > 5) && !(v[i] > 0))
      refuse(material, xyz, fmt::format("{} = {} is not positive", i < 3 ? "young" : "shear", v[i]),
             "moduli are in Pa");
  Matrix6 S = Matrix6::Zero();
  for (int i = 0; i < 3; ++i) S(i, i) = 1 / v[i];
  S(0, 1) = S(1, 0) = -v[3] / v[0];
  S(1, 2) = S(2, 1) = -v[4] / v[1];
  S(0, 2) = S(2, 0) = -v[5] / v[0];
  S(5, 5) = 1 / v[6], S(3, 3) = 1 / v[7], S(4, 4) = 1 / v[8];
  if (Eigen::LLT<Matrix6>(S).info() != Eigen::Success)
    refuse(material, xyz, "the orthotropic material is not positive definite",
           "Poisson's ratios must satisfy nu_xy^2 < E_x / E_y and the like; nu_xy is that of a pull along x");
  return {S.inverse(), S};
}

/// Packed upper half to a symmetric matrix.
Eigen::MatrixXd unpacked(std::span<const double> values, int n) {
  Eigen::MatrixXd D(n, n);
  for (int i = 0, k = 0; i < n; ++i)
    for (int j = i; j < n; ++j, ++k) D(i, j) = D(j, i) = values[k];
  return D;
}

void require_definite(const MaterialParams& material, const Eigen::MatrixXd& D, const double* xyz) {
  if (Eigen::LLT<Eigen::MatrixXd>(D).info() != Eigen::Success)
    refuse(material, xyz, "stiffness is not positive definite",
           "give the upper half row by row: D_11, D_12, ..., D_22, ...; every strain must cost energy");
}

}  // namespace

Body body_of(int dim, bool has_axis, const std::string& plane) {
  if (dim == 1) return Body::bar;
  if (dim == 3) return Body::solid;
  return has_axis ? Body::revolution : plane == "stress" ? Body::plane_stress : Body::plane_strain;
}

int strain_size(Body body) { return static_cast<int>(strain_places(body).size()); }

std::vector<deck::Expression> values_of(const MaterialParams& m) {
  std::vector<deck::Expression> all = m.stiffness;
  if (all.empty()) {
    all = m.young;
    all.insert(all.end(), m.poisson.begin(), m.poisson.end());
    if (m.poisson.empty()) all.emplace_back(0.0);
    all.insert(all.end(), m.shear.begin(), m.shear.end());
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    all.push_back(m.expansion.empty() ? deck::Expression(0.0) : m.expansion[m.expansion.size() == 1 ? 0 : axis]);
  all.push_back(m.temperature);
  return all;
}

void check_law(const MaterialParams& m, Body body) {
  const std::size_t given = m.stiffness.size();
  if (given == 0 && m.poisson.empty() && body != Body::bar)
    refuse(m, nullptr, "a material has `young` without `poisson`", "e.g. poisson = \"0.3\"; 0 for cork");
  if (given == 0 || given == 21) return;
  const auto own = static_cast<std::size_t>(strain_size(body) * (strain_size(body) + 1) / 2);
  if (given != own)
    refuse(m, nullptr,
           fmt::format("stiffness has {} values, this body takes {}", given,
                       own == 21 ? "21" : fmt::format("21 or {}", own)),
           "in the order xx yy zz yz xz xy; in the plane xx yy xy, with mesh.axis xx yy zz xy");
}

namespace {

/// The matrix of the strains of the body alone: nothing is known of other components.
Law own_law(const MaterialParams& m, const std::vector<int>& rows, std::span<const double> values,
            const Vector6& thermal, const double* xyz) {
  const int n = static_cast<int>(rows.size());
  const Eigen::MatrixXd D = unpacked(values, n);
  require_definite(m, D, xyz);
  Law law;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      law.D[i * n + j] = D(i, j);
      law.initial[i] += D(i, j) * thermal[rows[j]];
    }
  return law;
}

Moduli moduli_of(const MaterialParams& m, Body body, std::span<const double> values, const double* xyz) {
  if (m.stiffness.empty())
    return m.young.size() == 3 ? orthotropic(m, values, xyz) : isotropic(m, body, values[0], values[1], xyz);
  const Matrix6 D = unpacked(values, 6);
  require_definite(m, D, xyz);
  return {D, D.inverse()};
}

}  // namespace

Law law_of(const MaterialParams& m, Body body, std::span<const double> values, const double* xyz) {
  const std::vector<int>&rows = strain_places(body), &rest = other_strain_places(body);
  const int n = static_cast<int>(rows.size());
  const std::size_t moduli = values.size() - 4;
  Vector6 thermal = Vector6::Zero();
  for (int axis = 0; axis < 3; ++axis) thermal[axis] = values[moduli + axis] * values[moduli + 3];
  if (!m.stiffness.empty() && m.stiffness.size() != 21) return own_law(m, rows, values, thermal, xyz);

  const Moduli all = moduli_of(m, body, values, xyz);
  const bool is_free = is_free_of_others(body);
  // Free of other stresses: eps = S sigma + eps_0 of the own components, inverted. Else sigma = D (eps - eps_0) of the
  // whole.
  Eigen::MatrixXd D(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) D(i, j) = (is_free ? all.S : all.D)(rows[i], rows[j]);
  if (is_free) D = D.inverse().eval();
  const Vector6 stress = all.D * thermal;
  Law law;
  for (int i = 0; i < n; ++i) {
    law.initial[i] = is_free ? 0 : stress[rows[i]];
    for (int j = 0; j < n; ++j) {
      law.D[i * n + j] = 0.5 * (D(i, j) + D(j, i));
      if (is_free) law.initial[i] += D(i, j) * thermal[rows[j]];
    }
  }
  for (int i = 0; i < n * n; ++i)
    if (!std::isfinite(law.D[i]))
      refuse(m, xyz, "the moduli are too large or too small: their stiffness is not finite",
             "choose units in which the moduli are of a usual size");
  for (std::size_t k = 0; k < rest.size(); ++k) {
    law.others_initial[k] = (is_free ? thermal : stress)[rest[k]];
    for (int j = 0; j < n; ++j) law.others[k * n + j] = (is_free ? all.S : all.D)(rest[k], rows[j]);
  }
  return law;
}

namespace {

/// Calls visit(array, length) for the parts of a law that a body uses.
template <class L, class Visit>
void visit_parts(L& law, Body body, Visit visit) {
  const int n = strain_size(body);
  visit(law.D, n * n);
  visit(law.initial, n);
  visit(law.others, (6 - n) * n);
  visit(law.others_initial, 6 - n);
}

}  // namespace

int law_size(Body body) {
  int size = 0;
  const Law any;
  visit_parts(any, body, [&](const auto&, int count) { size += count; });
  return size;
}

void Law::pack(Body body, double* numbers) const {
  visit_parts(*this, body, [&](const auto& part, int count) { numbers = std::copy_n(part.begin(), count, numbers); });
}

Law Law::unpacked(Body body, const double* numbers) {
  Law law;
  visit_parts(law, body, [&](auto& part, int count) {
    std::copy_n(numbers, count, part.begin());
    numbers += count;
  });
  return law;
}

void Law::state(Body body, const double* strain, double (&sigma)[6], double (&eps)[6]) const {
  const std::vector<int>&rows = strain_places(body), &rest = other_strain_places(body);
  const int n = static_cast<int>(rows.size());
  std::fill_n(sigma, 6, 0.0);
  std::fill_n(eps, 6, 0.0);
  for (int i = 0; i < n; ++i) {
    double sum = -initial[i];
    for (int j = 0; j < n; ++j) sum += D[i * n + j] * strain[j];
    sigma[rows[i]] = sum;
    eps[rows[i]] = strain[i];
  }
  const bool is_free = is_free_of_others(body);
  for (std::size_t k = 0; k < rest.size(); ++k) {
    double sum = is_free ? others_initial[k] : -others_initial[k];
    for (int j = 0; j < n; ++j) sum += others[k * n + j] * (is_free ? sigma[rows[j]] : strain[j]);
    (is_free ? eps : sigma)[rest[k]] = sum;
  }
}

}  // namespace tessera::physics::elasticity
