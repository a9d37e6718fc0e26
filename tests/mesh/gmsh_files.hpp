#pragma once
// Folders, files and Gmsh models for the tests of the reader.
#include <gmsh.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"

namespace tessera::mesh {

/// A folder of its own for each test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name =
        std::string("tessera_") + test->test_suite_name() + "_" + test->name() + "_" + std::to_string(getpid());
    for (char& c : name)
      if (c == '/') c = '_';
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}
inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Meshes a .geo with Gmsh itself and saves it: version 2.2 or 4.1, ascii or binary.
inline void gmsh_save(const std::filesystem::path& geo, const std::filesystem::path& msh, int dim, double version,
                      bool binary, int order = 1) {
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::open(geo.string());
  gmsh::option::setNumber("Mesh.ElementOrder", order);
  gmsh::option::setNumber("Mesh.MshFileVersion", version);
  gmsh::option::setNumber("Mesh.Binary", binary);
  gmsh::model::mesh::generate(dim);
  gmsh::write(msh.string());
  gmsh::finalize();
}

/// The code that `work` throws; ok where it throws nothing. The message goes to `message`.
template <class F>
ExitCode thrown_code(F work, std::string* message = nullptr) {
  try {
    work();
    return ExitCode::ok;
  } catch (const Error& error) {
    if (message) *message = error.report();
    return error.code();
  }
}

/// A unit cube in two layers along z, of sides and volumes whose groups overlap.
inline const char* layered_cube = R"(
h = 0.5;
Point(1) = {0,0,0,h}; Point(2) = {1,0,0,h}; Point(3) = {1,1,0,h}; Point(4) = {0,1,0,h};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
lower[] = Extrude {0,0,0.5} { Surface{1}; };
upper[] = Extrude {0,0,0.5} { Surface{lower[0]}; };
Physical Volume("all") = {lower[1], upper[1]};
Physical Volume("low") = {lower[1]};
Physical Surface("floor") = {1};
Physical Surface("middle") = {lower[0]};
Physical Surface("flat") = {1, lower[0], upper[0]};
Physical Surface(77) = {upper[0]};
Physical Curve("edge") = {1};
Physical Point("corner") = {1};
)";

}  // namespace tessera::mesh
