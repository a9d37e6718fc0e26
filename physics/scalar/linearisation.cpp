#include "physics/scalar/linearisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "assembly/facets/integrals.hpp"
#include "assembly/fields/side_loads.hpp"
#include "forms/robin.hpp"
#include "physics/evaluate.hpp"
#include "physics/scalar/axis.hpp"
#include "physics/scalar/coefficients.hpp"
#include "physics/scalar/derived.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

namespace {

using deck::Expression;

/// Entry (d, e) of a coefficient of `components`.
double entry(const double* k, int components, int dim, int d, int e) {
  if (components == 1) return d == e ? k[0] : 0.0;
  return k[forms::packed_symmetric(d, e, dim)];
}

/// Values of an expression and its derivatives at the points of some cells, one after the other.
class Values {
 public:
  Values(const Derived& derived) : value_(derived.value), damping_(derived.damping) {
    if (derived.of_u) of_u_.emplace(*derived.of_u);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (derived.of_gradient[axis]) of_gradient_[axis].emplace(*derived.of_gradient[axis]);
  }

  /// [count] values, and with `slopes` their derivatives after u and along each axis; those that vanish stay 0.
  void evaluate(const deck::Points& points, std::size_t count, bool slopes) {
    const auto fill = [&](deck::Evaluator& f, std::vector<double>& to) {
      to.resize(count);
      f.evaluate(points, count, 0, to.data(), 1);
    };
    fill(value_, value);
    if (!slopes) return;
    of_u.assign(count, 0.0);
    if (of_u_ && damping_) {
      of_u_->at(points, count, 0, of_u.data());  // where it is infinite there is nothing to take of it
      for (double& slope : of_u) slope = std::isfinite(slope) && slope < 0 ? slope : 0;
    } else if (of_u_) {
      fill(*of_u_, of_u);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      of_gradient[axis].assign(count, 0.0);
      if (of_gradient_[axis]) fill(*of_gradient_[axis], of_gradient[axis]);
    }
  }

  std::vector<double> value, of_u;
  std::array<std::vector<double>, 3> of_gradient;

 private:
  deck::Evaluator value_;
  std::optional<deck::Evaluator> of_u_;
  std::array<std::optional<deck::Evaluator>, 3> of_gradient_;
  bool damping_;
};

/// The values of a material.
struct MaterialValues {
  std::vector<Values> k;
  Values c, f;

  explicit MaterialValues(const DerivedMaterial& material) : c(material.c), f(material.f) {
    for (const Derived& one : material.k) k.emplace_back(one);
  }
  void evaluate(const deck::Points& points, std::size_t count, bool slopes) {
    for (Values& one : k) one.evaluate(points, count, slopes);
    c.evaluate(points, count, slopes);
    f.evaluate(points, count, slopes);
  }
};

/// Where what is evaluated of some cells goes: a coefficient with `components` at each point, or none.
struct Column {
  double* to;
  int components;
  bool present = true;
  Column at(Offset point) const { return {to + point * components, components, present}; }
};

forms::Coefficient at_points_of(Offset points, int components) {
  forms::Coefficient result;
  result.components = components;
  result.per_point = true;
  result.values.resize(static_cast<std::size_t>(points) * static_cast<std::size_t>(components));
  return result;
}

/// What stands at one point: k, grad u, and where they go.
struct PointOfState {
  const MaterialValues& material;
  std::size_t q;
  int dim;
  double u;
  const double* gradient;
  double load, weight;

  int components() const { return static_cast<int>(material.k.size()); }

  void residual(double* flux, double* reaction) const {
    double k[6] = {};
    for (int c = 0; c < components(); ++c) k[c] = material.k[static_cast<std::size_t>(c)].value[q];
    for (int d = 0; d < dim; ++d) {
      flux[d] = 0;
      for (int e = 0; e < dim; ++e) flux[d] -= entry(k, components(), dim, d, e) * gradient[e];
      flux[d] *= weight;
    }
    *reaction = weight * (load * material.f.value[q] - material.c.value[q] * u);
  }

