#pragma once
// make_scheme, written once; instantiated by scheme_threads.cpp and scheme_cuda.cu.
#include "physics/conservation/scheme_impl.hpp"
#include "physics/euler/correct.hpp"
#include "physics/euler/roe.hpp"
#include "physics/euler/scheme.hpp"

namespace tessera::physics::euler {

template <class Exec>
std::unique_ptr<Scheme<Exec>> make_scheme(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                          const SchemeParams& params, Index owned,
                                          typename Scheme<Exec>::Exchange exchange,
                                          typename Scheme<Exec>::FloatExchange float_exchange,
                                          const typename Scheme<Exec>::Sum& sum) {
  if (params.in_float && !has_float(params)) throw Error(ExitCode::internal, "this scheme has no passes in float");
  const auto make = [&]<int dim>() -> std::unique_ptr<Scheme<Exec>> {
    if (params.viscosity != Viscosity::guaranteed) {
      conservation::LimitParams limits;
      limits.limiter = Limiter::none;
      const RoeEquation<dim> equation{{params.gas}, params.viscosity == Viscosity::roe, params.entropy_fix};
      return std::make_unique<conservation::SchemeOf<Exec, RoeEquation<dim>>>(exec, mesh, dofs, equation, limits, owned,
                                                                              std::move(exchange));
    }
    if (params.in_float)
      return std::make_unique<conservation::SchemeOf<Exec, GasEquation<dim, float>>>(
          exec, mesh, dofs, GasEquation<dim, float>{in_float(params.gas)}, params.limits(), owned, std::move(exchange),
          std::move(float_exchange), sum);
    return std::make_unique<conservation::SchemeOf<Exec, GasEquation<dim>, FluxCorrection<dim>>>(
        exec, mesh, dofs, GasEquation<dim>{params.gas}, params.limits(), owned, std::move(exchange));
  };
  if (mesh.dim == 1) return make.template operator()<1>();
  if (mesh.dim == 2) return make.template operator()<2>();
  return make.template operator()<3>();
}

}  // namespace tessera::physics::euler
