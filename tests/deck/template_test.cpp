#include <nlohmann/json.hpp>
#include <sstream>

#include "schema_fixture.hpp"

namespace tessera::deck::testing {
namespace {

TEST(Template, ReadsBackWithItsExamples) {
  const std::string text = make_template(schema(), "A test");
  SCOPED_TRACE(text);
  const Deck deck = Deck::parse(text, "template.toml");
  check(deck, schema());
  EXPECT_EQ(top_section().read(deck).title, "A deck");
  ASSERT_TRUE(mesh_section().read(deck).box);
  EXPECT_EQ(mesh_section().read(deck).box->cells, (std::vector<int>{4, 4, 4}));
  ASSERT_EQ(boundary_section().read_all(deck).size(), 1u);
  EXPECT_FALSE(deck.has("solver"));  // no example: only shown
  solver_section().read(deck);
}

TEST(Template, CommentedDefaultsAreValidToo) {
  // With the "# " before keys and headings taken away the deck must still read.
  std::string text, line;
  std::istringstream lines(make_template(schema(), "A test"));
  while (std::getline(lines, line)) {
    const bool key = line.starts_with("# ") && line.find(" = ") != std::string::npos && line[2] != ' ';
    const bool heading = line.starts_with("# [");
    text += (key || heading ? line.substr(2) : line) + "\n";
  }
  SCOPED_TRACE(text);
  const Deck deck = Deck::parse(text, "template.toml");
  check(deck, schema());
  EXPECT_EQ(solver_section().read(deck).tolerance, 1e-8);
  EXPECT_TRUE(mesh_section().read(deck).size);
  boundary_section().read_all(deck);
}

TEST(Template, ShowsEveryKeyWithHelpUnitRangeAndDefault) {
  const std::string text = make_template(schema(), "A test");
  for (const SectionDescription& section : schema())
    for (const KeyDescription& key : section.keys) EXPECT_NE(text.find(key.name), std::string::npos) << key.name;
  EXPECT_NE(text.find("# tolerance"), std::string::npos);
  EXPECT_NE(text.find("Relative residual (number, > 0, <= 1, default 1e-8)"), std::string::npos) << text;
  EXPECT_NE(text.find("Element size (number, m, > 0, no default)"), std::string::npos) << text;
  EXPECT_NE(text.find("cg | bicgstab | gmres"), std::string::npos) << text;
}

TEST(JsonSchema, HasEveryKeyWithItsLimits) {
  const auto json = nlohmann::json::parse(make_json_schema(schema(), "A test"));
  EXPECT_EQ(json["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(json["additionalProperties"], false);
  EXPECT_EQ(json["properties"]["title"]["type"], "string");
  const auto& solver = json["properties"]["solver"];
  EXPECT_EQ(solver["additionalProperties"], false);
  EXPECT_EQ(solver["properties"]["type"]["enum"], (std::vector<std::string>{"cg", "bicgstab", "gmres"}));
  EXPECT_EQ(solver["properties"]["tolerance"]["exclusiveMinimum"], 0);
  EXPECT_EQ(solver["properties"]["tolerance"]["maximum"], 1);
  EXPECT_EQ(solver["properties"]["tolerance"]["default"], 1e-8);
  const auto& boundary = json["properties"]["boundary"];
  EXPECT_EQ(boundary["type"], "array");
  EXPECT_EQ(boundary["items"]["required"], std::vector<std::string>{"type"});
  EXPECT_EQ(boundary["items"]["properties"]["value"]["type"], (std::vector<std::string>{"number", "string"}));
  EXPECT_EQ(boundary["items"]["properties"]["on"]["anyOf"].size(), 2u);
  const auto& box = json["properties"]["mesh"]["properties"]["box"];
  EXPECT_EQ(box["additionalProperties"], false);
  EXPECT_EQ(box["required"], std::vector<std::string>{"cells"});
}

TEST(Markdown, HasARowForEveryKey) {
  const std::string text = make_markdown(schema());
  EXPECT_NE(text.find("## `[[boundary]]`"), std::string::npos);
  EXPECT_NE(text.find("| `tolerance` | number |  | `1e-8` | > 0, <= 1 | Relative residual |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| `box.cells` | integers |  | required | >= 1 | Cells along each axis |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("A box \\| a grid"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::deck::testing