  /// sum_e dK_de / ds g_e, s what `slope` is the derivative after.
  template <class Slope>
  void turned(Slope slope, double* result) const {
    double k[6] = {};
    for (int c = 0; c < components(); ++c) k[c] = slope(material.k[static_cast<std::size_t>(c)]);
    for (int d = 0; d < dim; ++d) {
      result[d] = 0;
      for (int e = 0; e < dim; ++e) result[d] += entry(k, components(), dim, d, e) * gradient[e];
    }
  }

  /// A coefficient of the components of k, or dim x dim of dim^2.
  void between_gradients(const Column& gg) const {
    double k[6] = {}, along[3];
    for (int c = 0; c < components(); ++c) k[c] = material.k[static_cast<std::size_t>(c)].value[q];
    if (gg.components != dim * dim) {
      for (int c = 0; c < components(); ++c) gg.to[c] = weight * k[c];
      return;
    }
    for (int e = 0; e < dim; ++e) {
      turned([&](const Values& of) { return of.of_gradient[static_cast<std::size_t>(e)][q]; }, along);
      for (int d = 0; d < dim; ++d) gg.to[d * dim + e] = weight * (entry(k, components(), dim, d, e) + along[d]);
    }
  }
  void value_beside_gradient(const Column& gv) const {
    turned([&](const Values& of) { return of.of_u[q]; }, gv.to);
    for (int d = 0; d < dim; ++d) gv.to[d] *= weight;
  }
  void gradient_beside_value(const Column& vg) const {
    for (int d = 0; d < dim; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      vg.to[d] = weight * (material.c.of_gradient[axis][q] * u - load * material.f.of_gradient[axis][q]);
    }
  }
  double between_values() const {
    return weight * (material.c.value[q] + material.c.of_u[q] * u - load * material.f.of_u[q]);
  }
};

int components_of(const std::vector<MaterialParams>& materials) {
  std::size_t components = 1;
  for (const MaterialParams& m : materials) components = std::max(components, m.diffusivity.size());
  return static_cast<int>(components);
}

/// Of the problem that expressions of these materials are meant for.
int least_dimension(const std::vector<MaterialParams>& materials, int components) {
  int dim = components == 1 ? 1 : components == 3 ? 2 : 3;
  for (const MaterialParams& material : materials)
    for (const Expression& k : material.diffusivity)
      for (int axis = dim; axis < 3; ++axis)
        if (k.depends_on(slopes[static_cast<std::size_t>(axis)])) dim = axis + 1;
  return dim;
}

/// Whether K + (dK / d grad u) grad u is symmetric, at states by chance of several sizes; not where it has no value at
/// any of them.
bool is_symmetric(const DerivedMaterial& material, int dim) {
  std::mt19937 engine(1);
  MaterialValues values(material);
  bool seen = false;
  for (int sample = 0; sample < 64; ++sample) {
    const double size = std::pow(10.0, sample % 4);
    std::uniform_real_distribution<double> uniform(-size, size);
    double xyz[3] = {}, gradient[3] = {}, u = uniform(engine), matrix[9];
    for (int d = 0; d < dim; ++d) xyz[d] = uniform(engine), gradient[d] = uniform(engine);
    try {
      for (Values& k : values.k) k.evaluate({xyz, &u, gradient}, 1, true);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      continue;  // not a state that the expression is made for
    }
    seen = true;
    const PointOfState point{values, 0, dim, u, gradient, 1, 1};
    point.between_gradients({matrix, dim * dim});
    double largest = 0, difference = 0;
    for (int d = 0; d < dim; ++d)
      for (int e = 0; e < dim; ++e) {
        largest = std::max(largest, std::abs(matrix[d * dim + e]));
        difference = std::max(difference, std::abs(matrix[d * dim + e] - matrix[e * dim + d]));
      }
    if (difference > 1e-10 * largest) return false;
  }
  return seen;
}

}  // namespace

