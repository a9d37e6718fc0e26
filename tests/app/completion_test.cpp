// What `tessera completion` prints for bash, zsh and fish.
#include <algorithm>
#include <cctype>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

TEST(Completion, OfBashKnowsCommandsOptionsAndNames) {
  auto completed = [](const std::string& words, int at) {
    const Result result = shell("bash -c 'source <(" + program() + " completion bash); COMP_WORDS=(tessera " + words +
                                "); COMP_CWORD=" + std::to_string(at) + "; _tessera; echo ${COMPREPLY[@]}'");
    EXPECT_EQ(result.code, 0) << result.text;
    return result.text;
  };
  EXPECT_EQ(completed("te", 1), "template\n");
  EXPECT_EQ(completed("template poi", 2), "poisson\n");
  EXPECT_EQ(completed("list sol", 2), "solvers\n");
  EXPECT_EQ(completed("run --ba", 2), "--backend\n");
  EXPECT_EQ(completed("run a.toml --backend cu", 4), "cuda\n");
  EXPECT_EQ(completed("run a.toml --backend = cu", 5), "cuda\n");  // bash takes --backend=cu apart
  EXPECT_EQ(completed("tridiagonal --method spike_c", 3), "spike_cr\n");
  EXPECT_EQ(completed("help tr", 2), "tridiagonal\n");
  EXPECT_EQ(completed("run a.toml --threads ", 4), "\n");
  const std::string deck = write_deck("completed.toml", "");
  for (const char* command : {"run ", "check ", "mesh ", "export "})
    EXPECT_EQ(completed(command + deck.substr(0, deck.size() - 6), 2), deck + "\n");
  EXPECT_EQ(completed("restart " + deck.substr(0, deck.size() - 6), 2), "\n");  // folders only
  EXPECT_EQ(app_test::tessera("completion csh").code, 2);
}

/// Whether every quote of a line is closed in it. Outside of quotes a backslash takes the next character.
bool quotes_are_closed(const std::string& line) {
  char open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && !open) return true;
    if (line[i] == '\\' && open != '\'')
      ++i;
    else if (line[i] == open)
      open = 0;
    else if (!open && (line[i] == '\'' || line[i] == '"'))
      open = line[i];
  }
  return !open;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The part of zsh's program that is about a command.
std::string zsh_case(const std::string& script, const std::string& command) {
  const std::size_t begin = script.find("\n    " + command + ")\n");
  return begin == std::string::npos ? "" : script.substr(begin, script.find(" ;;", begin) - begin);
}

TEST(Completion, OfZshAndFishHasEveryOptionThatTheHelpHas) {
  const std::string zsh = app_test::tessera("completion zsh").text, fish = app_test::tessera("completion fish").text;
  for (const std::string& script : {zsh, fish})
    for (const std::string& line : lines_of(script)) EXPECT_TRUE(quotes_are_closed(line)) << line;
  int options = 0, with_values = 0;
  for (const char* command : {"run", "check", "list", "template", "schema", "mesh", "export", "compare", "restart",
                              "spmv", "tridiagonal", "doctor", "completion", "help"}) {
    const std::string in_zsh = zsh_case(zsh, command), in_fish = std::string("-n '__tessera_command ") + command + "'";
    EXPECT_NE(zsh.find(std::string("    '") + command + ":"), std::string::npos) << command;
    EXPECT_NE(fish.find(std::string("-n __tessera_command -a ") + command + " -d "), std::string::npos) << command;
    for (const std::string& line : lines_of(app_test::tessera(std::string(command) + " --help").text)) {
      const std::size_t at = line.find("--");
      if (at == std::string::npos || line.find_first_not_of(' ') != line.find('-')) continue;
      const std::string name = line.substr(at + 2, line.find_first_of(" ,", at) - at - 2);
      const bool has_value =
          std::isupper(static_cast<unsigned char>(line[std::min(line.size() - 1, at + 3 + name.size())]));
      EXPECT_NE(in_zsh.find("--" + name + (has_value ? "=[" : "[")), std::string::npos) << command << " " << line;
      const auto of_fish = lines_of(fish);
      EXPECT_TRUE(std::any_of(of_fish.begin(), of_fish.end(),
                              [&](const std::string& one) {
                                return one.find(in_fish + " -l " + name + " ") != std::string::npos &&
                                       (one.find(" -x") != std::string::npos || one.find(" -r") != std::string::npos) ==
                                           has_value;
                              }))
          << command << " " << line;
      ++options, with_values += has_value;
    }
  }
  EXPECT_GT(options, 40);
  EXPECT_GT(with_values, 20);
  for (const char* word : {"two_point_bvp", "preconditioners", "spike_cr", "auto threads cuda", ".toml"})
    for (const std::string& script : {zsh, fish}) EXPECT_NE(script.find(word), std::string::npos) << word;
}

/// By the shells themselves, where they are installed.
TEST(Completion, OfZshAndFishIsReadByThem) {
  for (const char* name : {"zsh", "fish"})
    if (shell(std::string("command -v ") + name).code == 0) {
      EXPECT_EQ(shell(program() + " completion " + name + " | " + name + " -n").code, 0) << name;
    }
  if (shell("command -v fish").code != 0) return;
  const auto completed = [](const std::string& line) {
    return shell("fish --no-config -c '" + program() + " completion fish | source; complete -C \"" + line + "\"'").text;
  };
  EXPECT_EQ(completed("tessera te"), "template\ta commented deck of a physics module, that runs as it is\n");
  EXPECT_EQ(completed("tessera template poi"), "poisson\n");
  EXPECT_EQ(completed("tessera run a.toml --backend cu"), "cuda\tauto, threads or cuda; overrides run.backend\n");
  EXPECT_EQ(completed("tessera help tri"), "tridiagonal\n");
  EXPECT_EQ(completed("tessera run a.toml --set "), "");
}

}  // namespace
