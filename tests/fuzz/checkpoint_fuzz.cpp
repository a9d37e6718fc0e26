// libFuzzer target: any bytes as a checkpoint, and as the text in one whose hashes are right. They are read or refused.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "output/checkpoint.hpp"

namespace {

using namespace tessera;

void read(const std::string& bytes) {
  static const int file = memfd_create("fuzz.tsr", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  try {
    output::read_checkpoint(path);
  } catch (const Error& error) {
    if (error.code() != ExitCode::file_system || error.report().empty()) __builtin_trap();
  }
}

/// The fields and hashes of output/checkpoint.hpp around a text, and blocks of zeros behind it.
std::string with_right_hashes(const std::string& text) {
  const auto bytes = [](std::uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
  const std::string blocks(text.size() % 64, '\0');
  const std::string start =
      "\x89TSR\r\n\x1a\n" + bytes(1) + bytes(48 + text.size() + blocks.size()) + bytes(text.size());
  return start + bytes(output::checkpoint_hash(start.data(), start.size())) + text +
         bytes(output::checkpoint_hash(text.data(), text.size())) + blocks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(with_right_hashes(bytes));
  return 0;
}
