// The affine maps of $Periodic, from files that Gmsh writes in each of its formats.
#include <tuple>

#include "gmsh_files.hpp"
#include "mesh/periodic.hpp"

namespace tessera::mesh {
namespace {

class PeriodicFile : public ::testing::TestWithParam<std::tuple<double, bool>> {};

TEST_P(PeriodicFile, GivesTheMapsThatGmshWrote) {
  const auto [version, binary] = GetParam();
  const TemporaryFolder folder;
  write_text(folder / "strip.geo", R"(
Point(1) = {0,0,0,0.3}; Point(2) = {2,0,0,0.3}; Point(3) = {2,1,0,0.3}; Point(4) = {0,1,0,0.3};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Periodic Curve {2} = {-4} Translate {2,0,0};
Periodic Curve {3} = {-1} Translate {0,1,0};
Physical Surface("all") = {1}; Physical Curve("rim") = {1,2,3,4};
)");
  gmsh_save(folder / "strip.geo", folder / "strip.msh", 2, version, binary);
  ASSERT_TRUE(has_periodic_section(folder / "strip.msh"));
  bool along_x = false, along_y = false;
  for (const AffineMap& map : periodic_maps(folder / "strip.msh")) {
    const double corner[3] = {0, 0, 0};
    const std::array<double, 3> image = map(corner);
    along_x |= image == std::array<double, 3>{2, 0, 0};
    along_y |= image == std::array<double, 3>{0, 1, 0};
  }
  EXPECT_TRUE(along_x);
  EXPECT_TRUE(along_y);
}

TEST_P(PeriodicFile, EndsItsListWhereTheSectionIsCutOff) {
  const auto [version, binary] = GetParam();
  const TemporaryFolder folder;
  write_text(folder / "strip.geo",
             "Point(1) = {0,0,0,0.5}; Point(2) = {1,0,0,0.5}; Point(3) = {1,1,0,0.5}; Point(4) = {0,1,0,0.5};\n"
             "Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};\n"
             "Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};\nPeriodic Curve {2} = {-4} Translate {1,0,0};\n");
  gmsh_save(folder / "strip.geo", folder / "strip.msh", 2, version, binary);
  const std::string whole = read_text(folder / "strip.msh");
  const std::size_t start = whole.find("$Periodic");
  ASSERT_NE(start, std::string::npos);
  for (std::size_t length = start; length < whole.size(); ++length) {
    write_text(folder / "cut.msh", whole.substr(0, length));
    EXPECT_LE(periodic_maps(folder / "cut.msh").size(), 1u + periodic_maps(folder / "strip.msh").size());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, PeriodicFile, ::testing::Combine(::testing::Values(2.2, 4.1), ::testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) < 4 ? "version_2_2" : "version_4_1") +
                                  (std::get<1>(info.param) ? "_binary" : "_ascii");
                         });

}  // namespace
}  // namespace tessera::mesh
