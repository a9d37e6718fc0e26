// Assembly on CUDA against the threads reference.
#include <cmath>

#include "assembly/support.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
std::pair<std::vector<double>, std::vector<double>> assembled(const mesh::Mesh& mesh, int order, bool per_point) {
  System<Exec> system(mesh, order);
  forms::DiffusionData data{.region = {}, .k = constant(1.7), .c = constant(0.4), .f = constant(2)};
  if (per_point) {
    const std::vector<double> points = system.assembler.quadrature_points();
    data.k = data.f = {1, true, {}};
    for (std::size_t i = 0; i < points.size(); i += 3) {
      data.k.values.push_back(1 + points[i] * points[i + 1]);
      data.f.values.push_back(std::sin(points[i] + points[i + 2]));
    }
  }
  system.assemble(data);
  return {to_vector(system.A.values), to_vector(system.b)};
}

TEST(AssemblyEquivalence, CudaAgreesWithThreads) {
  TESSERA_REQUIRE(Cuda);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 4; ++order)
      for (const bool per_point : {false, true}) {
        mesh::Mesh mesh = box(shape, 3);
        deform(mesh);
        const auto threads = assembled<Threads>(mesh, order, per_point);
        const auto cuda = assembled<Cuda>(mesh, order, per_point);
        ASSERT_EQ(threads.first.size(), cuda.first.size());
        double size = 0, difference = 0;
        for (std::size_t i = 0; i < threads.first.size(); ++i) {
          size = std::max(size, std::abs(threads.first[i]));
          difference = std::max(difference, std::abs(threads.first[i] - cuda.first[i]));
        }
        EXPECT_LE(difference, 1e-12 * size) << shape << order;
        for (std::size_t i = 0; i < threads.second.size(); ++i)
          EXPECT_NEAR(threads.second[i], cuda.second[i], 1e-12) << shape << order;
      }
}

}  // namespace
}  // namespace tessera::testing
