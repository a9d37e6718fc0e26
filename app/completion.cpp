// Programs for shells that complete the command line: made from the commands themselves, so that they cannot lag
// behind. They must hold in bash 4, zsh 5 and fish 3.
#include <fmt/format.h>

#include "app/commands.hpp"

namespace tessera::app {
namespace {

using Commands = std::vector<CommandWords>;

/// `text` with a backslash before each of `special`.
std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// In single quotes: a quote ends them, stands for itself and begins them again.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

/// All options of a command, "--output -o ...".
std::string option_names(const CommandWords& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// ---------------------------------------------------------------------------------------------------------------- bash

std::string bash_words(const Proposals& proposals) {
  return fmt::format("words=\"{}\" files=\"{}\"", fmt::join(proposals.words, " "), proposals.files);
}

std::string bash(const Commands& commands) {
  std::vector<std::string> names;
  std::string values, arguments;
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    arguments += fmt::format("      {}) options=\"{}\" {} ;;\n", command.name, option_names(command),
                             bash_words(command.proposals));
    for (const OptionWords& option : command.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(fmt::format("\"{} {}\"", command.name, name));
      values += fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), bash_words(option.proposals));
    }
  }
  return fmt::format(R"(# Completion of tessera for bash:  source <(tessera completion bash)
_tessera() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local options="" words="" files=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  # --backend=cuda is three words to bash
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  case "${{COMP_WORDS[1]}} $previous" in
{}    *)
    case "${{COMP_WORDS[1]}}" in
{}    esac ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ -z "$files" ] || compopt -o filenames 2>/dev/null
  case "$files" in
    "") ;;
    "*") COMPREPLY+=($(compgen -f -- "$current")) ;;
    "/") COMPREPLY+=($(compgen -d -- "$current")) ;;
    *) COMPREPLY+=($(compgen -f -X "!*.$files" -- "$current") $(compgen -d -- "$current")) ;;
  esac
}}
complete -F _tessera tessera
)",
                     fmt::join(names, " "), values, arguments);
}

// ----------------------------------------------------------------------------------------------------------------- zsh

/// The end of a specification of _arguments, ":message:action".
std::string zsh_action(const std::string& message, const Proposals& proposals) {
  std::string action;
  if (!proposals.words.empty())
    action = fmt::format("({})", fmt::join(proposals.words, " "));
  else if (proposals.files == "/")
    action = "_files -/";
  else if (proposals.files == "*")
    action = "_files";
  else if (!proposals.files.empty())
    action = fmt::format("_files -g \"*.{}(-.)\"", proposals.files);
  return fmt::format(":{}:{}", escaped(message, ":\\"), action);
}

/// A line of _arguments for each name of an option; the names of one exclude each other unless it may be repeated.
std::string zsh_option(const OptionWords& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    const std::string others = option.repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    const std::string assigned = !option.value.empty() && name.starts_with("--") ? "=" : "";
    lines += fmt::format("        {}\n",
                         quoted(fmt::format("{}{}{}[{}]{}", others, name, assigned, escaped(option.help, "[]:\\"),
                                            option.value.empty() ? "" : zsh_action(option.value, option.proposals))));
  }
  return lines;
}

std::string zsh(const Commands& commands) {
  std::string described, cases;
  for (const CommandWords& command : commands) {
    described += fmt::format("    {}\n", quoted(command.name + ":" + command.help));
    cases += fmt::format("    {})\n      specs=(\n", command.name);
    for (const OptionWords& option : command.options) cases += zsh_option(option);
    if (!command.proposals.words.empty() || !command.proposals.files.empty())
      cases += fmt::format("        {}\n", quoted("*" + zsh_action("argument", command.proposals)));
    cases += "      ) ;;\n";
  }
  return fmt::format(R"(#compdef tessera
# Completion of tessera for zsh:  source <(tessera completion zsh) after compinit, or as _tessera in a folder of $fpath
_tessera() {{
  local -a commands specs
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      compadd -- --help --version
    else
      _describe command commands
    fi
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}    *) return 1 ;;
  esac
  _arguments -s -S $specs
}}
if [[ $funcstack[1] == _tessera ]]; then
  _tessera "$@"
else
  compdef _tessera tessera
fi
)",
                     described, cases);
}

// ---------------------------------------------------------------------------------------------------------------- fish

/// Arguments of `complete` that say what may stand there; files with another ending come last, as fish has it.
std::string fish_proposals(const Proposals& proposals) {
  if (!proposals.words.empty())
    return fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(proposals.words, " "))));
  if (proposals.files.empty()) return "";
  if (proposals.files == "*") return " -F";
  if (proposals.files == "/") return " -a '(__fish_complete_directories)'";
  return fmt::format(" -k -a '(__fish_complete_suffix .{})'", proposals.files);
}

std::string fish(const Commands& commands) {
  std::string text = R"(# Completion of tessera for fish:  tessera completion fish | source
# Whether the command of the line is one of these; without any: whether there is none yet.
function __tessera_command
  set -l words (commandline -opc)
  if test (count $argv) -eq 0
    test (count $words) -lt 2
  else
    test (count $words) -ge 2; and contains -- $words[2] $argv
  end
end
complete -c tessera -f
complete -c tessera -n __tessera_command -l help -s h -d 'Print this help message and exit'
complete -c tessera -n __tessera_command -l version -s V -d 'Display program version information and exit'
)";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c tessera -n __tessera_command -a {} -d {}\n", command.name, quoted(command.help));
    const std::string of_command = fmt::format("complete -c tessera -n '__tessera_command {}'", command.name);
    for (const OptionWords& option : command.options) {
      text += of_command;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty())
        text += (option.proposals.files == "*" ? " -r" : " -x") + fish_proposals(option.proposals);
      text += fmt::format(" -d {}\n", quoted(option.help));
    }
    if (const std::string proposals = fish_proposals(command.proposals); !proposals.empty())
      text += of_command + proposals + "\n";
  }
  return text;
}

}  // namespace

const std::vector<std::string>& shell_names() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish"};
  return names;
}

ExitCode print_completion(const std::string& shell, const Commands& commands) {
  if (shell == "bash")
    fmt::print("{}", bash(commands));
  else if (shell == "zsh")
    fmt::print("{}", zsh(commands));
  else if (shell == "fish")
    fmt::print("{}", fish(commands));
  else
    throw Error(ExitCode::usage, fmt::format("no completion for the shell '{}'", shell), suggest(shell, shell_names()));
  return ExitCode::ok;
}

}  // namespace tessera::app
