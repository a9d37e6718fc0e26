// Checkpoints that are whole, and hold something else than a run needs to go on.
#include "fuzz/sealed_checkpoint.hpp"
#include "program.hpp"

namespace {

using namespace app_test;

const std::string name = "checkpoint_000000002.tsr";

/// A checkpoint of two steps of 0.1.
const std::string& sound() {
  static const std::string bytes = [] {
    const fs::path out = folder() / "content";
    const Result run = app_test::tessera("run " + (source() / "tests/fuzz/seeds/transient/heat.toml").string() +
                                         " --quiet --backend threads --set checkpoint.keep=9 --output " + out.string());
    EXPECT_EQ(run.code, 0) << run.text;
    std::ifstream file(out / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }();
  return bytes;
}

/// What comes of a restart from it, with `from` replaced in its text.
Result restart_with(const std::string& from, const std::string& to) {
  std::string text = fuzz::text_of(sound());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  text.replace(at, from.size(), to);
  const fs::path out = folder() / "content_restarted";
  fs::remove_all(out);
  fs::create_directories(out);
  std::ofstream(out / name, std::ios::binary) << fuzz::with_text(sound(), text);
  return app_test::tessera("restart " + out.string() + " --quiet --backend threads");
}

TEST(RestartContent, IsTakenWhereItIsThatOfARun) {
  const Result same = restart_with("\"step\"", "\"step\"");
  EXPECT_EQ(same.code, 0) << same.text;
}

TEST(RestartContent, IsRefusedWhereItIsNot) {
  struct Case {
    const char *from, *to, *says;
  };
  for (const Case& wrong : {Case{"\"folder\"", "\"file\"", "its header has no 'folder'"},
                            {"\"plugins\":[]", "\"plugins\":1", "no 'plugins'"},
                            {"\"t\":0.2", "\"t\":\"0.2\"", "no 't'"},
                            {"\"step\":2", "\"step\":0", "t = 0.2, to which 0 steps do not lead"},
                            {"\"step\":2", "\"step\":3", "3 steps do not lead"},
                            {"\"step\":2", "\"step\":255", "255 steps do not lead"},
                            {"\"step\":2", "\"step\":-2", "-2 steps do not lead"},
                            {"\"kept\":2", "\"kept\":0", "lacks what the scheme keeps"},
                            {"\"name\":\"numbers\"", "\"name\":\"others\"", "lacks what the scheme keeps"}}) {
    const Result result = restart_with(wrong.from, wrong.to);
    EXPECT_EQ(result.code, 7) << wrong.to << ": " << result.text;
    EXPECT_TRUE(result.says(wrong.says)) << wrong.to << ": " << result.text;
    EXPECT_TRUE(result.says("help: go on from an older checkpoint")) << result.text;
  }
}

}  // namespace
