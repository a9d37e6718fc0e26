// Decks that cannot be read: each is refused with what, where and what to do, and a damaged one is never more than
// refused.
#include <fmt/format.h>

#include <random>

#include "base/input_file.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"

namespace tessera::mesh {
namespace {

const std::string tet_nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n",
                  tet = "*ELEMENT, TYPE=C3D4, ELSET=all\n1, 1, 2, 3, 4\n";

struct Case {
  const char* name;
  std::string deck;
  int line;  ///< of the message
  const char* says;
  const char* help;
};
void PrintTo(const Case& wrong, std::ostream* out) { *out << wrong.name; }

class AbaqusError : public ::testing::TestWithParam<Case> {};

TEST_P(AbaqusError, SaysWhatAndWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  TemporaryFolder folder;
  write_text(folder / "bad.inp", wrong.deck);
  write_text(folder / "self.inc", "*INCLUDE, INPUT=self.inc\n");
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "bad.inp"); }, &message), ExitCode::mesh);
  EXPECT_NE(message.find(wrong.says), std::string::npos) << message;
  EXPECT_NE(message.find(wrong.help), std::string::npos) << message;
  EXPECT_NE(message.find(fmt::format("bad.inp:{}:", wrong.line)), std::string::npos) << message;
}

std::vector<Case> cases() {
  const std::string both = tet_nodes + tet;
  return {
      {"text", "hello\n" + both, 1, "text before the first keyword", "*HEADING or *NODE"},
      {"no_nodes", "*HEADING\nempty\n", 2, "the deck has no *NODE", "that has a mesh"},
      {"no_elements", tet_nodes, 5, "the deck has no *ELEMENT", "is the deck cut off?"},
      {"node_number", "*NODE\nx, 0, 0\n", 2, "'x' where the number of a node was expected", "1 to 2147483647"},
      {"node_zero", "*NODE\n0, 0, 0\n", 2, "'0' where the number of a node", "1 to"},
      {"node_blanks", "*NODE\n1 0 0 0\n", 2, "'1 0 0 0' where the number of a node", "with commas"},
      {"node_large", "*NODE\n99999999999, 0, 0\n", 2, "'99999999999' where", "1 to 2147483647"},
      {"node_without", "*NODE\n1\n", 2, "node 1 has no coordinates", "number, x, y, z"},
      {"node_too_many", "*NODE\n1,0,0,0,0,0,1,2\n", 2, "more than three coordinates and a normal", "number, x, y, z"},
      {"coordinate", "*NODE\n1, 0, zero\n", 2, "'zero' where a coordinate was expected", "number, x, y, z"},
      {"coordinate_nan", "*NODE\n1, nan\n", 2, "'nan' where a coordinate", "number"},
      {"coordinate_huge", "*NODE\n1, 1e999\n", 2, "'1e999' where a coordinate", "number"},
      {"node_twice", tet_nodes + "2,5,5,5\n" + tet, 6, "node 2 is there already, from ", "a number of its own"},
      {"node_system", "*NODE, SYSTEM=C\n1,0,0\n", 1, "cylindrical or spherical", "global coordinates"},
      {"no_type", tet_nodes + "*ELEMENT\n1, 1, 2, 3, 4\n", 6, "*ELEMENT without TYPE=", "write *ELEMENT, TYPE=name"},
      {"type", tet_nodes + "*ELEMENT, TYPE=XYZ4\n1, 1, 2, 3, 4\n", 6, "elements of type XYZ4 are unknown here",
       "C3D DC3D"},
      {"type_nodes", tet_nodes + "*ELEMENT, TYPE=C3D7\n1, 1\n", 6, "elements of type C3D7 are unknown",
       "number of their nodes"},
      {"few_nodes", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n", 7, "element 1 has 3 nodes, but C3D4 has 4",
       "ends with a comma"},
      {"few_nodes_at_end", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3,\n", 7, "element 1 has 3 nodes", "comma"},
      {"many_nodes", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 4\n", 7,
       "element 1 has more than 4 nodes, but C3D4 has 4", "comma"},
      {"element_number", tet_nodes + "*ELEMENT, TYPE=C3D4\n-1, 1, 2, 3, 4\n", 7, "'-1' where the number of an element",
       "1 to"},
      {"element_node", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, four\n", 7, "'four' where the number of a node",
       "1 to"},
      {"element_twice", both + "1, 4, 3, 2, 1\n", 8, "element 1 is there already, from ", "a number of its own"},
      {"unknown_node", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n", 7,
       "element 1 names the node 9, which is not there", "write it again"},
      {"generated_nodes", "*NODE\n1,0\n2,1\n*NGEN\n1,2,1\n", 4, "*NGEN makes a mesh out of another",
       "write out all nodes"},
      {"copied_elements", both + "*ELCOPY\n", 8, "*ELCOPY makes a mesh", "write out all"},
      {"system", "*SYSTEM\n0,0,1\n" + both, 1, "*SYSTEM makes a mesh", "global coordinates"},
      {"set_without_name", both + "*NSET\n1\n", 8, "*NSET without NSET=", "write *NSET, NSET=name"},
      {"set_of_nothing", both + "*NSET, NSET=A\nbottom\n", 9, "there is no set 'bottom' above", "valid names: A"},
      {"set_nearly", both + "*ELSET, ELSET=top\n1\n*ELSET, ELSET=B\ntopp\n", 11, "there is no set 'topp' above",
       "did you mean 'top'?"},
      {"set_number", both + "*NSET, NSET=A\n1, -2\n", 9, "'-2' where a number or the name of a set", "1 to"},
      {"set_name", both + "*NSET, NSET=" + std::string(300, 'x') + "\n1\n", 8, "a name of more than 200 characters",
       "plain name"},
      {"set_control",
       both + "*NSET, NSET=a\x01"
              "b\n1\n",
       8, "characters that cannot be shown", "plain name"},
      {"range", both + "*NSET, NSET=A, GENERATE\n4, 1\n", 9, "this is no range", "first <= last"},
      {"range_of_one", both + "*NSET, NSET=A, GENERATE\n4\n", 9, "this is no range", "first, last, step"},
      {"range_of_four", both + "*NSET, NSET=A, GENERATE\n1, 4, 1, 1\n", 9, "more than three numbers",
       "first, last, step"},
      {"surface_without_name", both + "*SURFACE\n1, S1\n", 8, "*SURFACE without NAME=", "write *SURFACE, NAME=name"},
      {"surface_side", both + "*SURFACE, NAME=wall\nall, S5\n", 9, "names the side S5 of element 1, but C3D4 has none",
       "S1 to S6"},
      {"surface_set", both + "*SURFACE, NAME=wall\nbody, S1\n", 9, "there is no set 'body' above", "valid names: all"},
      {"include", both + "*INCLUDE, INPUT=none.inc\n", 8, "there is no file ", "relative to the one that includes it"},
      {"include_nothing", both + "*INCLUDE\n", 8, "*INCLUDE names no file", "INPUT=file.inp"},
      {"include_folder", both + "*INCLUDE, INPUT=.\n", 8, "there is no file ", "relative"},
      {"include_deep", both + "*INCLUDE, INPUT=bad.inp\n", 8, "files include each other 10 deep", "but not themselves"},
      {"second_instance", both + "*ASSEMBLY\n*INSTANCE, NAME=A\n*END INSTANCE\n*INSTANCE, NAME=B\n", 11,
       "a second *INSTANCE 'B'", "a flat deck"},
      {"moved", both + "*ASSEMBLY\n*INSTANCE, NAME=A\n0, 0, 1\n", 10, "the *INSTANCE 'A' is moved", "a flat deck"},
      {"second_part", "*PART, NAME=A\n" + both + "*END PART\n*PART, NAME=B\n" + both, 11, "a second *PART with nodes",
       "a flat deck"},
      {"mixed_orders", both + "*ELEMENT, TYPE=C3D10\n2,1,2,3,4,1,2,3,4,1,2\n", 0, "mixes cells of geometric orders",
       "one order"},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, AbaqusError, ::testing::ValuesIn([] {
                           std::vector<Case> all = cases();
                           std::erase_if(all, [](const Case& wrong) { return wrong.line == 0; });
                           return all;
                         }()),
                         [](const auto& info) { return info.param.name; });

/// A deck with all that is read.
std::string whole_deck() {
  return "*HEADING\nall of it\n** comment\n*NODE, NSET=nodes\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n"
         "*ELEMENT, TYPE=C3D4, ELSET=tets\n1, 1, 2, 3, 4\n2, 2, 3,\n4, 5\n*ELEMENT, TYPE=S3, ELSET=wall\n3, 1, 2, 3\n"
         "*NSET, NSET=floor\n1, 2, 3\n*NSET, NSET=some, GENERATE\n1, 5, 2\n*ELSET, ELSET=first\n1,\n*ELSET, "
         "ELSET=every\ntets, wall\n"
         "*SURFACE, NAME=side, TYPE=ELEMENT\ntets, S2\n*SURFACE, NAME=points, TYPE=NODE\nfloor\n"
         "*MATERIAL, NAME=steel\n*CONDUCTIVITY\n50.\n*STEP\n*HEAT TRANSFER, STEADY STATE\n*BOUNDARY\nfloor, 11, 11, "
         "0.\n*END STEP\n";
}

class DamagedAbaqus : public ::testing::Test {
 protected:
  /// The code of reading the text; the message starts with the name of the file and has a help.
  ExitCode read(const std::string& text) {
    write_text(folder_ / "bad.inp", text);
    std::string message;
    const ExitCode code = thrown_code([&] { read_gmsh(folder_ / "bad.inp"); }, &message);
    if (code == ExitCode::mesh) {
      EXPECT_NE(message.find("help: "), std::string::npos) << message;
      EXPECT_EQ(message.find("crashed"), std::string::npos) << message << text;
    }
    return code;
  }
  void expect_read_or_refused(const std::string& text) {
    const ExitCode code = read(text);
    EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::mesh) << static_cast<int>(code) << "\n" << text;
  }
  TemporaryFolder folder_;
};

TEST_F(DamagedAbaqus, IsReadWhereItIsWhole) { EXPECT_EQ(read(whole_deck()), ExitCode::ok); }

TEST_F(DamagedAbaqus, MayEndAtEveryCharacter) {
  const std::string text = whole_deck();
  for (std::size_t size = 1; size < text.size(); size += 3) expect_read_or_refused(text.substr(0, size));
  EXPECT_EQ(read(text.substr(0, text.find("*ELEMENT"))), ExitCode::mesh);
}

TEST_F(DamagedAbaqus, MayHaveAnyBytes) {
  std::mt19937 random(4711);
  const std::string text = whole_deck(), marks = "*,=\n\"\0-+.9Ee \t";
  for (int trial = 0; trial < 250; ++trial) {
    std::string damaged = text;
    for (int change = 0; change <= trial % 4; ++change) {
      const std::size_t at = random() % damaged.size();
      if (trial % 3 == 0)
        damaged[at] = static_cast<char>(random());
      else if (trial % 3 == 1)
        damaged[at] = marks[random() % marks.size()];
      else
        damaged.erase(at, 1 + random() % 10);
    }
    expect_read_or_refused(damaged);
  }
}

TEST_F(DamagedAbaqus, MayBeNoText) {
  std::mt19937 random(1);
  std::string noise(5000, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  EXPECT_EQ(read(noise), ExitCode::mesh);
  EXPECT_EQ(read(std::string(1000, '\0')), ExitCode::mesh);
  EXPECT_EQ(read("*NODE\n" + noise), ExitCode::mesh);
  EXPECT_EQ(read(""), ExitCode::mesh);
}

// Sets of sets double with each line, and a range names as much as there is: both are bounded by the size of the file.
TEST_F(DamagedAbaqus, DoesNotGrowBeyondItsSize) {
  std::string doubling = tet_nodes + tet + "*NSET, NSET=s0\n1,2,3,4\n", ranges = tet_nodes + tet;
  for (int i = 1; i < 60; ++i) doubling += fmt::format("*NSET, NSET=s{}\ns{}, s{}\n", i, i - 1, i - 1);
  EXPECT_EQ(read(doubling), ExitCode::mesh);
  for (int i = 0; i < 2000; ++i) ranges += fmt::format("*ELSET, ELSET=r{}, GENERATE\n1, 999999999\n", i);
  EXPECT_EQ(read(ranges), ExitCode::ok);
}

TEST_F(DamagedAbaqus, MayIncludeItselfInManyWays) {
  write_text(folder_ / "twice.inc", "*INCLUDE, INPUT=twice.inc\n*INCLUDE, INPUT=twice.inc\n");
  EXPECT_EQ(read(tet_nodes + tet + "*INCLUDE, INPUT=twice.inc\n"), ExitCode::mesh);
  std::string wide, deep = "*INCLUDE, INPUT=,\n";
  for (int i = 0; i < 2000; ++i) wide += "*INCLUDE, INPUT=leaf.inc\n", deep += deep.substr(0, 18);
  write_text(folder_ / "leaf.inc", "** nothing\n");
  EXPECT_EQ(read(tet_nodes + tet + wide), ExitCode::mesh);
  EXPECT_EQ(read(tet_nodes + tet + deep), ExitCode::mesh);
}

TEST(AbaqusErrorInAnIncludedFile, HasItsPlaceThere) {
  TemporaryFolder folder;
  write_text(folder / "deck.inp", "*INCLUDE, INPUT=mesh.inc\n");
  write_text(folder / "mesh.inc", tet_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 7\n");
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "deck.inp"); }, &message), ExitCode::mesh);
  EXPECT_NE(message.find("mesh.inc:7:1"), std::string::npos) << message;
  EXPECT_NE(message.find("deck.inp: element 1"), std::string::npos) << message;
}

TEST(AbaqusErrorWithoutAPlace, NamesTheFile) {
  TemporaryFolder folder;
  for (const Case& wrong : cases()) {
    if (wrong.line > 0) continue;
    write_text(folder / "bad.inp", wrong.deck);
    std::string message;
    EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "bad.inp"); }, &message), ExitCode::mesh);
    for (const char* part : {wrong.says, wrong.help, "bad.inp"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tessera::mesh
