#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/profile.hpp"
#include "output/compare.hpp"
#include "output/files.hpp"
#include "output/summary.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::output {
namespace {

std::filesystem::path scratch(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "tessera_output_summary";
  std::filesystem::create_directories(folder);
  return folder / name;
}

TEST(Summary, HasStableKeysInAStableOrder) {
  profile().begin("summary.phase");
  profile().end("summary.phase", 0.5, 1e9);
  Summary summary;
  summary.set_in("quantities", "T.max", 341.2);
  summary.set("mesh.nodes", 11);
  summary.set("title", "A heat sink");
  summary.set("solver.relative_residual", std::nan(""));
  summary.set("solver.history", std::vector<double>{1, 0.5});
  summary.set("backend.deterministic", true);
  summary.finish();
  const auto json = nlohmann::ordered_json::parse(summary.text());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"title", "status", "backend", "mesh", "phases", "memory", "solver",
                                            "quantities", "warnings"}));
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["mesh"]["nodes"], 11);
  EXPECT_EQ(json["quantities"]["T.max"], 341.2);
  EXPECT_TRUE(json["solver"]["relative_residual"].is_null());
  EXPECT_TRUE(json["backend"]["deterministic"].get<bool>());
  EXPECT_GT(json["memory"]["host_peak_bytes"].get<double>(), 0);
  bool found = false;
  for (const auto& phase : json["phases"])
    if (phase["name"] == "summary.phase") {
      found = true;
      EXPECT_NEAR(phase["GB_per_s"].get<double>(), 2, 1e-12);
    }
  EXPECT_TRUE(found);
}

TEST(Summary, KeepsAnErrorAndAnySetStatus) {
  Summary failed;
  failed.set_error("mesh: cell 3 is inverted", 3);
  failed.finish();
  EXPECT_EQ(failed.json()["status"], "error");
  EXPECT_EQ(failed.json()["exit_code"], 3);
  Summary partial;
  partial.set("status", "not_converged");
  partial.finish();
  EXPECT_EQ(partial.json()["status"], "not_converged");
}

TEST(Summary, ToleratesTextThatIsNotUtf8) {
  Summary summary;
  summary.set("title", "caf\xe9");
  EXPECT_NO_THROW(nlohmann::json::parse(summary.text()));
}

void write_json(const std::string& name, const std::string& text) { atomic_write(scratch(name), text); }

TEST(Compare, NumbersOfSummariesWithTolerances) {
  write_json("a.json",
             R"({"status": "ok", "quantities": {"T": 1.0, "q": 2.0}, "phases": [{"seconds": 1}],
          "solver": {"iterations": 5}})");
  write_json(
      "b.json",
      R"({"status": "ok", "quantities": {"T": 1.0000001, "q": 2.0}, "phases": [], "solver": {"iterations": 5}})");
  EXPECT_FALSE(compare(scratch("a.json"), scratch("b.json")).agrees());
  EXPECT_EQ(compare(scratch("a.json"), scratch("b.json")).differences(), 1);
  EXPECT_TRUE(compare(scratch("a.json"), scratch("b.json"), {.relative = 1e-6}).agrees());
  EXPECT_FALSE(compare(scratch("a.json"), scratch("b.json"), {.relative = 1e-6, .ignore = {}}).agrees());
}

/// Of waves on a GPU whose steps were replayed, beside those of threads.
TEST(Compare, LeavesOutHowStepsWereLaunched) {
  write_json("replayed.json", R"({"time": {"steps": 3, "graph": true}})");
  write_json("launched.json", R"({"time": {"steps": 3}})");
  EXPECT_TRUE(compare(scratch("replayed.json"), scratch("launched.json")).agrees());
}

TEST(Compare, ReportsMissingKeysOnBothSides) {
  write_json("c.json", R"({"errors": {"u": 1}, "quantities": {"T": null}})");
  write_json("d.json", R"({"quantities": {"T": null, "extra": "text"}})");
  const CompareReport report = compare(scratch("c.json"), scratch("d.json"));
  EXPECT_EQ(report.differences(), 2);
  EXPECT_NE(report.table().find("errors"), std::string::npos);
  EXPECT_NE(report.table().find("quantities.extra"), std::string::npos);
  EXPECT_NE(report.table().find("missing in the first file"), std::string::npos);
}

VtkData square(double top) {
  VtkData data;
  data.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  data.blocks.push_back(
      vtk_cells(mesh::Shape::quad, 1, reference_vertices(mesh::Shape::quad), std::vector<Index>{0, 1, 2, 3}));
  data.point_fields = {{"u", 1, {0, 0, top, 1}, false}};
  data.cell_fields = {{"material", 1, {1}, true}};
  return data;
}

TEST(Compare, FieldsOfVtuFiles) {
  write_vtu(square(2), scratch("a.vtu"));
  write_vtu(square(2 + 1e-11), scratch("b.vtu"));
  VtkData other = square(3);
  other.cell_fields[0].values = {2};
  other.point_fields.push_back({"v", 1, {0, 0, 0, 0}, false});
  write_vtu(other, scratch("c.vtu"));
  EXPECT_TRUE(compare(scratch("a.vtu"), scratch("b.vtu")).agrees());
  EXPECT_FALSE(compare(scratch("a.vtu"), scratch("b.vtu"), {.relative = 0, .absolute = 0}).agrees());
  const CompareReport report = compare(scratch("a.vtu"), scratch("c.vtu"), {.relative = 1});
  // u within the huge tolerance, the integer field not, v missing.
  EXPECT_EQ(report.differences(), 2) << report.table();
  VtkData nan = square(std::nan(""));
  write_vtu(nan, scratch("n.vtu"));
  EXPECT_TRUE(compare(scratch("n.vtu"), scratch("n.vtu")).agrees());
  EXPECT_FALSE(compare(scratch("n.vtu"), scratch("a.vtu")).agrees());
}

TEST(Compare, RefusesFilesItCannotCompare) {
  write_json("broken.json", "{ \"a\": ");
  EXPECT_THROW(compare(scratch("broken.json"), scratch("broken.json")), Error);
  EXPECT_THROW(compare(scratch("a.vtu"), scratch("a.json")), Error);
  EXPECT_THROW(compare(scratch("missing.json"), scratch("missing.json")), Error);
}

}  // namespace
}  // namespace tessera::output
