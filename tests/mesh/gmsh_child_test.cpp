// Gmsh works in a child process: however it ends, the program goes on with a mesh or an error.
#include <omp.h>
#include <sys/wait.h>

#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"

namespace tessera::mesh {
namespace {

TEST(GmshChild, ExitInAScriptEndsTheChildOnly) {
  TemporaryFolder folder;
  write_text(folder / "exit.geo", "Point(1) = {0,0,0};\nExit;\n");
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "exit.geo"); }, &message), ExitCode::mesh);
  EXPECT_NE(message.find("Gmsh ended with exit code 0"), std::string::npos) << message;
  EXPECT_NE(message.find("exit.geo"), std::string::npos) << message;
}

TEST(GmshChild, HangingHasAnEnd) {
  TemporaryFolder folder;
  write_text(folder / "loop.geo", "x = 0;\nFor i In {1:1e15}\n  x = x + 1;\nEndFor\n");
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "loop.geo", {.time_limit = 1}); }, &message), ExitCode::mesh);
  EXPECT_NE(message.find("used up its time"), std::string::npos) << message;
  EXPECT_NE(message.find("mesh.time_limit"), std::string::npos) << message;
}

TEST(GmshChild, IsFollowedAndStopped) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  std::vector<std::string> seen;
  const auto note = [&](double, const std::string& what) { seen.push_back(what); };
  read_gmsh(folder / "cube.geo", {.size = 0.2, .hooks = {{}, note}});
  const auto starts = [](const char* start) {
    return [start](const std::string& what) { return what.rfind(start, 0) == 0; };
  };
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), starts("Gmsh: Meshing surface ")));
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), starts("Gmsh: Meshing 3D...")));
  write_text(folder / "loop.geo", "x = 0;\nFor i In {1:1e15}\n  x = x + 1;\nEndFor\n");
  int asked = 0;
  const auto stop = [&] { return ++asked > 2; };
  EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "loop.geo", {.hooks = {stop, {}}}); }), ExitCode::interrupted);
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1);  // no child is left
}

}  // namespace
}  // namespace tessera::mesh
