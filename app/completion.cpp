// Programs for shells that complete the command line: made from the commands themselves, so that they cannot lag
// behind.
#include <fmt/format.h>

#include "app/commands.hpp"

namespace tessera::app {
namespace {

using Commands = std::vector<CommandWords>;

std::vector<std::string> names_of(const Commands& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

/// In single quotes: a quote ends them, stands for itself and begins them again.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string bash(const Commands& commands) {
  std::string cases;
  for (const CommandWords& command : commands)
    cases += fmt::format("    {}) options=\"{}\" words=\"{}\" files=\"{}\" ;;\n", command.name,
                         fmt::join(command.options, " "), fmt::join(command.words, " "), command.files);
  return fmt::format(R"(# Completion of tessera for bash:  source <(tessera completion bash)
_tessera() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local options="" words="" files=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
    --backend) COMPREPLY=($(compgen -W "auto threads cuda" -- "$current")); return ;;
    --plugin) COMPREPLY=($(compgen -f -X '!*.so' -- "$current") $(compgen -d -- "$current")); return ;;
    --output|-o) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$files" in
    "") ;;
    "*") COMPREPLY+=($(compgen -f -- "$current")) ;;
    *) COMPREPLY+=($(compgen -f -X "!*.$files" -- "$current") $(compgen -d -- "$current")) ;;
  esac
}}
complete -o filenames -F _tessera tessera
)",
                     fmt::join(names_of(commands), " "), cases);
}

std::string zsh(const Commands& commands) {
  std::string described, cases;
  for (const CommandWords& command : commands) {
    described += fmt::format("    {}\n", quoted(command.name + ":" + command.help));
    const std::string files = command.files.empty()  ? ""
                              : command.files == "*" ? "; _files"
                                                     : fmt::format("; _files -g '*.{}'", command.files);
    const std::string words =
        command.words.empty() ? std::string() : fmt::format("; compadd -- {}", fmt::join(command.words, " "));
    cases += fmt::format("    {}) if [[ $PREFIX == -* ]]; then compadd -- {}; else :{}{}; fi ;;\n", command.name,
                         fmt::join(command.options, " "), words, files);
  }
  return fmt::format(R"(#compdef tessera
# Completion of tessera for zsh:  source <(tessera completion zsh), or as _tessera in a folder of $fpath
_tessera() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[CURRENT-1] in
    --backend) compadd auto threads cuda; return ;;
    --plugin) _files -g '*.so'; return ;;
    --output|-o) _files; return ;;
  esac
  case $words[2] in
{}  esac
}}
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi
)",
                     described, cases);
}

std::string fish(const Commands& commands) {
  std::string text = "# Completion of tessera for fish:  tessera completion fish | source\ncomplete -c tessera -f\n";
  for (const CommandWords& command : commands) {
    text +=
        fmt::format("complete -c tessera -n __fish_use_subcommand -a {} -d {}\n", command.name, quoted(command.help));
    const std::string seen = fmt::format("complete -c tessera -n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& option : command.options)
      text += option.starts_with("--") ? fmt::format("{} -l {}\n", seen, option.substr(2))
                                       : fmt::format("{} -s {}\n", seen, option.substr(1));
    if (!command.words.empty()) text += fmt::format("{} -a '{}'\n", seen, fmt::join(command.words, " "));
    if (!command.files.empty())
      text +=
          fmt::format("{} -a '(__fish_complete_suffix {})'\n", seen, command.files == "*" ? "''" : "." + command.files);
  }
  return text;
}

}  // namespace

ExitCode print_completion(const std::string& shell, const Commands& commands) {
  if (shell == "bash")
    fmt::print("{}", bash(commands));
  else if (shell == "zsh")
    fmt::print("{}", zsh(commands));
  else if (shell == "fish")
    fmt::print("{}", fish(commands));
  else
    throw Error(ExitCode::usage, fmt::format("no completion for the shell '{}'", shell),
                suggest(shell, {"bash", "zsh", "fish"}));
  return ExitCode::ok;
}

}  // namespace tessera::app
