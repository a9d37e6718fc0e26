// libFuzzer target: any bytes as a checkpoint, and as the text in one whose hashes are right. They are read or refused.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "fuzz/sealed_checkpoint.hpp"

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

/// A checkpoint as the program writes them, with one array of eight numbers.
std::string sound() {
  char folder[] = "/tmp/tessera_fuzz_XXXXXX";
  if (!mkdtemp(folder)) std::abort();
  const std::string path = std::string(folder) + "/sound.tsr";
  output::write_checkpoint(path, {.arrays = {{"u", 1, std::vector<double>(8, 0.5)}}});
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove_all(folder);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  static const std::string whole = sound();
  read(fuzz::with_text(whole, bytes));
  return 0;
}
