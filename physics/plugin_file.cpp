#include "physics/plugin_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "base/input_file.hpp"

namespace tessera::physics {

namespace {

#if defined(__x86_64__)
constexpr int this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int this_machine = EM_AARCH64;
#else
constexpr int this_machine = 0;  // not checked
#endif

/// Empty, or why the file is no whole library.
std::string fault_of(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  const std::uint64_t size = std::filesystem::file_size(library);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is no shared library (ELF)";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || (this_machine != 0 && header.e_machine != this_machine))
    return "it was built for another machine";
  if (header.e_type != ET_DYN) return "it is an object or a program, not a shared library";
  auto within = [&](std::uint64_t offset, std::uint64_t bytes) { return offset <= size && bytes <= size - offset; };
  const std::string cut = fmt::format("it is cut off: it has {} bytes, and its tables promise more", size);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) return "its table of segments is damaged";
  if (!within(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr))) return cut;
  // The linker writes the sections' table last: half a file lacks it, though its segments may all be there.
  if (header.e_shoff != 0 && !within(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize)) return cut;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return cut;
    if (!within(segment.p_offset, segment.p_filesz)) return cut;
  }
  return {};
}

}  // namespace

void require_whole_library(const std::filesystem::path& library) {
  const char* help = "a plugin is a shared library built against this Tessera; see docs/plugins.md";
  require_regular_file(library, "plugin", help);
  if (const std::string fault = fault_of(library); !fault.empty())
    throw Error(ExitCode::file_system, fmt::format("cannot load plugin {}: {}", printable(library.string()), fault),
                help);
}

}  // namespace tessera::physics
