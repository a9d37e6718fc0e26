// What docs/getting_started.md shows of the tutorials is what the program prints: line by line, with the same numbers
// but for rounding. Times, rates and memory are the machine's own matter.
#include <cmath>
#include <set>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a page shows of a run: the block of text that ends by naming the folder of its results.
struct Shown {
  std::string name;                ///< of the deck
  std::vector<std::string> lines;  ///< "..." stands for any number of lines
};

std::vector<Shown> shown() {
  const std::string results = "results in out/";
  std::vector<Shown> all;
  std::vector<std::string> block;
  bool inside = false;
  for (const std::string& line : lines_of(text_of(source() / "docs/getting_started.md"))) {
    if (line.starts_with("```")) {
      if (inside && !block.empty() && block.back().starts_with(results))
        all.push_back({block.back().substr(results.size()), block});
      inside = !inside && line == "```text";
      block.clear();
    } else if (inside) {
      block.push_back(line);
    }
  }
  return all;
}

/// Words, and numbers but for rounding; what is tiny is a residual of something. `iterates`: another rounding may cost
/// half of the iterations, of bicgstab.
bool same_word(const std::string& a, const std::string& b, bool iterates) {
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  if (a.find_first_of("0123456789") > 1 || end_a == a.c_str() || end_b == b.c_str()) return a == b;
  if (!iterates && a.find_first_of(".e") == std::string::npos) return a == b;
  const bool both_tiny = std::abs(x) < 1e-5 && std::abs(y) < 1e-5;
  const double tolerance = iterates ? 0.5 : 1e-3;
  return std::string(end_a) == end_b &&
         (both_tiny || std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y)));
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// `table`: of the phases, of which the first word counts.
bool same_line(const std::string& a, const std::string& b, bool table) {
  std::vector<std::string> x = words_of(a), y = words_of(b);
  if (table && !x.empty() && !y.empty()) return x.front() == y.front();
  const bool iterates = a.find("iterations") != std::string::npos;
  return x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(),
                    [&](const std::string& p, const std::string& q) { return same_word(p, q, iterates); });
}

/// What makes runs of tutorials through many steps short enough for tests. Of these the names in lines are compared,
/// for their numbers are others.
std::string shortened(const std::string& name) {
  if (name == "12_wave_3d") return " --set time.end=0.1";
  if (name == "15_forward_step") return " --set time.end=0.05";
  if (name == "16_airfoil") return " --set time.end=5";
  if (name == "17_blast_3d") return " --set time.end=0.02";
  return {};
}

class Tutorial : public ::testing::TestWithParam<Shown> {};
void PrintTo(const Shown& page, std::ostream* stream) { *stream << page.name; }

TEST_P(Tutorial, PrintsWhatThePageShows) {
  const auto& [name, lines] = GetParam();
  const Result result =
      shell("cd " + folder().string() + " && " + program() + " run " +
            (source() / "inputs/tutorials" / (name + ".toml")).string() + " --backend threads" + shortened(name));
  ASSERT_EQ(result.code, 0) << result.text;
  const std::vector<std::string> printed = lines_of(result.text);
  std::size_t at = 0;
  const bool names_alone = !shortened(name).empty();
  bool skips = false, table = false;
  for (const std::string& line : lines) {
    table = names_alone || ((table || line.starts_with("  phase ")) && !line.empty());
    if (line == "...") {
      skips = true;
      continue;
    }
    while (skips && at < printed.size() && !same_line(line, printed[at], table)) ++at;
    ASSERT_LT(at, printed.size()) << "the page has\n  " << line << "\nwhich the run does not print:\n" << result.text;
    ASSERT_TRUE(same_line(line, printed[at], table))
        << "the page has\n  " << line << "\nthe run has\n  " << printed[at] << "\n"
        << result.text;
    skips = false;
    ++at;
  }
  EXPECT_EQ(at, printed.size()) << "the run goes on";
}

INSTANTIATE_TEST_SUITE_P(GettingStarted, Tutorial, ::testing::ValuesIn(shown()),
                         [](const auto& info) { return info.param.name; });

TEST(Tutorials, EachHasItsOutputAndItsPictureOnThePage) {
  std::set<std::string> names;
  for (const Shown& page : shown()) names.insert(page.name);
  const std::string text = text_of(source() / "docs/getting_started.md");
  for (const auto& entry : fs::directory_iterator(source() / "inputs/tutorials")) {
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(names.count(name)) << name;
    const std::string picture = "images/" + (name == "01_heat_sink" ? "heat_sink" : name) + ".png";
    EXPECT_NE(text.find("](" + picture + ")"), std::string::npos) << picture;
    EXPECT_TRUE(fs::exists(source() / "docs" / picture)) << picture;
  }
}

}  // namespace
