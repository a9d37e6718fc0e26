// Whatever is in a .msh file: a mesh or Error(mesh), never a crash, never an allocation that a header made up.
#include <cstring>
#include <random>

#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {
namespace {

struct Variant {
  double version;
  bool binary;
};
class CorruptMsh : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    write_text(folder_ / "cube.geo", layered_cube);
    gmsh_save(folder_ / "cube.geo", folder_ / "cube.msh", 3, GetParam().version, GetParam().binary);
    text_ = read_text(folder_ / "cube.msh");
  }
  ExitCode read(const std::string& text, std::string* message = nullptr) {
    write_text(folder_ / "bad.msh", text);
    return thrown_code([&] { read_gmsh(folder_ / "bad.msh"); }, message);
  }
  TemporaryFolder folder_;
  std::string text_;
};
struct CorruptAsciiMsh : CorruptMsh {};
struct CorruptBinaryMsh : CorruptMsh {};

TEST_P(CorruptMsh, TruncatedAnywhere) {
  const std::size_t last = text_.rfind("$EndElements");
  for (int cut = 1; cut <= 400; ++cut) {
    const std::size_t size = last * cut / 400;
    if (size == 0) continue;
    write_text(folder_ / "bad.msh", text_.substr(0, size));
    EXPECT_EQ(thrown_code([&] { check_msh(folder_ / "bad.msh"); }), ExitCode::mesh) << size << " of " << text_.size();
  }
  std::string message;
  EXPECT_EQ(read(text_.substr(0, last / 2), &message), ExitCode::mesh);
  EXPECT_NE(message.find("bad.msh"), std::string::npos);
  if (!GetParam().binary) {
    EXPECT_NE(message.find("bad.msh:"), std::string::npos) << message;
  }
}

TEST_P(CorruptMsh, MissingSections) {
  for (const std::string name : {"MeshFormat", "Nodes", "Elements"}) {
    const std::size_t start = text_.find("$" + name), stop = text_.find("$End" + name);
    std::string without = text_, unended = text_;
    without.erase(start, stop + name.size() + 5 - start);
    EXPECT_EQ(read(without), ExitCode::mesh) << name;
    unended.erase(stop, name.size() + 4);
    EXPECT_EQ(read(unended), ExitCode::mesh) << name;
  }
}

TEST_P(CorruptMsh, AbsurdCounts) {
  for (const std::string name : {"$Nodes\n", "$Elements\n", "$Entities\n", "$PhysicalNames\n"}) {
    std::string text = text_;
    const bool bytes = GetParam().binary && GetParam().version > 3 && name != "$PhysicalNames\n";
    if (text.find(name) == std::string::npos) continue;
    const std::size_t start = text.find(name) + name.size();
    const std::uint64_t absurd = 1000000000000000;
    if (bytes)
      std::memcpy(text.data() + start + (name == "$Entities\n" ? 0 : 8), &absurd, 8);
    else
      text.replace(start, text.find_first_of(" \n", start) - start, std::to_string(absurd));
    EXPECT_EQ(read(text), ExitCode::mesh) << name;
  }
}

// Bytes changed at random: mostly refused, sometimes still a mesh (a coordinate), never anything else.
TEST_P(CorruptMsh, RandomBytes) {
  std::mt19937 random(12345);
  for (int trial = 0; trial < 150; ++trial) {
    std::string text = text_;
    for (int change = 0; change <= trial % 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    std::string message;
    const ExitCode code = read(text, &message);
    EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::mesh) << message;
  }
}

// Digits changed in ascii files: counts, tags and types that still parse.
TEST_P(CorruptAsciiMsh, RandomDigits) {
  std::mt19937 random(54321);
  for (int trial = 0; trial < 200; ++trial) {
    std::string text = text_;
    std::size_t at = random() % text.size();
    at = text.find_first_of("0123456789", at);
    if (at == std::string::npos) continue;
    text[at] = static_cast<char>('0' + random() % 10);
    if (trial % 2) text.insert(at, 1, static_cast<char>('1' + random() % 9));
    std::string message;
    const ExitCode code = read(text, &message);
    EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::mesh) << message;
  }
}

// Integers of binary files replaced by extreme ones.
TEST_P(CorruptBinaryMsh, ExtremeIntegers) {
  std::mt19937 random(777);
  const std::int32_t extremes[] = {-1, 0, 1, 2147483647, -2147483647 - 1, 15, 4, 1 << 20};
  for (int trial = 0; trial < 200; ++trial) {
    std::string text = text_;
    const std::size_t at = random() % (text.size() - 4);
    std::memcpy(text.data() + at, &extremes[trial % 8], 4);
    std::string message;
    const ExitCode code = read(text, &message);
    EXPECT_TRUE(code == ExitCode::ok || code == ExitCode::mesh) << message;
  }
}

std::string variant_name(const ::testing::TestParamInfo<Variant>& info) {
  return std::string(info.param.version < 3 ? "v2" : "v4") + (info.param.binary ? "binary" : "ascii");
}
INSTANTIATE_TEST_SUITE_P(Formats, CorruptMsh,
                         ::testing::Values(Variant{2.2, false}, Variant{2.2, true}, Variant{4.1, false},
                                           Variant{4.1, true}),
                         variant_name);
INSTANTIATE_TEST_SUITE_P(Formats, CorruptAsciiMsh, ::testing::Values(Variant{2.2, false}, Variant{4.1, false}),
                         variant_name);
INSTANTIATE_TEST_SUITE_P(Formats, CorruptBinaryMsh, ::testing::Values(Variant{2.2, true}, Variant{4.1, true}),
                         variant_name);

}  // namespace
}  // namespace tessera::mesh
