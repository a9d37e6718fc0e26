#include "base/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace tessera {

namespace fs = std::filesystem;

void require_regular_file(const fs::path& path, const std::string& what, const std::string& help,
                          const std::optional<Position>& where) {
  const std::string name = printable(path.string());
  auto refuse = [&](const std::string& why) { throw Error(ExitCode::file_system, why, help, where); };
  if (path.empty()) throw Error(ExitCode::usage, fmt::format("the name of the {} is empty", what), help, where);
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  switch (status.type()) {
    case fs::file_type::regular: return;
    case fs::file_type::not_found: refuse(fmt::format("there is no {} '{}'", what, name)); break;
    case fs::file_type::directory: refuse(fmt::format("'{}' is a folder, not a {}", name, what)); break;
    case fs::file_type::fifo: refuse(fmt::format("'{}' is a pipe, not a {}", name, what)); break;
    case fs::file_type::socket: refuse(fmt::format("'{}' is a socket, not a {}", name, what)); break;
    case fs::file_type::character:
    case fs::file_type::block: refuse(fmt::format("'{}' is a device, not a {}", name, what)); break;
    default:
      refuse(fmt::format("the {} '{}' cannot be read: {}", what, name,
                         failure ? failure.message() : std::string("it is no file")));
  }
}

std::string read_standard_input(const std::string& what, std::size_t most) {
  std::string text;
  char chunk[65536];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(ExitCode::file_system,
                  fmt::format("the {} cannot be read from standard input: {}", what, std::strerror(errno)),
                  fmt::format("send it with < FILE or through a pipe, or name a file"));
    if (count == 0) return text;
    text.append(chunk, static_cast<std::size_t>(count));
    if (text.size() > most)
      throw Error(ExitCode::file_system, fmt::format("the {} on standard input has more than {} MiB", what, most >> 20),
                  "is it the right file?");
  }
}

std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c == '\r')
      result += "\\r";
    else if (byte < 32 || byte == 127)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

}  // namespace tessera
