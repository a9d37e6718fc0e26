#include "physics/run/errors.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "assembly/fields/errors.hpp"
#include "base/communicator.hpp"
#include "base/log.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics {

namespace {

/// The gradient of a component of the exact solution: that of the deck, or derived from u.
std::vector<deck::Expression> gradient_of(const ExactParams& exact, int c, int dim) {
  std::vector<deck::Expression> gradient;
  for (int axis = 0; axis < dim; ++axis)
    gradient.push_back(exact.gradient.empty()
                           ? deck::derivative(exact.u[static_cast<std::size_t>(c)], static_cast<deck::Variable>(axis))
                           : exact.gradient[static_cast<std::size_t>(c) * static_cast<std::size_t>(dim) +
                                            static_cast<std::size_t>(axis)]);
  return gradient;
}

/// `why`: why there is none in H1, where a gradient was derived that has no value somewhere.
assembly::ErrorNorms error_norms(const ExactParams& exact, int c, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                 const assembly::FieldView& u, const assembly::ErrorOptions& options,
                                 std::string& why) {
  const deck::Expression& of = exact.u[static_cast<std::size_t>(c)];
  const auto errors = [&](std::span<const deck::Expression> gradient) {
    return assembly::compute_errors(mesh, dofs, u, of, gradient, options);
  };
  const std::vector<deck::Expression> gradient = gradient_of(exact, c, mesh.dim);
  if (!exact.gradient.empty()) return errors(gradient);
  try {
    return errors(gradient);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    const assembly::ErrorNorms without = errors({});  // throws where u itself has no value
    why = fmt::format("no error in H1: of the gradient derived from '{}' in [exact], {}", of.text(), error.what());
    return without;
  }
}

/// Of all ranks.
assembly::ErrorNorms error_norms(const ExactParams& exact, int c, const NodalSolution& s,
                                 const assembly::FieldView& u) {
  assembly::ErrorNorms errors;
  std::string why;
  in_common::each(s.share, [&] {
    const std::span<const char> only = s.share ? std::span<const char>(s.share->cells) : std::span<const char>();
    errors = error_norms(exact, c, s.mesh, s.space.dofs, u, {.threads = s.threads, .only = only}, why);
  });
  if (s.share) {
    why = first_text(*s.share->ranks, why);
    const bool has_h1 = !in_common::any(s.share, !errors.h1);
    std::array<double, 2> squares{errors.l2 * errors.l2, has_h1 ? *errors.h1 * *errors.h1 : 0};
    in_common::add(s.share, squares);
    in_common::largest(s.share, {&errors.max, 1});
    errors.l2 = std::sqrt(squares[0]);
    errors.h1 = has_h1 ? std::optional(std::sqrt(squares[1])) : std::nullopt;
  }
  if (!why.empty()) warn(why);
  return errors;
}

void summarise_errors(const assembly::ErrorNorms& errors, const std::string& name, output::Summary& summary) {
  summary.set("errors." + name + ".l2", errors.l2);
  if (errors.h1) summary.set("errors." + name + ".h1", *errors.h1);
  summary.set("errors." + name + ".max", errors.max);
}

}  // namespace

void report_errors(const ExactParams& exact, const FieldInfo& field, const NodalSolution& s, output::Summary& summary) {
  assembly::ErrorNorms all;
  all.h1 = 0;
  const assembly::FieldView u(s.u, s.space.layout());
  for (int c = 0; c < s.space.components; ++c) {
    const assembly::ErrorNorms errors = error_norms(exact, c, s, u.component(c));
    summarise_errors(errors, field.component(c), summary);
    all.l2 = std::hypot(all.l2, errors.l2);
    if (!errors.h1) all.h1.reset();
    if (all.h1) all.h1 = std::hypot(*all.h1, *errors.h1);
    all.max = std::max(all.max, errors.max);
  }
  if (s.space.components > 1) summarise_errors(all, field.name, summary);
}

void check_values(const ExactParams& exact, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads) {
  const std::vector<double> u(static_cast<std::size_t>(dofs.dofs), 0.0);
  for (std::size_t c = 0; c < exact.u.size(); ++c) {
    std::string why;
    error_norms(exact, static_cast<int>(c), mesh, dofs, u, {.threads = threads}, why);
    if (!why.empty()) warn(why);
  }
}

}  // namespace tessera::physics
