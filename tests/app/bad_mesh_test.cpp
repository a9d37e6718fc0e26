// Mesh files that cannot be computed on, given to the program: exit code, message, place, and no memory that a header
// made up.
#include <cstdint>
#include <cstring>

#include "app/program.hpp"

namespace {

using namespace app_test;

struct Format {
  bool version4;
  bool binary;
};
std::string text_of(const Format& format) {
  return std::string(format.version4 ? "msh41" : "msh22") + (format.binary ? "_binary" : "_ascii");
}
void PrintTo(const Format& format, std::ostream* out) { *out << text_of(format); }

/// What a file claims; the defaults are true.
struct Claims {
  std::uint64_t nodes = 4, elements = 2;
  std::uint64_t apex = 4;  ///< the last vertex of the tet
};

/// Appends numbers as text or as bytes.
class Writer {
 public:
  explicit Writer(bool binary) : binary_(binary) {}
  Writer& line(const std::string& text) {
    text_ += text + "\n";
    return *this;
  }
  template <class T, class... Values>
  Writer& put(Values... values) {
    (one(static_cast<T>(values)), ...);
    return *this;
  }
  /// put, and the end of the line in a file of text.
  template <class T, class... Values>
  Writer& row(Values... values) {
    put<T>(values...);
    if (!binary_) text_ += '\n';
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  template <class T>
  void one(T value) {
    if (binary_)
      text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      text_ += std::to_string(value) + ' ';
  }
  bool binary_;
  std::string text_;
};

constexpr double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

void write_version2(Writer& out, const Format& format, const Claims& claims) {
  out.line("$Nodes").line(std::to_string(claims.nodes));
  for (int node = 0; node < 4; ++node)
    out.put<std::int32_t>(node + 1).row<double>(corners[node][0], corners[node][1], corners[node][2]);
  out.line("$EndNodes").line("$Elements").line(std::to_string(claims.elements));
  if (format.binary) {  // a header for each run of one type: type, elements, tags
    out.row<std::int32_t>(2, 1, 2, 1, 1, 1, 1, 2, 3);
    out.row<std::int32_t>(4, 1, 2, 2, 2, 2, 1, 2, 3, claims.apex);
  } else {
    out.row<std::int32_t>(1, 2, 2, 1, 1, 1, 2, 3);
    out.row<std::int32_t>(2, 4, 2, 2, 2, 1, 2, 3, claims.apex);
  }
  out.line("$EndElements");
}

void write_version4(Writer& out, const Claims& claims) {
  out.line("$Entities").row<std::uint64_t>(0, 0, 1, 1);
  for (int group : {1, 2}) {  // tag, box, physical groups, no bounding entities
    out.put<std::int32_t>(group).put<double>(0, 0, 0, 1, 1, 1).put<std::uint64_t>(1).put<std::int32_t>(group);
    out.row<std::uint64_t>(0);
  }
  out.line("$EndEntities").line("$Nodes").row<std::uint64_t>(1, claims.nodes, 1, 4);
  out.put<std::int32_t>(3, 2, 0).row<std::uint64_t>(claims.nodes);
  for (int node = 1; node <= 4; ++node) out.row<std::uint64_t>(node);
  for (const auto& x : corners) out.row<double>(x[0], x[1], x[2]);
  out.line("$EndNodes").line("$Elements").row<std::uint64_t>(2, claims.elements, 1, 2);
  out.put<std::int32_t>(2, 1, 2).row<std::uint64_t>(1).row<std::uint64_t>(1, 1, 2, 3);
  out.put<std::int32_t>(3, 2, 4).row<std::uint64_t>(claims.elements - 1).row<std::uint64_t>(2, 1, 2, 3, claims.apex);
  out.line("$EndElements");
}

/// One tet "body" on its side "base".
std::string tet_file(const Format& format, const Claims& claims = {}) {
  Writer out(format.binary);
  out.line("$MeshFormat").line(std::string(format.version4 ? "4.1" : "2.2") + (format.binary ? " 1 8" : " 0 8"));
  if (format.binary) out.row<std::int32_t>(1).line("");
  out.line("$EndMeshFormat")
      .line("$PhysicalNames")
      .line("2")
      .line("2 1 \"base\"")
      .line("3 2 \"body\"")
      .line("$EndPhysicalNames");
  format.version4 ? write_version4(out, claims) : write_version2(out, format, claims);
  return out.text();
}

/// Runs a deck on the file with little memory, so that a huge allocation would be seen.
Result run_on(const std::string& name, const std::string& mesh_file, const std::string& more = "",
              const std::string& ending = ".msh") {
  write_deck(name + ending, mesh_file);
  const std::string deck =
      write_deck(name + ".toml", "[mesh]\nfile = \"" + name + ending +
                                     "\"\n[run]\nbackend = \"threads\"\nthreads = 1\n[physics]\ntype = \"poisson\"\n"
                                     "[[boundary]]\non = \"base\"\ntype = \"dirichlet\"\n" +
                                     more);
  return shell("ulimit -v 4000000; exec " + program() + " run " + deck + " --output " +
               (folder() / ("out_" + name)).string());
}

class MshFile : public ::testing::TestWithParam<Format> {};

TEST_P(MshFile, RunsWhenItIsWhole) {
  const Result result = run_on("whole_" + text_of(GetParam()), tet_file(GetParam()));
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("4 nodes, 1 tet cell,")) << result.text;
}

TEST_P(MshFile, TruncatedIsRefused) {
  const std::string name = "truncated_" + text_of(GetParam()), whole = tet_file(GetParam());
  for (const double part : {0.05, 0.3, 0.5, 0.7, 0.9, 0.98}) {
    const Result result =
        run_on(name, whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    EXPECT_EQ(result.code, 3) << part << ": " << result.text;
    EXPECT_TRUE(result.says("error: " + (folder() / (name + ".msh")).string())) << result.text;
    EXPECT_TRUE(result.says("--> ")) << result.text;
    EXPECT_TRUE(result.says("truncated or corrupt") || result.says("that Gmsh wrote")) << result.text;
  }
}

TEST_P(MshFile, AbsurdCountsAreRefusedBeforeAnythingIsAllocated) {
  const std::string name = "absurd_" + text_of(GetParam());
  for (const Claims& claims : {Claims{.nodes = 1000000000000}, Claims{.elements = 1000000000000}}) {
    const Result result = run_on(name, tet_file(GetParam(), claims));
    EXPECT_EQ(result.code, 3) << result.text;
    EXPECT_TRUE(
        result.says(claims.nodes > 4 ? "000 nodes are claimed, but only" : "000 elements are claimed, but only"))
        << result.text;
    EXPECT_TRUE(result.says("bytes are left in the file")) << result.text;
  }
}

TEST_P(MshFile, AnElementOfNodesThatAreNotThereIsRefused) {
  const Result result = run_on("node_" + text_of(GetParam()), tet_file(GetParam(), {.apex = 9}));
  EXPECT_EQ(result.code, 3) << result.text;
  EXPECT_TRUE(result.says("an element names the node 9, but nodes run from 1 to 4")) << result.text;
}

INSTANTIATE_TEST_SUITE_P(Formats, MshFile,
                         ::testing::Values(Format{false, false}, Format{false, true}, Format{true, false},
                                           Format{true, true}),
                         [](const auto& info) { return text_of(info.param); });

/// A version 2.2 file with the groups "base" and "body".
std::string groups_and(const std::string& nodes, const std::string& elements) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"base\"\n3 2 "
         "\"body\"\n$EndPhysicalNames\n$Nodes\n" +
         nodes + "$EndNodes\n$Elements\n" + elements + "$EndElements\n";
}

struct Case {
  const char* name;
  std::string file;
  std::vector<std::string> parts;
  std::string more = "";  ///< end of the deck
  std::string ending = ".msh";
};
void PrintTo(const Case& wrong, std::ostream* out) { *out << wrong.name; }

class BadMesh : public ::testing::TestWithParam<Case> {};

TEST_P(BadMesh, IsRefusedWithItsReason) {
  const Case& wrong = GetParam();
  const Result result = run_on(wrong.name, wrong.file, wrong.more, wrong.ending);
  EXPECT_EQ(result.code, 3) << result.text;
  for (const std::string& part : wrong.parts)
    EXPECT_TRUE(result.says(part)) << "expected: " << part << "\n" << result.text;
  EXPECT_TRUE(result.says("--> ")) << result.text;
  EXPECT_TRUE(result.says("help: ")) << result.text;
}

std::vector<Case> bad_meshes() {
  const std::string tet = "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  std::string quintic_nodes = "56\n", quintic;
  for (int n = 1; n <= 56; ++n) {
    quintic_nodes += std::to_string(n) + " " + std::to_string(n * n) + " " + std::to_string(n % 3) + " 0\n";
    quintic += " " + std::to_string(n);
  }
  const std::string cube = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n";
  return {
      {"text", "hello\n", {"not a Gmsh mesh", "text.msh:1:1"}},
      {"empty", "", {"empty.msh is empty", "empty.toml:2:8"}},
      {"extension",
       tet_file({true, false}),
       {"unknown mesh format '.xyz'", "known formats: .msh", "extension.toml:2:8"},
       "",
       ".xyz"},
      {"version",
       "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n",
       {"format version 3 is unknown", "version 4.1 or 2.2", "version.msh:2:1"}},
      {"flat_tet",
       groups_and("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n", "2\n1 2 2 1 1 1 2 3\n2 4 2 2 1 1 2 3 4\n"),
       {"1 of 1 cells are unusable", "1 without volume", "a tet near (0.5, 0.5, 0)", "flat_tet.toml:2:8"}},
      {"twisted_hex",
       groups_and("8\n" + cube + "8 0 1 -1\n", "2\n1 3 2 1 1 1 2 3 4\n2 5 2 2 1 1 2 3 4 5 6 7 8\n"),
       {"1 of 1 cells are unusable", "1 inverted", "a hex near", "must not be folded or flat", "twisted_hex.toml:2:8"}},
      {"folded_tet",
       groups_and("10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .95 .9 .9\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 "
                  ".5 0 .5\n",
                  "2\n1 9 2 1 1 1 2 3 5 6 7\n2 11 2 2 1 1 2 3 4 5 6 7 8 9 10\n"),
       {"1 inverted", "mesh finer where the boundary curves"}},
      {"quintic",
       groups_and(quintic_nodes, "2\n1 2 2 1 1 1 2 3\n2 31 2 2 2" + quintic + "\n"),
       {"unsupported type: 56-node fifth order tetrahedron", "3 and 4 are converted", "quintic.toml:2:8"}},
      {"surface_in_space",
       groups_and("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1\n1 2 2 1 1 1 2 4\n"),
       {"surface mesh in space: z runs from 0 to 1", "surface_in_space.toml:2:8"}},
      {"no_group",
       groups_and(tet, "1\n1 4 2 2 1 1 2 3 4\n"),
       {"no surface group 'base'", "there are: body (volume, 1 cell)"}},
      {"other_material",
       tet_file({true, false}),
       {"no volume group 'bodi'", "did you mean 'body'"},
       "[[material]]\non = \"bodi\"\n"},
  };
}

INSTANTIATE_TEST_SUITE_P(Files, BadMesh, ::testing::ValuesIn(bad_meshes()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BadMaterial, CellsWithoutOneAreCountedAndNamed) {
  const std::string two = groups_and("5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n",
                                     "3\n1 2 2 1 1 1 2 3\n2 4 2 2 1 1 2 3 4\n3 4 2 3 2 1 3 2 5\n");
  const Result result = run_on("bare", two, "[[material]]\non = \"body\"\n");
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("1 of 2 cells have no material")) << result.text;
  EXPECT_TRUE(result.says("bare.toml:11:1")) << result.text;
  EXPECT_TRUE(result.says("add a [[material]] without `on`")) << result.text;
}

}  // namespace
