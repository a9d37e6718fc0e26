#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "base/nvrtc.hpp"

namespace tessera {

#define NVRTC_FUNCTIONS(what)                                                                                         \
  what(Version) what(GetErrorString) what(CreateProgram) what(DestroyProgram) what(CompileProgram) what(GetCUBINSize) \
      what(GetCUBIN) what(GetProgramLogSize) what(GetProgramLog)

struct Nvrtc::Functions {
#define DECLARE(name) decltype(&nvrtc##name) name = nullptr;
  NVRTC_FUNCTIONS(DECLARE)
#undef DECLARE
};

namespace {

std::string default_file() {
  const char* const named = std::getenv("TESSERA_NVRTC");
  return named && *named ? named : fmt::format("libnvrtc.so.{}", CUDART_VERSION / 1000);
}

/// Where a toolkit stands whose folder is not in the linker's path.
constexpr const char* usual_folder = "/usr/local/cuda/lib64/";

/// A program that is given back also where compiling it fails.
template <class Functions>
struct Program {
  const Functions& nvrtc;
  nvrtcProgram handle = nullptr;
  explicit Program(const Functions& functions) : nvrtc(functions) {}
  ~Program() {
    if (handle) (void)nvrtc.DestroyProgram(&handle);
  }
  Program(const Program&) = delete;
};

}  // namespace

const Nvrtc& Nvrtc::library(const std::string& file) {
  static std::mutex guard;
  static std::map<std::string, std::unique_ptr<const Nvrtc>> loaded;
  const std::string name = file.empty() ? default_file() : file;
  const std::lock_guard lock(guard);
  std::unique_ptr<const Nvrtc>& one = loaded[name];
  if (!one) one = std::make_unique<const Nvrtc>(name);
  return *one;
}

Nvrtc::Nvrtc(const std::string& file) : functions_(std::make_unique<Functions>()) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const why = dlerror();
    problem_ = fmt::format("{} cannot be loaded ({})", file, why ? why : "no reason given");
    if (file.find('/') == std::string::npos) handle = dlopen((usual_folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    problem_.clear();
  }
#define LOAD(name)                                                                               \
  functions_->name = reinterpret_cast<decltype(functions_->name)>(dlsym(handle, "nvrtc" #name)); \
  if (!functions_->name && problem_.empty()) problem_ = fmt::format("{} has no nvrtc" #name, file);
  NVRTC_FUNCTIONS(LOAD)
#undef LOAD
  if (!usable()) return;
  int major = 0, minor = 0;
  (void)functions_->Version(&major, &minor);
  version_ = fmt::format("{}.{}", major, minor);
}

Nvrtc::~Nvrtc() = default;

std::optional<std::string> Nvrtc::compile(const std::string& source, const std::vector<std::string>& options,
                                          std::string& problem) const {
  problem = problem_;
  if (!usable()) return {};
  Program<Functions> program(*functions_);
  const auto ok = [&](nvrtcResult result) {
    if (result == NVRTC_SUCCESS) return true;
    problem = fmt::format("NVRTC {}: {}", version_, functions_->GetErrorString(result));
    std::size_t size = 0;
    if (program.handle && functions_->GetProgramLogSize(program.handle, &size) == NVRTC_SUCCESS && size > 1) {
      std::string log(size, '\0');
      if (functions_->GetProgramLog(program.handle, log.data()) == NVRTC_SUCCESS)
        problem += ": " + log.substr(0, log.find_first_of(std::string_view("\n\0", 2)));
    }
    return false;
  };
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  if (!ok(functions_->CreateProgram(&program.handle, source.c_str(), "expression.cu", 0, nullptr, nullptr))) return {};
  if (!ok(functions_->CompileProgram(program.handle, static_cast<int>(words.size()), words.data()))) return {};
  std::size_t size = 0;
  if (!ok(functions_->GetCUBINSize(program.handle, &size))) return {};
  std::string cubin(size, '\0');
  if (size > 0 && !ok(functions_->GetCUBIN(program.handle, cubin.data()))) return {};
  return cubin;
}

}  // namespace tessera