bool is_nonlinear(const Params& params) {
  const std::vector<Expression> all = expressions_of(params);
  return std::any_of(all.begin(), all.end(), [](const Expression& e) { return e.depends_on_solution(); });
}

TangentTraits tangent_traits(const std::vector<MaterialParams>& materials, int dim, bool picard) {
  TangentTraits traits;
  const int components = components_of(materials);
  const int axes = dim > 0 ? dim : least_dimension(materials, components);
  for (const MaterialParams& material : materials) {
    const DerivedMaterial derived(material, components, picard);
    bool of_gradient = false;
    for (const Derived& k : derived.k) {
      traits.of_u |= k.of_u.has_value();
      of_gradient |= k.has_gradient();
    }
    traits.of_gradient |= of_gradient;
    traits.carries |= derived.c.has_gradient() || derived.f.has_gradient();
    if (of_gradient) traits.symmetric = traits.symmetric && is_symmetric(derived, axes);
  }
  traits.symmetric = traits.symmetric && !traits.of_u && !traits.carries;
  return traits;
}

struct Linearisation::Expressions {
  std::vector<DerivedMaterial> materials;
  struct Facet {
    Derived alpha, g;
  };
  std::vector<Facet> facets;  ///< of Problem::facets
};

Linearisation::Linearisation(const Problem& problem, bool picard)
    : problem_(problem),
      traits_(tangent_traits(problem.params.materials, problem.mesh.dim, picard)),
      points_(problem.mesh, problem.dofs),
      field_(problem.mesh, problem.dofs),
      picard_(picard) {
  take_data();
}

void Linearisation::take_data() {
  Expressions all;
  const int components = check_diffusivity(problem_.params.materials, problem_.mesh.dim);
  for (const MaterialParams& material : problem_.params.materials)
    all.materials.emplace_back(material, components, picard_);
  for (const FacetTerm& term : problem_.facets)
    all.facets.push_back(
        {Derived(term.boundary->alpha, of_coefficients(picard_)), Derived(term.boundary->value, of_loads(picard_))});
  expressions_ = std::make_unique<const Expressions>(std::move(all));
}

Linearisation::~Linearisation() = default;

forms::LinearisedData Linearisation::residual(std::span<const double> u, double load) const {
  return at(u, load, false);
}
forms::LinearisedData Linearisation::tangent(std::span<const double> u, double load) const { return at(u, load, true); }

