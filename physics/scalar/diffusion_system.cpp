#include "physics/scalar/diffusion_system_impl.hpp"

namespace tessera::physics::scalar {

WeakForm diffusion_form() {
  WeakForm form;
  form.data = [](const std::vector<MaterialParams>& materials, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                 const std::vector<Index>& material, std::span<const double> u, int threads) {
    return forms::ConvectionData{diffusion_data(materials, material, mesh, dofs, threads, u), {}, {}};
  };
  return form;
}

template std::optional<forms::CellSums> make_diffusion_system(Threads&, const Problem&, System<Threads>&,
                                                              output::Summary&);

}  // namespace tessera::physics::scalar
