// Scripts that do more than mesh are refused at their place, unless they are trusted; nothing else is ever run as a
// script.
#include "mesh/geo_check.hpp"

#include <sys/stat.h>

#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"

namespace tessera::mesh {
namespace {

const std::string line = "Point(1) = {0,0,0,1}; Point(2) = {1,0,0,1}; Line(1) = {1,2};\n";

std::string refusal(const std::filesystem::path& file) {
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(file); }, &message), ExitCode::mesh) << file << "\n" << message;
  EXPECT_NE(message.find("help: "), std::string::npos) << message;
  return message;
}

TEST(GeoCheck, CommandsThatStartProgramsOrWriteFiles) {
  TemporaryFolder folder;
  const std::string target = (folder / "made").string(), name = '"' + target + '"';
  for (const std::string& command :
       {"SystemCall \"touch " + target + "\";", "SystemCall StrCat(\"touch \", " + name + ");",
        "NonBlockingSystemCall \"touch " + target + "\";", "System 'touch " + target + "';",
        "OnelabRun(\"touch\", " + name + ");", "Printf(\"%g\", (1)) > " + name + ";",
        "Printf(\"(\") /* here */ >> " + name + ";", "Mesh 1; Save " + name + ";", "Print " + name + ";",
        "Save Sprintf(\"" + target + "%g\", 1);", "CreateDir " + name + ";",
        std::string("Field[1] = ExternalProcess; Field[1].CommandLine = \"touch ") + target +
            "\"; Background Field = 1;"}) {
    write_text(folder / "s.geo", line + "a = 1; // " + command + "\n  " + command + "\n");
    const std::string message = refusal(folder / "s.geo");
    EXPECT_NE(message.find("s.geo:3:"), std::string::npos) << message;
    EXPECT_NE(message.find("mesh.trust = true"), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(target)) << command;
  }
}

TEST(GeoCheck, WhatOnlyLooksLikeThemIsRead) {
  TemporaryFolder folder;
  write_text(folder / "s.geo", line + R"(
Save = 2; Print.Width = 3; System = Save > 1; // SystemCall "x";
/* Save "x"; ** */ text = "SystemCall 'x'"; other = 'Save "x"';
Printf("Save %g > 3", Save); Printf("a");
)");
  EXPECT_NEAR(measure(read_gmsh(folder / "s.geo")), 1, 1e-12);
}

TEST(GeoCheck, IncludedScriptsAreLookedThrough) {
  TemporaryFolder folder;
  write_text(folder / "bad.geo", "Save \"x.msh\";\n");
  write_text(folder / "part.unknown", "SystemCall \"true\";\n");
  write_text(folder / "good.geo", "Include \"good.geo\";\n" + line);  // itself once more: Gmsh's concern, not ours
  for (const char* command : {"Include \"bad.geo\";", "Merge 'bad.geo';", "Merge \"part.unknown\";"}) {
    write_text(folder / "s.geo", line + command + "\n");
    refusal(folder / "s.geo");
  }
  EXPECT_NO_THROW(check_geo(folder / "good.geo"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* endless : {"Include \"/dev/zero\";\n", "Merge \"pipe\";\n"}) {
    write_text(folder / "s.geo", endless);
    EXPECT_NE(refusal(folder / "s.geo").find("a pipe or a device"), std::string::npos);
  }
  write_text(folder / "s.geo", "Include StrCat(\"bad\", \".geo\");\n");
  EXPECT_NE(refusal(folder / "s.geo").find("computed name"), std::string::npos);
  write_text(folder / "s.geo", line);
  write_text(folder / "s.geo.opt", "Save \"x\";\n");
  EXPECT_NE(refusal(folder / "s.geo").find("s.geo.opt:1:1"), std::string::npos);
}

TEST(GeoCheck, TrustedScriptsMay) {
  TemporaryFolder folder;
  const std::string target = (folder / "made").string();
  write_text(folder / "s.geo", line + "SystemCall \"touch " + target + "\";\n");
  EXPECT_NEAR(measure(read_gmsh(folder / "s.geo", {.trust = true})), 1, 1e-12);
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST(GeoCheck, OtherFormatsAreNeverScripts) {
  TemporaryFolder folder;
  const std::string target = (folder / "made").string(), script = line + "SystemCall \"touch " + target + "\";\n";
  for (const char* extension : {"msh", "Msh", "step", "STEP", "Step", "brep", "iges", "stl", "Stl", "unv", "vtk",
                                "mesh", "bdf", "Nas", "med"}) {
    const auto file = folder / (std::string("s.") + extension);
    write_text(file, script);
    refusal(file);
    EXPECT_FALSE(std::filesystem::exists(target)) << extension;
  }
  write_text(folder / "t.stl", "solid\nendsolid\n");
  write_text(folder / "t.stl.opt", script);
  EXPECT_NE(refusal(folder / "t.stl").find("t.stl.opt"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(target));
}

}  // namespace
}  // namespace tessera::mesh