forms::LinearisedData Linearisation::at(std::span<const double> u, double load, bool with_tangent) const {
  const mesh::Mesh& mesh = problem_.mesh;
  const int dim = mesh.dim;
  const Offset points = points_.before(mesh.blocks.size());
  forms::LinearisedData data;
  data.load_gradient = at_points_of(points, dim);
  data.load = at_points_of(points, 1);
  if (with_tangent) {
    const int components = static_cast<int>(expressions_->materials.front().k.size());
    data.gg = at_points_of(points, traits_.of_gradient ? dim * dim : components);
    if (traits_.of_u) data.gv = at_points_of(points, dim);
    if (traits_.carries) data.vg = at_points_of(points, dim);
    data.vv = at_points_of(points, 1);
  }
  const auto column = [](forms::Coefficient& c) { return Column{c.values.data(), c.components, !c.values.empty()}; };
  const Column gg = column(data.gg), gv = column(data.gv), vg = column(data.vg), vv = column(data.vv),
               flux = column(data.load_gradient), reaction = column(data.load);
  struct Workspace {
    std::vector<MaterialValues> materials;
    std::vector<double> xyz, u, gradient;
  };
  const auto workspace = [&] {
    Workspace own;
    for (const DerivedMaterial& material : expressions_->materials) own.materials.emplace_back(material);
    return own;
  };
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells(), first_cell = mesh.blocks[block].first_cell;
    const int per_cell = points_.per_cell(block);
    const Offset chunks = (cells + evaluation_cells - 1) / evaluation_cells;
    for_each_with(workspace, chunks, problem_.space.threads, [&](Workspace& own, Offset chunk) {
      const Index begin = static_cast<Index>(chunk) * evaluation_cells, end = std::min(cells, begin + evaluation_cells);
      for_each_material(problem_.material, first_cell, begin, end, [&](Index cell, Index count, Index material) {
        const std::size_t places = static_cast<std::size_t>(count) * per_cell;
        own.xyz.resize(3 * places), own.u.resize(places), own.gradient.resize(3 * places);
        points_.of_cells(block, cell, count, own.xyz.data());
        field_.of_cells(block, cell, count, u, own.u.data(), own.gradient.data());
        MaterialValues& values = own.materials[static_cast<std::size_t>(material)];
        values.evaluate({own.xyz.data(), own.u.data(), own.gradient.data()}, places, with_tangent);
        const MaterialParams& named = problem_.params.materials[static_cast<std::size_t>(material)];
        const Offset first = points_.before(block) + Offset{cell} * per_cell;
        for (std::size_t q = 0; q < places; ++q) {
          double k[6] = {};
          for (std::size_t c = 0; c < values.k.size(); ++c) k[c] = values.k[c].value[q];
          require_positive_definite(named, k, static_cast<int>(values.k.size()), &own.xyz[3 * q]);
          const Offset to = first + static_cast<Offset>(q);
          const PointOfState point{
              values, q, dim, own.u[q], &own.gradient[3 * q], load, mesh.measure.at(&own.xyz[3 * q])};
          point.residual(flux.at(to).to, reaction.at(to).to);
          if (!with_tangent) continue;
          point.between_gradients(gg.at(to));
          if (gv.present) point.value_beside_gradient(gv.at(to));
          if (vg.present) point.gradient_beside_value(vg.at(to));
          *vv.at(to).to = point.between_values();
        }
      });
    });
  }
  return data;
}

std::vector<assembly::FacetIntegral> Linearisation::facet_residuals(std::span<const double> u, double load) const {
  std::vector<assembly::FacetIntegral> result;
  for (const FacetTerm& term : problem_.facets) {
    result.push_back(facet_integral(term, problem_.mesh, problem_.dofs, problem_.space.threads, u));
    for (double& g : result.back().g) g *= load;
  }
  return result;
}

std::vector<assembly::FacetIntegral> Linearisation::facet_tangents(std::span<const double> u, double load) const {
  std::vector<assembly::FacetIntegral> result;
  for (std::size_t t = 0; t < problem_.facets.size(); ++t) {
    const FacetTerm& term = problem_.facets[t];
    const std::vector<double> xyz =
        assembly::facet_quadrature_points(problem_.mesh, problem_.dofs, term.group, problem_.space.threads);
    const std::vector<double> values = assembly::facet_values(problem_.mesh, problem_.dofs, term.group, u);
    Values alpha(expressions_->facets[t].alpha), g(expressions_->facets[t].g);
    const deck::Points points{xyz.data(), values.data()};
    alpha.evaluate(points, values.size(), true);
    g.evaluate(points, values.size(), true);
    std::vector<double> tangent(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      tangent[i] = alpha.value[i] + alpha.of_u[i] * values[i] - load * g.of_u[i];
    weigh(tangent, xyz, problem_.mesh.measure);
    result.push_back({&term.group, std::move(tangent), {}});
  }
  return result;
}

void Linearisation::add_facet_residuals(std::span<const double> u, double load, std::vector<double>& r) const {
  for (const assembly::FacetIntegral& term : facet_residuals(u, load)) {
    const assembly::SideLoads loads = assembly::facet_loads(problem_.mesh, problem_.dofs, *term.group, forms::Robin{},
                                                            {term.alpha, term.g}, u, problem_.space.threads);
    for (std::size_t i = 0; i < loads.dofs.size(); ++i) r[static_cast<std::size_t>(loads.dofs[i])] += loads.flux[i];
  }
}

}  // namespace tessera::physics::scalar
