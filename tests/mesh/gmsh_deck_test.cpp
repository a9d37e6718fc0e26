#include <gtest/gtest.h>

#include "base/profile.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/make_mesh.hpp"

namespace tessera::mesh {
namespace {

Mesh from_deck(const std::string& text) {
  const deck::Deck deck = deck::Deck::parse(text, "case.toml");
  return make_mesh(deck, mesh_section().read(deck, true));
}
std::string refusal(const std::string& text, ExitCode expected = ExitCode::usage) {
  std::string message;
  EXPECT_EQ(thrown_code([&] { from_deck(text); }, &message), expected) << text << "\n" << message;
  return message;
}

TEST(MeshOfADeck, RefinedBoxIsABox) {
  const Mesh mesh =
      from_deck("[mesh]\nbox = { cells = [3, 2], shape = \"quad\", min = [0,0], max = [3,1] }\nrefine = 2\n");
  EXPECT_EQ(mesh.cells(), 3 * 2 * 16);
  EXPECT_EQ(mesh.box_cells, (std::array<Index, 3>{12, 8, 0}));
  EXPECT_NEAR(measure(mesh), 3, 1e-12);
  bool found = false;
  for (const Phase& phase : profile().phases()) found = found || phase.name == "mesh.generate";
  EXPECT_TRUE(found);
}

TEST(MeshOfADeck, FilesAreRefinedAndNumbered) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  const std::string file = "[mesh]\nfile = \"" + (folder / "cube.geo").string() + "\"\n";
  const Mesh coarse = from_deck(file);
  for (const char* numbering : {"rcm", "metis", "file"}) {
    const Mesh mesh = from_deck(file + "refine = 1\nnumbering = \"" + numbering + "\"\n");
    EXPECT_EQ(mesh.cells(), 8 * coarse.cells());
    EXPECT_NEAR(measure(mesh, *mesh.group("low", 3)), 0.5, 1e-12);
    EXPECT_NEAR(measure(mesh, *mesh.group("flat", 2)), 3, 1e-12);
    EXPECT_EQ(mesh.group("edge", 1)->vertices.size(), 8u);
  }
}

TEST(MeshOfADeck, SaysWhatIsWrong) {
  EXPECT_NE(refusal("[mesh]\norder = 1\n").find("neither"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nfile = \"a.msh\"\nbox = { cells = [1], shape = \"interval\" }\n").find("both"),
            std::string::npos);
  refusal("[mesh]\nfile = \"a.msh\"\norder = 3\n");
  refusal("[mesh]\nfile = \"a.msh\"\nsize = 0\n");
  refusal("[mesh]\nfile = \"a.msh\"\nrefine = 13\n");
  EXPECT_NE(refusal("[mesh]\nfile = \"a.msh\"\nnumbering = \"rcn\"\n").find("rcm"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nbox = { cells = [1,1,1], shape = \"tett\" }\n").find("tet"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nbox = { cells = [1,1], shape = \"tet\" }\n").find("3 axes"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nbox = { shape = \"tet\" }\n").find("cells"), std::string::npos);
  EXPECT_NE(refusal("[mesh]\nfile = \"no_such.msh\"\n", ExitCode::file_system).find("case.toml:2"), std::string::npos);
  refusal("[mesh]\nbox = { cells = [1000,1000,1000], shape = \"hex\" }\nrefine = 12\n", ExitCode::mesh);
}

}  // namespace
}  // namespace tessera::mesh
