// Observed orders of linear elasticity: a manufactured solution with a body force, displacements and a traction.
#include "app/elasticity.hpp"

namespace {

using namespace app_test;

/// u = (sin x cos y cos z, a cos x sin y cos z, b cos x cos y sin z) of pi x, pi y, pi z; in the plane without z.
/// With d = 1 + a + b, div u = pi d cos cos cos and lap u = -dim pi^2 u:
///   f = (lambda + mu) pi^2 d (sin cos cos, cos sin cos, cos cos sin) + dim mu pi^2 u,
/// and on x = 1, where sin x = 0 and cos x = -1, sigma n = (-pi (lambda d + 2 mu) cos y cos z, 0, 0).
std::string manufactured(const std::string& shape, int dim, int order, int cells) {
  const double mu = 1 / 2.6, lambda = 0.3 / (1.3 * 0.4), weight[3] = {1, 0.5, dim == 3 ? -0.7 : 0.0},
               d = weight[0] + weight[1] + weight[2], pi = M_PI;
  const auto product = [&](int sine, int derivative) {  // sin along one axis, cos along the others; derived along one
    std::string all;
    for (int axis = 0; axis < dim; ++axis) {
      const bool is_sine = (axis == sine) != (axis == derivative);
      const std::string sign = axis == derivative && axis != sine ? "-" : "";
      all += fmt::format("{}({}{}(pi*{}))", axis > 0 ? "*" : "", sign, is_sine ? "sin" : "cos", "xyz"[axis]);
    }
    return all;
  };
  std::vector<std::string> u, gradient, force,
      traction{fmt::format("-{}*cos(pi*y){}", pi * (lambda * d + 2 * mu), dim == 3 ? "*cos(pi*z)" : "")};
  for (int c = 0; c < dim; ++c) {
    u.push_back(fmt::format("({})*{}", weight[c], product(c, -1)));
    force.push_back(fmt::format("({})*{}", pi * pi * ((lambda + mu) * d + dim * mu * weight[c]), product(c, -1)));
    for (int a = 0; a < dim; ++a) gradient.push_back(fmt::format("({})*{}", pi * weight[c], product(c, a)));
    if (c > 0) traction.emplace_back("0");
  }
  return box_mesh(shape, std::vector<double>(dim, 1.0), std::vector<int>(dim, cells)) + elasticity(order) +
         isotropic("1", "0.3", "body_force = " + quoted(force) + "\n") +
         "[[boundary]]\non = [\"left\", \"bottom\", \"top\"" + (dim == 3 ? ", \"back\", \"front\"" : "") +
         "]\ntype = \"displacement\"\nvalue = " + quoted(u) + "\n" +
         boundary("right", "traction", "value = " + quoted(traction)) + "[exact]\nu = " + quoted(u) +
         "\ngradient = " + quoted(gradient) +
         "\n[solver]\ntype = \"cg\"\npreconditioner = \"ssor\"\ntolerance = 1e-11\n";
}

class ElasticConvergence : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(ElasticConvergence, OrderIsThatOfTheElementPlusOneInL2) {
  const auto& [shape, order] = GetParam();
  const int dim = shape == "triangle" || shape == "quad" ? 2 : 3;
  const int cells = dim == 2 ? (order < 3 ? 8 : 4) : order == 1 ? 6 : order == 2 ? 4 : 2;
  double l2[2], h1[2];
  for (const int level : {0, 1}) {
    const auto summary = run_elastic("orders", manufactured(shape, dim, order, cells << level));
    ASSERT_TRUE(summary.contains("errors"));
    l2[level] = summary["errors"]["u"]["l2"], h1[level] = summary["errors"]["u"]["h1"];
  }
  const double in_l2 = std::log2(l2[0] / l2[1]), in_h1 = std::log2(h1[0] / h1[1]);
  EXPECT_GT(in_l2, order + 1 - 0.3) << l2[0] << " " << l2[1];
  EXPECT_GT(in_h1, order - 0.25) << h1[0] << " " << h1[1];
  RecordProperty("order_l2", fmt::format("{:.2f}", in_l2));
  RecordProperty("order_h1", fmt::format("{:.2f}", in_h1));
}

INSTANTIATE_TEST_SUITE_P(Orders, ElasticConvergence,
                         ::testing::Combine(::testing::Values("triangle", "quad", "tet", "hex"),
                                            ::testing::Values(1, 2, 3, 4)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_P" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
